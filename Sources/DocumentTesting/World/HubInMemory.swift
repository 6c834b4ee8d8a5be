internal import DeviceSync
package import Foundation
package import HubProtocol
internal import Locks
package import Sealing

/// A hub without a network: the rule for commits, and blobs by name. A line to it can be cut.
package final class HubInMemory: Sendable {
    fileprivate struct State {
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
    }

    private let state: Locked<State>
    private let news = NSCondition()
    private let container: ContainerName

    package init(_ container: ContainerName) throws {
        self.container = container
        state = Locked(State(chain: try LogChain(of: container)))
    }

    package var entryCount: Int { state.withLock { $0.entries.count } }
    package var blobCount: Int { state.withLock { $0.blobs.count } }
    /// How often it was asked for blobs.
    package var readCount: Int { state.withLock { $0.readCount } }
    /// All that a hub has.
    package struct Backup: Sendable {
        fileprivate let state: State

        package var blobs: [BlobName: Data] { state.blobs }
    }

    package func backup() -> Backup { Backup(state: state.withLock { $0 }) }

    /// Has again what it had once, and nothing else. Whoever waits for news gets what there is.
    package func restore(_ backup: Backup) {
        state.withLock { state in
            state = backup.state
            // As a hub that is started anew, it does not know who has read what.
            for device in state.devices.keys { state.devices[device]?.reads = nil }
        }
        news.withLock { news.broadcast() }
    }

    /// Has no room from so many bytes of contents on.
    package func limit(toByteCount count: Int) { state.withLock { $0.quotaByteCount = count } }

    /// Has answers with blobs hold so many bytes of them at most, but for the first, which always comes.
    package func limitAnswers(toByteCount count: Int) { state.withLock { $0.answerByteCount = count } }

    /// Loses all contents.
    package func loseBlobs() { state.withLock { $0.blobs = [:] } }

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
        news.withLock { news.broadcast() }
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
    /// - Parameter numbers: Decide what goes wrong on it, if anything is to.
    package func line(
        of device: PublicIdentity,
        numbers: SeededGenerator = SeededGenerator(seed: 0)
    ) -> Line {
        let name = state.withLock { state in
            let name = DeviceName(unchecked: (0..<DeviceName.byteCount).map { _ in .random(in: 0...255) })
            state.devices[name] = DeviceListing(
                device: name,
                name: device.name,
                signingKey: PublicKeyBytes(unchecked: device.signingKey),
                agreementKey: PublicKeyBytes(unchecked: device.agreementKey),
                registered: 0,
                isRevoked: false
            )
            return name
        }
        return Line(self, name, numbers)
    }

    private func noteReading(of device: DeviceName, to position: UInt64) {
        let reading = ReadPosition(container, to: position, asked: Int(Date().timeIntervalSince1970))
        state.withLock { state in
            guard state.chain.head.position >= position else { return }
            state.devices[device]?.reads = [reading]
        }
    }

    private func isRevoked(_ device: DeviceName) -> Bool {
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

    /// One device's way to it.
    package final class Line: ContainerHub {
        private let hub: HubInMemory
        private struct State {
            var isCut = false
            var isClosed = false
            /// How often it has been cut or closed: what is on its way then does not arrive, however soon it is mended.
            var breakCount = 0
            /// How long contents take.
            var seconds = 0.0
            /// How many transfers are under way.
            var transferCount = 0
            /// Whether a transfer that was broken is not told so yet.
            var isHeld = false
            /// How many transfers fail yet, and nothing else.
            var failingCount = 0
            /// How many calls get through yet; nil for all.
            var callCount: Int?
        }
        private let state = Locked(State())

        /// What the hub calls the device; nil for nobody in particular.
        private let device: DeviceName?

        /// What goes wrong with messages.
        private let faults: MessageFaults

        init(_ hub: HubInMemory, _ device: DeviceName?, _ numbers: SeededGenerator) {
            (self.hub, self.device) = (hub, device)
            faults = MessageFaults(numbers)
        }

        package var retrySeconds: ClosedRange<Double> { faults.areOn ? 0.001...0.02 : 0.2...30 }
        func disturb(_ faults: LineFaults) { self.faults.begin(faults) }
        func calm() { faults.end() }
        var hasLate: Bool { faults.hasLate }
        /// Has all that is late arrive.
        func bringLate() { faults.bringLate() }
        var faultCounts: [LineFault: Int] { faults.counts }

        /// Sends a message, with what befalls it on its way.
        ///
        /// - Parameter late: What the hub does when it comes late; nil for what only asks it something.
        private func send<Answer>(
            _ message: () throws -> Answer,
            late: (@Sendable () throws -> Void)? = nil
        ) throws -> Answer {
            guard let fate = faults.next(mayBeRepeated: late != nil) else { return try message() }
            linger(fate.delaySeconds)
            switch fate.fault {
            case nil: return try message()
            case .lost: break
            case .unanswered: _ = try message()
            case .doubled:
                _ = try message()
                return try message()
            case .late:
                try check()
                if let late { faults.hold(late, until: fate.overtakingCount) }
            }
            throw LineFailure("a message was \(fate.fault?.rawValue ?? "lost")")
        }

        /// Lets time go by; a line that is cut meanwhile is noticed at once.
        private func linger(_ seconds: Double) {
            let (end, breakCount) = (Date().addingTimeInterval(seconds), state.withLock { $0.breakCount })
            hub.news.withLock {
                while end > Date(), state.withLock({ $0.breakCount }) == breakCount {
                    _ = hub.news.wait(until: end)
                }
            }
        }

        /// Lets so many calls through, and no more: as when the process of the device dies then. Nil for all.
        package func end(afterCalls count: Int?) { set { $0.callCount = count } }

        package func cut() {
            set { state in
                state.isCut = true
                state.breakCount += 1
            }
        }
        package func mend() { set { $0.isCut = false } }
        package var isCut: Bool { state.withLock { $0.isCut } }
        package func slowDown(to seconds: Double) { set { $0.seconds = seconds } }

        /// Lets the time go by that contents take; a line that is cut meanwhile is noticed at once.
        private func carry() throws {
            let begun = state.withLock { state -> (seconds: Double, breakCount: Int)? in
                guard !state.isCut, !state.isClosed else { return nil }
                state.transferCount += 1
                return (seconds: state.seconds, breakCount: state.breakCount)
            }
            guard let (seconds, breakCount) = begun else { throw LineFailure("the line is cut") }
            defer { state.withLock { $0.transferCount -= 1 } }
            let end = Date().addingTimeInterval(seconds)
            hub.news.lock()
            while end > Date(), state.withLock({ $0.breakCount }) == breakCount {
                _ = hub.news.wait(until: end)
            }
            let isBroken = state.withLock { $0.breakCount } != breakCount
            while isBroken, state.withLock({ $0.isHeld }) { hub.news.wait() }
            hub.news.unlock()
            let isFailing = state.withLock { state in
                defer { state.failingCount = max(0, state.failingCount - 1) }
                return state.failingCount > 0
            }
            guard !isBroken, !isFailing else { throw LineFailure("the line is cut") }
            try check()
        }

        package var isTransferring: Bool { state.withLock { $0.transferCount > 0 } }
        /// Has transfers that a cut breaks hear of it only when they are let go.
        package func hold() { set { $0.isHeld = true } }
        package func letGo() { set { $0.isHeld = false } }
        /// Has so many transfers fail, while everything else goes on.
        package func failTransfers(_ count: Int) { set { $0.failingCount = count } }

        package func open() { set { $0.isClosed = false } }
        package func close() {
            set { state in
                state.isClosed = true
                state.breakCount += 1
            }
        }

        private func set(_ body: (inout State) -> Void) {
            state.withLock { body(&$0) }
            hub.news.withLock { hub.news.broadcast() }
        }

        /// Whether a call that waits is not to wait any more.
        private var isBroken: Bool {
            state.withLock { $0.isCut || $0.isClosed } || device.map(hub.isRevoked) == true
        }

        private func checkAgain() throws {
            if state.withLock({ $0.isCut || $0.isClosed }) { throw LineFailure("the line is cut") }
            if let device, hub.isRevoked(device) {
                throw HubFailure(.revoked, "This device has been shut out.")
            }
        }

        private func check() throws {
            let isThrough = state.withLock { state in
                guard !state.isCut, !state.isClosed else { return false }
                guard let count = state.callCount else { return true }
                state.callCount = max(0, count - 1)
                return count > 0
            }
            guard isThrough else { throw LineFailure("the line is cut") }
            try checkAgain()
        }

        package func offer(_ commits: [OfferedCommit]) throws -> CommitAnswers {
            try send {
                try check()
                return try hub.take(commits, from: device)
            } late: { [hub, device] in
                _ = try hub.take(commits, from: device)
            }
        }

        package func log(after position: UInt64, waitSeconds: Int) throws -> LogPage {
            try send { try readLog(after: position, waitSeconds: waitSeconds) }
        }

        private func readLog(after position: UInt64, waitSeconds: Int) throws -> LogPage {
            let deadline = Date().addingTimeInterval(TimeInterval(waitSeconds))
            try check()
            if waitSeconds > 0, let device { hub.noteReading(of: device, to: position) }
            while true {
                try checkAgain()
                let page = hub.state.withLock { state in
                    LogPage(Array(state.entries.dropFirst(Int(position)).prefix(100)), head: state.chain.head)
                }
                if !page.entries.isEmpty || waitSeconds == 0 || page.head.position < position { return page }
                hub.news.lock()
                let isInTime =
                    hub.entryCount != Int(position) || isBroken
                    || hub.news.wait(until: deadline)
                hub.news.unlock()
                if !isInTime { return page }
            }
        }

        package func registrations() throws -> [DeviceListing] {
            try send {
                try check()
                return hub.state.withLock { Array($0.devices.values) }
            }
        }

        package func refuse(_ device: DeviceName) throws {
            try check()
            hub.state.withLock { $0.devices[device]?.isRevoked = true }
            hub.news.withLock { hub.news.broadcast() }
        }

        package func keep(_ keys: HubProtocol.WrappedKeys, for device: DeviceName) throws {
            try check()
            let isTaken = hub.state.withLock { state in
                if let known = state.keys[device]?[keys.generation], known != keys.keys { return true }
                state.keys[device, default: [:]][keys.generation] = keys.keys
                return false
            }
            if isTaken { throw HubFailure(.conflict, "Other keys are there.") }
        }

        package func keys(for device: DeviceName) throws -> [HubProtocol.WrappedKeys] {
            try check()
            return hub.state.withLock { state in
                (state.keys[device] ?? [:]).sorted { $0.key < $1.key }
                    .map { HubProtocol.WrappedKeys(generation: $0.key, keys: $0.value) }
            }
        }

        package func missing(_ names: [BlobName]) throws -> [BlobName] {
            try send {
                try check()
                return hub.state.withLock { state in names.filter { state.blobs[$0] == nil } }
            }
        }

        package func store(_ frames: Data) throws {
            try send {
                try carry()
                try hub.store(frames)
            } late: { [hub] in
                try hub.store(frames)
            }
        }

        package func read(_ names: [BlobName]) throws -> [(name: BlobName, blob: Data)] {
            try send {
                try carry()
                return hub.read(names)
            }
        }
    }

    private func read(_ names: [BlobName]) -> [(name: BlobName, blob: Data)] {
        state.withLock { state in
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
    private func take(_ commits: [OfferedCommit], from device: DeviceName?) throws -> CommitAnswers {
        let answers = try state.withLock { state in
            // In one step with what is written: nothing of a device comes after it was refused.
            if let device, state.devices[device]?.isRevoked == true {
                throw HubFailure(.revoked, "This device has been shut out.")
            }
            return CommitAnswers(try commits.map { try Self.offer($0, &state) }, head: state.chain.head)
        }
        news.withLock { news.broadcast() }
        return answers
    }

    private func store(_ frames: Data) throws {
        let blobs = try BlobFrames.read(frames)
        try state.withLock { state in
            guard state.blobs.values.reduce(frames.count, { $0 + $1.count }) <= state.quotaByteCount
            else {
                throw HubFailure(
                    .quota,
                    "The account may keep no more bytes on this hub. Remove documents."
                )
            }
            for (name, blob) in blobs where state.blobs[name] == nil { state.blobs[name] = Data(blob) }
        }
    }
}
