/// All that a key-value store holds, and what it needs to be one with other devices' stores.
///
/// Of each key it has the latest write, with its number; a removal is a write, too. Two states make one by taking of each
/// key the later write: in whatever order, and however often.
package struct KeyValueState: Hashable, Sendable {
    /// As Apple's: keys with values, bytes of a key in UTF-8, bytes of all values.
    package static let (keyCountMax, keyByteCountMax, byteCountMax) = (1024, 64, 1 << 20)
    /// More removals than these are not remembered: a device that was away for longer may bring an older key back.
    package static let removalCountMax = 32_768

    /// The latest write of a key.
    struct Write: Hashable, Sendable {
        var number: WriteNumber
        /// Sixteen bytes that say who wrote it: they decide between writes of one number.
        var writer: Writer
        /// As it is written down; nil for a removal.
        var value: [UInt8]?

        static func precedes(_ left: Write, _ right: Write) -> Bool {
            if left.number != right.number { return left.number < right.number }
            if left.writer != right.writer { return left.writer < right.writer }
            guard let value = right.value else { return false }
            return left.value.map { $0.lexicographicallyPrecedes(value) } ?? true
        }
    }

    /// Who writes.
    package struct Writer: Hashable, Comparable, Sendable {
        package static let byteCount = 16
        package let bytes: [UInt8]

        package init(_ bytes: [UInt8]) {
            precondition(bytes.count == Self.byteCount, "a writer of \(bytes.count) bytes")
            self.bytes = bytes
        }

        package static func < (left: Writer, right: Writer) -> Bool {
            left.bytes.lexicographicallyPrecedes(right.bytes)
        }
    }

    /// By the keys' bytes: texts that look the same may differ in them.
    private(set) var writes: [[UInt8]: Write] = [:]

    /// A store that nothing was written to.
    package init() {}

    init(_ writes: [[UInt8]: Write]) { self.writes = writes }

    /// What a key holds.
    package subscript(key: String) -> KeyValue? {
        guard let value = writes[Array(key.utf8)]?.value else { return nil }
        return Self.decoded(value)
    }

    /// All keys that hold something.
    package var values: [String: KeyValue] {
        var values: [String: KeyValue] = [:]
        for (key, write) in writes {
            if let value = write.value { values[String(decoding: key, as: UTF8.self)] = Self.decoded(value) }
        }
        return values
    }

    /// How many keys hold something, and how many bytes these values have.
    package var size: (keyCount: Int, byteCount: Int) {
        writes.reduce((0, 0)) { size, entry in
            guard let value = entry.value.value else { return size }
            return (size.0 + 1, size.1 + Self.byteCount(of: value))
        }
    }

    /// Whether it has more than there is room for, as two devices' stores that became one may have.
    package var isBeyondQuota: Bool {
        let size = size
        return size.keyCount > Self.keyCountMax || size.byteCount > Self.byteCountMax
    }

    /// The greatest number of any write, to go on from.
    package var latest: WriteNumber { writes.values.map(\.number).max() ?? WriteNumber(bits: 0) }

    /// Writes a key.
    ///
    /// - Parameters:
    ///   - value: Nil to remove it.
    ///   - key: At most `keyByteCountMax` bytes.
    ///   - number: Greater than all that the state has.
    /// - Returns: Whether there was room; if not, nothing has changed. There is always room for what makes a state smaller.
    package mutating func set(
        _ value: KeyValue?,
        _ key: String,
        at number: WriteNumber,
        by writer: Writer
    ) -> Bool {
        let bytes = Array(key.utf8)
        precondition(bytes.count <= Self.keyByteCountMax, "a key of \(bytes.count) bytes")
        let encoded = value.map(Self.encoded)
        let former = writes[bytes]?.value
        if let encoded {
            let size = size
            let grownByteCount =
                size.byteCount + Self.byteCount(of: encoded) - (former.map(Self.byteCount) ?? 0)
            let isSmaller = former.map { Self.byteCount(of: encoded) <= Self.byteCount(of: $0) } ?? false
            let isRoom =
                grownByteCount <= Self.byteCountMax && (former != nil || size.keyCount < Self.keyCountMax)
            guard isRoom || isSmaller else { return false }
        } else if writes[bytes] == nil {
            return true
        }
        writes[bytes] = Write(number: number, writer: writer, value: encoded)
        forgetOldRemovals()
        return true
    }

    /// Whether some write gives way to all that are made by who has seen other devices' values.
    package var hasEarlyWrites: Bool { writes.values.contains { $0.number < .first } }

    /// Numbers the writes that gave way to other devices' values like any others, in the order that they had.
    ///
    /// - Parameters:
    ///   - counter: Has seen all that the state has.
    ///   - writer: Who numbers them.
    package mutating func numberEarlyWrites(with counter: inout WriteCounter, by writer: Writer) {
        for (key, write) in Self.ordered(writes.filter { $0.value.number < .first }) {
            writes[key] = Write(number: counter.next(), writer: writer, value: write.value)
        }
    }

    /// The same writes in the same order, with numbers that give way to all that are made by who has seen other devices' values.
    ///
    /// A write gets the same number whatever others there are, where theirs are not too large for that: made early once more, later
    /// writes are later than what was.
    package var early: KeyValueState {
        let ordered = Self.ordered(writes)
        let least = WriteNumber.first.bits
        let isShifted = ordered.allSatisfy { (least..<2 * least - 1).contains($0.value.number.bits) }
        var early: [[UInt8]: Write] = [:]
        for (place, (key, write)) in ordered.enumerated() {
            let bits = isShifted ? write.number.bits - least : UInt64(place)
            early[key] = Write(number: WriteNumber(bits: bits + 1), writer: write.writer, value: write.value)
        }
        return KeyValueState(early)
    }

    private static func ordered(_ writes: [[UInt8]: Write]) -> [(key: [UInt8], value: Write)] {
        writes.sorted { left, right in
            if Write.precedes(left.value, right.value) { return true }
            if Write.precedes(right.value, left.value) { return false }
            return left.key.lexicographicallyPrecedes(right.key)
        }
    }

    /// Takes another state in.
    ///
    /// - Returns: The keys that hold something else now.
    @discardableResult
    package mutating func merge(_ other: KeyValueState) -> Set<String> {
        var changed: Set<String> = []
        for (key, write) in other.writes {
            if let own = writes[key], !Write.precedes(own, write) { continue }
            if writes[key]?.value != write.value { changed.insert(String(decoding: key, as: UTF8.self)) }
            writes[key] = write
        }
        // Else what whoever writes has forgotten would come back each time, and a store grow for ever.
        forgetOldRemovals()
        return changed
    }

    private mutating func forgetOldRemovals() {
        let removals = writes.filter { $0.value.value == nil }
        guard removals.count > Self.removalCountMax else { return }
        let oldest = removals.sorted {
            if $0.value.number != $1.value.number { return $0.value.number < $1.value.number }
            return $0.key.lexicographicallyPrecedes($1.key)
        }
        // Half of them, so that it is not done at each removal; and always the same are left, so that those who merge the
        // same, in whatever order, come to the same.
        for (key, _) in oldest.dropLast(Self.removalCountMax / 2) { writes[key] = nil }
    }

    /// How many bytes a value has that is written down, without what says its kind and length.
    private static func byteCount(of value: [UInt8]) -> Int {
        value.count - (value.first.map(KeyValue.headByteCount) ?? 0)
    }

    private static func encoded(_ value: KeyValue) -> [UInt8] {
        var writer = KeyValueWriter()
        writer.value(value)
        return writer.bytes
    }

    private static func decoded(_ bytes: [UInt8]) -> KeyValue {
        var reader = KeyValueReader(bytes)
        do { return try reader.value() } catch {
            preconditionFailure("a value was checked when it came in: \(error)")
        }
    }
}
