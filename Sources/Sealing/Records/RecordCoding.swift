internal import HubProtocol
internal import Sync

/// How a record's body is written down; Docs/formats/sealing.md says it in words.
package enum RecordCoding {
    static let version: UInt8 = 1
    static let nameByteCountMax = 1024
    /// Half as many bytes in hexadecimal digits: what a link may say, or the attributes that most volumes have room for.
    static let contentByteCountMax = 32 << 10
    static let conflictCountMax = 256
    static let extraByteCountMax = 1 << 16
    /// What an item is, in a record: the rest of that has room for all else, however much is said beside.
    static let stateByteCountMax = RecordFormat.byteCountMax - extraByteCountMax - 1024

    private enum What {
        static let removed: UInt8 = 0
        static let folder: UInt8 = 1
        static let document: UInt8 = 2
        static let devices: UInt8 = 3
    }

    /// - Throws: `beyondLimit`, `malformed` for what could not be read again.
    package static func encode(_ body: RecordBody) throws(SealingError) -> [UInt8] {
        var writer = ByteWriter()
        writer.integer(version)
        switch body.contents {
        case .item(nil): writer.integer(What.removed)
        case .item(let state?): writer.integer(state.kind == .folder ? What.folder : What.document)
        case .devices: writer.integer(What.devices)
        }
        writer.integer(body.seen.position)
        writer.raw(body.seen.hash.bytes)
        switch body.contents {
        case .item(nil): break
        case .item(let state?): try encode(state, into: &writer)
        case .devices(let statement): writer.sized(statement.encoded)
        }
        guard body.extra.count <= extraByteCountMax else {
            throw .beyondLimit("bytes of a record that are for later versions", extraByteCountMax)
        }
        writer.sized(body.extra)
        return writer.bytes
    }

    private static func encode(_ state: ItemState, into writer: inout ByteWriter) throws(SealingError) {
        if let excess = RecordExcess(of: state) { throw excess.error }
        guard isName(state.place.name) else {
            throw .malformed("The name of an item", "it is empty, a dot or two, or holds a slash or NUL")
        }
        writer.raw(ItemName(state.place.parent).bytes)
        writer.text(state.place.name)
        writer.integer(UInt8(state.content == nil ? 0 : 1))
        if let content = state.content { writer.text(content.value) }
        writer.integer(UInt16(state.conflicts.count))
        for conflict in ordered(state.conflicts) { writer.text(conflict.value) }
    }

    /// How many bytes `encode` makes of a state whose texts have so many.
    static func stateByteCount(name: Int, contents: Int, conflicts: [Int]) -> Int {
        ItemName.byteCount + 2 + name + 1 + 2 + contents + 2 + conflicts.reduce(0) { $0 + 2 + $1 }
    }

    /// Contents in conflict as they are written down.
    static func ordered(_ conflicts: Set<ContentName>) -> [ContentName] { conflicts.sorted(by: precedes) }

    /// The order of their bytes, which no table of characters changes.
    private static func precedes(_ left: ContentName, _ right: ContentName) -> Bool {
        left.value.utf8.lexicographicallyPrecedes(right.value.utf8)
    }

    /// - Throws: `versionUnknown`, `malformed`, for anything that `encode` does not give.
    package static func decode(_ bytes: [UInt8]) throws(SealingError) -> RecordBody {
        var reader = ByteReader(bytes, "A record")
        try reader.version(version)
        let what = try reader.integer(UInt8.self)
        let position = try reader.integer(UInt64.self)
        let hash = LogHash(unchecked: try reader.raw(LogHash.byteCount))
        let contents: RecordBody.Contents
        switch what {
        case What.removed: contents = .item(nil)
        case What.folder: contents = .item(try state(.folder, &reader))
        case What.document: contents = .item(try state(.document, &reader))
        case What.devices:
            let statement = try reader.sized(byteCountMax: DeviceStatement.byteCountMax)
            contents = .devices(try DeviceStatement(encoded: statement))
        default: throw .versionUnknown(what, "What a record is about")
        }
        let extra = try reader.sized(byteCountMax: extraByteCountMax)
        try reader.finish()
        return RecordBody(contents, seen: LogHead(position: position, hash: hash), extra: extra)
    }

    private static func state(
        _ kind: ItemState.Kind,
        _ reader: inout ByteReader
    ) throws(SealingError) -> ItemState {
        let parent = ItemName(unchecked: try reader.raw(ItemName.byteCount)).itemID
        let name = try reader.text(byteCountMax: nameByteCountMax)
        guard isName(name) else { throw reader.malformed("its item has a name that is none") }
        let hasContent = try reader.integer(UInt8.self)
        guard hasContent <= 1 else { throw reader.malformed("a flag that is neither 0 nor 1") }
        let content = hasContent == 1 ? ContentName(try reader.text(byteCountMax: contentByteCountMax)) : nil
        guard kind == .folder || content != nil else { throw reader.malformed("a document without contents") }
        let count = Int(try reader.integer(UInt16.self))
        guard count <= conflictCountMax else { throw reader.malformed("\(count) contents in conflict") }
        var conflicts: [ContentName] = []
        for _ in 0..<count {
            let conflict = ContentName(try reader.text(byteCountMax: contentByteCountMax))
            guard conflicts.last.map({ precedes($0, conflict) }) ?? true else {
                throw reader.malformed("contents in no order")
            }
            conflicts.append(conflict)
        }
        return ItemState(
            kind,
            at: ItemPlace(parent, name),
            content: content,
            conflicts: Set(conflicts)
        )
    }

    /// Whether a folder can have an item of this name, and only the folder that is meant.
    private static func isName(_ name: String) -> Bool {
        !name.isEmpty && name != "." && name != ".."
            && !name.utf8.contains { $0 == 0 || $0 == UInt8(ascii: "/") }
    }
}
