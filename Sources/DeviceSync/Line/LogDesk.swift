internal import Cryptography
internal import Foundation
internal import HubProtocol
internal import Sealing
internal import Sync

/// A container's log as this device reads it and writes to it: opened and checked, sealed and signed.
final class LogDesk: @unchecked Sendable {
    // Sendable because all that is variable, and what is for one thread at a time, is only touched under the lock.
    private let lock = NSLock()
    private let reader: LogReader
    private let keys: ContainerKeys
    private let identity: DeviceIdentity
    private var revisions: [ItemID: LogPosition] = [:]
    private var sealer: RecordSealer?
    private var sealedFor: DeviceListHash?

    /// An entry as it is remembered.
    struct Heard: Sendable {
        let entry: LogEntry
        let hash: LogHash
        /// A statement about devices, encoded; nil for an entry about an item.
        let statement: [UInt8]?
    }

    /// What reading a page has come to.
    struct Reading {
        var heard: [Heard] = []
        var finding: LogFinding?
        var others: [OtherLog] = []
    }

    /// - Parameter known: What was read before, in order.
    init(_ keys: ContainerKeys, by identity: DeviceIdentity, known: [Heard]) throws {
        (self.keys, self.identity) = (keys, identity)
        var devices = DeviceList(for: keys)
        for heard in known {
            revisions[heard.entry.commit.item] = heard.entry.position
            guard let statement = heard.statement else { continue }
            try devices.apply(try DeviceStatement(encoded: statement), at: heard.entry.position)
        }
        guard let last = known.last else {
            reader = try LogReader(keys)
            return
        }
        let head = LogHead(position: last.entry.position, hash: last.hash)
        let marks = known.filter {
            $0.entry.position + LogWatch.recentCount > head.position
                || $0.entry.position % LogWatch.sparseStep == 0
        }
        let start = try LogWatch(of: keys.container).head
        let watch = LogWatch(
            at: head,
            marks: [start] + marks.map { LogHead(position: $0.entry.position, hash: $0.hash) }
        )
        reader = try LogReader(keys, watch, devices)
    }

    /// How far the log has been read.
    var head: LogHead { lock.withLock { reader.watch.head } }

    /// Who shares the container, as of there.
    var devices: DeviceList { lock.withLock { reader.devices } }

    /// Reads the next page.
    func read(_ page: LogPage) throws -> Reading {
        try lock.withLock {
            let reading = try reader.read(page) { revisions[$0] ?? 0 }
            var result = Reading(finding: reading.finding, others: reading.others)
            let hashes = Dictionary(page.entries.map { ($0.position, $0.hash) }, uniquingKeysWith: { $1 })
            for entry in reading.entries {
                guard let hash = hashes[entry.position] else { continue }
                revisions[entry.record.item] = entry.position
                var statement: [UInt8]?
                if case .devices(let change) = entry.record.body.contents { statement = change.encoded }
                result.heard.append(Heard(entry: entry.logEntry, hash: hash, statement: statement))
            }
            return result
        }
    }

    /// Seals what the engine commits.
    func seal(_ commits: [Commit]) throws -> [OfferedCommit] {
        try lock.withLock {
            let seen = reader.watch.head
            return try offered(commits.map { OpenRecord($0, seen: seen) })
        }
    }

    /// Seals the statement that a device shares the container from now on.
    func sealAddition(of device: PublicIdentity, as id: Commit.ID) throws -> OfferedCommit? {
        try lock.withLock {
            guard reader.devices.members[device.id] == nil else { return nil }
            let statement = try reader.devices.adding(device, by: identity)
            return try offered([record(of: statement, as: id)]).first
        }
    }

    /// Seals the first entry of a container's log.
    func sealFounding(_ statement: DeviceStatement, as id: Commit.ID) throws -> OfferedCommit? {
        try lock.withLock { try offered([record(of: statement, as: id)]).first }
    }

    private func record(of statement: DeviceStatement, as id: Commit.ID) -> OpenRecord {
        let body = RecordBody(.devices(statement), seen: reader.watch.head)
        return OpenRecord(id, .devices, on: revisions[.devices] ?? 0, body)
    }

    /// Under the lock.
    private func offered(_ records: [OpenRecord]) throws -> [OfferedCommit] {
        let sealer = try currentSealer()
        var offered: [OfferedCommit] = []
        for start in stride(from: 0, to: records.count, by: RecordSealer.countMax) {
            let some = Array(records[start..<min(start + RecordSealer.countMax, records.count)])
            offered += try sealer.seal(some).map {
                OfferedCommit(item: $0.item, base: $0.base, id: $0.id, record: Data($0.record))
            }
        }
        return offered
    }

    private func currentSealer() throws -> RecordSealer {
        if let sealer, sealedFor == reader.devices.hash { return sealer }
        let made = try RecordSealer(keys, reader.devices, by: identity)
        (sealer, sealedFor) = (made, reader.devices.hash)
        return made
    }
}
