/// What a record says beside what was committed; Docs/formats/sealing.md says in words how it is written down.
///
/// It decides nothing. What cannot be read of it is not said: a record is as good without.
package struct RecordExtra: Hashable, Sendable {
    /// When the document was last modified on the device that has committed it, in nanoseconds since 1970; nil where that is
    /// not said.
    package var modified: Int64?

    private enum Tag {
        static let modified: UInt8 = 1
    }

    package init(modified: Int64? = nil) { self.modified = modified }

    /// Reads it, as far as it says what this version knows.
    package init(encoded bytes: [UInt8]) {
        // Whatever is wrong with it: nothing is known then.
        modified = try? Self.fields(bytes)[Tag.modified].flatMap(Self.integer)
    }

    /// Nothing where there is nothing to say.
    package var encoded: [UInt8] {
        guard let modified else { return [] }
        var writer = ByteWriter()
        writer.integer(Tag.modified)
        writer.integer(UInt8(MemoryLayout<Int64>.size))
        writer.integer(modified)
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

    private static func integer(_ value: [UInt8]) throws(SealingError) -> Int64 {
        var reader = ByteReader(value, "A number")
        let number = try reader.integer(UInt64.self)
        try reader.finish()
        return Int64(bitPattern: number)
    }
}
