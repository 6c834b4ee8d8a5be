internal import DocumentFoundation
internal import DocumentMerging
package import FileSystem
internal import Foundation

/// Merges documents by their types, as `UIDocument` does.
package struct TypeMerger: DocumentMerger {
    package init() {}

    package func merge(base: FilePath?, mine: FilePath, theirs: FilePath, to target: FilePath) throws -> Bool
    {
        let type = PackageTypes.identifier(of: mine.url(isDirectory: false))
        guard let own = try contents(mine), let other = try contents(theirs) else { return false }
        let known = try base.flatMap { try contents($0) }
        let merged = try DocumentMergers.merge(ofType: type, base: known, mine: own, theirs: other)
        guard let merged, merged.conflicts.isEmpty else { return false }
        let place = target.url(isDirectory: false)
        switch merged.contents {
        case let data as Data: try data.write(to: place)
        case let wrapper as FileWrapper: try wrapper.write(to: place, options: [], originalContentsURL: nil)
        default: return false
        }
        return true
    }

    /// Nil for what has no contents to merge: a link.
    private func contents(_ path: FilePath) throws -> Any? {
        switch try FileStamp(of: path).kind {
        case .regular: try FileReading.contents(of: path, mapped: false)
        case .directory: try FileWrapper(url: path.url(isDirectory: true), options: [])
        case .symbolicLink, .other: nil
        }
    }
}
