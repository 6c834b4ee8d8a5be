/// Whether the other side of a WebSocket is still there.
///
/// Pure; times are seconds of a clock that only runs forward.
///
/// 1. Bytes received are a sign. So are bytes taken, while there are any to take.
/// 2. One ping is sent for each silence.
struct KeepAlive {
    /// What to do.
    enum Action: Hashable { case nothing, ping, dropSilent, dropStalled }

    private let limits: WebSocketLimits
    private var heardAt: Double
    private var tookAt: Double
    private var isPinged = false
    private var isSending = false

    /// Just connected.
    init(limits: WebSocketLimits, now: Double) {
        self.limits = limits
        heardAt = now
        tookAt = now
    }

    /// The other side sent something.
    mutating func heard(now: Double) {
        heardAt = now
        isPinged = false
    }

    /// The other side took some of what we send.
    mutating func took(now: Double) {
        tookAt = now
    }

    /// Whether there is something to take, from now on.
    mutating func setSending(_ sending: Bool, now: Double) {
        if sending, !isSending { tookAt = now }
        isSending = sending
    }

    /// What the time asks for.
    mutating func check(now: Double) -> Action {
        if isSending, now - tookAt >= limits.stallSeconds { return .dropStalled }
        if now - lastSign >= limits.silenceSeconds { return .dropSilent }
        if !isPinged, now - heardAt >= limits.pingSeconds {
            isPinged = true
            return .ping
        }
        return .nothing
    }

    /// When to check next.
    var nextCheck: Double {
        var next = lastSign + limits.silenceSeconds
        if isSending { next = min(next, tookAt + limits.stallSeconds) }
        if !isPinged { next = min(next, heardAt + limits.pingSeconds) }
        return next
    }

    private var lastSign: Double { isSending ? max(heardAt, tookAt) : heardAt }
}
