internal import Cryptography
package import Foundation

/// Chains the entries of a container's log, so that who remembers one hash would notice any change before it.
///
///     h(0) = SHA-256("sheaf log 1" + container)
///     h(n) = SHA-256(h(n - 1) + position + item + base + id's length + id + record's length + record)
///
/// Numbers are big-endian: positions and bases of 8 bytes, the id's length of 2, the record's of 4. Pure.
package struct LogChain: Hashable, Sendable {
    /// Where the chain is.
    package private(set) var head: LogHead

    /// The beginning of a container's chain.
    ///
    /// - Throws: `CryptographyError` for want of memory.
    package init(of container: ContainerName) throws {
        let start = try SHA256Digest.hash(of: [Array("sheaf log 1".utf8), container.bytes])
        head = LogHead(position: 0, hash: LogHash(unchecked: start))
    }

    /// Goes on from a place that is known.
    package init(at head: LogHead) { self.head = head }

    /// Takes the next entry.
    ///
    /// - Returns: The new end.
    /// - Throws: `CryptographyError` for want of memory.
    @discardableResult
    package mutating func append(
        item: ItemName,
        base: UInt64,
        id: CommitName,
        record: Data
    ) throws -> LogHead {
        var start = head.hash.bytes
        start.reserveCapacity(160)
        Self.append(head.position + 1, to: &start)
        start += item.bytes
        Self.append(base, to: &start)
        Self.append(UInt16(id.text.utf8.count), to: &start)
        start += id.text.utf8
        Self.append(UInt32(record.count), to: &start)
        let hash = try SHA256Digest.hash(of: start, record)
        head = LogHead(position: head.position + 1, hash: LogHash(unchecked: hash))
        return head
    }

    /// Takes the next entry of a page.
    ///
    /// - Returns: Whether it is the one that belongs here and its hash is right; if not, nothing has changed.
    /// - Throws: `CryptographyError` for want of memory.
    package mutating func append(_ entry: LogRecord) throws -> Bool {
        guard entry.position == head.position + 1 else { return false }
        var next = self
        try next.append(item: entry.item, base: entry.base, id: entry.id, record: entry.record)
        guard next.head.hash == entry.hash else { return false }
        self = next
        return true
    }

    private static func append(_ number: some FixedWidthInteger, to bytes: inout [UInt8]) {
        withUnsafeBytes(of: number.bigEndian) { bytes += $0 }
    }
}
