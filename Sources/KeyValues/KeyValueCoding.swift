internal import ChangeSets

extension KeyValueState {
    private static let magic = Array("sheafkvs".utf8)
    private static let version: UInt8 = 1
    /// More bytes and keys than these were not written by us: two devices' stores, and all removals, are far fewer.
    package static let fileByteCountMax = 64 << 20
    private static let writeCountMax = 1 << 20

    /// The state as a file. The same state is the same bytes.
    package var encoded: [UInt8] {
        var writer = KeyValueWriter()
        writer.raw(Self.magic)
        writer.integer(Self.version)
        writer.integer(UInt32(writes.count))
        for (key, write) in writes.sorted(by: { $0.key.lexicographicallyPrecedes($1.key) }) {
            writer.integer(UInt8(key.count))
            writer.raw(key)
            writer.integer(write.number.bits)
            writer.raw(write.writer.bytes)
            writer.integer(UInt8(write.value == nil ? 0 : 1))
            if let value = write.value { writer.sized(value) }
        }
        writer.integer(Checksum.crc32(writer.bytes[...]))
        return writer.bytes
    }

    /// Reads a file.
    ///
    /// - Throws: `versionUnknown`; `malformed` for anything that `encoded` does not give.
    package init(encoded bytes: [UInt8]) throws(KeyValueError) {
        guard bytes.count <= Self.fileByteCountMax else { throw .malformed("it has \(bytes.count) bytes") }
        var reader = KeyValueReader(bytes)
        guard try reader.raw(Self.magic.count).elementsEqual(Self.magic) else {
            throw .malformed("it does not begin as one")
        }
        let version = try reader.integer(UInt8.self)
        guard version == Self.version else { throw .versionUnknown(version) }
        guard bytes.count >= 17, Self.checksum(in: bytes) == Checksum.crc32(bytes.dropLast(4)) else {
            throw .malformed("its checksum is wrong")
        }
        let count = Int(try reader.integer(UInt32.self))
        guard count <= Self.writeCountMax else { throw .malformed("it has \(count) keys") }
        var writes: [[UInt8]: Write] = [:]
        var last: [UInt8]?
        for _ in 0..<count {
            let (key, write) = try Self.write(&reader)
            guard last.map({ $0.lexicographicallyPrecedes(key) }) ?? true else {
                throw .malformed("its keys are in no order")
            }
            last = key
            writes[key] = write
        }
        guard reader.remainingCount == 4 else { throw .malformed("it goes on after its end") }
        self.init(writes)
    }

    private static func checksum(in bytes: [UInt8]) -> UInt32 {
        bytes.suffix(4).reduce(0) { $0 << 8 | UInt32($1) }
    }

    private static func write(
        _ reader: inout KeyValueReader
    ) throws(KeyValueError) -> (key: [UInt8], Write) {
        let key = try reader.raw(Int(try reader.integer(UInt8.self)))
        guard key.count <= keyByteCountMax else { throw .malformed("a key has \(key.count) bytes") }
        _ = try reader.text(key)
        let bits = try reader.integer(UInt64.self)
        guard bits <= WriteNumber.bitsMax else { throw .malformed("a number is out of range") }
        let number = WriteNumber(bits: bits)
        let writer = Writer(Array(try reader.raw(Writer.byteCount)))
        switch try reader.integer(UInt8.self) {
        case 0: return (Array(key), Write(number: number, writer: writer, value: nil))
        case 1:
            let value = Array(try reader.sized())
            try check(value)
            return (Array(key), Write(number: number, writer: writer, value: value))
        case let kind: throw .malformed("there is no write of kind \(kind)")
        }
    }

    /// That a value can be read, and is all that there is.
    private static func check(_ value: [UInt8]) throws(KeyValueError) {
        var reader = KeyValueReader(value)
        _ = try reader.value()
        guard reader.remainingCount == 0 else { throw .malformed("a value goes on after its end") }
    }
}
