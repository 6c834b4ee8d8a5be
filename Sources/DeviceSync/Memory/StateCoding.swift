internal import FileSystem
internal import Sync

// How items' states and commits are written into a device's memory. Numbers are big-endian; texts and contents have
// their length in front, in four bytes.

/// What is no memory of ours, or a damaged one.
struct MalformedMemory: Error, Hashable {
    let what: String
}

struct StateWriter {
    private(set) var bytes: [UInt8] = []

    mutating func integer(_ number: some FixedWidthInteger) {
        withUnsafeBytes(of: number.bigEndian) { bytes += $0 }
    }

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
        for content in contents { text(content.value) }
        integer(UInt32(state.conflicts.count))
        for conflict in state.conflicts.sorted() { text(conflict.value) }
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

    mutating func commit(_ commit: Commit) {
        integer(commit.id.device.number)
        integer(commit.id.session)
        integer(commit.id.number)
        item(commit.item)
        integer(commit.base)
        state(commit.state)
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

    mutating func text() throws -> String {
        String(decoding: try take(Int(try integer(UInt32.self)), "a text"), as: UTF8.self)
    }

    mutating func item() throws -> ItemID { ItemID(try integer(), try integer()) }

    mutating func state() throws -> ItemState? {
        let number = try integer(UInt8.self)
        guard number > 0 else { return nil }
        guard number <= 2 else { throw MalformedMemory(what: "an item of no kind") }
        var state = ItemState(number == 1 ? .folder : .document, at: ItemPlace(try item(), try text()))
        if try integer(UInt8.self) > 0 { state.content = ContentName(try text()) }
        for _ in 0..<(try integer(UInt32.self)) { state.conflicts.insert(ContentName(try text())) }
        return state
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
