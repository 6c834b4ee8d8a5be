internal import CLinux
internal import Foundation
internal import HTTPService
internal import Locks
internal import Threads

/// One thread that serves all WebSockets of a host, waiting in epoll(7).
///
/// 1. `sessions` and `stopsAt` are touched on the loop's thread only: in `run` and in the jobs that it runs.
/// 2. Jobs run in the order in which they were posted, between two rounds of events.
/// 3. A session leaves `sessions` exactly once, and that ends it.
final class SocketLoop: @unchecked Sendable {
    // Sendable by invariant 1; everything else is constant or locked.
    typealias Job = @Sendable (SocketLoop) -> Void

    private struct Inbox {
        var jobs: [Job] = []
        var isClosed = false
        var lastID: UInt64 = 0
        var whenStopped: [@Sendable () -> Void] = []
    }

    private static let eventCountMax = 64
    /// The wake-up descriptor's place among the sessions' ids, which start at 1.
    private static let wakeID: UInt64 = 0

    private let poll: Descriptor
    private let wake: Descriptor
    private let inbox = Locked(Inbox())
    private var sessions: [UInt64: WebSocketSession] = [:]
    private var stopsAt: Double?

    /// Makes the loop and starts its thread, which runs until `stop`.
    init() throws(SystemCallFailure) {
        poll = Descriptor(
            owning: try SystemCalls.check("epoll_create1") { epoll_create1(CInt(EPOLL_CLOEXEC)) }
        )
        wake = Descriptor(
            owning: try SystemCalls.check("eventfd") { eventfd(0, CInt(EFD_CLOEXEC) | CInt(EFD_NONBLOCK)) }
        )
        try control(EPOLL_CTL_ADD, wake, id: Self.wakeID, events: EPOLLIN.rawValue)
        OwnThread.startInTime("sheaf-websockets") { [self] in run() }
    }

    /// A name for a new connection.
    ///
    /// Any thread.
    func makeID() -> UInt64 {
        inbox.withLock { inbox in
            inbox.lastID += 1
            return inbox.lastID
        }
    }

    /// Runs a job on the loop's thread.
    ///
    /// Any thread; dropped when the loop has stopped.
    func post(_ job: @escaping Job) {
        let isFirst = inbox.withLock { inbox -> Bool in
            guard !inbox.isClosed else { return false }
            inbox.jobs.append(job)
            return inbox.jobs.count == 1
        }
        if isFirst { ring() }
    }

    /// Closes every connection with 1001 and ends the thread, at the latest after so many seconds.
    func stop(graceSeconds: Double) async {
        await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
            let isStopped = inbox.withLock { inbox -> Bool in
                if !inbox.isClosed { inbox.whenStopped.append { continuation.resume() } }
                return inbox.isClosed
            }
            if isStopped { return continuation.resume() }
            post { loop in
                loop.stopsAt = min(loop.stopsAt ?? .infinity, MonotonicClock.now() + graceSeconds)
                for session in loop.sessions.values {
                    session.connection.close(code: 1001, reason: "shutting down")
                }
            }
        }
    }

    // MARK: - On the loop's thread

    /// Opens a connection on a socket.
    ///
    /// `events.ended` follows `events.opened` also when that fails.
    func open(_ connection: WebSocketConnection, on upgraded: UpgradedSocket, events: WebSocketEvents) {
        events.queue.async(execute: events.opened)
        guard
            stopsAt == nil,
            let session = WebSocketSession(connection: connection, upgraded: upgraded, events: events)
        else { return events.queue.async(execute: events.ended) }
        do throws(SystemCallFailure) {
            try control(EPOLL_CTL_ADD, session.socket, id: connection.id, events: 0)
        } catch {
            // The kernel's table is full: to the other side this is a connection that broke.
            return session.end()
        }
        sessions[connection.id] = session
        session.readable()
        settle(session)
    }

    /// Looks at a connection again: there is something to send, or its owner has caught up.
    func proceed(_ id: UInt64) {
        guard let session = sessions[id] else { return }
        session.writable()
        settle(session)
    }

    /// Ends a connection without a word to the other side.
    func end(_ id: UInt64) {
        guard let session = sessions.removeValue(forKey: id) else { return }
        session.end()
    }

    private func run() {
        var events = [epoll_event](repeating: epoll_event(), count: Self.eventCountMax)
        while true {
            for job in inbox.withLock({ inbox in
                defer { inbox.jobs = [] }
                return inbox.jobs
            }) { job(self) }
            if let stopsAt, sessions.isEmpty || MonotonicClock.now() >= stopsAt { return finish() }
            let timeout = waitMilliseconds()
            let count = epoll_wait(poll.number, &events, CInt(Self.eventCountMax), timeout)
            precondition(
                count >= 0 || errno == EINTR,
                "epoll_wait refused our own descriptors: errno \(errno)"
            )
            for event in events.prefix(Int(max(count, 0))) { handle(event) }
            checkTimes()
        }
    }

    private func handle(_ event: epoll_event) {
        let id = event.data.u64
        if id == Self.wakeID { return silence() }
        guard let session = sessions[id] else { return }
        // With both directions gone the kernel reports this again and again, whatever we wait for. What had come before that is
        // there to be read still: of who has typed and gone, nobody sends it again.
        if event.events & (EPOLLHUP.rawValue | EPOLLERR.rawValue) != 0 {
            session.readRest()
            return end(id)
        }
        if event.events & EPOLLIN.rawValue != 0 { session.readable() }
        session.writable()
        settle(session)
    }

    private func settle(_ session: WebSocketSession) {
        if session.isOver { return end(session.connection.id) }
        let interest = session.interest
        guard interest != session.registeredInterest else { return }
        do throws(SystemCallFailure) {
            try control(EPOLL_CTL_MOD, session.socket, id: session.connection.id, events: interest)
            session.registeredInterest = interest
        } catch {
            // It cannot be waited for any longer, so it cannot go on.
            end(session.connection.id)
        }
    }

    private func checkTimes() {
        let now = MonotonicClock.now()
        for session in sessions.values where session.nextCheck <= now {
            session.timePassed(now: now)
            settle(session)
        }
    }

    private func waitMilliseconds() -> CInt {
        let times = sessions.values.map(\.nextCheck) + [stopsAt].compactMap { $0 }
        guard let next = times.min() else { return -1 }
        return CInt(min(max(((next - MonotonicClock.now()) * 1000).rounded(.up), 0), 60_000))
    }

    private func finish() {
        for id in Array(sessions.keys) { end(id) }
        let calls = inbox.withLock { inbox in
            inbox.isClosed = true
            inbox.jobs = []
            return inbox.whenStopped
        }
        for call in calls { call() }
    }

    private func control(
        _ operation: CInt,
        _ descriptor: Descriptor,
        id: UInt64,
        events: UInt32
    ) throws(SystemCallFailure) {
        var event = epoll_event()
        event.events = events
        event.data.u64 = id
        _ = try SystemCalls.check("epoll_ctl") {
            epoll_ctl(poll.number, operation, descriptor.number, &event)
        }
    }

    /// eventfd(2): the counter only overflows at 2^64, so that a write cannot fail in a way that matters.
    private func ring() {
        var one: UInt64 = 1
        _ = write(wake.number, &one, MemoryLayout<UInt64>.size)
    }

    private func silence() {
        var count: UInt64 = 0
        // Nothing to read means that somebody was faster, which is as good.
        _ = read(wake.number, &count, MemoryLayout<UInt64>.size)
    }
}

/// Seconds that only run forward and stand still while the machine sleeps.
enum MonotonicClock {
    /// clock_gettime(2) of CLOCK_MONOTONIC, in seconds.
    static func now() -> Double {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }
}
