package import FileSystem
internal import Foundation

extension Vault {
    /// Has a document that bears another mark from now on keep its versions, as they are. Nothing happens to one that has versions
    /// under that mark already.
    ///
    /// - Parameters:
    ///   - former: The mark that it bore.
    ///   - item: The mark that it is to bear.
    /// - Throws: `VaultError`.
    package func copyVersions(of former: FileMark, to item: FileMark) throws {
        let versions = try versions(of: former)
        guard !versions.isEmpty, try newestVersion(of: item) == nil else { return }
        let copies = try versions.map { version in
            var origin = try version.origin()
            // What was settled is so still.
            origin.isConflict = version.isConflict && !version.isResolved
            origin.isDiscardable = version.isDiscardable
            return try KeptVersion(id: .fresh(), item: item, origin: origin, root: try version.root())
        }
        let session = try KeepSession(store: store)
        for _ in 1...Self.exchangeAttemptMax {
            do { return try add(copies, by: session) } catch is KeepSession.Stale {
                try session.refresh()
            }
        }
        try VaultLock.collection.hold(in: store.folder) {
            try session.refresh()
            try add(copies, by: session)
        }
    }

    private func add(_ versions: [KeptVersion], by session: KeepSession) throws {
        let stored = try versions.map { ($0, try session.storeNew(.version, [UInt8]($0.record))) }
        try session.commit { index in
            for (version, object) in stored { try index.insert(version, object: object) }
        }
    }
}
