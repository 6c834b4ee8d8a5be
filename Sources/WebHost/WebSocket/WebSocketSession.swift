internal import CLinux
internal import CWslay
internal import Foundation
internal import HTTPService

/// One WebSocket on the loop's thread: the socket, the framing by wslay, and the times.
///
/// Not Sendable on purpose.
///
///     open ── close queued ──▶ closing ── both closes seen ──▶ over
///      │                          │
///      └── a fault of the other side: our close sent ──▶ lingering ── end of stream ──▶ over
///
/// 1. `context` lives exactly as long as the session.
/// 2. No call leaves this file for the owner except on the owner's queue.
/// 3. In `lingering` our close is out and what still arrives is thrown away: closing over unread bytes would
///    make the kernel take the close frame back (RFC 1122, 4.2.2.13).
final class WebSocketSession {
    private enum Stage {
        case open
        case closing(until: Double)
        case lingering(until: Double)
        case over
    }

    /// Wslay's queue is filled up to here; what waits beyond stays in the outbox.
    private static let framedByteCountMax = 1 << 20
    /// With that many answers unsent (pongs, say) nothing more is read.
    private static let framedCountMax = 64
    private static let lingerSeconds = 1.0
    /// So much of what somebody has sent who has gone is taken, in turns of reading.
    private static let restTurnCountMax = 64

    let connection: WebSocketConnection
    let socket: Descriptor
    /// The events that epoll waits for now.
    var registeredInterest: UInt32 = 0
    private let context: wslay_event_context_ptr
    private let link: WslayLink
    private let events: WebSocketEvents
    private var stage = Stage.open
    private var keepAlive: KeepAlive
    private var unreadInput: ArraySlice<UInt8>
    private var turnByteCount = 0
    private var frameCount = 0
    private var lateClosing: WebSocketOutbox.Closing?
    private var isCloseFresh = false
    private var hasSocketFailed = false

    /// Takes over an upgraded socket; nil when memory is short.
    init?(connection: WebSocketConnection, upgraded: UpgradedSocket, events: WebSocketEvents) {
        var callbacks = WslayCallbacks.table
        var context: wslay_event_context_ptr?
        let link = WslayLink()
        let reference = Unmanaged.passUnretained(link).toOpaque()
        guard wslay_event_context_server_init(&context, &callbacks, reference) == 0, let context else {
            return nil
        }
        self.link = link
        self.connection = connection
        self.context = context
        self.events = events
        socket = upgraded.socket
        unreadInput = upgraded.received[...]
        keepAlive = KeepAlive(limits: connection.limits, now: MonotonicClock.now())
        wslay_event_config_set_max_recv_msg_length(context, UInt64(connection.limits.messageByteCountMax))
        // Small messages go out at once; without this they would wait for the acknowledgement of the last.
        var one: CInt = 1
        _ = setsockopt(
            socket.number,
            CInt(IPPROTO_TCP),
            TCP_NODELAY,
            &one,
            socklen_t(MemoryLayout<CInt>.size)
        )
        link.session = self
    }

    deinit {
        wslay_event_context_free(context)
    }

    /// Whether the loop shall drop the session.
    var isOver: Bool { if case .over = stage { true } else { false } }

    /// What epoll shall wait for.
    var interest: UInt32 {
        switch stage {
        case .over: return 0
        case .lingering: return EPOLLIN.rawValue
        case .open, .closing:
            var interest: UInt32 = 0
            if wantsRead { interest |= EPOLLIN.rawValue }
            if wslay_event_want_write(context) != 0 { interest |= EPOLLOUT.rawValue }
            return interest
        }
    }

    /// When `timePassed` has something to do, in seconds of `MonotonicClock`.
    var nextCheck: Double {
        switch stage {
        case .open: keepAlive.nextCheck
        case .closing(let until), .lingering(let until): until
        case .over: .infinity
        }
    }

    /// The socket has something to read, or has ended.
    func readable() {
        if case .lingering = stage { return discard() }
        guard wantsRead else { return }
        turnByteCount = connection.limits.turnByteCount
        // Without a failure of the socket it was the framing that gave up, and it has queued a close.
        if wslay_event_recv(context) != 0, hasSocketFailed { return stage = .over }
        flush()
    }

    /// The other side has gone: what it has sent before is taken, as far as the owner takes it.
    func readRest() {
        for _ in 0..<Self.restTurnCountMax {
            guard case .open = stage, wantsRead else { return }
            readable()
        }
    }

    /// The socket takes bytes again, or there is something new to send.
    func writable() {
        flush()
    }

    /// A time that `nextCheck` named has come.
    func timePassed(now: Double) {
        switch stage {
        case .closing, .lingering: stage = .over
        case .over: break
        case .open:
            switch keepAlive.check(now: now) {
            case .nothing: break
            case .ping:
                var ping = wslay_event_msg(opcode: UInt8(WSLAY_PING.rawValue), msg: nil, msg_length: 0)
                if wslay_event_queue_msg(context, &ping) == 0 { flush() } else { stage = .over }
            case .dropSilent, .dropStalled: stage = .over
            }
        }
    }

    /// The last call: tells the owner.
    func end() {
        stage = .over
        connection.withOutbox { $0.end() }
        events.queue.async(execute: events.ended)
    }

    // MARK: - Sending

    private var wantsRead: Bool {
        wslay_event_want_read(context) != 0 && !connection.isPaused
            && wslay_event_get_queued_msg_count(context) < Self.framedCountMax
    }

    private func flush() {
        switch stage {
        case .over, .lingering: return
        case .open, .closing: break
        }
        repeat {
            frameWaiting()
            guard wslay_event_send(context) == 0 else { return stage = .over }
            queueLateClosing()
            let framed = wslay_event_get_queued_msg_length(context)
            connection.withOutbox { $0.setFramed(byteCount: framed) }
        } while hasMoreForNow
        let isSending = wslay_event_want_write(context) != 0
        keepAlive.setSending(isSending, now: MonotonicClock.now())
        if !isSending, wslay_event_want_read(context) == 0 { finish() }
    }

    private func frameWaiting() {
        guard wslay_event_get_queued_msg_length(context) < Self.framedByteCountMax else { return }
        let (messages, closing) = connection.withOutbox { $0.take(byteCountMax: Self.framedByteCountMax) }
        for message in messages {
            var text = message
            let result = text.withUTF8 { bytes in
                var frame = wslay_event_msg(
                    opcode: UInt8(WSLAY_TEXT_FRAME.rawValue),
                    msg: bytes.baseAddress,
                    msg_length: bytes.count
                )
                return wslay_event_queue_msg(context, &frame)
            }
            // After a close, from either side, messages have nowhere to go; short memory ends the connection.
            if result == WSLAY_ERR_NOMEM.rawValue { return stage = .over }
        }
        if let closing { lateClosing = closing }
    }

    /// Whether the socket may take more and there is more.
    private var hasMoreForNow: Bool {
        guard wslay_event_get_write_enabled(context) != 0 else { return false }
        // Only a close that was just queued wants to be written without having been refused by the socket.
        if isCloseFresh { return true }
        return wslay_event_want_write(context) == 0 && !connection.withOutbox { $0.isEmpty }
    }

    /// Queues a close behind the last message.
    ///
    /// Not earlier: wslay lets control frames overtake messages.
    private func queueLateClosing() {
        isCloseFresh = false
        guard let closing = lateClosing, wslay_event_want_write(context) == 0 else { return }
        lateClosing = nil
        isCloseFresh = true
        queueClose(code: closing.code, reason: closing.reason)
    }

    private func queueClose(code: UInt16, reason: String) {
        let bytes = Self.shortened(reason)
        // Refused only when a close is queued already, and then that one goes out.
        _ = wslay_event_queue_close(context, code, bytes, bytes.count)
        if case .open = stage {
            stage = .closing(until: MonotonicClock.now() + connection.limits.closeSeconds)
        }
    }

    /// A reason as a close frame takes it: fewer than 123 bytes, cut between characters.
    private static func shortened(_ reason: String) -> [UInt8] {
        var text = reason
        while text.utf8.count > 122 { text.removeLast() }
        return Array(text.utf8)
    }

    private func finish() {
        let isMutual =
            wslay_event_get_close_received(context) != 0 && wslay_event_get_close_sent(context) != 0
        if isMutual { return stage = .over }
        _ = shutdown(socket.number, CInt(SHUT_WR))
        stage = .lingering(until: MonotonicClock.now() + Self.lingerSeconds)
    }

    private func discard() {
        var bytes = [UInt8](repeating: 0, count: 64 * 1024)
        for _ in 0..<16 {
            let count = recv(socket.number, &bytes, bytes.count, 0)
            if count > 0 { continue }
            if count == 0 || (errno != EAGAIN && errno != EINTR) { stage = .over }
            return
        }
    }

    // MARK: - What wslay asks for

    fileprivate func fill(_ buffer: UnsafeMutablePointer<UInt8>, _ byteCountMax: Int) -> Int {
        if !unreadInput.isEmpty {
            let piece = unreadInput.prefix(byteCountMax)
            buffer.update(from: Array(piece), count: piece.count)
            unreadInput = unreadInput.dropFirst(piece.count)
            return piece.count
        }
        guard turnByteCount > 0 else { return wouldBlock() }
        while true {
            let count = recv(socket.number, buffer, byteCountMax, 0)
            if count > 0 {
                turnByteCount -= count
                keepAlive.heard(now: MonotonicClock.now())
                return count
            }
            if count < 0, errno == EINTR { continue }
            return count < 0 && errno == EAGAIN ? wouldBlock() : failed()
        }
    }

    fileprivate func drain(_ bytes: UnsafePointer<UInt8>, _ byteCount: Int, more: Bool) -> Int {
        while true {
            let flags = CInt(MSG_NOSIGNAL) | (more ? CInt(MSG_MORE) : 0)
            let count = send(socket.number, bytes, byteCount, flags)
            if count > 0 {
                keepAlive.took(now: MonotonicClock.now())
                return count
            }
            if count < 0, errno == EINTR { continue }
            return count < 0 && errno == EAGAIN ? wouldBlock() : failed()
        }
    }

    fileprivate func frameStarted(opcode: UInt8) {
        guard opcode < WSLAY_CONNECTION_CLOSE.rawValue else { return }
        frameCount = opcode == WSLAY_CONTINUATION_FRAME.rawValue ? frameCount + 1 : 1
        if frameCount > connection.limits.framesPerMessageMax {
            fail(code: 1008, reason: "a message in too many frames")
        }
    }

    fileprivate func received(opcode: UInt8, _ bytes: UnsafeBufferPointer<UInt8>) {
        guard case .open = stage else { return }
        switch UInt32(opcode) {
        case WSLAY_TEXT_FRAME.rawValue:
            guard let text = String(validating: bytes, as: UTF8.self) else {
                return fail(code: 1007, reason: "text that is no UTF-8")
            }
            deliver(text, byteCount: bytes.count)
        case WSLAY_BINARY_FRAME.rawValue:
            fail(code: 1003, reason: "only text is spoken here")
        default:
            break
        }
    }

    private func deliver(_ text: String, byteCount: Int) {
        if !connection.delivering(byteCount: byteCount) { turnByteCount = 0 }
        events.queue.async { [events, connection] in
            events.received(text)
            connection.delivered(byteCount: byteCount)
        }
    }

    private func fail(code: UInt16, reason: String) {
        wslay_event_shutdown_read(context)
        queueClose(code: code, reason: reason)
    }

    private func wouldBlock() -> Int {
        wslay_event_set_error(context, CInt(WSLAY_ERR_WOULDBLOCK.rawValue))
        return -1
    }

    private func failed() -> Int {
        hasSocketFailed = true
        wslay_event_set_error(context, CInt(WSLAY_ERR_CALLBACK_FAILURE.rawValue))
        return -1
    }
}

/// What wslay carries for us: the session, which cannot be named before it is made.
private final class WslayLink {
    weak var session: WebSocketSession?
}

/// The C side of a session.
private enum WslayCallbacks {
    static var table: wslay_event_callbacks {
        wslay_event_callbacks(
            recv_callback: { context, buffer, byteCount, _, link in
                guard let buffer, let session = WslayCallbacks.session(link) else {
                    return WslayCallbacks.failed(context)
                }
                return session.fill(buffer, byteCount)
            },
            send_callback: { context, bytes, byteCount, flags, link in
                guard let bytes, let session = WslayCallbacks.session(link) else {
                    return WslayCallbacks.failed(context)
                }
                return session.drain(bytes, byteCount, more: flags & CInt(WSLAY_MSG_MORE.rawValue) != 0)
            },
            genmask_callback: nil,
            on_frame_recv_start_callback: { _, frame, link in
                guard let frame else { return }
                WslayCallbacks.session(link)?.frameStarted(opcode: frame.pointee.opcode)
            },
            on_frame_recv_chunk_callback: nil,
            on_frame_recv_end_callback: nil,
            on_msg_recv_callback: { _, message, link in
                guard let message = message?.pointee else { return }
                let bytes = UnsafeBufferPointer(start: message.msg, count: message.msg_length)
                WslayCallbacks.session(link)?.received(opcode: message.opcode, bytes)
            }
        )
    }

    private static func session(_ link: UnsafeMutableRawPointer?) -> WebSocketSession? {
        link.flatMap { Unmanaged<WslayLink>.fromOpaque($0).takeUnretainedValue().session }
    }

    private static func failed(_ context: wslay_event_context_ptr?) -> Int {
        wslay_event_set_error(context, CInt(WSLAY_ERR_CALLBACK_FAILURE.rawValue))
        return -1
    }
}
