internal import Cryptography

/// How packs look: a header, then records, each with a check of its own. Pure; Docs/formats/vault.md says it in words.
enum PackFormat {
    static let headerByteCount = 48
    static let recordHeaderByteCount = 64
    static let version: UInt16 = 1
    /// The most plain bytes that an object can have: anything larger is damage.
    static let objectByteCountMax = 1 << 24

    static let packMagic = Array("sheafvlt".utf8)
    static let recordMagic = Array("Vrec".utf8)
    static let checkByteCount = 16

    /// The first byte of what is hashed, so that no message of one purpose is one of another.
    enum Purpose {
        // 1 to 31 are the kinds of objects.
        static let gear: UInt8 = 0x40
        static let record: UInt8 = 0x80
        static let pack: UInt8 = 0x81
        static let cache: UInt8 = 0x82
    }

    /// How an object's bytes are stored.
    enum Encoding: UInt8 {
        case plain = 0
        case zstd = 1
        /// As they are, in a lent file: no record stands before them. The index alone says so.
        case lent = 2
    }

    /// What stands before a record's stored bytes.
    struct RecordHeader: Hashable {
        var kind: ObjectKind
        var encoding: Encoding
        var storedByteCount: Int
        var plainByteCount: Int
        var name: ObjectName

        /// How many bytes the whole record has.
        var recordByteCount: Int { recordHeaderByteCount + storedByteCount }
    }
}

/// Sixteen random bytes that name a pack.
struct PackID: Hashable, Sendable, CustomStringConvertible {
    static let byteCount = 16
    let bytes: [UInt8]

    init?(bytes: [UInt8]) {
        guard bytes.count == Self.byteCount else { return nil }
        self.bytes = bytes
    }

    /// From the name of its file; nil for a file that is no pack.
    init?(fileName: String) {
        guard fileName.hasSuffix(Self.suffix), fileName.utf8.count == 32 + Self.suffix.utf8.count else {
            return nil
        }
        var bytes: [UInt8] = []
        let digits = Array(fileName.utf8.prefix(32))
        for index in stride(from: 0, to: 32, by: 2) {
            guard let byte = UInt8(String(decoding: digits[index...index + 1], as: UTF8.self), radix: 16)
            else {
                return nil
            }
            bytes.append(byte)
        }
        guard bytes.hexadecimal + Self.suffix == fileName else { return nil }
        self.bytes = bytes
    }

    /// From the name of a lent file; nil for a file that is none.
    init?(lentFileName name: String) {
        guard name.hasPrefix(Self.lentPrefix) else { return nil }
        self.init(fileName: name.dropFirst(Self.lentPrefix.count) + Self.suffix)
    }

    private static let suffix = ".pack"
    /// Nobody who comes by such a name takes it for a document's.
    private static let lentPrefix = ".sheaf-lent-"
    var fileName: String { bytes.hexadecimal + Self.suffix }
    /// What a lent file is called.
    var lentFileName: String { Self.lentPrefix + bytes.hexadecimal }
    var description: String { bytes.hexadecimal }
}

extension VaultHasher {
    /// A pack's header.
    func packHeader(_ id: PackID) throws -> [UInt8] {
        var writer = ByteWriter()
        writer.raw(PackFormat.packMagic)
        writer.integer(PackFormat.version)
        writer.raw(repeatElement(0, count: 6))
        writer.raw(id.bytes)
        writer.raw(try check(PackFormat.Purpose.pack, writer.bytes))
        return writer.bytes
    }

    /// A record's header with its check.
    ///
    /// The check covers where the record is, so that one in a wrong place is none; and the stored bytes unless they
    /// are the plain ones, which the name tells already.
    func recordHeader(
        _ header: PackFormat.RecordHeader,
        stored: UnsafeRawBufferPointer,
        pack: PackID,
        offset: Int
    ) throws -> [UInt8] {
        var writer = ByteWriter()
        writer.raw(PackFormat.recordMagic)
        writer.integer(header.kind.rawValue)
        writer.integer(header.encoding.rawValue)
        writer.integer(UInt16(0))
        writer.integer(UInt32(header.storedByteCount))
        writer.integer(UInt32(header.plainByteCount))
        writer.name(header.name)
        let covered = header.encoding == .plain ? UnsafeRawBufferPointer(start: nil, count: 0) : stored
        writer.raw(try recordCheck(writer.bytes, covered, pack, offset))
        return writer.bytes
    }

    private func recordCheck(
        _ header: [UInt8],
        _ stored: UnsafeRawBufferPointer,
        _ pack: PackID,
        _ offset: Int
    ) throws -> [UInt8] {
        var place = ByteWriter()
        place.integer(PackFormat.Purpose.record)
        place.raw(pack.bytes)
        place.integer(UInt64(offset))
        return try check(place.bytes, header, stored)
    }

    /// Reads a record's header; nil when what is there is none, or a damaged one.
    ///
    /// - Parameter bytes: From the record's beginning on; the stored bytes too where they are at hand.
    /// - Returns: The header. Of a compressed record it is certain only with `bytes` whole.
    func readRecordHeader(
        _ bytes: UnsafeRawBufferPointer,
        pack: PackID,
        offset: Int
    ) throws -> PackFormat.RecordHeader? {
        guard let header = PackFormat.RecordHeader(unchecked: bytes) else { return nil }
        var covered = UnsafeRawBufferPointer(start: nil, count: 0)
        if header.encoding != .plain {
            guard bytes.count >= header.recordByteCount else { return nil }
            covered = UnsafeRawBufferPointer(
                rebasing: bytes[PackFormat.recordHeaderByteCount..<header.recordByteCount]
            )
        }
        let plain = PackFormat.recordHeaderByteCount - PackFormat.checkByteCount
        let expected = try recordCheck(Array(bytes[..<plain]), covered, pack, offset)
        return expected.elementsEqual(bytes[plain..<PackFormat.recordHeaderByteCount]) ? header : nil
    }
}

extension PackFormat.RecordHeader {
    /// The fields as they stand there, before the check is compared; nil when they cannot be a header's.
    init?(unchecked bytes: UnsafeRawBufferPointer) {
        guard bytes.count >= PackFormat.recordHeaderByteCount else { return nil }
        guard bytes.prefix(4).elementsEqual(PackFormat.recordMagic) else { return nil }
        var reader = ByteReader(bytes)
        do throws(MalformedBytes) {
            _ = try reader.raw(4)
            guard let kind = ObjectKind(rawValue: try reader.integer()),
                let encoding = PackFormat.Encoding(rawValue: try reader.integer()), encoding != .lent,
                try reader.integer(UInt16.self) == 0
            else { return nil }
            self.kind = kind
            self.encoding = encoding
            storedByteCount = Int(try reader.integer(UInt32.self))
            plainByteCount = Int(try reader.integer(UInt32.self))
            name = try reader.name()
        } catch { return nil }
        guard plainByteCount <= PackFormat.objectByteCountMax, storedByteCount <= plainByteCount,
            encoding == .zstd || storedByteCount == plainByteCount
        else { return nil }
    }
}
