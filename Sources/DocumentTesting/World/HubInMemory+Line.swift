internal import DeviceSync
package import Foundation
package import HubProtocol
internal import Locks
internal import Sealing

extension HubInMemory {
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
            /// How often the hub had ended when it was heard of last: its connection is none any more once it has ended again.
            var heardEndCount = 0
            var device: DeviceName?
        }
        private let state = Locked(State())

        /// What the hub calls the device; nil for nobody in particular.
        var device: DeviceName? { state.withLock { $0.device } }

        /// What goes wrong with messages.
        private let faults: MessageFaults

        init(_ hub: HubInMemory, _ device: DeviceName?, _ numbers: SeededGenerator) {
            self.hub = hub
            faults = MessageFaults(numbers)
            let endCount = hub.endCount
            state.withLock { ($0.heardEndCount, $0.device) = (endCount, device) }
        }

        /// Whether the hub knows its device, be it that it has shut that out.
        var isKnown: Bool {
            guard let device else { return true }
            return hub.state.withLock { $0.devices[device] != nil }
        }

        /// Registers its device again where the hub does not know it any more, as an invitation does.
        ///
        /// - Throws: `LineFailure` where the hub cannot be asked, `HubFailure` where it has no room.
        func registerAgain(_ identity: PublicIdentity) throws {
            guard let device else { return }
            guard !isCut else { throw LineFailure("the line is cut") }
            let name = try hub.registerAgain(identity, known: device)
            set { $0.device = name }
        }

        /// Nobody waits here for a line that is cut, or a hub that does not run, to be tried again once it is right.
        package var retrySeconds: ClosedRange<Double> {
            faults.areOn || hub.isDown || isCut ? 0.001...0.02 : 0.2...30
        }
        /// How often what is on its way was lost, as the line was cut or the hub ended.
        private var breakCount: Int { state.withLock { $0.breakCount } + hub.endCount }
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
            linger(since: breakCount) { fate.delaySeconds }
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

        /// No condition is waited for until a time that is further away than a clock of the kernel can tell.
        private static let waitSecondsMax = 3600.0

        /// Lets time go by; a line that is cut meanwhile is noticed at once.
        ///
        /// - Parameter seconds: How long; asked again whenever something has happened.
        private func linger(since formerBreakCount: Int, _ seconds: () -> Double) {
            let begun = Date()
            hub.news.withLock {
                while breakCount == formerBreakCount {
                    let end = begun.addingTimeInterval(seconds())
                    guard end > Date() else { return }
                    _ = hub.news.wait(until: min(end, Date(timeIntervalSinceNow: Self.waitSecondsMax)))
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
            let formerBreakCount = breakCount
            let isUp = state.withLock { state in
                guard !state.isCut, !state.isClosed else { return false }
                state.transferCount += 1
                return true
            }
            guard isUp else { throw LineFailure("the line is cut") }
            defer { state.withLock { $0.transferCount -= 1 } }
            linger(since: formerBreakCount) { state.withLock { $0.seconds } }
            let isBroken = breakCount != formerBreakCount
            hub.news.withLock {
                while isBroken, state.withLock({ $0.isHeld }) { hub.news.wait() }
            }
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
            hub.tellLines()
        }

        private static let death = LineFailure("the hub has died")

        /// Whether a call that waits is not to wait any more.
        private var isBroken: Bool {
            do { try checkAgain() } catch { return true }
            return false
        }

        private func checkAgain() throws {
            try hub.checkRuns()
            if state.withLock({ $0.isCut || $0.isClosed }) { throw LineFailure("the line is cut") }
            if let device { try hub.check(device) }
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
            // What was asked before the hub ended may not hold for the one that was started then, from a backup for instance.
            let endCount = state.withLock { $0.heardEndCount }
            let take: @Sendable () throws -> CommitAnswers = { [hub, device] in
                guard hub.endCount == endCount else { throw Self.death }
                return try hub.take(commits, from: device)
            }
            return try send {
                try check()
                return try take()
            } late: {
                _ = try take()
            }
        }

        package func log(after position: UInt64, waitSeconds: Int) throws -> LogPage {
            try send { try readLog(after: position, waitSeconds: waitSeconds) }
        }

        private func readLog(after position: UInt64, waitSeconds: Int) throws -> LogPage {
            let deadline = Date().addingTimeInterval(TimeInterval(waitSeconds))
            let endCount = hub.endCount
            try check()
            let isConnected = state.withLock { state in
                defer { state.heardEndCount = endCount }
                return state.heardEndCount == endCount
            }
            // Who only asks whether it runs again has no connection.
            guard isConnected || waitSeconds == 0 else { throw Self.death }
            if waitSeconds > 0, let device { hub.noteReading(of: device, to: position) }
            while true {
                try checkAgain()
                // One that has been started again knows nothing of who waits.
                guard hub.endCount == endCount else { throw Self.death }
                let page = hub.state.withLock { state in
                    LogPage(Array(state.entries.dropFirst(Int(position)).prefix(100)), head: state.chain.head)
                }
                if !page.entries.isEmpty || waitSeconds == 0 || page.head.position < position { return page }
                hub.news.lock()
                let isInTime =
                    hub.entryCount != Int(position) || isBroken || hub.endCount != endCount
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
            try hub.refuse(device)
        }

        package func keep(_ keys: HubProtocol.WrappedKeys, for device: DeviceName) throws {
            try check()
            try hub.keep(keys, for: device)
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
                return try hub.missing(names)
            }
        }

        package func release(_ names: [BlobName], asOf head: LogHead) throws -> ReleasedBlobs {
            try send {
                try check()
                return try hub.release(names, asOf: head)
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
                return try hub.read(names)
            }
        }
    }
}
