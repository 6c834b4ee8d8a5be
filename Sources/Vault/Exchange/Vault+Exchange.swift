package import FileSystem
internal import Foundation

// How contents come from one vault into another with the same key, whatever is between the two.
//
//     keepContents ──▶ objects(of:) ──▶ withStored ──▶ … ──▶ receive ──▶ restore
//
// An object is checked against its name before it is stored: nobody on the way can have it taken for another.

extension Vault {
    /// One document whose contents are to be kept.
    package struct Keepable: Sendable {
        package let path: FilePath
        package let item: FileMark
        /// The members of a package that may have changed; nil when nobody knows.
        package let changed: Set<MemberPath>?
        /// Whether something else is looked at than the document itself: what was seen of its members does not count.
        package let isElsewhere: Bool
        /// Whether all of it is read, though nothing tells of a change: something that was lent is not there any more.
        package let isReadAnew: Bool
        /// Whether a file of it that is written to each time that it is read is taken as it is.
        package let isTakenAsItIs: Bool
        /// What it is to be taken for bearing where the disk does not say it.
        package let notes: DressNotes

        package init(
            _ path: FilePath,
            as item: FileMark,
            changed: Set<MemberPath>? = nil,
            isElsewhere: Bool = false,
            isReadAnew: Bool = false,
            isTakenAsItIs: Bool = false,
            notes: DressNotes = DressNotes()
        ) {
            (self.path, self.item, self.changed, self.isElsewhere) = (path, item, changed, isElsewhere)
            (self.isReadAnew, self.isTakenAsItIs, self.notes) = (isReadAnew, isTakenAsItIs, notes)
        }
    }

    /// What was kept of a document.
    package struct Kept: Sendable {
        package let contents: DocumentContents
        /// What the kernel said of a file while it was read; nil for what was not, being as it was, and for what is no file.
        package let readStatus: MemberStatus?
    }

    /// Keeps the contents of documents, all made durable together.
    ///
    /// - Parameters:
    ///   - documents: Which. One that changes all the time, is gone or cannot be read fails for itself.
    ///   - origin: Who keeps them.
    /// - Returns: What was kept of each, in order.
    /// - Throws: As `keep`, when nothing could be made durable.
    package func keepContents(
        of documents: [Keepable],
        origin: (Keepable) -> VersionOrigin
    ) throws -> [Result<Kept, any Error>] {
        let session = try KeepSession(store: store)
        return try session.untilCurrent { try keepContents(of: documents, origin, by: session) }
    }

    private func keepContents(
        of documents: [Keepable],
        _ origin: (Keepable) -> VersionOrigin,
        by session: KeepSession
    ) throws -> [Result<Kept, any Error>] {
        var results: [Result<Kept, any Error>] = []
        var kept: [(root: ManifestEntry, item: FileMark, origin: VersionOrigin)] = []
        var places: [Int] = []
        var caches: [(item: FileMark, rows: CacheRows)] = []
        if documents.count > 1 { try session.lookAhead(documents.filter { !$0.isElsewhere }.map(\.item)) }
        for document in documents {
            var keeper = ItemKeeper(
                session: session,
                item: document.item,
                moment: Vault.fileMoment,
                remembers: !document.isElsewhere,
                asks: !document.isElsewhere && !document.isReadAnew,
                takesAsItIs: document.isTakenAsItIs,
                notes: document.notes
            )
            do {
                let changed = document.isElsewhere ? .all : ChangedMembers(document.changed)
                let root = try keeper.keep(document.path, changed)
                caches += keeper.caches.map { (document.item, $0) }
                kept.append((root, document.item, origin(document)))
                places.append(results.count)
                results.append(
                    .success(Kept(contents: DocumentContents(root), readStatus: keeper.readStatus))
                )
            } catch let stale as KeepSession.Stale {
                throw stale
            } catch {
                results.append(.failure(error))
            }
        }
        let made = try versions(kept, by: session)
        for (place, version) in zip(places, made) {
            if case .failure(let error) = version { results[place] = .failure(error) }
        }
        try session.commit { index in
            for case .success((let version, let object)?) in made {
                try index.insert(version, object: object)
            }
            for (item, rows) in caches {
                try index.setMemberCache(item, rows, generation: session.generation)
            }
        }
        return results
    }

    /// A version of each that keeps contents from being collected; nil where the newest one does.
    func versions(
        _ kept: [(root: ManifestEntry, item: FileMark, origin: VersionOrigin)],
        by session: KeepSession
    ) throws -> [Result<(version: KeptVersion, object: ObjectName)?, any Error>] {
        let newest = try store.withIndexAtOneTime { index in
            try kept.map { try index.newestVersion(of: $0.item) }
        }
        return zip(kept, newest).map { kept, newest in
            // One record that cannot be read is nothing to the others.
            Result {
                if let newest, try newest.root().isSameState(as: kept.root) {
                    session.rely(on: newest)
                    return nil
                }
                let version = try KeptVersion(
                    id: .fresh(),
                    item: kept.item,
                    origin: kept.origin,
                    root: kept.root
                )
                return (version, try session.storeRecord(of: version))
            }
        }
    }

    // MARK: Out

    /// The object that contents begin with; nil where they are empty, or a link.
    package static func root(of contents: DocumentContents) -> VaultObject? {
        var walk = ContentWalk()
        walk.add(contents.entry)
        return walk.take(from: .min).first?.object
    }

    /// So many objects are looked up together.
    private static let lookAheadCount = 512

    /// The objects of some contents that are here, each once.
    ///
    /// - Parameter others: Contents whose objects are left out. What both share is not gone through, so this takes as long as
    ///   the two differ. What is not here of them leaves nothing out, nor does a piece that both have in places so far apart
    ///   that it is not come by.
    /// - Throws: `VaultError` with code `damaged` when some are missing.
    package func objects(
        of contents: [DocumentContents],
        beyond others: [DocumentContents] = []
    ) throws -> [VaultObject] {
        let reader = try ObjectReader(store: store)
        var (walk, known) = (ContentWalk(), ContentWalk())
        for contents in contents { walk.add(contents.entry) }
        for contents in others { known.add(contents.entry) }
        var found: [VaultObject] = []
        // One generation of each after the other: what both have they come by at the same time.
        while let rank = walk.rank {
            for step in known.take(from: rank) {
                guard let level = step.nodeLevel, !walk.hasMet(step.object) else { continue }
                do {
                    let plain = try reader.object(step.object.name, step.object.kind)
                    try known.open(plain, step.object, level: level)
                } catch let error as VaultError where error.code == .damaged {
                    // It is asked for what is below it.
                }
            }
            for step in walk.take(from: rank) {
                guard !known.hasMet(step.object) else { continue }
                found.append(step.object)
                guard let level = step.nodeLevel else { continue }
                try walk.open(
                    try reader.object(step.object.name, step.object.kind),
                    step.object,
                    level: level
                )
            }
        }
        return found
    }

    /// How many bytes objects have as they are stored, without those that are not here.
    package func storedByteCount(of objects: [VaultObject]) throws -> Int {
        var sum = 0
        for start in stride(from: 0, to: objects.count, by: Self.lookAheadCount) {
            let some = objects[start..<min(start + Self.lookAheadCount, objects.count)]
            sum += try store.withIndexAtOneTime { index in
                try some.reduce(0) { $0 + (try index.place(of: $1.name)?.header.storedByteCount ?? 0) }
            }
        }
        return sum
    }

    /// Shows objects as they are stored, one after another; the bytes are gone after each.
    ///
    /// - Throws: `VaultError` with code `damaged` when one is not here.
    package func withStored(
        _ objects: [VaultObject],
        _ body: (VaultObject, ShownObject) throws -> Void
    ) throws {
        let reader = try ObjectReader(store: store)
        for start in stride(from: 0, to: objects.count, by: Self.lookAheadCount) {
            let some = objects[start..<min(start + Self.lookAheadCount, objects.count)]
            try reader.lookAhead(some.map(\.name))
            for object in some {
                try reader.withObject(object.name, object.kind) { plain, pressed in
                    try body(
                        object,
                        ShownObject(
                            isPressed: pressed != nil,
                            plainByteCount: plain.count,
                            bytes: pressed ?? plain
                        )
                    )
                }
            }
        }
    }

    // MARK: In

    /// Puts contents where nothing is yet; see `restore(_:to:)` for what that does and does not do.
    ///
    /// - Parameters:
    ///   - contents: Of a document. They do not say when it was modified last; of the members of a package they do.
    ///   - target: Where; the folder above must exist, the name must be free.
    ///   - modified: When that was; nil leaves the document as old as the file that is made for it.
    ///   - mark: What it is to be known by; a link bears none.
    ///   - lends: Whether that becomes a document, which may be lent to the vault, and may be the vault's own file.
    /// - Returns: What the volume does not let it bear.
    /// - Throws: `VaultError` with code `damaged`; `SystemError`, `EEXIST` when the name is taken.
    @discardableResult
    package func restore(
        _ contents: DocumentContents,
        to target: FilePath,
        modified: FileTime? = nil,
        mark: FileMark? = nil,
        lends: Bool = false
    ) throws -> DressNotes {
        try ContentRestorer(self).restore(
            contents,
            as: target.name,
            in: try StorageFolder(containing: target),
            modified: modified,
            mark: mark,
            lends: lends
        )
    }
}

/// Puts contents of a vault where nothing is yet, one after another: what is needed for each is made once. For one thread at
/// a time.
package final class ContentRestorer {
    let restorer: Restorer

    package init(_ vault: Vault) throws { restorer = try Restorer(store: vault.store) }

    /// Looks up where the bytes of files are that are about to be restored, as of one moment.
    package func lookAhead(_ contents: [DocumentContents]) throws {
        try restorer.lookAhead(contents.map(\.entry))
    }

    /// As `Vault.restore`.
    package func restore(
        _ contents: DocumentContents,
        as name: String,
        in folder: StorageFolder,
        modified: FileTime? = nil,
        mark: FileMark? = nil,
        lends: Bool = false
    ) throws -> DressNotes {
        var entry = contents.entry
        if let modified {
            entry.dress.modificationSeconds = modified.seconds
            entry.dress.modificationNanoseconds = modified.nanoseconds
        }
        // Before its permissions: a file that nobody may write to takes no mark afterwards.
        if let mark { entry.dress.attributes[FileMark.attributeName] = Data(mark.bytes) }
        let isDated = modified != nil
        var losses = DressNotes()
        if lends, entry.mayBeLent(in: restorer.store) {
            try restorer.restoreLent(entry, as: name, in: folder, isDated: isDated, losses: &losses)
        } else {
            try restorer.restore(entry, as: name, in: folder, isDated: isDated, losses: &losses)
        }
        return losses
    }
}
