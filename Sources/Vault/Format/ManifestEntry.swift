internal import FileSystem
internal import Foundation

/// Where the contents of a file or a folder begin: an object, and how many levels are below it.
struct ContentReference: Hashable, Sendable {
    var name: ObjectName
    /// 0 for a lone chunk or for the members of a folder themselves, else how often one leads to more.
    var level: UInt8

    /// No contents are so many that they would need more levels.
    static let levelMax: UInt8 = 8
}

/// One member of a kept document, or the document itself: all that is needed to make it again but its bytes.
struct ManifestEntry: Hashable, Sendable {
    enum Kind: UInt8, Sendable {
        case file = 1
        case folder = 2
        case link = 3
    }

    var name: String
    var kind: Kind
    var dress: MemberDress
    /// Of a file: how many bytes it has. Of a folder: how many are in it in all.
    var byteCount: UInt64
    /// Nil for an empty file and for a link.
    var content: ContentReference?
    /// Of a link alone.
    var linkText = ""

    /// The most bytes that the attributes of one member may have.
    static let attributesByteCountMax = 1 << 20
    /// As many attributes as an entry can say that it has.
    static let attributeCountMax = Int(UInt16.max)
    /// As much as a name of ours can say of its own length.
    static let nameByteCountMax = Int(UInt16.max)

    /// Whether the entry can be written down.
    var isKeepable: Bool {
        let attributeByteCount = dress.attributes.reduce(0) { $0 + $1.key.utf8.count + $1.value.count + 6 }
        return name.utf8.count <= Self.nameByteCountMax && linkText.utf8.count <= Self.nameByteCountMax
            && attributeByteCount <= Self.attributesByteCountMax
            && dress.attributes.count <= Self.attributeCountMax
            && dress.attributes.keys.allSatisfy { $0.utf8.count <= Self.nameByteCountMax }
    }

    func encode(into writer: inout ByteWriter) {
        writer.integer(kind.rawValue)
        writer.integer(UInt8(content == nil ? 0 : 1))
        writer.integer(UInt16(truncatingIfNeeded: dress.permissions & 0o1777))
        writer.integer(dress.modificationSeconds)
        writer.integer(UInt32(truncatingIfNeeded: dress.modificationNanoseconds))
        writer.integer(byteCount)
        writer.text(name)
        if let content {
            writer.integer(content.level)
            writer.name(content.name)
        }
        if kind == .link { writer.text(linkText) }
        writer.integer(UInt16(dress.attributes.count))
        let sorted = dress.attributes.sorted { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }
        for (name, value) in sorted {
            writer.text(name)
            writer.sized(value)
        }
    }

    var encoded: [UInt8] {
        var writer = ByteWriter()
        encode(into: &writer)
        return writer.bytes
    }

    init(
        name: String,
        kind: Kind,
        dress: MemberDress,
        byteCount: UInt64,
        content: ContentReference?,
        linkText: String = ""
    ) {
        self.name = name
        self.kind = kind
        self.dress = dress
        self.byteCount = byteCount
        self.content = content
        self.linkText = linkText
    }

    /// - Parameter isRoot: Whether it is the document itself, whose name is nobody's business.
    init(from reader: inout ByteReader, isRoot: Bool = false) throws(MalformedBytes) {
        guard let kind = Kind(rawValue: try reader.integer()) else { throw MalformedBytes(what: "kind") }
        let hasContent = try reader.integer(UInt8.self)
        let permissions = try reader.integer(UInt16.self)
        let seconds = try reader.integer(Int64.self)
        let nanoseconds = try reader.integer(UInt32.self)
        guard hasContent <= 1, permissions <= 0o1777, nanoseconds < 1_000_000_000 else {
            throw MalformedBytes(what: "fields of an entry")
        }
        byteCount = try reader.integer()
        name = try reader.text()
        guard isRoot ? name.isEmpty : MemberPath.isName(name) else { throw MalformedBytes(what: "name") }
        if hasContent == 1 {
            let level = try reader.integer(UInt8.self)
            guard level <= ContentReference.levelMax, kind != .link else {
                throw MalformedBytes(what: "level")
            }
            content = ContentReference(name: try reader.name(), level: level)
        }
        guard kind != .folder || content != nil else {
            throw MalformedBytes(what: "a folder without members")
        }
        if kind == .link { linkText = try reader.text() }
        dress = MemberDress(
            permissions: UInt32(permissions),
            modificationSeconds: seconds,
            modificationNanoseconds: Int64(nanoseconds),
            attributes: try Self.attributes(&reader)
        )
        self.kind = kind
    }

    private static func attributes(_ reader: inout ByteReader) throws(MalformedBytes) -> [String: Data] {
        var attributes: [String: Data] = [:]
        for _ in 0..<(try reader.integer(UInt16.self)) {
            let name = try reader.text()
            attributes[name] = Data(try reader.sized(countMax: attributesByteCountMax))
        }
        return attributes
    }
}
