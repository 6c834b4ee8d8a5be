internal import DocumentFoundation
internal import DocumentMerging
package import FileSystem
internal import Foundation
internal import KeyValues
internal import Merging

/// Merges documents by their types, as `UIDocument` does.
package struct TypeMerger: DocumentMerger {
    package init() {}

    package func merge(base: FilePath?, mine: FilePath, theirs: FilePath, to target: FilePath) throws -> Bool
    {
        if mine.name.hasSuffix(KeyValueSettings.fileSuffix) {
            return try mergeKeyValues(base, mine, theirs, to: target)
        }
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

    /// Of each key the later write, as a process of the app does with its file.
    private func mergeKeyValues(
        _ base: FilePath?,
        _ mine: FilePath,
        _ theirs: FilePath,
        to target: FilePath
    ) throws -> Bool {
        // What a link leads to, or what is in a folder, are none of its values.
        func bytes(_ path: FilePath) throws -> [UInt8]? {
            guard try FileStamp(of: path).kind == .regular else { return nil }
            return [UInt8](try FileReading.contents(of: path))
        }
        guard let own = try bytes(mine), let other = try bytes(theirs) else { return false }
        let merged = KeyValueMerger().merge(base: try base.flatMap(bytes), mine: own, theirs: other)
        guard merged.conflicts.isEmpty else { return false }
        try Data(merged.contents).write(to: target.url(isDirectory: false))
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
