internal import FileSystem
internal import Foundation

/// A version that is about to be listed, or has come to nothing, and the object that its record is.
typealias MadeVersion = (version: KeptVersion, object: ObjectName)

extension KeepSession {
    /// So often something is stored anew that others got in the way of, and as often again while nobody collects.
    private static let attemptCountMax = 3

    /// Stores something until nothing was taken away meanwhile that it relies on.
    ///
    /// - Parameter attempt: Stores it and commits; looks at all of it anew each time.
    /// - Throws: `VaultError` with code `busy` when others take something away each time; what the attempt throws, but for
    ///   `Stale`.
    func untilCurrent<Value>(_ attempt: () throws -> Value) throws -> Value {
        for _ in 1...Self.attemptCountMax {
            do { return try attempt() } catch is Stale { try refresh() }
        }
        // Somebody collects all the time: this once he waits.
        return try VaultLock.collection.hold(in: store.folder) {
            // A lent document's owner, who changes it, waits for nobody.
            for _ in 1...Self.attemptCountMax {
                try refresh()
                do { return try attempt() } catch is Stale { continue }
            }
            let detail = "Others took away what it relies on each time that something was stored. Try again."
            throw VaultError(code: .busy, path: store.folder.path, detail: detail)
        }
    }

    /// Stores the record of a version that is listed when this attempt comes to its end. Should it come to nothing, the record
    /// is in a pack all the same.
    func storeRecord(of version: KeptVersion) throws -> ObjectName {
        let object = try storeNew(.version, [UInt8](version.record))
        made.append((version, object))
        return object
    }

    /// Notes in a pack that versions are none that came to nothing: an index made anew would list them.
    func noteVoided() throws {
        for start in stride(from: 0, to: voided.count, by: VersionNote.versionCountMax) {
            let some = voided[start..<min(start + VersionNote.versionCountMax, voided.count)]
            guard let date = some.map(\.version.date).max() else { continue }
            _ = try store(
                .note,
                VersionNote(change: .removed, date: date, versions: some.map(\.version.id)).encoded
            )
        }
    }

    /// Says the same to the index. Their records are in it: one that no version is of would be taken for a later program's.
    func setVoid(in index: VaultIndex) throws {
        for (version, object) in voided {
            try index.insert(version, object: object)
            try index.setVoid(version.id)
        }
    }
}
