package import FileSystem
package import Foundation

/// Where every former state of a document is kept.
///
/// A version is made of objects that are named by a keyed hash of their bytes and stored once: pieces of files, and
/// trees of folders. They are appended to packs, which are the truth; an index says what is where and can be made
/// anew. Docs/formats/vault.md has all of it.
///
/// Any thread, any number of them, any number of processes; every call blocks on the disk.
///
/// 1. What a call has returned is on stable storage.
/// 2. A version is listed only when all of it is there; then it is there until it is removed.
/// 3. No bytes of a vault are changed after they were written, but for files of SQLite's.
package final class Vault: Sendable {
    let store: VaultStore
    /// Tells the time, for what is said of versions.
    package let now: @Sendable () -> Date

    /// Opens a vault, made when there is none; what was lost of its index is made anew.
    ///
    /// - Parameters:
    ///   - folder: Where it is or is to be; the folder above must exist.
    ///   - key: The key of a new one, as another device's vault has it, 32 bytes; nil for one of its own.
    ///   - lentByteCountMin: From how many bytes on a document that is a file is not copied, but lent: see `Loan`. Nil for a vault
    ///     that keeps all that is listed, whatever becomes of documents.
    ///   - now: Tells the time.
    /// - Throws: `VaultError` with code `notPrivate` when others could look into it, `unsupported` for a later
    ///   version's, `damaged` when the key is, or is gone and packs are there; `SystemError`.
    package init(
        at folder: FilePath,
        key: [UInt8]? = nil,
        lentByteCountMin: Int64? = nil,
        now: @escaping @Sendable () -> Date = { Date() }
    ) throws {
        store = try VaultStore(at: folder, key: key, lentByteCountMin: lentByteCountMin)
        self.now = now
    }

    /// The key, for another device's vault to name the same bytes alike.
    package var key: [UInt8] { store.key }

    /// Where it is.
    package var folder: FilePath { store.folder.path }

    /// Spares whoever opens the vault next the reading of what was written last; for a process that is about to end. Others
    /// may go on with the vault, and nothing is lost without.
    ///
    /// - Throws: `SQLiteError`, `SystemError`. The vault is as it was then.
    package func settle() throws { try store.settleIndex() }

    /// The time that files' own times are compared with: the kernel gives them, whatever `now` tells.
    static var fileMoment: Int64 { Date().nanoseconds }

    // MARK: Keeping

    /// Keeps the state that a document is in now.
    ///
    /// A member that is written to meanwhile is read again until it is at rest. The members of a package are each as
    /// they were at one moment; that all are of the same moment, whoever calls this sees to, by a coordinated access.
    /// Nothing that is written to the document later reaches the version, by whatever hard link.
    ///
    /// - Parameters:
    ///   - path: Where the document is; a symbolic link is kept itself.
    ///   - item: The document's mark.
    ///   - origin: Who keeps it and why.
    ///   - changed: The members of a package that may have changed, come or gone since it was kept last; nil when
    ///     nobody knows. Those who say so must know of all of them. Without it every member's times are looked at.
    ///   - unlessUnchanged: Whether to add none when the newest version is the same but for its times.
    ///   - isElsewhere: Whether the state is kept that something else is in, as a version of the document: then what
    ///     was seen of the document's own members is neither asked nor changed.
    ///   - notes: What it is to be taken for bearing where the disk does not say it.
    /// - Returns: The version, or the newest one when none was added; what was known to be damaged of that is whole again.
    /// - Throws: `VaultError` with code `changing`, `unkeepable` or `busy`; `SystemError`. Nothing was promised then; a
    ///   version that was durable when the index refused is listed after the next opening.
    @discardableResult
    package func keep(
        _ path: FilePath,
        as item: FileMark,
        origin: VersionOrigin,
        changed: Set<MemberPath>? = nil,
        unlessUnchanged: Bool = false,
        isElsewhere: Bool = false,
        notes: DressNotes = DressNotes()
    ) throws -> KeptVersion {
        let state = KeptState(
            path: path,
            item: item,
            origin: origin,
            changed: isElsewhere ? .all : ChangedMembers(changed),
            unlessUnchanged: unlessUnchanged,
            isElsewhere: isElsewhere,
            notes: notes
        )
        let session = try KeepSession(store: store)
        return try session.untilCurrent { try keep(state, by: session) }
    }

    /// What is to be kept, and as what.
    private struct KeptState {
        let path: FilePath
        let item: FileMark
        let origin: VersionOrigin
        let changed: ChangedMembers
        let unlessUnchanged: Bool
        let isElsewhere: Bool
        let notes: DressNotes
    }

    private func keep(_ state: KeptState, by session: KeepSession) throws -> KeptVersion {
        let (item, origin) = (state.item, state.origin)
        var keeper = ItemKeeper(
            session: session,
            item: item,
            moment: Self.fileMoment,
            remembers: !state.isElsewhere,
            notes: state.notes
        )
        let root = try keeper.keep(state.path, state.changed)
        if state.unlessUnchanged, let newest = try newestVersion(of: item),
            try newest.root().isSameState(as: root)
        {
            session.rely(on: newest)
            try heal(item, keeper.caches, by: session)
            return newest
        }
        let version = try KeptVersion(id: .fresh(), item: item, origin: origin, root: root)
        let object = try session.storeRecord(of: version)
        let caches = keeper.caches
        try session.commit { index in
            try index.insert(version, object: object)
            for cache in caches {
                try index.setMemberCache(item, cache, generation: session.generation)
            }
        }
        return version
    }

    /// Sees to it that the newest version of a document is whole, which was found to be the state that it is in: what of it was
    /// damaged has been stored anew. Whoever keeps it is about to do away with the document, maybe.
    private func heal(_ item: FileMark, _ caches: [CacheRows], by session: KeepSession) throws {
        guard try session.hasNews() else { return try session.checkCurrent() }
        try session.commit { index in
            for cache in caches {
                try index.setMemberCache(item, cache, generation: session.generation)
            }
        }
    }

    // MARK: Versions

    /// The versions of a document, the oldest first.
    package func versions(of item: FileMark) throws -> [KeptVersion] {
        try store.withIndex { try $0.versions(of: item) }
    }

    /// The versions of a document that lost a conflict which nobody has settled, the oldest first.
    package func unresolvedConflicts(of item: FileMark) throws -> [KeptVersion] {
        try store.withIndex { try $0.unresolvedConflicts(of: item) }
    }

    /// The newest version of a document; nil when there is none.
    package func newestVersion(of item: FileMark) throws -> KeptVersion? {
        try store.withIndex { try $0.newestVersion(of: item) }
    }

    /// One version; nil when there is none, or none any more.
    package func version(_ id: VersionID) throws -> KeptVersion? {
        try store.withIndex { try $0.version(id) }
    }

    /// Whether a version was ever listed here, as far as the vault knows: of one that was removed long ago it knows nothing any more.
    package func hasHeard(of id: VersionID) throws -> Bool {
        try store.withIndex { try $0.isListed(id) }
    }

    /// The documents that have a version which lost a conflict that nobody has settled, in no order.
    ///
    /// - Cost: By how many such versions there are.
    package func itemsInConflict() throws -> [FileMark] {
        try store.withIndex { try $0.itemsInConflict() }
    }

    /// The documents that have versions, in no order.
    package func items() throws -> [FileMark] {
        try store.withIndex { try $0.items() }
    }

    /// Removes versions. What only they had is gone when the vault has been collected.
    ///
    /// - Parameter ids: Which; one that is not there is passed over.
    package func remove(_ ids: [VersionID]) throws {
        try note(.removed, ids)
    }

    /// Removes all versions of a document but some.
    package func removeVersions(of item: FileMark, but kept: Set<VersionID> = []) throws {
        try remove(try versions(of: item).map(\.id).filter { !kept.contains($0) })
    }

    /// Says that a conflict has been settled. Nothing can undo this.
    package func setResolved(_ ids: [VersionID]) throws {
        try note(.resolved, ids)
    }

    /// What whoever waits for a conflict to be settled watches: it is closed by somebody who had it open for writing when
    /// a version has been settled or removed, by whichever process.
    package var noticePlace: FilePath { store.folder.path.appending(VaultLock.index.rawValue) }

    /// Says whether thinning may remove versions.
    package func setDiscardable(_ isDiscardable: Bool, _ ids: [VersionID]) throws {
        try note(isDiscardable ? .discardable : .undiscardable, ids)
    }

    /// Removes what the rules let go of.
    ///
    /// - Parameters:
    ///   - item: Of which document; nil for all.
    ///   - retention: The rules.
    ///   - moment: What time it is, by whoever can tell better than the clock; nil for what the clock says.
    /// - Returns: The versions removed.
    @discardableResult
    package func thin(
        _ item: FileMark? = nil,
        by retention: VersionRetention = .standard,
        at moment: Date? = nil
    ) throws -> [VersionID] {
        var removed: [VersionID] = []
        let moment = moment ?? now()
        for item in try item.map({ [$0] }) ?? items() {
            let versions = try versions(of: item)
            // What is to be merged yet is merged with what it comes from.
            let ancestors = try versions.filter { $0.isConflict && !$0.isResolved }.map {
                try $0.ancestor(among: versions)?.id
            }
            let candidates = versions.map {
                let isProtected = $0.isProtected || ancestors.contains($0.id)
                return VersionRetention.Candidate(date: $0.date, isProtected: isProtected)
            }
            removed += retention.superfluous(of: candidates, now: moment).map { versions[$0].id }
        }
        try remove(removed)
        return removed
    }

    private func note(_ change: VersionNote.Change, _ ids: [VersionID]) throws {
        guard !ids.isEmpty else { return }
        let session = try KeepSession(store: store)
        var notes: [VersionNote] = []
        for start in stride(from: 0, to: ids.count, by: VersionNote.versionCountMax) {
            let some = Array(ids[start..<min(start + VersionNote.versionCountMax, ids.count)])
            let note = VersionNote(change: change, date: now(), versions: some)
            _ = try session.store(.note, note.encoded)
            notes.append(note)
        }
        // It leads to nothing that could have been collected.
        let commit = {
            try session.commit(reliesOnOthers: false) { index in
                for note in notes { try index.apply(note) }
            }
        }
        switch change {
        case .resolved, .removed: try VaultLock.index.announce(in: store.folder, commit)
        case .discardable, .undiscardable: try commit()
        }
    }
}

extension ManifestEntry {
    /// Whether the bytes, the names and the attributes are the same; the document's own time is let be.
    func isSameState(as other: ManifestEntry) -> Bool {
        var other = other
        other.dress.modificationSeconds = dress.modificationSeconds
        other.dress.modificationNanoseconds = dress.modificationNanoseconds
        return self == other
    }
}
