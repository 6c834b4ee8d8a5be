package import Coordination
internal import Foundation
internal import Locks
internal import StandardStreams

extension FileAccessRegistry {
    /// Who uses what in this process, who waits for whom, and which deadlocks were broken.
    package var report: CoordinationReport {
        state.withLock { state in
            state.arbiter.now = Self.now
            return CoordinationReport(
                of: state.arbiter,
                Self.labels(of: state),
                brokenCycles: state.brokenCycles
            )
        }
    }

    /// Asks whoever decides who uses what.
    ///
    /// - Parameter tell: Called once, on any thread; with nil when who was asked is gone, or does not answer.
    func findReport(_ tell: @escaping @Sendable (CoordinationReport?) -> Void) {
        let isAsked = change { state in
            guard let connection = state.joining.connection else { return ([], false) }
            guard !state.joining.isSilent else {
                state.outbox.append(.report(nil, tell))
                return ([], true)
            }
            connection.put(.reportWanted)
            state.joining.wantedReports.append(tell)
            return ([], true)
        }
        if !isAsked { tell(report) }
    }

    /// Names all who are in a cycle that was just broken, and keeps that for reports.
    static func note(_ cycle: WaitCycle, in state: inout State) -> BrokenCycle {
        let broken = BrokenCycle(cycle, in: state.arbiter, labels(of: state))
        state.brokenCycles.insert(broken, at: 0)
        if state.brokenCycles.count > brokenCyclesKeptMax { state.brokenCycles.removeLast() }
        return broken
    }

    /// Enough to see a pattern.
    private static let brokenCyclesKeptMax = 16

    private static func labels(of state: State) -> CoordinationLabels {
        let process = ProcessInfo.processInfo
        return CoordinationLabels(
            processes: [client: .init(id: process.processIdentifier, name: process.processName)],
            presenters: state.presenters.mapValues { handle in
                .init(typeName: handle.typeName, since: handle.since, place: handle.place)
            }
        )
    }

    /// Seconds since 1970.
    static var now: Double {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }

    /// Says on standard error what a developer should know although no call may have failed for it.
    static func log(_ sentence: String) {
        StandardError.say("NSFileCoordinator: \(sentence)")
    }
}
