import Testing

@testable import WebHost

@Suite("KeepAlive")
struct KeepAliveTests {
    private let limits: WebSocketLimits = {
        var limits = WebSocketLimits()
        (limits.pingSeconds, limits.silenceSeconds, limits.stallSeconds) = (20, 60, 30)
        return limits
    }()

    @Test("One ping a silence, then the end; a sign starts anew")
    func silence() {
        var state = KeepAlive(limits: limits, now: 0)
        #expect(state.nextCheck == 20)
        #expect(state.check(now: 19) == .nothing)
        #expect(state.check(now: 20) == .ping)
        #expect(state.check(now: 21) == .nothing)
        #expect(state.nextCheck == 60)
        state.heard(now: 59)
        #expect(state.check(now: 60) == .nothing)
        #expect(state.check(now: 79) == .ping)
        #expect(state.check(now: 119) == .dropSilent)
    }

    @Test("Who takes what is sent is there, and who does not is cut")
    func stall() {
        var state = KeepAlive(limits: limits, now: 0)
        #expect(state.check(now: 20) == .ping)
        state.setSending(true, now: 40)
        state.took(now: 59)
        #expect(state.check(now: 60) == .nothing)
        #expect(state.nextCheck == 89)
        #expect(state.check(now: 89) == .dropStalled)
        state.setSending(false, now: 89)
        #expect(state.check(now: 89) == .dropSilent)
    }
}

@Suite("WebSocketOutbox")
struct WebSocketOutboxTests {
    private let limits: WebSocketLimits = {
        var limits = WebSocketLimits()
        (limits.unsentByteCountMax, limits.unsentCountMax) = (10, 4)
        return limits
    }()

    @Test("Messages leave in order, the close behind the last, and the loop is woken once")
    func order() {
        var outbox = WebSocketOutbox(limits: limits)
        #expect(outbox.send("abc") == .wake)
        #expect(outbox.send("de") == .nothing)
        #expect(outbox.close(.init(code: 1000, reason: "")) == .nothing)
        #expect(outbox.send("late") == .nothing)
        let first = outbox.take(byteCountMax: 2)
        #expect(first.messages == ["abc"] && first.closing == nil)
        let second = outbox.take(byteCountMax: 2)
        #expect(second.messages == ["de"] && second.closing?.code == 1000)
        #expect(outbox.isEmpty)
    }

    @Test("Too many bytes or messages drop the connection, also while the framing holds them")
    func limitsHold() {
        var bytes = WebSocketOutbox(limits: limits)
        #expect(bytes.send("0123456789") == .wake)
        _ = bytes.take(byteCountMax: 100)
        bytes.setFramed(byteCount: 10)
        #expect(bytes.send("x") == .drop)
        #expect(bytes.send("x") == .nothing)
        #expect(bytes.isEmpty)
        var count = WebSocketOutbox(limits: limits)
        for _ in 0..<4 { #expect(count.send("") != .drop) }
        #expect(count.send("") == .drop)
    }
}
