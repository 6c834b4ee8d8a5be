/// Bytes that are no key-value store of ours, or a damaged one.
package struct KeyValueError: Error, Hashable, Sendable, CustomStringConvertible {
    /// What failed, coarse enough to switch over.
    package struct Code: Hashable, Sendable, CustomStringConvertible {
        private enum Kind { case versionUnknown, malformed }
        private let kind: Kind

        /// The format came after this one.
        package static var versionUnknown: Code { Code(kind: .versionUnknown) }
        /// The bytes are not what the format says.
        package static var malformed: Code { Code(kind: .malformed) }

        package var description: String { "\(kind)" }
    }

    package let code: Code
    /// What it was, in a sentence.
    package let detail: String

    package var description: String { "\(code): \(detail)" }

    static func malformed(_ what: String) -> KeyValueError {
        KeyValueError(code: .malformed, detail: "The file of a key-value store is damaged: \(what).")
    }

    static func versionUnknown(_ version: UInt8) -> KeyValueError {
        let detail = "The file of a key-value store has version \(version). Update Sheaf on this device."
        return KeyValueError(code: .versionUnknown, detail: detail)
    }
}

extension KeyValue {
    /// How many bytes come before a value of a kind: the kind, and for a text, data, a list or a table its count.
    static func headByteCount(of kind: UInt8) -> Int { kind < 5 ? 1 : 5 }
}

/// Puts numbers, texts and values into bytes, the highest byte of a number first.
struct KeyValueWriter {
    private(set) var bytes: [UInt8] = []

    mutating func integer<Number: FixedWidthInteger>(_ number: Number) {
        withUnsafeBytes(of: number.bigEndian) { bytes.append(contentsOf: $0) }
    }

    mutating func raw(_ more: some Sequence<UInt8>) { bytes.append(contentsOf: more) }

    mutating func sized(_ more: some Collection<UInt8>) {
        integer(UInt32(more.count))
        raw(more)
    }

    mutating func value(_ value: KeyValue) {
        switch value {
        case .flag(let flag): integer(UInt8(flag ? 1 : 0))
        case .integer(let number):
            integer(UInt8(2))
            integer(number)
        case .real(let real):
            integer(UInt8(3))
            integer(real.number.bitPattern)
        case .date(let seconds):
            integer(UInt8(4))
            integer(seconds.number.bitPattern)
        case .text(let text):
            integer(UInt8(5))
            sized(Array(text.utf8))
        case .bytes(let bytes):
            integer(UInt8(6))
            sized(bytes)
        case .list(let values):
            integer(UInt8(7))
            integer(UInt32(values.count))
            for value in values { self.value(value) }
        case .table(let values):
            integer(UInt8(8))
            integer(UInt32(values.count))
            for (key, value) in values.sorted(by: { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }) {
                sized(Array(key.utf8))
                self.value(value)
            }
        }
    }
}

/// Takes numbers, texts and values out of bytes that may be anything; never reads beyond their end.
struct KeyValueReader {
    private let bytes: [UInt8]
    private var offset = 0

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    var remainingCount: Int { bytes.count - offset }

    mutating func integer<Number: FixedWidthInteger>(
        _: Number.Type = Number.self
    ) throws(KeyValueError) -> Number {
        try raw(MemoryLayout<Number>.size).reduce(0) { $0 << 8 | Number(truncatingIfNeeded: $1) }
    }

    mutating func raw(_ byteCount: Int) throws(KeyValueError) -> ArraySlice<UInt8> {
        guard byteCount >= 0, byteCount <= remainingCount else { throw .malformed("it ends too early") }
        defer { offset += byteCount }
        return bytes[offset..<offset + byteCount]
    }

    mutating func sized() throws(KeyValueError) -> ArraySlice<UInt8> {
        try raw(Int(try integer(UInt32.self)))
    }

    mutating func text(_ utf8: ArraySlice<UInt8>) throws(KeyValueError) -> String {
        guard let text = String(validating: utf8, as: UTF8.self) else {
            throw .malformed("a text is not UTF-8")
        }
        return text
    }

    mutating func value(depth: Int = 0) throws(KeyValueError) -> KeyValue {
        guard depth <= KeyValue.depthMax else { throw .malformed("values lie too deep in each other") }
        switch try integer(UInt8.self) {
        case 0: return .flag(false)
        case 1: return .flag(true)
        case 2: return .integer(try integer())
        case 3: return .real(KeyValue.RealBits(Double(bitPattern: try integer())))
        case 4: return .date(KeyValue.RealBits(Double(bitPattern: try integer())))
        case 5: return .text(try text(try sized()))
        case 6: return .bytes(Array(try sized()))
        case 7: return .list(try list(depth))
        case 8: return .table(try table(depth))
        case let kind: throw .malformed("there is no value of kind \(kind)")
        }
    }

    private mutating func list(_ depth: Int) throws(KeyValueError) -> [KeyValue] {
        let count = Int(try integer(UInt32.self))
        guard count <= remainingCount else { throw .malformed("a list is longer than the file") }
        var values: [KeyValue] = []
        for _ in 0..<count { values.append(try value(depth: depth + 1)) }
        return values
    }

    private mutating func table(_ depth: Int) throws(KeyValueError) -> [String: KeyValue] {
        let count = Int(try integer(UInt32.self))
        guard count <= remainingCount else { throw .malformed("a table is longer than the file") }
        var values: [String: KeyValue] = [:]
        var last: ArraySlice<UInt8>?
        for _ in 0..<count {
            let key = try sized()
            guard last.map({ $0.lexicographicallyPrecedes(key) }) ?? true else {
                throw .malformed("a table's keys are in no order")
            }
            last = key
            // Two keys that look the same are one for Swift: the latter counts, everywhere alike.
            values[try text(key)] = try value(depth: depth + 1)
        }
        return values
    }
}
