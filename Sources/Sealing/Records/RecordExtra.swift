package import Sync

/// What a record says beside what was committed; Docs/formats/sealing.md says in words how it is written down.
///
/// It decides nothing. What cannot be read of it is not said: a record is as good without.
package struct RecordExtra: Hashable, Sendable {
    /// When the document was last modified on the device that has committed it, in nanoseconds since 1970; nil where that is
    /// not said.
    package var modified: Int64?
    /// The same of contents in conflict, as they follow one another in the record; `unknown` where it is not said.
    package var lost: [Int64] = []

    private enum Tag {
        static let modified: UInt8 = 1
        static let lost: UInt8 = 2
    }

    /// No date.
    private static let unknown = Int64.min
    /// More have no room in a field.
    private static let lostCountMax = Int(UInt8.max) / MemoryLayout<Int64>.size

    package init(modified: Int64? = nil) { self.modified = modified }

    /// - Parameters:
    ///   - lost: When contents were last modified that have lost a conflict, as far as it is known.
    ///   - state: What is committed.
    package init(modified: Int64?, lost: [ContentName: Int64], of state: ItemState?) {
        self.modified = modified
        guard let state, !lost.isEmpty else { return }
        self.lost = RecordCoding.ordered(state.conflicts).prefix(Self.lostCountMax).map {
            lost[$0] ?? Self.unknown
        }
        if self.lost.allSatisfy({ $0 == Self.unknown }) { self.lost = [] }
    }

    /// When contents were last modified that have lost a conflict.
    ///
    /// - Parameter state: What is committed.
    package func lost(of state: ItemState?) -> [ContentName: Int64] {
        guard let state, !lost.isEmpty else { return [:] }
        let known = zip(RecordCoding.ordered(state.conflicts), lost).filter { $0.1 != Self.unknown }
        return Dictionary(known) { $1 }
    }

    /// Reads it, as far as it says what this version knows.
    package init(encoded bytes: [UInt8]) {
        // Whatever is wrong with it: nothing is known then.
        guard let fields = try? Self.fields(bytes) else { return }
        modified = try? fields[Tag.modified].flatMap(Self.integer)
        lost = (try? fields[Tag.lost].map(Self.integers)) ?? []
    }

    /// Nothing where there is nothing to say.
    package var encoded: [UInt8] {
        var writer = ByteWriter()
        if let modified {
            writer.integer(Tag.modified)
            writer.integer(UInt8(MemoryLayout<Int64>.size))
            writer.integer(modified)
        }
        if !lost.isEmpty {
            writer.integer(Tag.lost)
            writer.integer(UInt8(lost.count * MemoryLayout<Int64>.size))
            for date in lost { writer.integer(date) }
        }
        return writer.bytes
    }

    private static func fields(_ bytes: [UInt8]) throws(SealingError) -> [UInt8: [UInt8]] {
        var reader = ByteReader(bytes, "What a record says beside")
        var fields: [UInt8: [UInt8]] = [:]
        while reader.remainingCount > 0 {
            let tag = try reader.integer(UInt8.self)
            let value = try reader.raw(Int(try reader.integer(UInt8.self)))
            guard fields.updateValue(value, forKey: tag) == nil else {
                throw reader.malformed("it says something twice")
            }
        }
        return fields
    }

    private static func integers(_ value: [UInt8]) throws(SealingError) -> [Int64] {
        var reader = ByteReader(value, "Numbers")
        var numbers: [Int64] = []
        while reader.remainingCount > 0 { numbers.append(Int64(bitPattern: try reader.integer(UInt64.self))) }
        return numbers
    }

    private static func integer(_ value: [UInt8]) throws(SealingError) -> Int64 {
        var reader = ByteReader(value, "A number")
        let number = try reader.integer(UInt64.self)
        try reader.finish()
        return Int64(bitPattern: number)
    }
}
