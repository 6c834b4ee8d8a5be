internal import Dispatch
internal import Locks

/// What happens to files, for everyone in the process who wants to know: one queue of the system's for all.
///
/// A user has few such queues (128 by default) and many watches; two who watch one folder share its watch.
///
/// Sendable; every call may come from any thread. Receivers are called one after another on one serial queue,
/// in the order in which things happened, and must not block it.
package final class FileEvents: Sendable {
    /// The process's own.
    package static let shared = FileEvents()

    /// Gets what happened to one watched item, in order.
    package typealias Receiver = @Sendable ([WatchEvent]) -> Void

    private struct State {
        var source: WatchQueue?
        var receivers: [WatchQueue.WatchID: [Int: Receiver]] = [:]
        var receiverCount = 0
    }

    private let state = Locked(State())
    private let queue = DispatchQueue(label: "sheaf.file-events", qos: .userInitiated)

    package init() {}

    /// Watches one item for as long as it lives.
    package final class Watch: Sendable {
        private let events: FileEvents
        private let id: WatchQueue.WatchID
        private let number: Int

        fileprivate init(_ events: FileEvents, _ id: WatchQueue.WatchID, _ number: Int) {
            self.events = events
            self.id = id
            self.number = number
        }

        deinit { events.end(id, number) }
    }

    /// Begins to watch a folder and its members, or a file. What happens after this has returned is told.
    ///
    /// The watch is on the item that bears the path now, and goes with it.
    ///
    /// - Parameters:
    ///   - path: What to watch; a symbolic link is followed.
    ///   - namesOnly: Whether only names that come and go matter. More may be told all the same.
    ///   - receiver: Told what happened; that the queue ran over, too.
    /// - Throws: `ENOENT` when nothing is there, `ENOSPC` when the user watches too much, `EMFILE` when too
    ///   many queues are open.
    package func watch(
        _ path: FilePath,
        namesOnly: Bool = false,
        _ receiver: @escaping Receiver
    ) throws(SystemError) -> Watch {
        let (id, number) = try state.withLock { state throws(SystemError) -> (WatchQueue.WatchID, Int) in
            if state.source == nil { state.source = try makeSource(path) }
            guard let source = state.source else { preconditionFailure("the queue was just made") }
            // Under the lock: an event that is there at once waits for its receiver.
            let id = try source.watch(path, namesOnly: namesOnly)
            state.receiverCount += 1
            state.receivers[id, default: [:]][state.receiverCount] = receiver
            return (id, state.receiverCount)
        }
        return Watch(self, id, number)
    }

    private func makeSource(_ path: FilePath) throws(SystemError) -> WatchQueue {
        try WatchQueue(for: path, on: queue) { [weak self] events in self?.hand(events) }
    }

    private func end(_ id: WatchQueue.WatchID, _ number: Int) {
        state.withLock { state in
            state.receivers[id]?[number] = nil
            guard state.receivers[id]?.isEmpty == true else { return }
            state.receivers[id] = nil
            state.source?.end(id)
        }
    }

    /// Hands events on, neighbouring ones of one watch together.
    private func hand(_ events: [(watch: WatchQueue.WatchID?, event: WatchEvent)]) {
        var rest = events[...]
        while let watch = rest.first?.watch ?? nil {
            let run = rest.prefix { $0.watch == watch }
            rest = rest.dropFirst(run.count)
            let receivers = state.withLock { $0.receivers[watch].map { Array($0.values) } ?? [] }
            for receiver in receivers { receiver(run.map(\.event)) }
        }
        guard let lost = rest.first else { return }
        let receivers = state.withLock { $0.receivers.values.flatMap(\.values) }
        for receiver in receivers { receiver([lost.event]) }
        hand(Array(rest.dropFirst()))
    }
}
