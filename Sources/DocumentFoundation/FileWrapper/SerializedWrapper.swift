internal import FileSystem
internal import Foundation

/// A tree of wrappers as data, and back.
///
/// The form, version 1. Numbers are little-endian, texts are UTF-8 after a 32-bit count of their bytes.
///
///     form        = "SheafFW" version:8 wrapper           nothing follows
///     wrapper     = kind:8 fields:8 [preferred:text] [filename:text] [permissions:32] [date:64] contents
///     kind        = 1 regular file | 2 directory | 3 symbolic link
///     fields      = bits 0...3: which of the four bracketed fields are there; the others are 0
///     date        = bits of a Double, seconds since 1970
///     contents    = count:64 bytes                        of a regular file
///                 | count:32 (key:text wrapper)*          of a directory, ascending by key
///                 | text                                  of a symbolic link
///
/// Data that is not of this form gives nil: also keys that are equal, empty, or hold what no name can, trees
/// deeper than `depthMax`, and dates that are not finite.
struct SerializedWrapper {
    /// Deeper than any path the kernel takes, and shallow enough for a thread's stack.
    static let depthMax = 512
    fileprivate static let signature = Array("SheafFW".utf8) + [1]

    var preferredFilename: String?
    var filename: String?
    var attributes = MemberAttributes()
    var contents: SerializedContents

    // MARK: - Encoding

    /// The tree as data.
    var encoded: Data {
        var data = Data(Self.signature)
        encode(into: &data)
        return data
    }

    private func encode(into data: inout Data) {
        let date = attributes.modificationDate?.timeIntervalSince1970.bitPattern
        var fields: UInt8 = 0
        if preferredFilename != nil { fields |= 1 }
        if filename != nil { fields |= 2 }
        if attributes.permissions != nil { fields |= 4 }
        if date != nil { fields |= 8 }
        data.append(contentsOf: [contents.kind, fields])
        if let preferredFilename { data.append(text: preferredFilename) }
        if let filename { data.append(text: filename) }
        if let permissions = attributes.permissions { data.append(number: permissions) }
        if let date { data.append(number: date) }
        switch contents {
        case .file(let bytes):
            data.append(number: UInt64(bytes.count))
            data.append(bytes)
        case .directory(let children):
            data.append(number: UInt32(children.count))
            for child in children {
                data.append(text: child.key)
                child.wrapper.encode(into: &data)
            }
        case .symbolicLink(let text):
            data.append(text: text)
        }
    }

    // MARK: - Decoding

    /// Nil for data that is not of the form.
    init?(decoding data: Data) {
        var rest = data[...]
        guard rest.take(Self.signature.count).map({ $0.elementsEqual(Self.signature) }) ?? false,
            let tree = SerializedWrapper(&rest, depth: 0), rest.isEmpty
        else { return nil }
        self = tree
    }

    init(
        preferredFilename: String?,
        filename: String?,
        attributes: MemberAttributes,
        contents: SerializedContents
    ) {
        self.preferredFilename = preferredFilename
        self.filename = filename
        self.attributes = attributes
        self.contents = contents
    }

    fileprivate init?(_ rest: inout Data, depth: Int) {
        guard depth <= Self.depthMax, let kind = rest.take(1)?.first, let fields = rest.take(1)?.first,
            fields < 16
        else { return nil }
        if fields & 1 != 0 {
            guard let text = rest.takeText(), !text.isEmpty else { return nil }
            preferredFilename = text
        }
        if fields & 2 != 0 {
            guard let text = rest.takeText() else { return nil }
            filename = text
        }
        if fields & 4 != 0 {
            guard let permissions = rest.takeNumber(UInt32.self), permissions <= 0o7777 else { return nil }
            attributes.permissions = permissions
        }
        if fields & 8 != 0 {
            guard let bits = rest.takeNumber(UInt64.self) else { return nil }
            let seconds = Double(bitPattern: bits)
            guard seconds.isFinite, abs(seconds) < Self.secondsMax else { return nil }
            attributes.modificationDate = Date(timeIntervalSince1970: seconds)
        }
        guard let contents = SerializedContents(kind, &rest, depth: depth) else { return nil }
        self.contents = contents
    }

    /// Far beyond what a file system stores, and small enough for any arithmetic on it.
    private static let secondsMax = 1e12
}

/// What a serialized wrapper holds; the children of a directory are in the order of their keys.
enum SerializedContents {
    case file(Data)
    case directory([SerializedChild])
    case symbolicLink(String)
}

struct SerializedChild {
    var key: String
    var wrapper: SerializedWrapper
}

extension SerializedContents {
    fileprivate var kind: UInt8 {
        switch self {
        case .file: 1
        case .directory: 2
        case .symbolicLink: 3
        }
    }

    fileprivate init?(_ kind: UInt8, _ rest: inout Data, depth: Int) {
        switch kind {
        case 1:
            guard let count = rest.takeNumber(UInt64.self).flatMap(Int.init(exactly:)),
                let bytes = rest.take(count)
            else { return nil }
            // A copy, so that one small file does not keep the whole archive in memory.
            self = .file(Data(bytes))
        case 2:
            guard let count = rest.takeNumber(UInt32.self) else { return nil }
            var children: [SerializedChild] = []
            for _ in 0..<count {
                guard let key = rest.takeText(), MemberPath.isName(key),
                    children.last.map({ $0.key < key }) ?? true,
                    let child = SerializedWrapper(&rest, depth: depth + 1), child.preferredFilename != nil
                else { return nil }
                children.append(SerializedChild(key: key, wrapper: child))
            }
            self = .directory(children)
        case 3:
            guard let text = rest.takeText() else { return nil }
            self = .symbolicLink(text)
        default:
            return nil
        }
    }
}

extension Data {
    fileprivate mutating func append(text: String) {
        append(number: UInt32(text.utf8.count))
        append(contentsOf: text.utf8)
    }

    fileprivate mutating func append(number: some FixedWidthInteger) {
        Swift.withUnsafeBytes(of: number.littleEndian) { append(contentsOf: $0) }
    }

    fileprivate mutating func take(_ count: Int) -> Data? {
        guard count >= 0, count <= self.count else { return nil }
        defer { self = dropFirst(count) }
        return prefix(count)
    }

    fileprivate mutating func takeNumber<Number: FixedWidthInteger>(_: Number.Type) -> Number? {
        take(MemoryLayout<Number>.size)?.reversed().reduce(0) { $0 << 8 | Number($1) }
    }

    fileprivate mutating func takeText() -> String? {
        guard let count = takeNumber(UInt32.self), let bytes = take(Int(count)) else { return nil }
        return String(validating: bytes, as: UTF8.self)
    }
}
