internal import Foundation
internal import Locks
internal import SyncMessages

/// What has happened lately, for those who ask and those who follow.
final class ServiceLog: Sendable {
    private struct State {
        var latest: [SyncEvent] = []
        /// The same, as they were before they became words.
        var reports: [(date: Date, folder: String, report: SyncReport)] = []
        var readers: [UUID: @Sendable (SyncEvent) -> Void] = [:]
    }

    private let state = Locked(State())

    /// So many events are remembered, until the process ends.
    private static let countMax = 1000

    func note(_ report: SyncReport, of folder: String) {
        let event = SyncEvent(date: Date(), folder: folder, text: report.text, isWrong: report.isWrong)
        state.withLock { state in
            state.latest.append(event)
            state.reports.append((event.date, folder, report))
            // Some at a time: to remove the first is to move all others.
            if state.latest.count >= Self.countMax * 11 / 10 {
                state.latest.removeFirst(state.latest.count - Self.countMax)
            }
            if state.reports.count >= Self.reportCountMax * 11 / 10 {
                state.reports.removeFirst(state.reports.count - Self.reportCountMax)
            }
            // Under the lock: nobody hears of the second before the first. A reader only queues it.
            for reader in state.readers.values { reader(event) }
        }
    }

    /// So many are remembered for a report.
    private static let reportCountMax = 300

    /// What has happened to one folder.
    func reports(of folder: String) -> [(date: Date, report: SyncReport)] {
        state.withLock { $0.reports }.suffix(Self.reportCountMax).filter { $0.folder == folder }
            .map { ($0.date, $0.report) }
    }

    var latest: [SyncEvent] { state.withLock { Array($0.latest.suffix(Self.countMax)) } }

    /// Tells all that is remembered, and what comes.
    ///
    /// - Parameter reader: Called in order; it must not block.
    /// - Returns: What ends it.
    func follow(_ reader: @escaping @Sendable (SyncEvent) -> Void) -> @Sendable () -> Void {
        let id = UUID()
        state.withLock { state in
            for event in state.latest.suffix(Self.countMax) { reader(event) }
            state.readers[id] = reader
        }
        return { [self] in state.withLock { $0.readers[id] = nil } }
    }
}
