package import Foundation

/// A commit that was accepted, as `GET /v1/containers/{container}/log` tells it.
package struct LogRecord: Codable, Hashable, Sendable {
    package var position: UInt64
    package var item: ItemName
    package var base: UInt64
    package var id: CommitName
    /// Sealed.
    package var record: Data
    /// Whose token it came with. The hub's word only: a record's own signature says who made it.
    package var device: DeviceName
    /// What the log came to with this entry.
    package var hash: LogHash

    package init(
        position: UInt64,
        item: ItemName,
        base: UInt64,
        id: CommitName,
        record: Data,
        device: DeviceName,
        hash: LogHash
    ) {
        (self.position, self.item, self.base, self.id) = (position, item, base, id)
        (self.record, self.device, self.hash) = (record, device, hash)
    }

    /// Whether the record is just these bytes.
    package func holds(_ bytes: [UInt8]) -> Bool {
        guard record.count == bytes.count else { return false }
        return record.withUnsafeBytes { record in
            bytes.withUnsafeBytes { bytes in
                guard let one = record.baseAddress, let other = bytes.baseAddress else { return true }
                return memcmp(one, other, bytes.count) == 0
            }
        }
    }
}

/// What comes after a position of a log, in order, with the log's end at that moment.
///
/// May stop before the head: because of the limit asked for, or of `HubLimits.entriesByteCountMax`.
package struct LogPage: Codable, Hashable, Sendable {
    package var entries: [LogRecord]
    package var head: LogHead

    package init(_ entries: [LogRecord], head: LogHead) { (self.entries, self.head) = (entries, head) }
}

extension LogPage: PlainMessage {
    package func write(to writer: inout PlainWriter) {
        writer.object { writer in
            writer.key("entries")
            writer.array(entries) { writer, entry in
                writer.object { writer in
                    writer.key("position")
                    writer.number(entry.position)
                    writer.key("item")
                    writer.name(entry.item)
                    writer.key("base")
                    writer.number(entry.base)
                    writer.key("id")
                    writer.name(entry.id)
                    writer.key("record")
                    writer.base64(entry.record)
                    writer.key("device")
                    writer.name(entry.device)
                    writer.key("hash")
                    writer.name(entry.hash)
                }
            }
            writer.key("head")
            head.write(to: &writer)
        }
    }

    package init(from reader: inout PlainReader) throws(NotPlain) {
        self = try reader.object { (reader) throws(NotPlain) in
            try reader.key("entries")
            let entries = try reader.array(LogRecord.init(from:))
            try reader.key("head")
            return LogPage(entries, head: try LogHead(from: &reader))
        }
    }
}

extension LogRecord {
    fileprivate init(from reader: inout PlainReader) throws(NotPlain) {
        self = try reader.object { (reader) throws(NotPlain) in
            try reader.key("position")
            let position = try reader.number()
            try reader.key("item")
            let item: ItemName = try reader.name()
            try reader.key("base")
            let base = try reader.number()
            try reader.key("id")
            let id: CommitName = try reader.name()
            try reader.key("record")
            let record = try reader.base64()
            try reader.key("device")
            let device: DeviceName = try reader.name()
            try reader.key("hash")
            return LogRecord(
                position: position,
                item: item,
                base: base,
                id: id,
                record: record,
                device: device,
                hash: try reader.name()
            )
        }
    }
}
