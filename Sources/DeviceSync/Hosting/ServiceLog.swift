internal import Foundation
internal import Locks
internal import SyncMessages

/// What has happened lately, for those who ask and those who follow.
final class ServiceLog: Sendable {
    private struct State {
        var latest: [SyncEvent] = []
        var readers: [UUID: @Sendable (SyncEvent) -> Void] = [:]
    }

    private let state = Locked(State())

    /// So many events are remembered, until the process ends.
    private static let countMax = 1000

    func note(_ report: SyncReport, of folder: String) {
        let event = SyncEvent(date: Date(), folder: folder, text: report.text, isWrong: report.isWrong)
        state.withLock { state in
            if state.latest.count >= Self.countMax { state.latest.removeFirst(Self.countMax / 10) }
            state.latest.append(event)
            // Under the lock: nobody hears of the second before the first. A reader only queues it.
            for reader in state.readers.values { reader(event) }
        }
    }

    var latest: [SyncEvent] { state.withLock { $0.latest } }

    /// Tells all that is remembered, and what comes.
    ///
    /// - Parameter reader: Called in order; it must not block.
    /// - Returns: What ends it.
    func follow(_ reader: @escaping @Sendable (SyncEvent) -> Void) -> @Sendable () -> Void {
        let id = UUID()
        state.withLock { state in
            for event in state.latest { reader(event) }
            state.readers[id] = reader
        }
        return { [self] in state.withLock { $0.readers[id] = nil } }
    }
}
