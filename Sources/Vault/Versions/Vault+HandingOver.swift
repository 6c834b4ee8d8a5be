package import FileSystem
internal import Foundation

extension Vault {
    /// Has a document that bears another mark from now on keep its versions, as they are. Nothing happens to one that has versions
    /// under that mark already. A version that somebody removes meanwhile is removed under either mark.
    ///
    /// - Parameters:
    ///   - former: The mark that it bore.
    ///   - item: The mark that it is to bear.
    /// - Returns: Which version is now the copy of which.
    /// - Throws: `VaultError`.
    @discardableResult
    package func copyVersions(of former: FileMark, to item: FileMark) throws -> [VersionID: VersionID] {
        // First, so that it is noticed when what is found now is collected.
        let session = try KeepSession(store: store)
        let versions = try versions(of: former)
        guard !versions.isEmpty, try newestVersion(of: item) == nil else { return [:] }
        let copies = try versions.map { version in
            var origin = try version.origin()
            // What was settled is so still.
            origin.isConflict = version.isConflict && !version.isResolved
            origin.isDiscardable = version.isDiscardable
            let copy = try KeptVersion(id: .fresh(), item: item, origin: origin, root: try version.root())
            let object = try session.storeNew(.version, [UInt8](copy.record))
            return VersionCopy(original: version.id, version: copy, object: object)
        }
        // Their records are in a pack, and are to count for nothing in an index made anew, too.
        let voided = try list(copies, of: former, by: session)
        try remove(voided)
        return copies.reduce(into: [:]) { listed, copy in
            if !voided.contains(copy.version.id) { listed[copy.original] = copy.version.id }
        }
    }

    private struct VersionCopy {
        let original: VersionID
        let version: KeptVersion
        let object: ObjectName
    }

    /// Lists copies.
    ///
    /// - Returns: Those that are none, as their originals are not listed any more.
    private func list(
        _ copies: [VersionCopy],
        of former: FileMark,
        by session: KeepSession
    ) throws -> [VersionID] {
        try session.untilCurrent { try tryToList(copies, of: former, by: session) }
    }

    private func tryToList(
        _ copies: [VersionCopy],
        of former: FileMark,
        by session: KeepSession
    ) throws -> [VersionID] {
        try session.commit { index in
            // What is listed in this moment is all there, and so is what its copy leads to.
            let listed = Set(try index.versions(of: former).map(\.id))
            var voided: [VersionID] = []
            for copy in copies {
                try index.insert(copy.version, object: copy.object)
                guard !listed.contains(copy.original) else { continue }
                try index.setVoid(copy.version.id)
                voided.append(copy.version.id)
            }
            return voided
        }
    }
}
