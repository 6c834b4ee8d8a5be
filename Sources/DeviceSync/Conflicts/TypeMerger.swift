internal import DocumentFoundation
package import FileSystem
internal import Foundation
internal import KeyValues
internal import Merging
package import Vault

/// Merges documents by their types, as `UIDocument` does where nobody has registered a merger of his own.
///
/// What no merger looks into, and what is too large for one, it leaves unread.
package struct TypeMerger: DocumentMerger {
    package init() {}

    package func merge(base: FilePath?, mine: FilePath, theirs: FilePath, to target: FilePath) throws -> Bool
    {
        if mine.name.hasSuffix(KeyValueSettings.fileSuffix) {
            return try mergeKeyValues(base, mine, theirs, to: target)
        }
        return try ItemMerge.merge(base: base, mine: mine, theirs: theirs, to: target)
    }

    package func areInConflict(
        _ name: String,
        base: DocumentContents?,
        mine: DocumentContents,
        theirs: DocumentContents
    ) -> Bool {
        guard mine.kind == theirs.kind else { return true }
        switch mine.kind {
        case .regular: break
        // What files of it both have changed tells what is in it.
        case .directory: return false
        case .symbolicLink, .other: return true
        }
        if name.hasSuffix(KeyValueSettings.fileSuffix) {
            return max(mine.byteCount, theirs.byteCount) > KeyValueState.fileByteCountMax
        }
        return ItemMerge.areInConflict(name, base: base, mine: mine, theirs: theirs)
    }

    package func areInConflict(_ contest: PackageContest) -> Bool { ItemMerge.areInConflict(contest) }

    /// Of each key the later write, as a process of the app does with its file.
    private func mergeKeyValues(
        _ base: FilePath?,
        _ mine: FilePath,
        _ theirs: FilePath,
        to target: FilePath
    ) throws -> Bool {
        // What a link leads to, what is in a folder, or in a file that no store has written, are none of its values.
        func bytes(_ path: FilePath) throws -> [UInt8]? {
            let stamp = try FileStamp(of: path)
            let isReadable = stamp.kind == .regular && stamp.byteCount <= KeyValueState.fileByteCountMax
            guard isReadable else { return nil }
            return [UInt8](try FileReading.contents(of: path))
        }
        guard let own = try bytes(mine), let other = try bytes(theirs) else { return false }
        let merged = KeyValueMerger().merge(base: try base.flatMap(bytes), mine: own, theirs: other)
        guard merged.conflicts.isEmpty else { return false }
        try Data(merged.contents).write(to: target.url(isDirectory: false))
        return true
    }
}
