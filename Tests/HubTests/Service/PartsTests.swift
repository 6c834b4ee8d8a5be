import Foundation
import HubProtocol
import Locks
import SeededNumbers
import TestThreads
import Testing

@testable import HTTPService
@testable import Hub

@Suite("WaitingRoom", .onOwnThreads)
struct WaitingRoomTests {
    private let topic = WaitingRoom.Topic.log(.test)

    @Test("News between the look and the wait are not lost, and are told once")
    func newsBefore() async {
        let room = WaitingRoom(seconds: { 0 })
        let ticket = room.enter(topic)
        room.wake(topic)
        #expect(await room.wait(ticket, until: 10) == .news)
        // A deadline that has come: nothing is left to tell.
        #expect(await room.wait(ticket, until: 0) == .timeout)
        room.leave(ticket)
        #expect(await room.wait(ticket, until: 10) == .timeout)
    }

    @Test("News, a revocation and the end reach those whom they are for")
    func whileWaiting() async {
        let room = WaitingRoom(seconds: { 0 })
        let (one, two) = (DeviceName(unchecked: [1]), DeviceName(unchecked: [2]))
        let tickets = [
            room.enter(topic, device: one), room.enter(topic, device: two),
            room.enter(.pairing("A"), device: nil), room.enter(.pairing("B"), device: one),
        ]
        async let reasons = withTaskGroup(of: (Int, WaitingRoom.Reason).self) { group in
            for (index, ticket) in tickets.enumerated() {
                group.addTask { (index, await room.wait(ticket, until: 100)) }
            }
            return await group.reduce(into: [:]) { $0[$1.0] = $1.1 }
        }
        // Whether they wait by now or not makes no difference.
        room.wake(.pairing("A"))
        room.revoke(one)
        room.wake(topic)
        let found = await reasons
        #expect(found == [0: .revoked, 1: .news, 2: .news, 3: .revoked])
        #expect(room.count(of: one) == 2)
        // What is final stays so, and who enters after the end is told at once.
        room.wake(topic)
        #expect(await room.wait(tickets[0], until: 100) == .revoked)
        async let last = room.wait(tickets[2], until: 100)
        room.close()
        #expect(await last == .ending)
        #expect(await room.wait(room.enter(topic), until: 100) == .ending)
        for ticket in tickets { room.leave(ticket) }
        #expect(room.count(of: one) == 0)
    }

    @Test("Who has waited long enough is told so, by the room's clock")
    func timeout() async {
        let clock = Locked(0)
        let room = WaitingRoom(seconds: { clock.withLock { $0 } })
        let ticket = room.enter(topic)
        async let reason = room.wait(ticket, until: 50)
        clock.withLock { $0 = 50 }
        #expect(await reason == .timeout)
    }
}

@Suite("RateLimiter", .onOwnThreads)
struct RateLimiterTests {
    @Test("So many at once, then so many a second, each for itself")
    func rates() {
        var limiter = RateLimiter<String>(burst: 3, perSecond: 0.5)
        for _ in 0..<3 { #expect(limiter.take("a", now: 10) == nil) }
        #expect(limiter.take("a", now: 10) == 2)
        #expect(limiter.take("b", now: 10) == nil)
        #expect(limiter.take("a", now: 11) == 1)
        #expect(limiter.take("a", now: 12) == nil)
        #expect(limiter.take("a", now: 12) != nil)
        // A clock that stands still or goes back gives nothing.
        #expect(limiter.take("a", now: 5) != nil)
        for _ in 0..<3 { #expect(limiter.take("a", now: 1000) == nil) }
        #expect(limiter.take("a", now: 1000) != nil)
    }

    @Test("Over the long run nobody gets more than their share, and what is remembered is bounded")
    func share() {
        var random = SplitMix64(seed: 5)
        var limiter = RateLimiter<Int>(burst: 4, perSecond: 2, keyCountMax: 3)
        var (now, passed) = (0.0, 0)
        for _ in 0..<2000 {
            now += Double(random.below(100)) / 1000
            if limiter.take(1, now: now) == nil { passed += 1 }
        }
        #expect(passed <= Int(4 + 2 * now))
        #expect(passed >= Int(2 * now * 0.9))
        // More than it remembers: those who are forgotten begin anew, nobody is locked out.
        for key in 2..<100 { #expect(limiter.take(key, now: now) == nil) }
    }
}

@Suite("RequestGate", .onOwnThreads)
struct RequestGateTests {
    @Test(
        "All addresses of a network of IPv6 are held like one, those of IPv4 each for itself",
        arguments: [false, true]
    )
    func networks(isBehindProxy: Bool) throws {
        var settings = HubSettings()
        settings.addressRate = (burst: 3, perSecond: 0.5)
        settings.isBehindProxy = isBehindProxy
        let gate = RequestGate(settings, HubClock(now: { 0 }, uptime: { 0 }))
        func isAdmitted(_ address: String) throws -> Bool {
            var request = WebRequest(
                method: "GET",
                target: try #require(RequestTarget("/v1/pairings/AAAAAAAA/messages")),
                version: "HTTP/1.1",
                headers: isBehindProxy ? [WebHeader("X-Forwarded-For", "203.0.113.9, \(address)")] : []
            )
            request.peer = isBehindProxy ? "127.0.0.1" : address
            do { try gate.admitAnonymous(request) } catch is HubRefusal { return false }
            return true
        }
        let admitted = try (0..<20).filter { number in
            try isAdmitted("2001:db8:1:2:\(String(number, radix: 16))::\(number)")
        }
        #expect(admitted == [0, 1, 2])
        #expect(try isAdmitted("2001:db8:1:3::1"))
        for address in ["192.0.2.1", "::ffff:192.0.2.1", "::ffff:c000:201"] {
            #expect(try isAdmitted(address))
        }
        #expect(try !isAdmitted("192.0.2.1"))
        #expect(try isAdmitted("192.0.2.2"))
        #expect(try isAdmitted("::ffff:192.0.2.3"))
    }
}

@Suite("Pairings", .onOwnThreads)
struct PairingsTests {
    private func message(_ count: Int = 3) -> PairingMessage {
        PairingMessage(from: .second, message: Data(count: count))
    }

    @Test("Messages are passed on in order, up to sixteen, for ten minutes")
    func limits() throws {
        var pairings = Pairings()
        try pairings.begin("CODE", account: .first, now: 0)
        for number in 1...16 { #expect(try pairings.add(message(), to: "CODE", now: 1) == number) }
        #expect(throws: HubRefusal.self) { try pairings.add(message(), to: "CODE", now: 1) }
        #expect(try pairings.messages(of: "CODE", after: 14, now: 599).map(\.number) == [15, 16])
        for name in ["CODE", "EDOC"] {
            #expect(throws: HubRefusal.self) { try pairings.messages(of: name, after: 0, now: 600) }
        }
        try pairings.begin("BIG", account: .first, now: 0)
        #expect(throws: HubRefusal.self) { try pairings.add(message(4097), to: "BIG", now: 0) }
        #expect(try pairings.add(message(4096), to: "BIG", now: 0) == 1)
    }

    @Test("An account has so many at a time, and keeps no other from its own")
    func accounts() throws {
        var pairings = Pairings()
        for number in 0..<Pairings.countMax { try pairings.begin("\(number)", account: .first, now: number) }
        #expect(throws: HubRefusal.self) { try pairings.begin("MORE", account: .first, now: 500) }
        try pairings.begin("OTHER", account: AccountID(2), now: 500)
        // The first one is over.
        try pairings.begin("MORE", account: .first, now: HubLimits.pairingSeconds)
        #expect(throws: HubRefusal.self) {
            try pairings.begin("AGAIN", account: .first, now: HubLimits.pairingSeconds)
        }
    }
}
