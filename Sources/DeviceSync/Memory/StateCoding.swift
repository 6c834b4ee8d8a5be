internal import FileSystem
internal import Sync

// How items' states and commits are written into a device's memory. Numbers are big-endian; texts and contents have
// their length in front, in four bytes.

private enum StateCoding {
    /// Contents with this bit in their length are as `ContentName` packs them; others, of the first format, are texts.
    static let packedBit: UInt32 = 1 << 31
    /// No date.
    static let unknown = Int64.min
}

/// What is no memory of ours, or a damaged one.
struct MalformedMemory: Error, Hashable {
    let what: String
}

struct StateWriter {
    private(set) var bytes: [UInt8] = []

    /// Begins anew, in the same room.
    mutating func clear() { bytes.removeAll(keepingCapacity: true) }

    mutating func integer(_ number: some FixedWidthInteger) {
        withUnsafeBytes(of: number.bigEndian) { bytes += $0 }
    }

    mutating func raw(_ more: [UInt8]) { bytes += more }

    mutating func text(_ text: String) {
        integer(UInt32(text.utf8.count))
        bytes += text.utf8
    }

    mutating func item(_ item: ItemID) {
        integer(item.high)
        integer(item.low)
    }

    mutating func state(_ state: ItemState?) {
        guard let state else { return integer(UInt8(0)) }
        integer(UInt8(state.kind == .folder ? 1 : 2))
        item(state.place.parent)
        text(state.place.name)
        let contents = [state.content].compactMap { $0 }
        integer(UInt8(contents.count))
        for content in contents { self.content(content) }
        integer(UInt32(state.conflicts.count))
        for conflict in state.conflicts.sorted() { content(conflict) }
    }

    mutating func content(_ content: ContentName) {
        let packed = content.packed
        integer(UInt32(packed.count) | StateCoding.packedBit)
        bytes += packed
    }

    mutating func trace(_ trace: ItemTrace) {
        integer(trace.device)
        integer(trace.inode)
        integer(trace.kind.number)
        integer(trace.byteCount)
        integer(trace.permissions)
        integer(trace.modified)
        integer(trace.changed)
    }

    /// - Parameters:
    ///   - modified: When its document was modified last.
    ///   - lost: The same of contents that have lost a conflict; not written down where `modified` is not known.
    mutating func commit(_ commit: Commit, modified: Int64?, lost: [ContentName: Int64] = [:]) {
        integer(commit.id.device.number)
        integer(commit.id.session)
        integer(commit.id.number)
        item(commit.item)
        integer(commit.base)
        state(commit.state)
        guard let modified else { return }
        integer(modified)
        guard !lost.isEmpty, let state = commit.state else { return }
        for conflict in state.conflicts.sorted() { integer(lost[conflict] ?? StateCoding.unknown) }
    }
}

/// Reads from where bytes are, as long as they are there.
struct StateReader {
    private let bytes: UnsafeRawBufferPointer
    private var position = 0

    init(_ bytes: UnsafeRawBufferPointer) { self.bytes = bytes }

    var isAtEnd: Bool { position == bytes.count }

    private mutating func take(_ byteCount: Int, _ what: String) throws -> UnsafeRawBufferPointer {
        guard bytes.count - position >= byteCount else { throw MalformedMemory(what: "\(what) is cut off") }
        defer { position += byteCount }
        return UnsafeRawBufferPointer(rebasing: bytes[position..<position + byteCount])
    }

    mutating func integer<Number: FixedWidthInteger>(_: Number.Type = Number.self) throws -> Number {
        Number(bigEndian: try take(MemoryLayout<Number>.size, "a number").loadUnaligned(as: Number.self))
    }

    /// All that is left.
    mutating func rest() -> [UInt8] {
        defer { position = bytes.count }
        return [UInt8](bytes[position...])
    }

    mutating func text() throws -> String {
        String(decoding: try take(Int(try integer(UInt32.self)), "a text"), as: UTF8.self)
    }

    mutating func item() throws -> ItemID { ItemID(try integer(), try integer()) }

    mutating func state() throws -> ItemState? {
        let number = try integer(UInt8.self)
        guard number > 0 else { return nil }
        guard number <= 2 else { throw MalformedMemory(what: "an item of no kind") }
        let place = ItemPlace(try item(), try text())
        let content = try integer(UInt8.self) > 0 ? try content() : nil
        var conflicts: Set<ContentName> = []
        for _ in 0..<(try integer(UInt32.self)) { conflicts.insert(try self.content()) }
        return ItemState(
            number == 1 ? .folder : .document,
            at: place,
            content: content,
            conflicts: conflicts
        )
    }

    /// A state that says the very same as one that is known, mostly, and shares its room then.
    mutating func state(like known: ItemState?) throws -> ItemState? {
        let start = position
        if let known, try isNext(known) { return known }
        position = start
        return try state()
    }

    private mutating func isNext(_ state: ItemState) throws -> Bool {
        let number = try integer(UInt8.self)
        guard number == 1 || number == 2 else { return false }
        let parent = try item()
        let name = try take(Int(try integer(UInt32.self)), "a text")
        var content: UnsafeRawBufferPointer?
        if try integer(UInt8.self) > 0 {
            let length = try integer(UInt32.self)
            // A text of the first format, which this may be too.
            guard length & StateCoding.packedBit != 0 else { return false }
            content = try take(Int(length & ~StateCoding.packedBit), "a content")
        }
        return try integer(UInt32.self) == 0
            && state.isJust(number == 1 ? .folder : .document, in: parent, name, content)
    }

    mutating func content() throws -> ContentName {
        let length = try integer(UInt32.self)
        guard length & StateCoding.packedBit != 0 else {
            return ContentName(String(decoding: try take(Int(length), "a content"), as: UTF8.self))
        }
        let packed = try take(Int(length & ~StateCoding.packedBit), "a content")
        guard let content = ContentName(packed: packed) else {
            throw MalformedMemory(what: "a content of no form")
        }
        return content
    }

    mutating func trace() throws -> ItemTrace {
        let (device, inode) = (try integer(UInt64.self), try integer(UInt64.self))
        guard let kind = FileStamp.Kind(number: try integer()) else {
            throw MalformedMemory(what: "a file of no kind")
        }
        return ItemTrace(
            device: device,
            inode: inode,
            kind: kind,
            byteCount: try integer(),
            permissions: try integer(),
            modified: try integer(),
            changed: try integer()
        )
    }

    mutating func commit() throws -> Commit {
        let id = Commit.ID(DeviceID(try integer()), session: try integer(), try integer())
        return Commit(id, try item(), on: try integer(), try state())
    }

    /// When the document of a commit that has just been read was modified last: written behind it where that is known. What a
    /// later version may have written there is at least as long, or nothing is known.
    mutating func modified() throws -> Int64? {
        bytes.count - position < MemoryLayout<Int64>.size ? nil : try integer()
    }

    /// The same of the contents that have lost a conflict in a commit, behind its own.
    mutating func lost(in commit: Commit) throws -> [ContentName: Int64] {
        guard let state = commit.state, state.hasConflicts else { return [:] }
        let conflicts = state.conflicts.sorted()
        guard bytes.count - position >= conflicts.count * MemoryLayout<Int64>.size else { return [:] }
        var lost: [ContentName: Int64] = [:]
        for conflict in conflicts {
            let date: Int64 = try integer()
            if date != StateCoding.unknown { lost[conflict] = date }
        }
        return lost
    }
}

extension FileStamp.Kind {
    fileprivate var number: UInt8 {
        switch self {
        case .regular: 1
        case .directory: 2
        case .symbolicLink: 3
        case .other: 4
        }
    }

    fileprivate init?(number: UInt8) {
        switch number {
        case 1: self = .regular
        case 2: self = .directory
        case 3: self = .symbolicLink
        case 4: self = .other
        default: return nil
        }
    }
}
