/// The end of a log, or a place in it, with what it came to there.
package struct LogHead: Codable, Hashable, Sendable {
    /// The last entry's; 0 where there is none.
    package var position: UInt64
    package var hash: LogHash

    package init(position: UInt64, hash: LogHash) { (self.position, self.hash) = (position, hash) }
}

extension LogHead {
    func write(to writer: inout PlainWriter) {
        writer.object { writer in
            writer.key("position")
            writer.number(position)
            writer.key("hash")
            writer.name(hash)
        }
    }

    init(from reader: inout PlainReader) throws(NotPlain) {
        self = try reader.object { (reader) throws(NotPlain) in
            try reader.key("position")
            let position = try reader.number()
            try reader.key("hash")
            return LogHead(position: position, hash: try reader.name())
        }
    }
}
