internal import FileSystem
internal import Foundation

/// The bytes of a bookmark's fields; see Docs/formats/bookmark.md.
///
/// Pure, and total: any bytes are either a record or refused.
enum BookmarkFormat {
    /// Why bytes are no record.
    enum Failure: Error, Hashable, Sendable {
        case truncated
        /// A field is out of order, twice there, or not of its form.
        case malformed(tag: UInt16)
        /// A field that a record must have is not there.
        case missing(tag: UInt16)
    }

    enum Tag {
        static let options: UInt16 = 1
        static let url: UInt16 = 2
        static let path: UInt16 = 3
        static let kind: UInt16 = 4
        static let mark: UInt16 = 5
        static let volume: UInt16 = 6
        static let inode: UInt16 = 7
        static let birth: UInt16 = 8
        static let handle: UInt16 = 9
        static let relativePath: UInt16 = 10
        static let values: UInt16 = 11
    }

    private static let kinds: [FileStamp.Kind] = [.regular, .directory, .symbolicLink, .other]

    // MARK: Writing

    static func encode(_ record: BookmarkRecord) -> Data {
        var bytes = Data()
        append(Tag.options, bigEndian(record.options), to: &bytes)
        switch record.content {
        case .url(let text): append(Tag.url, Data(text.utf8), to: &bytes)
        case .item(let item): append(item, to: &bytes)
        }
        return bytes
    }

    private static func append(_ item: BookmarkedItem, to bytes: inout Data) {
        let identity = item.taken.identity
        append(Tag.path, Data(item.path.string.utf8), to: &bytes)
        append(
            Tag.kind,
            Data([UInt8(kinds.firstIndex(of: identity.kind) ?? kinds.count - 1) + 1]),
            to: &bytes
        )
        if let mark = identity.mark { append(Tag.mark, Data(mark.bytes), to: &bytes) }
        append(Tag.volume, bigEndian(identity.volume), to: &bytes)
        append(Tag.inode, bigEndian(identity.inode), to: &bytes)
        if let birth = identity.birth {
            append(Tag.birth, bigEndian(birth.seconds) + bigEndian(birth.nanoseconds), to: &bytes)
        }
        if let handle = item.taken.handle {
            append(Tag.handle, bigEndian(handle.type) + handle.bytes, to: &bytes)
        }
        if let path = item.relativePath { append(Tag.relativePath, Data(path.utf8), to: &bytes) }
        if !item.values.isEmpty { append(Tag.values, item.values, to: &bytes) }
    }

    private static func append(_ tag: UInt16, _ value: Data, to bytes: inout Data) {
        bytes += bigEndian(tag) + bigEndian(UInt32(value.count)) + value
    }

    static func bigEndian(_ number: some FixedWidthInteger) -> Data {
        withUnsafeBytes(of: number.bigEndian) { Data($0) }
    }

    // MARK: Reading

    static func decode(_ bytes: Data) throws(Failure) -> BookmarkRecord {
        let fields = try Fields(bytes)
        let options: UInt64 = try fields.required(Tag.options)
        if let url = try fields.text(Tag.url) { return BookmarkRecord(options: options, content: .url(url)) }
        return BookmarkRecord(options: options, content: .item(try item(fields)))
    }

    private static func item(_ fields: Fields) throws(Failure) -> BookmarkedItem {
        guard let path = try fields.text(Tag.path) else { throw .missing(tag: Tag.path) }
        guard path.hasPrefix("/") else { throw .malformed(tag: Tag.path) }
        let kind: UInt8 = try fields.required(Tag.kind)
        guard kinds.indices.contains(Int(kind) - 1) else { throw .malformed(tag: Tag.kind) }
        let identity = FileIdentity(
            mark: try mark(fields),
            volume: try fields.required(Tag.volume),
            inode: try fields.required(Tag.inode),
            birth: try birth(fields),
            kind: kinds[Int(kind) - 1]
        )
        return BookmarkedItem(
            path: FilePath(path),
            taken: TakenIdentity(identity: identity, handle: try handle(fields)),
            relativePath: try fields.text(Tag.relativePath),
            values: fields.values[Tag.values] ?? Data()
        )
    }

    private static func mark(_ fields: Fields) throws(Failure) -> FileMark? {
        guard let bytes = fields.values[Tag.mark] else { return nil }
        guard let mark = FileMark(bytes: bytes) else { throw .malformed(tag: Tag.mark) }
        return mark
    }

    private static func birth(_ fields: Fields) throws(Failure) -> FileIdentity.Birth? {
        guard let bytes = fields.values[Tag.birth] else { return nil }
        guard bytes.count == 12, let seconds = Fields.number(bytes.prefix(8)) as Int64?,
            let nanoseconds = Fields.number(bytes.dropFirst(8)) as UInt32?
        else { throw .malformed(tag: Tag.birth) }
        return FileIdentity.Birth(seconds: seconds, nanoseconds: nanoseconds)
    }

    private static func handle(_ fields: Fields) throws(Failure) -> InodeHandle? {
        guard let bytes = fields.values[Tag.handle] else { return nil }
        guard (5...InodeHandle.byteCountMax + 4).contains(bytes.count),
            let type = Fields.number(bytes.prefix(4)) as Int32?
        else { throw .malformed(tag: Tag.handle) }
        return InodeHandle(type: type, bytes: Data(bytes.dropFirst(4)))
    }
}

/// Fields by tag, as they stand one after the other.
private struct Fields {
    private(set) var values: [UInt16: Data] = [:]

    /// Tags that this version does not know are passed over.
    init(_ bytes: Data) throws(BookmarkFormat.Failure) {
        var rest = bytes[...]
        var last: UInt16 = 0
        while !rest.isEmpty {
            guard let tag = Self.number(rest.prefix(2)) as UInt16?,
                let byteCount = Self.number(rest.dropFirst(2).prefix(4)) as UInt32?,
                rest.count - 6 >= Int(byteCount)
            else { throw .truncated }
            guard tag > last else { throw .malformed(tag: tag) }
            last = tag
            rest = rest.dropFirst(6)
            values[tag] = Data(rest.prefix(Int(byteCount)))
            rest = rest.dropFirst(Int(byteCount))
        }
    }

    /// A big-endian number that takes all of the bytes; nil when it would not.
    static func number<Number: FixedWidthInteger>(_ bytes: Data) -> Number? {
        guard bytes.count == MemoryLayout<Number>.size else { return nil }
        return bytes.reduce(0) { ($0 << 8) | Number(truncatingIfNeeded: $1) }
    }

    func required<Number: FixedWidthInteger>(_ tag: UInt16) throws(BookmarkFormat.Failure) -> Number {
        guard let bytes = values[tag] else { throw .missing(tag: tag) }
        guard let number = Self.number(bytes) as Number? else { throw .malformed(tag: tag) }
        return number
    }

    /// UTF-8 without a NUL, not empty.
    func text(_ tag: UInt16) throws(BookmarkFormat.Failure) -> String? {
        guard let bytes = values[tag] else { return nil }
        guard !bytes.isEmpty, !bytes.contains(0), let text = String(validating: bytes, as: UTF8.self) else {
            throw .malformed(tag: tag)
        }
        return text
    }
}
