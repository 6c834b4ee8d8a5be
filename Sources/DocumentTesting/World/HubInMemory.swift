internal import DeviceSync
package import Foundation
package import HubProtocol
internal import Locks

/// A hub without a network: the rule for commits, and blobs by name. A line to it can be cut.
package final class HubInMemory: Sendable {
    struct State {
        var entries: [LogRecord] = []
        var last: [ItemName: LogRecord] = [:]
        var chain: LogChain
        var blobs: [BlobName: Data] = [:]
        var devices: [DeviceName: DeviceListing] = [:]
        var keys: [DeviceName: [UInt32: Data]] = [:]
        /// What its records come to.
        var recordByteCount = 0
        var answerByteCount = HubLimits.framesByteCountMax
        var readCount = 0
        /// Of all blobs that it was sent, also those that it had already.
        var receivedByteCount = 0
        /// Blobs that nothing needs any more, and those that were sent or asked for a short while ago.
        var released: Set<BlobName> = []
        var recent: Set<BlobName> = []
        /// Not on its disk, and in no backup.
        var life = HubLife()
        /// That of its volume, and what its owner has set: neither is in a backup.
        var room = HubRoom()

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
    ///
    /// - Parameter registersAgain: Whether the devices that it has forgotten are registered again before any of them asks for
    ///   anything; else it refuses them.
    package func restore(_ backup: Backup, registersAgain: Bool = true) {
        state.withLock { state in
            let former = state
            state = backup.state
            (state.life, state.room) = (former.life, former.room)
            // As of a hub, its backup does not say who has read what.
            for device in state.devices.keys { state.devices[device]?.reads = nil }
            guard registersAgain else { return }
            for (name, listing) in former.devices where state.devices[name] == nil {
                var again = listing
                (again.reads, again.isRevoked) = (nil, false)
                state.devices[name] = again
            }
        }
        tellLines()
    }

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
            (state.entries, state.last, state.recordByteCount) = ([], [:], 0)
            for var entry in entries {
                try state.chain.append(item: entry.item, base: entry.base, id: entry.id, record: entry.record)
                (entry.position, entry.hash) = (state.chain.head.position, state.chain.head.hash)
                state.append(entry)
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

    func noteReading(of device: DeviceName, to position: UInt64) {
        let reading = ReadPosition(container, to: position, asked: Int(Date().timeIntervalSince1970))
        state.withLock { state in
            guard state.chain.head.position >= position else { return }
            state.devices[device]?.reads = [reading]
        }
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
        state.append(record)
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
            if let device { try state.check(device) }
            let fresh = commits.filter { Self.isNext($0, in: state) }
            try state.checkRoom(forRecordBytes: fresh.reduce(0) { $0 + $1.record.count })
            return try state.write(if: !fresh.isEmpty) { state in
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
            try state.checkRoom(forBlobBytes: frames.count)
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
