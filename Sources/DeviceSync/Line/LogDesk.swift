internal import Cryptography
internal import Foundation
internal import HubProtocol
internal import Locks
internal import Sealing
internal import Sync

/// A container's log as this device reads it and writes to it: opened and checked, sealed and signed.
final class LogDesk: @unchecked Sendable {
    // Sendable because all that is variable, and what is for one thread at a time, is only touched under the lock.
    private let lock = NSLock()
    private var reader: LogReader
    private let ring: KeyRing
    /// Those that the reader uses; others may have come into the ring since.
    private var used: ContainerKeys
    let identity: DeviceIdentity
    var container: ContainerName { ring.keys.container }
    private var revisions = ItemMap<LogPosition>()
    private var sealer: RecordSealer?
    private var sealedFor: DeviceListHash?
    private var barred: BarredDevices
    private var isOfBarred = false
    /// Taken alone, or under the lock.
    let accepted: Locked<AcceptedCommits>

    /// An entry as it is remembered.
    struct Heard: Sendable {
        let entry: LogEntry
        let hash: LogHash
        /// A statement about devices, encoded; nil for an entry about an item.
        let statement: [UInt8]?
        /// When the document was modified last, in nanoseconds since 1970; nil where its author does not say.
        let modified: Int64?
        /// The same of contents that have lost a conflict with it.
        var lost: [ContentName: Int64] = [:]
    }

    /// What the engine commits.
    struct Offer: Sendable {
        let commit: Commit
        /// When the document was modified last, in nanoseconds since 1970; nil for what has no such date.
        let modified: Int64?
        /// The same of contents that have lost a conflict with it.
        var lost: [ContentName: Int64] = [:]
        /// What has to last on this device before the commit is sent.
        let places: FolderPlaces
        /// Contents that it refers to and the log does not have of the item.
        var unsure: Set<ContentName> = []
        /// What the log has of the item.
        var base: ContentName?
    }

    /// What reading a page has come to.
    struct Reading {
        var heard: [Heard] = []
        var finding: LogFinding?
        var others: [OtherLog] = []
        var unkept: [Unkept] = []
    }

    /// - Parameters:
    ///   - known: What was read before, in order.
    ///   - barred: Of whom nothing is taken.
    convenience init(
        _ ring: KeyRing,
        by identity: DeviceIdentity,
        known: [Heard],
        barred: BarredDevices = BarredDevices()
    ) throws {
        try self.init(ring, by: identity, known: known, barred: barred, expecting: ring.listMark)
    }

    /// - Parameter expected: What the list of devices has to come by.
    private init(
        _ ring: KeyRing,
        by identity: DeviceIdentity,
        known: [Heard],
        barred: BarredDevices,
        expecting expected: DeviceListMark?
    ) throws {
        (self.ring, self.identity, self.barred) = (ring, identity, barred)
        used = ring.keys
        accepted = Locked(AcceptedCommits(readTo: known.last?.entry.position ?? 0))
        reader = try LogReader(used, remembering: known, expecting: expected)
        revisions = Self.revisions(known)
    }

    private static func revisions(_ known: [Heard]) -> ItemMap<LogPosition> {
        var revisions = ItemMap<LogPosition>()
        revisions.reserveCapacity(known.count)
        for heard in known { revisions[heard.entry.commit.item] = heard.entry.position }
        return revisions
    }

    /// Goes back to what had been read once: the hub has lost what came after it.
    ///
    /// - Parameter known: That.
    /// - Returns: The devices that the log then does not know any more.
    /// - Throws: `SyncFailure` with code `hubChanged` when it would forget that a device was shut out, and does not hold the key that
    ///   came with that; nothing has changed then. Who holds it seals nothing until the log announces it again.
    func goBack(to known: [Heard]) throws -> [PublicIdentity] {
        try lock.withLock {
            let former = reader.devices
            let held = ring.keys
            let expected = expectedGoingBack
            let next = try LogReader(held, remembering: known, expecting: expected)
            let isHeld = held.newest.generation >= former.generation
            for member in former.members.values where member.isRevoked && !isHeld {
                guard next.devices.members[member.identity.id]?.isRevoked != true else { continue }
                throw SyncFailure.revocationLost(member.identity.name)
            }
            if expected == nil { try ring.forgetListMark() }
            barred = barredDevices(goingBackTo: known.last?.entry.position ?? 0)
            (reader, used, revisions, sealer) = (next, held, Self.revisions(known), nil)
            accepted.withLock { $0.goBack(to: known.last?.entry.position ?? 0) }
            return former.present.filter { next.devices.members[$0.id] == nil }
        }
    }

    /// Under the lock. What the list has come by once, the hub may have lost, and it comes otherwise; of who was shut out before
    /// that nothing is taken all the same. What it has not come by yet it still has to.
    private var expectedGoingBack: DeviceListMark? { reader.devices.isAsExpected ? nil : ring.listMark }

    /// Of whom nothing is taken once this device has gone back to a place.
    func barred(goingBackTo position: LogPosition) -> BarredDevices {
        lock.withLock { barredDevices(goingBackTo: position) }
    }

    /// Under the lock.
    private func barredDevices(goingBackTo position: LogPosition) -> BarredDevices {
        var next = barred
        for member in reader.devices.members.values where (member.revokedAt ?? 0) > position {
            next.bar(member.identity.id, after: position)
        }
        return next
    }

    /// Whether the log, as far as it was read, has something of a device that was shut out, or lets one share the container.
    var letsInBarred: Bool {
        lock.withLock {
            isOfBarred || barred.devices.contains { reader.devices.members[$0]?.isRevoked == false }
        }
    }

    /// The places of the log that this device remembers, ascending; its head is the last.
    var places: [LogHead] { lock.withLock { reader.watch.marks + [reader.watch.head] } }

    /// Whether the log that was read has a place that is remembered.
    func has(_ place: LogHead) -> Bool {
        lock.withLock { reader.watch.hash(at: place.position) == place.hash }
    }

    /// How far the log has been read, and which commits are made on the last entry that it has of their items up to there.
    func standing(of commits: [Commit]) -> (position: LogPosition, latest: Set<Commit.ID>) {
        lock.withLock {
            let latest = commits.filter { (revisions[$0.item] ?? 0) == $0.base }
            return (reader.watch.head.position, Set(latest.map(\.id)))
        }
    }

    /// How far the log has been read.
    var head: LogHead { lock.withLock { reader.watch.head } }

    /// Who shares the container, as of there.
    var devices: DeviceList { lock.withLock { reader.devices } }

    /// Whether this device shares the container, as of there: what another one commits is nothing but in the way.
    var isMember: Bool { lock.withLock { isKnown } }

    /// Under the lock.
    private var isKnown: Bool { reader.devices.members[identity.id].map { !$0.isRevoked } ?? false }

    /// Reads the next page.
    func read(_ page: LogPage) throws -> Reading {
        try lock.withLock {
            let reading = try reader.read(page) { revisions[$0] ?? 0 }
            var result = Reading(finding: reading.finding, others: reading.others)
            // What says that it stands in a place again, behind the entry that was read there, is none of the log's.
            let hashes = Dictionary(page.entries.map { ($0.position, $0.hash) }) { first, _ in first }
            for entry in reading.entries {
                guard let hash = hashes[entry.position] else { continue }
                revisions[entry.record.item] = entry.position
                let id = entry.record.id
                let unkept = accepted.withLock {
                    $0.read(id, at: entry.position, isOwn: id.device == identity.id)
                }
                result.unkept += unkept.map { ($0, entry.position) }
                var statement: [UInt8]?
                if case .devices(let change) = entry.record.body.contents { statement = change.encoded }
                let extra = RecordExtra(encoded: entry.record.body.extra)
                let logEntry = entry.logEntry
                if barred.bars(logEntry) { isOfBarred = true }
                result.heard.append(
                    Heard(
                        entry: logEntry,
                        hash: hash,
                        statement: statement,
                        modified: extra.modified,
                        lost: extra.lost(of: logEntry.commit.state)
                    )
                )
            }
            if isOfBarred { return Reading(finding: .revocationForgotten(last: reader.watch.head)) }
            return result
        }
    }

    /// Seals what the engine commits.
    func seal(_ offers: [Offer]) throws -> [OfferedCommit] {
        try lock.withLock {
            let seen = reader.watch.head
            return try offered(
                offers.map { offer in
                    let extra = RecordExtra(
                        modified: offer.modified,
                        lost: offer.lost,
                        of: offer.commit.state
                    )
                    return OpenRecord(offer.commit, seen: seen, extra: extra.encoded)
                }
            )
        }
    }

    /// Seals the statement that a device shares the container from now on; nil when it does already, or when this one
    /// does not.
    ///
    /// - Throws: `SyncFailure` with code `shutOut` for one that was shut out: it does not come back under that name.
    func sealAddition(of device: PublicIdentity, as id: Commit.ID? = nil) throws -> OfferedCommit? {
        try lock.withLock {
            let known = reader.devices.members[device.id]
            if known?.isRevoked == true { throw SyncFailure.cannotComeBack(device.name) }
            guard known == nil, isKnown else { return nil }
            let id = id ?? Commit.ID(identity.id, session: .random(in: 1...UInt64.max), 1)
            let statement = try reader.devices.adding(device, by: identity)
            return try offered([record(of: statement, as: id)]).first
        }
    }

    /// Reads the hub's log from its beginning, as who goes back to a place would.
    func visit(_ hub: any ContainerHub, goingBackTo position: LogPosition) throws -> LogVisit {
        let (barred, expected) = (
            barred(goingBackTo: position), lock.withLock { expectedGoingBack }
        )
        let desk = try LogDesk(ring, by: identity, known: [], barred: barred, expecting: expected)
        return LogVisit(desk, by: identity, at: hub)
    }

    /// Seals the statement that a device shares the container no more; nil when it does not already.
    func sealRevocation(_ plan: PlannedRevocation, as id: Commit.ID) throws -> OfferedCommit? {
        try lock.withLock {
            guard reader.devices.members[plan.device]?.isRevoked == false else { return nil }
            let statement = try reader.devices.revoking(
                plan.device,
                next: plan.next,
                ring.keys,
                by: identity
            )
            return try offered([record(of: statement, as: id)]).first
        }
    }

    /// Seals once more that a device was shut out which the log has forgotten, together with that it was there: where the log does not
    /// know it, that is said before, so that nobody lets it in again.
    ///
    /// - Parameter device: Which the plan is about.
    /// - Returns: One for each of the names, or for the last of them; none where it is shut out already.
    func sealForgotten(
        _ plan: PlannedRevocation,
        of device: PublicIdentity,
        as ids: (addition: Commit.ID, revocation: Commit.ID)
    ) throws -> [OfferedCommit] {
        try lock.withLock {
            var (list, records) = (reader.devices, [OpenRecord]())
            var base = revisions[.devices] ?? 0
            if list.members[device.id] == nil {
                let statement = try list.adding(device, by: identity)
                records.append(record(of: statement, as: ids.addition))
                base = reader.watch.head.position + 1
                try list.apply(statement, at: base)
            }
            guard list.members[plan.device]?.isRevoked == false else { return [] }
            let statement = try list.revoking(plan.device, next: plan.next, ring.keys, by: identity)
            let body = RecordBody(.devices(statement), seen: reader.watch.head)
            records.append(OpenRecord(ids.revocation, .devices, on: base, body))
            return try offered(records, isAgain: true)
        }
    }

    // MARK: Keys

    /// Whether this device holds the key under which is sealed, as of what was read. Whatever is wrong with it, another one has
    /// to come.
    var holdsKey: Bool {
        lock.withLock { (try? reader.devices.sealingKey(of: ring.keys)) != nil }
    }

    /// Of the newest key that this device holds: it takes none that the log has not announced.
    var newestGeneration: UInt32 { ring.keys.newest.generation }

    /// Whether the log, as of what was read, speaks of all revocations that this device holds keys of, and is the one that the device
    /// had read which let this one in.
    var speaksOfHeldKeys: Bool {
        let devices = devices
        return devices.generation >= newestGeneration && devices.isAsExpected && !letsInBarred
    }

    /// That nothing is sealed under an older key than the newest that this device holds: who was shut out has the older one. What
    /// is read next announces the newer one, or the hub has forgotten it.
    ///
    /// - Throws: `LineFailure`: a line that comes up again has read that much.
    private static func checkNewest(_ keys: ContainerKeys, _ list: DeviceList) throws {
        let newest = keys.newest.generation
        guard list.generation >= newest else {
            throw LineFailure("the hub's log has not been read as far as key \(newest), which is here")
        }
    }

    /// Takes keys that other devices have sealed for this one.
    ///
    /// - Returns: Whether there is one now, from wherever, that was missing.
    func take(_ boxes: [[UInt8]]) throws -> Bool {
        try lock.withLock {
            for box in boxes {
                if let keys = try keys(in: box) { try ring.take(keys) }
            }
            return try useHeld()
        }
    }

    /// Takes a key that this device has made itself, if the log has announced it.
    ///
    /// - Returns: As of others' keys.
    func take(_ made: ContainerKey) throws -> Bool {
        try lock.withLock {
            let keys = try ring.keys.adding(made)
            if let taken = try reader.devices.taking(keys, into: ring.keys) { try ring.take(taken) }
            return try useHeld()
        }
    }

    /// Under the lock.
    private func useHeld() throws -> Bool {
        let held = ring.keys
        guard held != used else { return false }
        try reader.use(held)
        (used, sealer) = (held, nil)
        return true
    }

    /// Seals all keys for a device that is to share the container again; nil where there has been one alone, which it has.
    func sealedKeys(for device: PublicIdentity) throws -> [UInt8]? {
        let keys = ring.keys
        guard keys.newest.generation > 1 else { return nil }
        return try Sealing.WrappedKeys(keys, for: device, by: identity, random: RandomBytes.make).encoded
    }

    /// Under the lock. What is no box of a device's, or not for this one, may lie beside one that is.
    private func keys(in box: [UInt8]) throws -> ContainerKeys? {
        do {
            let sent = try Sealing.WrappedKeys(encoded: box).open(as: identity, reader.devices)
            return try reader.devices.taking(sent, into: ring.keys)
        } catch {
            guard error.code != .outOfMemory else { throw error }
            return nil
        }
    }

    /// What seals contents now.
    func blobSealer() throws -> BlobSealer {
        let (keys, list) = (ring.keys, devices)
        try Self.checkNewest(keys, list)
        return try BlobSealer(keys, list)
    }

    /// What opens contents, whatever they were sealed under.
    func blobOpener() throws -> BlobSealer { try BlobSealer(ring.keys) }

    /// Seals the first entry of a container's log.
    func sealFounding(_ statement: DeviceStatement, as id: Commit.ID) throws -> OfferedCommit? {
        try lock.withLock { try offered([record(of: statement, as: id)]).first }
    }

    private func record(of statement: DeviceStatement, as id: Commit.ID) -> OpenRecord {
        let body = RecordBody(.devices(statement), seen: reader.watch.head)
        return OpenRecord(id, .devices, on: revisions[.devices] ?? 0, body)
    }

    /// Under the lock.
    ///
    /// - Parameter isAgain: Whether they say again what the log has forgotten, and with it the newest key: who shares the container by
    ///   the log alone may read them.
    private func offered(_ records: [OpenRecord], isAgain: Bool = false) throws -> [OfferedCommit] {
        let sealer =
            isAgain ? try RecordSealer(ring.keys, reader.devices, by: identity) : try currentSealer()
        var offered: [OfferedCommit] = []
        for start in stride(from: 0, to: records.count, by: RecordSealer.countMax) {
            let some = Array(records[start..<min(start + RecordSealer.countMax, records.count)])
            let sealed = try sealer.seal(some)
            if isKnown { reader.expect(sealed, of: some) }
            offered += sealed.map {
                OfferedCommit(item: $0.item, base: $0.base, id: $0.id, record: Data($0.record))
            }
        }
        return offered
    }

    private func currentSealer() throws -> RecordSealer {
        let keys = ring.keys
        try Self.checkNewest(keys, reader.devices)
        if let sealer, sealedFor == reader.devices.hash { return sealer }
        let made = try RecordSealer(keys, reader.devices, by: identity)
        (sealer, sealedFor) = (made, reader.devices.hash)
        return made
    }
}
