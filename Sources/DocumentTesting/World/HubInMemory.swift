internal import DeviceSync
package import Foundation
package import HubProtocol
internal import Locks
package import Sealing

/// A hub without a network: the rule for commits, and blobs by name. A line to it can be cut.
package final class HubInMemory: Sendable {
    struct State {
        var entries: [LogRecord] = []
        var last: [ItemName: LogRecord] = [:]
        var chain: LogChain
        var blobs: [BlobName: Data] = [:]
        var devices: [DeviceName: DeviceListing] = [:]
        var keys: [DeviceName: [UInt32: Data]] = [:]
        /// So many bytes of blobs it may have.
        var quotaByteCount = Int.max
        var answerByteCount = HubLimits.framesByteCountMax
        var readCount = 0
        /// Of all blobs that it was sent, also those that it had already.
        var receivedByteCount = 0
        /// Blobs that nothing needs any more, and those that were sent or asked for a short while ago.
        var released: Set<BlobName> = []
        var recent: Set<BlobName> = []
        /// Not on its disk, and in no backup.
        var life = HubLife()

        mutating func keep(_ names: [BlobName]) {
            released.subtract(names)
            recent.formUnion(names)
        }
    }

    let state: Locked<State>
    let news = NSCondition()
    private let container: ContainerName
    private let watcher: Locked<(@Sendable (Int) -> Void)?> = Locked(nil)

    package init(_ container: ContainerName) throws {
        self.container = container
        state = Locked(State(chain: try LogChain(of: container)))
    }

    package var entryCount: Int { state.withLock { $0.entries.count } }
    package var blobCount: Int { state.withLock { $0.blobs.count } }
    /// Of what it has, and of all that it was sent, which is more where something was sent twice.
    package var byteCounts: (kept: Int, received: Int) {
        state.withLock { ($0.blobs.values.reduce(0) { $0 + $1.count }, $0.receivedByteCount) }
    }
    /// Has somebody be told how many entries there are whenever there are more, before anybody can read them. He must not ask the
    /// hub for anything.
    package func tellEntryCount(_ tell: (@Sendable (Int) -> Void)?) { watcher.withLock { $0 = tell } }
    /// How often it was asked for blobs.
    package var readCount: Int { state.withLock { $0.readCount } }
    /// All that a hub has.
    package struct Backup: Sendable {
        fileprivate let state: State

        /// How many entries its log has.
        var entryCount: Int { state.entries.count }
        package var blobs: [BlobName: Data] { state.blobs }
    }

    package func backup() -> Backup { Backup(state: state.withLock { $0 }) }

    /// Has again what it had once, and nothing else. Whoever waits for news gets what there is.
    package func restore(_ backup: Backup) {
        state.withLock { state in
            let life = state.life
            state = backup.state
            state.life = life
            // As of a hub, its backup does not say who has read what.
            for device in state.devices.keys { state.devices[device]?.reads = nil }
        }
        tellLines()
    }

    /// Has no room from so many bytes of contents on.
    package func limit(toByteCount count: Int) { state.withLock { $0.quotaByteCount = count } }

    /// Has answers with blobs hold so many bytes of them at most, but for the first, which always comes.
    package func limitAnswers(toByteCount count: Int) { state.withLock { $0.answerByteCount = count } }

    /// Loses all contents.
    package func loseBlobs() { state.withLock { $0.blobs = [:] } }

    /// Lets the hour go by for which it spares what was sent or asked for.
    package func passHour() { state.withLock { $0.recent = [] } }

    /// Lets the time go by for which it keeps what was released.
    package func deleteReleased() {
        state.withLock { state in
            for name in state.released { state.blobs[name] = nil }
            state.released = []
        }
    }

    /// Lies: has another log, with a chain that fits it.
    ///
    /// - Parameter change: Changes the entries; positions and hashes are made for what it leaves.
    package func rewriteLog(_ change: (inout [LogRecord]) -> Void) throws {
        try state.withLock { state in
            var entries = state.entries
            change(&entries)
            state.chain = try LogChain(of: container)
            (state.entries, state.last) = ([], [:])
            for var entry in entries {
                try state.chain.append(item: entry.item, base: entry.base, id: entry.id, record: entry.record)
                (entry.position, entry.hash) = (state.chain.head.position, state.chain.head.hash)
                state.entries.append(entry)
                state.last[entry.item] = entry
            }
        }
        tellLines()
    }

    /// Lies: has other blobs.
    package func rewriteBlobs(_ change: (inout [BlobName: Data]) -> Void) {
        state.withLock { change(&$0.blobs) }
    }

    /// All blobs, by name.
    package var blobs: [BlobName: Data] { state.withLock { $0.blobs } }

    /// What the hub could read, were it curious.
    package var everything: Data {
        state.withLock { state in
            state.entries.reduce(Data()) { $0 + $1.record } + state.blobs.values.reduce(Data(), +)
        }
    }

    /// A line that nobody in particular uses.
    package func line() -> Line { Line(self, nil, SeededGenerator(seed: 0)) }

    /// A line of a device that is registered with it.
    ///
    /// - Parameters:
    ///   - numbers: Decide what goes wrong on it, if anything is to.
    ///   - inviter: The line of the device by whose invitation it was registered; nil for the hub's own.
    ///   - seconds: When that was, since 1970.
    package func line(
        of device: PublicIdentity,
        numbers: SeededGenerator = SeededGenerator(seed: 0),
        invitedBy inviter: Line? = nil,
        at seconds: Int = 0
    ) -> Line {
        let name = state.withLock { state in
            let name = DeviceName(unchecked: (0..<DeviceName.byteCount).map { _ in .random(in: 0...255) })
            var listing = DeviceListing(
                device: name,
                name: device.name,
                signingKey: PublicKeyBytes(unchecked: device.signingKey),
                agreementKey: PublicKeyBytes(unchecked: device.agreementKey),
                registered: seconds,
                isRevoked: false
            )
            listing.inviter = inviter?.device
            state.devices[name] = listing
            return name
        }
        return Line(self, name, numbers)
    }

    func noteReading(of device: DeviceName, to position: UInt64) {
        let reading = ReadPosition(container, to: position, asked: Int(Date().timeIntervalSince1970))
        state.withLock { state in
            guard state.chain.head.position >= position else { return }
            state.devices[device]?.reads = [reading]
        }
    }

    func isRevoked(_ device: DeviceName) -> Bool {
        state.withLock { $0.devices[device]?.isRevoked == true }
    }

    private static func offer(_ commit: OfferedCommit, _ state: inout State) throws -> CommitAnswer {
        let last = state.last[commit.item]
        if let last, last.id == commit.id { return .accepted(last.position) }
        guard last?.position ?? 0 == commit.base else { return .refused(last?.position ?? 0) }
        try state.chain.append(item: commit.item, base: commit.base, id: commit.id, record: commit.record)
        let record = LogRecord(
            position: state.chain.head.position,
            item: commit.item,
            base: commit.base,
            id: commit.id,
            record: commit.record,
            device: DeviceName(unchecked: [UInt8](repeating: 1, count: 8)),
            hash: state.chain.head.hash
        )
        state.entries.append(record)
        state.last[commit.item] = record
        return .accepted(record.position)
    }

    /// Whether a commit would come into the log now.
    private static func isNext(_ commit: OfferedCommit, in state: State) -> Bool {
        let last = state.last[commit.item]
        return last?.id != commit.id && last?.position ?? 0 == commit.base
    }

    func missing(_ names: [BlobName]) throws -> [BlobName] {
        try Self.check(names)
        return try answer { state in
            let isWrite = names.contains(where: state.released.contains)
            try state.write(if: isWrite) { state in state.keep(names) }
            return names.filter { state.blobs[$0] == nil }
        }
    }

    func release(_ names: [BlobName], asOf head: LogHead) throws -> ReleasedBlobs {
        try Self.check(names)
        return try answer { state in
            guard state.chain.head == head else {
                throw HubFailure(.conflict, "The log has another end by now.")
            }
            // What was asked for a short while ago is spared, as somebody may need it soon.
            let spared = names.filter(state.recent.contains)
            let released = Set(names).intersection(state.blobs.keys).subtracting(spared)
            let isWrite = !released.isSubset(of: state.released)
            try state.write(if: isWrite) { state in state.released.formUnion(released) }
            return ReleasedBlobs(released: released.count, keptSeconds: 30 * 86_400, spared: spared)
        }
    }

    func read(_ names: [BlobName]) throws -> [(name: BlobName, blob: Data)] {
        try Self.check(names)
        return state.withLock { state in
            state.readCount += 1
            var (found, byteCount): ([(name: BlobName, blob: Data)], Int) = ([], 0)
            for name in names {
                guard let blob = state.blobs[name] else { continue }
                byteCount += blob.count
                if !found.isEmpty, byteCount > state.answerByteCount { break }
                found.append((name, blob))
            }
            return found
        }
    }

    /// Takes commits of a device.
    func take(_ commits: [OfferedCommit], from device: DeviceName?) throws -> CommitAnswers {
        try Self.check(commits)
        let answers = try answer { state in
            // In one step with what is written: nothing of a device comes after it was refused.
            if let device, state.devices[device]?.isRevoked == true {
                throw HubFailure(.revoked, "This device has been shut out.")
            }
            let isWrite = commits.contains { Self.isNext($0, in: state) }
            return try state.write(if: isWrite) { state in
                let answers = CommitAnswers(
                    try commits.map { try Self.offer($0, &state) },
                    head: state.chain.head
                )
                watcher.withLock { $0 }?(state.entries.count)
                return answers
            }
        }
        tellLines()
        return answers
    }

    func store(_ frames: Data) throws {
        let blobs = try Self.blobs(in: frames)
        try answer { state in
            guard state.blobs.values.reduce(frames.count, { $0 + $1.count }) <= state.quotaByteCount
            else {
                throw HubFailure(
                    .quota,
                    "The account may keep no more bytes on this hub. Remove documents."
                )
            }
            state.receivedByteCount += blobs.reduce(0) { $0 + $1.blob.count }
            let isWrite = blobs.contains { name, _ in
                state.blobs[name] == nil || state.released.contains(name)
            }
            try state.write(if: isWrite) { state in
                state.keep(blobs.map(\.name))
                for (name, blob) in blobs where state.blobs[name] == nil { state.blobs[name] = Data(blob) }
            }
        }
    }
}
