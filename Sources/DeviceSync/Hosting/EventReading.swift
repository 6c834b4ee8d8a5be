internal import Dispatch
internal import Foundation
internal import Locks
package import SyncMessages
internal import Threads

/// What has happened to the folders that are kept in step, read apart from being told.
///
/// The process that says it gives up whoever takes nothing for some seconds. A person who reads a page in `less` takes longer,
/// and would miss what comes last.
package struct EventReading: Sendable {
    private let conversation: SyncConversation
    private let untoldCountMax: Int

    /// So many events wait to be told: some tens of megabytes.
    package static let untoldCountMax = 100_000

    /// - Parameters:
    ///   - conversation: One about the log. Nobody else reads it.
    ///   - untoldCountMax: So many events are kept for whoever is told, and no more.
    package init(_ conversation: SyncConversation, untoldCountMax: Int = EventReading.untoldCountMax) {
        (self.conversation, self.untoldCountMax) = (conversation, untoldCountMax)
    }

    /// Takes in all that has happened until now, then tells it, the oldest first.
    ///
    /// - Parameter tell: Called by the thread that calls this. It may take as long as it likes.
    /// - Throws: When all is told that has come: what `SyncConversation.next(milliseconds:)` throws; `EventReadingFailure`.
    package func tellAll(_ tell: (SyncEvent) -> Void) throws {
        let untold = UntoldEvents(countMax: untoldCountMax)
        untold.end(with: Result { try read(into: untold) })
        try tellRest(of: untold, tell)
    }

    /// Tells what has happened and what happens, until the other side ends.
    ///
    /// A thread of its own reads.
    ///
    /// - Parameter tell: Called by the thread that calls this. It may take as long as it likes.
    /// - Throws: When all is told that has come: what `SyncConversation.next(milliseconds:)` throws, `SyncServiceError.ended` when
    ///   the other side ends; `EventReadingFailure`. `ThreadShortage` where nobody can read, before anything is told.
    package func follow(_ tell: (SyncEvent) -> Void) throws {
        let untold = UntoldEvents(countMax: untoldCountMax)
        try OwnThread.start("sheaf events") { [self] in untold.end(with: Result { try read(into: untold) }) }
        try tellRest(of: untold, tell)
    }

    private func read(into untold: UntoldEvents) throws {
        // Nobody is to wait for whoever reads no more.
        defer { conversation.end() }
        while true {
            switch try conversation.next(milliseconds: -1) {
            case .event(let event):
                guard untold.add(event) else { throw EventReadingFailure(untoldCountMax: untoldCountMax) }
            case .done: return
            case .refused(let refusal): throw refusal
            default: continue
            }
        }
    }

    private func tellRest(of untold: UntoldEvents, _ tell: (SyncEvent) -> Void) throws {
        while true {
            let (events, end) = untold.next()
            for event in events { tell(event) }
            if let end { return try end.get() }
        }
    }
}

/// Whoever is told is so far behind that no more is kept for it.
package struct EventReadingFailure: Error, Hashable, Sendable, CustomStringConvertible {
    let untoldCountMax: Int

    package var description: String {
        """
        Whoever reads this is more than \(untoldCountMax) events behind: what has happened after those is not shown. The latest \
        are shown by: sheaf log
        """
    }
}

/// Events between the thread that reads them and the one that tells them.
private final class UntoldEvents: Sendable {
    private struct State {
        var events: [SyncEvent] = []
        /// How the reading has ended; nil while it goes on.
        var end: Result<Void, any Error>?
    }

    private let state = Locked(State())
    /// Signalled for each event, and for the end.
    private let news = DispatchSemaphore(value: 0)
    private let countMax: Int

    init(countMax: Int) { self.countMax = countMax }

    /// - Returns: Whether there was room for it.
    func add(_ event: SyncEvent) -> Bool {
        let isRoom = state.withLock { state in
            guard state.events.count < countMax else { return false }
            state.events.append(event)
            return true
        }
        if isRoom { news.signal() }
        return isRoom
    }

    func end(with end: Result<Void, any Error>) {
        state.withLock { $0.end = end }
        news.signal()
    }

    /// Waits for events or the end, and takes what there is: nothing, where it was taken with what came before.
    func next() -> (events: [SyncEvent], end: Result<Void, any Error>?) {
        news.wait()
        return state.withLock { state in
            defer { state.events = [] }
            return (state.events, state.end)
        }
    }
}
