internal import Cryptography
internal import FileSystem
internal import SQLite

/// Reads objects out of packs and compares them with their names. For one thread at a time.
final class ObjectReader {
    private let store: VaultStore
    /// Nil to ask the store's own.
    private let index: VaultIndex?
    /// Whether the index is told of what was lent and has been changed by its owner.
    private let forgetsLost: Bool
    private let scanner: PackScanner
    private let record = GrowingRoom()
    private let plain = GrowingRoom()
    private let row = GrowingRoom()
    /// For what is to be shown pressed and is not stored so; made when it is needed.
    private var compressor: Compressor?
    /// For what is read out of lent files, unless all is to be proved; made when it is needed.
    private var checksum: SecretChecksum?
    private var files: [Int: (row: PackRow, file: StorageFile)] = [:]
    /// Where objects are, or were a moment ago, that are about to be read.
    private var ahead: [ObjectName: ObjectPlace] = [:]

    /// So many packs are open at a time.
    private static let openPackCountMax = 32
    /// So often an object is looked up anew when it has just been moved.
    private static let attemptCountMax = 5

    /// - Parameters:
    ///   - index: Whom to ask; nil for the store's own.
    ///   - forgetsLost: Whether the store's index is told of what was lent and has been changed by its owner, for each object
    ///     at once.
    init(store: VaultStore, index: VaultIndex? = nil, forgetsLost: Bool = true) throws {
        self.store = store
        self.index = index
        self.forgetsLost = forgetsLost && index == nil
        scanner = PackScanner(hasher: try VaultHasher(key: store.key), decompressor: try Decompressor())
    }

    /// Whether the index knows the object as whole.
    ///
    /// - Parameter countsLent: Whether it need not stay.
    func isKnown(_ name: ObjectName, countsLent: Bool) throws -> Bool {
        if let index { return try index.isKnown(name, countsLent: countsLent) }
        return try store.withIndex { try $0.isKnown(name, countsLent: countsLent) }
    }

    /// Looks up where objects are that are about to be read, as of one moment: to ask for each by itself costs more than to
    /// find it.
    func lookAhead(_ names: [ObjectName]) throws {
        ahead = [:]
        guard names.count > 1 else { return }
        let places = try places(of: names)
        for (name, place) in zip(names, places) { ahead[name] = place }
    }

    /// An object's plain bytes.
    ///
    /// - Throws: `VaultError` with code `damaged` when it is missing or not what its name says.
    func object(_ name: ObjectName, _ kind: ObjectKind) throws -> [UInt8] {
        try withObject(name, kind) { [UInt8]($0) }
    }

    /// Shows an object's plain bytes, which are gone after the call.
    func withObject<Value>(
        _ name: ObjectName,
        _ kind: ObjectKind,
        _ body: (UnsafeRawBufferPointer) throws -> Value
    ) throws -> Value {
        try show(name, kind, pressesLent: false) { plain, _ in try body(plain) }
    }

    /// Shows an object's plain bytes, and how these are pressed together, where that is worth while: in its pack, or for the
    /// moment where its file is lent; nil for not at all.
    func withObject<Value>(
        _ name: ObjectName,
        _ kind: ObjectKind,
        _ body: (_ plain: UnsafeRawBufferPointer, _ pressed: UnsafeRawBufferPointer?) throws -> Value
    ) throws -> Value {
        try show(name, kind, pressesLent: true, body)
    }

    private func show<Value>(
        _ name: ObjectName,
        _ kind: ObjectKind,
        pressesLent: Bool,
        _ body: (_ plain: UnsafeRawBufferPointer, _ pressed: UnsafeRawBufferPointer?) throws -> Value
    ) throws -> Value {
        for attempt in 1...Self.attemptCountMax {
            let isFromAhead = ahead[name] != nil
            guard let place = try place(of: name) else { break }
            guard let (row, file) = try pack(place.pack) else {
                // Its owner lets nobody read it, or who collects has removed it.
                if attempt == Self.attemptCountMax, place.header.encoding == .lent { try forget(place) }
                // Gone: it has just been collected, and the object is elsewhere by now.
                continue
            }
            if place.header.encoding == .lent {
                let room = plain.room(place.header.plainByteCount)
                if try isRead(name, kind, at: place, into: room) {
                    let plain = UnsafeRawBufferPointer(room)
                    guard pressesLent else { return try body(plain, nil) }
                    return try pressing().compress(plain) { try body(plain, $0) }
                }
                // Where it was a moment ago it need not be now.
                if isFromAhead { continue }
                // Whoever owns the file has changed it.
                try forget(place)
                break
            }
            let record = record.room(place.header.recordByteCount)
            let byteCount = try file.readIfNotBad(at: place.offset, into: record)
            let found = UnsafeRawBufferPointer(rebasing: record[..<byteCount])
            let room = plain.room(place.header.plainByteCount)
            let value = try scanner.show(found, row.id, place.offset, room) { header, plain -> Value? in
                guard header.name == name, header.kind == kind else { return nil }
                let stored = found[PackFormat.recordHeaderByteCount..<header.recordByteCount]
                return try body(plain, header.encoding == .plain ? nil : .init(rebasing: stored))
            }
            if let value { return value }
            guard isFromAhead else { break }
            // Packs of an index that was made anew since have other numbers.
            files = [:]
        }
        throw VaultError.damaged(name, in: store.folder.path)
    }

    /// Says that an object is not where it was lent any more, nor what else of that file is about to be read and is not there:
    /// whoever stores something meanwhile begins anew each time that anything is said so.
    private func forget(_ place: ObjectPlace) throws {
        guard forgetsLost else { return }
        var lost = [place]
        for (name, other) in ahead where other.pack == place.pack && other.header.encoding == .lent {
            let room = plain.room(other.header.plainByteCount)
            // What cannot be read says so when it is its turn.
            let isThere = (try? isRead(name, other.header.kind, at: other, into: room)) ?? true
            if !isThere { lost.append(other) }
        }
        try store.writeIndex { [lost] index in
            for place in lost { try index.forgetLent(place) }
            try index.advanceGeneration()
        }
    }

    /// Each is asked for once of what was looked up: should it have moved since, the index tells.
    private func place(of name: ObjectName) throws -> ObjectPlace? {
        if let place = ahead.removeValue(forKey: name) { return place }
        if let index { return try index.place(of: name, evenDamaged: true) }
        return try store.withIndex { try $0.place(of: name, evenDamaged: true) }
    }

    /// Shows chunks one behind the other, each compared with its name; the bytes are gone after the call.
    ///
    /// - Parameters:
    ///   - byteCount: How many bytes they have together.
    ///   - offset: Where they are in a file: as far from a multiple of `UncachedFile.alignment` as they are in memory.
    /// - Throws: `VaultError` with code `damaged` when one is missing, or not what its name and size say.
    func withPieces(
        _ pieces: ArraySlice<ContentTree.Piece>,
        byteCount: Int,
        at offset: Int = 0,
        _ body: (UnsafeRawBufferPointer) throws -> Void
    ) throws {
        let shift = offset % UncachedFile.alignment
        let room = UnsafeMutableRawBufferPointer(rebasing: row.room(shift + byteCount)[shift...])
        var offset = 0
        for (piece, place) in zip(pieces, try places(of: pieces.map(\.name))) {
            let target = UnsafeMutableRawBufferPointer(rebasing: room[offset..<offset + Int(piece.byteCount)])
            offset += target.count
            if let place, try isRead(piece.name, .chunk, at: place, into: target) { continue }
            // Pressed together, moved meanwhile, or damaged.
            try withObject(piece.name, .chunk) { bytes in
                guard bytes.count == target.count else {
                    throw VaultError.damaged(piece.name, in: store.folder.path)
                }
                target.copyMemory(from: bytes)
            }
        }
        try body(UnsafeRawBufferPointer(room))
    }

    /// Where they are, all as of one moment.
    private func places(of names: [ObjectName]) throws -> [ObjectPlace?] {
        if names.count == 1 { return try names.map(place) }
        if let index { return try names.map { try index.place(of: $0, evenDamaged: true) } }
        return try store.withIndexAtOneTime { index in
            try names.map { try index.place(of: $0, evenDamaged: true) }
        }
    }

    /// Reads an object that is stored as it is to where it is wanted; false when it is not there as a whole.
    ///
    /// Its name says all of it, or the checksum that was noted with that. The record's header is for those who look for
    /// records: it is not read, and where it is damaged the object is none the worse.
    private func isRead(
        _ name: ObjectName,
        _ kind: ObjectKind,
        at place: ObjectPlace,
        into target: UnsafeMutableRawBufferPointer
    ) throws -> Bool {
        guard place.header.encoding != .zstd, place.header.plainByteCount == target.count,
            let file = try pack(place.pack)?.file
        else { return false }
        let isLent = place.header.encoding == .lent
        let offset = place.offset + (isLent ? 0 : PackFormat.recordHeaderByteCount)
        // What is lent is another's to heal.
        let byteCount =
            try isLent ? file.read(at: offset, into: target) : file.readIfNotBad(at: offset, into: target)
        guard byteCount == target.count else { return false }
        if isLent, index == nil, let value = store.checks[name] {
            return try checking().value(of: UnsafeRawBufferPointer(target)) == value
        }
        return try scanner.hasher.name(kind, UnsafeRawBufferPointer(target)) == name
    }

    private func checking() throws -> SecretChecksum {
        if let checksum { return checksum }
        let made = try store.checks.checksum()
        checksum = made
        return made
    }

    private func pressing() throws -> Compressor {
        if let compressor { return compressor }
        let made = try Compressor()
        compressor = made
        return made
    }

    private func pack(_ number: Int) throws -> (row: PackRow, file: StorageFile)? {
        if let known = files[number] { return known }
        let row = try index.map { try $0.pack(number) } ?? store.withIndex { try $0.pack(number) }
        guard let row, let file = try store.open(row) else { return nil }
        if files.count >= Self.openPackCountMax { files = [:] }
        files[number] = (row, file)
        return (row, file)
    }
}

/// Memory that is used again and again, and made larger when it is too small.
final class GrowingRoom {
    private var memory = UnsafeMutableRawBufferPointer(start: nil, count: 0)

    deinit { memory.deallocate() }

    /// So many bytes of anything.
    func room(_ byteCount: Int) -> UnsafeMutableRawBufferPointer {
        if memory.count < byteCount {
            memory.deallocate()
            memory = .allocate(byteCount: byteCount * 2, alignment: UncachedFile.alignment)
        }
        return UnsafeMutableRawBufferPointer(rebasing: memory[..<byteCount])
    }
}

/// Goes through all that versions lead to, each object once.
struct ObjectWalk {
    private let reader: ObjectReader
    /// Chunks are only looked up, which is cheap; false goes through nodes alone.
    private let looksUpChunks: Bool
    private let countsLent: Bool
    /// Objects below which all is there.
    private(set) var whole: Set<ObjectName> = []
    /// Objects that are missing or damaged, or lead to such.
    private(set) var broken: Set<ObjectName> = []
    private var present: Set<ObjectName> = []
    private var reached: Set<ObjectName> = []

    /// - Parameter countsLent: Whether chunks count that are lent.
    init(reader: ObjectReader, looksUpChunks: Bool = true, countsLent: Bool = true) {
        self.reader = reader
        self.looksUpChunks = looksUpChunks
        self.countsLent = countsLent
    }

    /// Says that an object's own bytes are whole, whatever the index says.
    mutating func setPresent(_ name: ObjectName) {
        present.insert(name)
    }

    /// Whether the walk came by an object.
    func isReached(_ name: ObjectName) -> Bool { reached.contains(name) }

    /// Says that an object is damaged, before the walk comes by.
    mutating func setBroken(_ name: ObjectName) {
        broken.insert(name)
    }

    /// Goes through a member and all in it.
    ///
    /// - Parameter depth: In how many folders it is.
    /// - Returns: Whether all is there; not where nobody could restore it, as there are too many folders in each other.
    mutating func visit(_ entry: ManifestEntry, depth: Int = 0) throws -> Bool {
        guard let content = entry.content else { return true }
        guard entry.kind == .folder else { return try list(content) }
        guard depth < ContentTree.folderDepthMax else { return false }
        return try folder(content, depth: depth)
    }

    mutating func list(_ content: ContentReference) throws -> Bool {
        if let known = known(content.name) { return known }
        guard content.level > 0 else {
            let isThere =
                try !looksUpChunks || present.contains(content.name)
                || reader.isKnown(content.name, countsLent: countsLent)
            return settle(content.name, isThere)
        }
        guard let pieces = try node(content.name, .list, { try TreeNode.list($0, level: content.level) })
        else {
            return settle(content.name, false)
        }
        var isWhole = true
        for piece in pieces {
            let below = ContentReference(name: piece.name, level: content.level - 1)
            if try !list(below) { isWhole = false }
        }
        return settle(content.name, isWhole)
    }

    private mutating func folder(_ content: ContentReference, depth: Int) throws -> Bool {
        if let known = known(content.name) { return known }
        guard let node = try node(content.name, .folder, { try TreeNode.folder($0, level: content.level) })
        else { return settle(content.name, false) }
        var isWhole = true
        switch node {
        case .entries(let entries):
            for entry in entries where try !visit(entry, depth: depth + 1) { isWhole = false }
        case .names(let names):
            for name in names {
                let below = ContentReference(name: name, level: content.level - 1)
                if try !folder(below, depth: depth) { isWhole = false }
            }
        case .pieces: isWhole = false
        }
        return settle(content.name, isWhole)
    }

    private mutating func known(_ name: ObjectName) -> Bool? {
        if broken.contains(name) { reached.insert(name) }
        return whole.contains(name) ? true : broken.contains(name) ? false : nil
    }

    private mutating func settle(_ name: ObjectName, _ isWhole: Bool) -> Bool {
        if isWhole { whole.insert(name) } else { broken.insert(name) }
        return isWhole
    }

    private func node<Node>(
        _ name: ObjectName,
        _ kind: ObjectKind,
        _ read: (UnsafeRawBufferPointer) throws -> Node
    ) throws -> Node? {
        do { return try reader.object(name, kind).withUnsafeBytes(read) } catch let error as VaultError {
            guard error.code == .damaged else { throw error }
            return nil
        } catch is MalformedBytes {
            return nil
        }
    }
}
