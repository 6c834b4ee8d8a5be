package import FileSystem
internal import Foundation

extension Vault {
    /// Gets some objects, in any order, those first that have been asked for, shows each of them, and is asked for the others
    /// again. What is shown is looked at before the next one is: it may come to the same place.
    package typealias Fetch = (
        _ wanted: ArraySlice<VaultObject>,
        _ room: Room,
        _ show: (VaultObject, ShownObject) throws -> Void
    ) throws -> Void

    /// Says where an object of so many stored bytes is best put before it is shown; nil for anywhere.
    package typealias Room = (VaultObject, _ byteCount: Int) -> UnsafeMutableRawBufferPointer?

    /// Whether all of contents is here, as far as can be told without reading it.
    package func has(_ contents: DocumentContents) throws -> Bool {
        guard let content = contents.entry.content else { return true }
        return try store.has(content, contents.entry.kind, countsLent: contents.entry.mayBeLent(in: store))
    }

    /// Stores contents of documents that come from elsewhere, all made durable together.
    ///
    /// - Parameters:
    ///   - documents: Which, and of which items.
    ///   - origin: Who keeps them.
    ///   - noRoom: Told how much room there was for them, in bytes, where that was too little.
    ///   - fetch: Gets the objects that are not here. That it gets none of those that it is asked for ends this.
    /// - Throws: `VaultError` with code `damaged` when an object is not what its name says, or cannot be had, `busy` when
    ///   others take away all the time what is here; what `fetch` throws. What has come of files until then need not come
    ///   again, unless the disk has refused some of it, or has no room for the rest.
    package func receive(
        _ documents: [(contents: DocumentContents, item: FileMark)],
        origin: (FileMark) -> VersionOrigin,
        noRoom: (Int) -> Void = { _ in },
        fetch: Fetch
    ) throws {
        let session = try KeepSession(store: store)
        do { try session.untilCurrent { try receive(documents, origin, fetch, by: session) } } catch {
            if let room = session.abandon(error) { noRoom(room) }
            throw error
        }
    }

    private func receive(
        _ documents: [(contents: DocumentContents, item: FileMark)],
        _ origin: (FileMark) -> VersionOrigin,
        _ fetch: Fetch,
        by session: KeepSession
    ) throws {
        let entries = documents.map(\.contents.entry)
        try withoutActuallyEscaping(fetch) { fetch in
            let reception = try Reception(store, session, fetch)
            try reception.receive(entries.filter { !$0.mayBeLent(in: store) })
            for entry in entries where entry.mayBeLent(in: store) { try reception.receive(large: entry) }
        }
        let versions = try versions(
            documents.map { ($0.contents.entry, $0.item, origin($0.item)) },
            by: session
        ).compactMap { try $0.get() }
        try session.commit { index in
            for (version, object) in versions { try index.insert(version, object: object) }
        }
    }
}

extension VaultStore {
    /// Whether all of some contents is here.
    ///
    /// - Parameter countsLent: Whether what is lent counts, which need not stay.
    func has(_ content: ContentReference, _ kind: ManifestEntry.Kind, countsLent: Bool) throws -> Bool {
        guard try withIndex({ try $0.isKnown(content.name, countsLent: countsLent) }) else { return false }
        // A list in a pack may be a lent document's, and stays when its pieces go. Only what is whole in packs has folders.
        guard kind == .file, content.level > 0, lentByteCountMin != nil else { return true }
        var walk = ObjectWalk(reader: try ObjectReader(store: self), countsLent: countsLent)
        return try walk.list(content)
    }
}

extension ManifestEntry {
    /// Whether a vault may count on the document's own file for these contents.
    func mayBeLent(in store: VaultStore) -> Bool {
        kind == .file && store.borrows(Int64(clamping: byteCount))
    }
}

/// Has objects come that are not here, and stores them.
struct Reception {
    let store: VaultStore
    let session: KeepSession
    private let fetch: Vault.Fetch
    private let unpacker: Unpacker

    init(_ store: VaultStore, _ session: KeepSession, _ fetch: @escaping Vault.Fetch) throws {
        (self.store, self.session, self.fetch) = (store, session, fetch)
        unpacker = try Unpacker(session.hasher, in: store.folder.path)
    }

    /// Stores what is not here of contents.
    ///
    /// - Throws: `SystemError`, `ENOSPC`, before all the room there is has been taken.
    func receive(_ entries: [ManifestEntry]) throws {
        var walk = ContentWalk()
        var room = try store.roomByteCount()
        for entry in entries { walk.add(entry) }
        let reader = try ObjectReader(store: store)
        while true {
            var levels: [VaultObject: UInt8] = [:]
            let steps = walk.take(from: .min)
            guard !steps.isEmpty else { break }
            let missing = try missing(of: steps)
            var wanted = steps.filter { missing.contains($0.object.name) }
            // A folder that the index knows leads to nothing that it does not know; a list may be a lent document's.
            for step in steps where step.object.kind == .list && !missing.contains(step.object.name) {
                guard store.lentByteCountMin != nil, let level = step.nodeLevel else { continue }
                do {
                    try walk.open(try reader.object(step.object.name, .list), step.object, level: level)
                } catch let error
                    as VaultError where error.code == .damaged
                {
                    wanted.append(step)
                }
            }
            for step in wanted { levels[step.object] = step.nodeLevel }
            try get(wanted.map(\.object)) { object, plain, stored in
                room -= stored.bytes.count
                guard room >= 0 else {
                    throw SystemError(call: "write", errno: ENOSPC, path: store.folder.path)
                }
                try session.storeMissing(object, plain, stored)
                if let level = levels[object] { try walk.open(plain, object, level: level) }
            }
        }
    }

    /// What has to come. What this session has got and the index does not know is got again where it leads to others: these
    /// may be gone.
    private func missing(of steps: [ContentWalk.Step]) throws -> Set<ObjectName> {
        let nodes = steps.filter { $0.nodeLevel != nil }.map(\.object.name)
        let pieces = steps.filter { $0.nodeLevel == nil }.map(\.object.name)
        return try session.missing(of: pieces).union(session.missing(of: nodes, evenAdded: true))
    }

    /// Has all of some objects come.
    ///
    /// - Parameters:
    ///   - room: Where they are best put.
    ///   - body: Shown each once, compared with its name.
    func get(
        _ objects: [VaultObject],
        room: Vault.Room = { _, _ in nil },
        _ body: (VaultObject, _ plain: UnsafeRawBufferPointer, ShownObject) throws -> Void
    ) throws {
        var wanted = Set(objects)
        // Pieces one behind the other, as they are read.
        var left = objects[...]
        while true {
            left = left.drop { !wanted.contains($0) }
            guard !left.isEmpty else { return }
            let count = wanted.count
            try fetch(left, room) { object, stored in
                guard wanted.remove(object) != nil else { return }
                try unpacker.withPlain(stored, object) { try body(object, $0, stored) }
            }
            guard wanted.count < count else {
                throw VaultError.damaged(wanted.first?.name ?? ObjectName(), in: store.folder.path)
            }
        }
    }
}

/// Makes objects again that came packed, and compares them with their names. For one thread at a time.
final class Unpacker {
    private let hasher: VaultHasher
    private let decompressor: Decompressor
    private let folder: FilePath
    /// Where what came pressed together is made again.
    private var unpressed: [UInt8] = []

    init(_ hasher: VaultHasher, in folder: FilePath) throws {
        (self.hasher, self.folder) = (hasher, folder)
        decompressor = try Decompressor()
    }

    /// Shows an object's plain bytes.
    func withPlain<Value>(
        _ stored: ShownObject,
        _ object: VaultObject,
        _ body: (UnsafeRawBufferPointer) throws -> Value
    ) throws -> Value {
        guard stored.plainByteCount <= PackFormat.objectByteCountMax else { throw damaged(object) }
        guard stored.isPressed else {
            guard stored.bytes.count == stored.plainByteCount else { throw damaged(object) }
            return try compared(stored.bytes, object, body)
        }
        if unpressed.count < stored.plainByteCount {
            unpressed = [UInt8](repeating: 0, count: stored.plainByteCount)
        }
        return try unpressed.withUnsafeMutableBytes { room in
            let plain = UnsafeMutableRawBufferPointer(rebasing: room[..<stored.plainByteCount])
            guard decompressor.decompress(stored.bytes, into: plain) else { throw damaged(object) }
            return try compared(UnsafeRawBufferPointer(plain), object, body)
        }
    }

    private func compared<Value>(
        _ plain: UnsafeRawBufferPointer,
        _ object: VaultObject,
        _ body: (UnsafeRawBufferPointer) throws -> Value
    ) throws -> Value {
        guard try hasher.name(object.kind, plain) == object.name else { throw damaged(object) }
        return try body(plain)
    }

    private func damaged(_ object: VaultObject) -> VaultError { .damaged(object.name, in: folder) }
}
