internal import Coordination
internal import Foundation
internal import Locks

/// A thread that waits for access, and meanwhile handles the messages for the queue it occupies.
///
/// If an agent decides and nobody else does, it takes what the agent says itself.
final class BlockedCaller: Sendable {
    private struct State: Sendable {
        var verdict: AccessVerdict?
        /// Whether there may be messages for the queue.
        var isCalled = false
        /// What the thread sleeps at, or is about to.
        var connection: AgentConnection?
        var semaphore: DispatchSemaphore?

        var hasNews: Bool { verdict != nil || isCalled }
    }

    /// The queue the thread occupies, when nothing else can run on it.
    let queueID: ObjectIdentifier?
    private let state = Locked(State())

    init() {
        let queue = OperationQueue.current ?? (MainQueue.isCurrent ? .main : nil)
        queueID = queue?.isSerial == true ? queue.map { ObjectIdentifier($0) } : nil
    }

    func resume(_ verdict: AccessVerdict) {
        change { $0.verdict = verdict }
    }

    /// Says that a message for the queue is there.
    func wake() {
        change { $0.isCalled = true }
    }

    private func change(_ body: @Sendable (inout State) -> Void) {
        let (connection, semaphore) = state.withLock { state in
            body(&state)
            return (state.connection, state.semaphore)
        }
        // One of the two at most; a thread that is awake looks for news before it sleeps.
        connection?.ring()
        semaphore?.signal()
    }

    /// Waits.
    ///
    /// - Parameters:
    ///   - connection: To the agent that decides, if one does.
    ///   - isLeading: Whether this thread has begun to lead at the connection: then there are no messages yet.
    ///   - isAlert: Whether there may be messages for the queue before there is a verdict, or others are asked for it.
    ///   - deadline: When it gives up waiting.
    ///   - take: Takes what the agent says; may call back with the verdict.
    ///   - handleMessages: Handles what there is for the queue.
    /// - Returns: Nil when there is no verdict at the deadline.
    func wait(
        at connection: AgentConnection?,
        isLeading: Bool,
        isAlert: Bool,
        until deadline: DispatchTime,
        take: ([AgentMessage]) -> Void,
        handleMessages: (ObjectIdentifier) -> Void
    ) -> AccessVerdict? {
        var isLeading = isLeading
        while true {
            if let connection, isLeading {
                lead(connection, isAlert: isAlert, until: deadline, take)
                // Code that handles messages may itself wait for access.
                connection.stopLeading()
            }
            state.withLock { $0.isCalled = false }
            if let queueID { handleMessages(queueID) }
            let (verdict, hasNews) = state.withLock { ($0.verdict, $0.hasNews) }
            if let verdict { return verdict }
            if deadline != .distantFuture, .now() >= deadline { return nil }
            isLeading = !hasNews && connection?.lead(mayLinger: false) == true
            if !isLeading { waitAtSemaphore(until: deadline) }
        }
    }

    /// Waits for a verdict that somebody is about to tell.
    func waitForVerdict() -> AccessVerdict {
        while true {
            if let verdict = state.withLock({ $0.verdict }) { return verdict }
            waitAtSemaphore(until: .distantFuture)
            state.withLock { $0.isCalled = false }
        }
    }

    /// Sleeps until there is news, or until the deadline.
    private func waitAtSemaphore(until deadline: DispatchTime) {
        let semaphore = state.withLock { state -> DispatchSemaphore? in
            if !state.hasNews { state.semaphore = DispatchSemaphore(value: 0) }
            return state.semaphore
        }
        _ = semaphore?.wait(timeout: deadline)
        state.withLock { $0.semaphore = nil }
    }

    /// Takes what the agent says until there is news for this thread, the deadline, or no agent.
    private func lead(
        _ connection: AgentConnection,
        isAlert: Bool,
        until deadline: DispatchTime,
        _ take: ([AgentMessage]) -> Void
    ) {
        while beginToWait(at: connection) {
            let messages = connection.waitForMessages(isAlert: isAlert, until: deadline)
            state.withLock { $0.connection = nil }
            guard let messages else { return }
            if !messages.isEmpty { take(messages) }
            if deadline != .distantFuture, .now() >= deadline { return }
        }
    }

    private func beginToWait(at connection: AgentConnection) -> Bool {
        state.withLock { state in
            if !state.hasNews { state.connection = connection }
            return !state.hasNews
        }
    }
}

extension OperationQueue {
    /// Whether no two operations run on it at once.
    var isSerial: Bool { self === OperationQueue.main || maxConcurrentOperationCount == 1 }
}
