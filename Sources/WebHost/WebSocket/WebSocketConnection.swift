internal import Dispatch
internal import Locks

/// What a WebSocket tells its owner, in order, on one queue that the owner chose.
struct WebSocketEvents: Sendable {
    /// The queue of the calls; serial, or the order is lost.
    var queue: DispatchQueue
    /// It is open.
    ///
    /// The first call.
    var opened: @Sendable () -> Void
    /// A text message came.
    var received: @Sendable (String) -> Void
    /// It is over.
    ///
    /// The last call.
    var ended: @Sendable () -> Void
}

/// One WebSocket as the rest of the program sees it.
///
/// Its state is in structs under one lock each.
///
/// The framing, the socket and the waiting are `WebSocketSession`'s, on the loop's thread.
final class WebSocketConnection: Sendable {
    private struct Unread {
        var byteCount = 0
        var count = 0
        var isPaused = false
    }

    /// Names the connection within its loop; never used again for another.
    let id: UInt64
    let limits: WebSocketLimits
    private let loop: SocketLoop
    private let outbox: Locked<WebSocketOutbox>
    private let unread = Locked(Unread())

    /// The outside of a connection that the loop will open.
    init(loop: SocketLoop, limits: WebSocketLimits) {
        id = loop.makeID()
        self.limits = limits
        self.loop = loop
        outbox = Locked(WebSocketOutbox(limits: limits))
    }

    /// Sends a text message behind those before it.
    ///
    /// Any thread; never blocks. Without effect on a connection that is over; one whose other side leaves too
    /// much unread is cut.
    func send(_ text: String) {
        perform(outbox.withLock { $0.send(text) })
    }

    /// Closes behind the messages that wait.
    ///
    /// Any thread; never blocks.
    func close(code: UInt16, reason: String) {
        perform(outbox.withLock { $0.close(WebSocketOutbox.Closing(code: code, reason: reason)) })
    }

    /// Lets the loop work with what waits to be sent.
    func withOutbox<Result: Sendable>(_ body: (inout WebSocketOutbox) -> Result) -> Result {
        outbox.withLock { body(&$0) }
    }

    /// Counts a message that goes to the owner; false when reading shall pause.
    func delivering(byteCount: Int) -> Bool {
        unread.withLock { unread in
            unread.byteCount += byteCount
            unread.count += 1
            if unread.byteCount > limits.unreadByteCountMax || unread.count > limits.unreadCountMax {
                unread.isPaused = true
            }
            return !unread.isPaused
        }
    }

    /// Counts a message that the owner has dealt with.
    func delivered(byteCount: Int) {
        let resumes = unread.withLock { unread -> Bool in
            unread.byteCount -= byteCount
            unread.count -= 1
            let isLow =
                unread.byteCount <= limits.unreadByteCountMax / 2 && unread.count <= limits.unreadCountMax / 2
            defer { if isLow { unread.isPaused = false } }
            return unread.isPaused && isLow
        }
        if resumes { loop.post { [id] loop in loop.proceed(id) } }
    }

    /// Whether the owner is behind with what was received.
    var isPaused: Bool { unread.withLock { $0.isPaused } }

    private func perform(_ effect: WebSocketOutbox.Effect) {
        switch effect {
        case .nothing: break
        case .wake: loop.post { [id] loop in loop.proceed(id) }
        case .drop: loop.post { [id] loop in loop.end(id) }
        }
    }
}
