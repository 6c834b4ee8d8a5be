internal import CLinux
internal import Foundation

/// Waits for many sockets at once: epoll(7). One thread waits; any thread may wake it.
package final class SocketPoll: Sendable {
    /// What is waited for at a socket.
    package struct Interest: OptionSet, Sendable {
        package let rawValue: UInt8
        package init(rawValue: UInt8) { self.rawValue = rawValue }

        /// Kept: in another module an empty literal is made from an array each time, at the price of a system call.
        package static let nothing: Interest = []
        package static let reading = Interest(rawValue: 1)
        package static let writing = Interest(rawValue: 2)
        package static let both = Interest(rawValue: 3)

        fileprivate var events: UInt32 {
            (rawValue & 1 != 0 ? EPOLLIN.rawValue : 0) | (rawValue & 2 != 0 ? EPOLLOUT.rawValue : 0)
        }
    }

    /// What is the matter with a socket.
    package struct Event: Sendable {
        /// The number it was added with.
        package let id: UInt64
        package let isReadable: Bool
        package let isWritable: Bool
    }

    private let poll: SocketDescriptor
    private let bell: SocketBell
    private static let bellID = UInt64.max
    private static let eventCountMax = 64

    package init() throws(SocketError) {
        poll = SocketDescriptor(
            owning: try SocketCalls.check("epoll_create1", "epoll") { epoll_create1(CInt(EPOLL_CLOEXEC)) }
        )
        bell = try SocketBell()
        try control(EPOLL_CTL_ADD, bell.descriptor.number, Self.bellID, .reading)
    }

    package func add(_ socket: LocalSocket, id: UInt64, _ interest: Interest) throws(SocketError) {
        try control(EPOLL_CTL_ADD, socket.descriptor.number, id, interest)
    }

    package func add(_ listener: LocalListener, id: UInt64) throws(SocketError) {
        try control(EPOLL_CTL_ADD, listener.descriptor.number, id, .reading)
    }

    package func change(_ socket: LocalSocket, id: UInt64, _ interest: Interest) throws(SocketError) {
        try control(EPOLL_CTL_MOD, socket.descriptor.number, id, interest)
    }

    package func remove(_ socket: LocalSocket) throws(SocketError) {
        try control(EPOLL_CTL_DEL, socket.descriptor.number, 0, .nothing)
    }

    package func change(_ listener: LocalListener, id: UInt64, isOpen: Bool) throws(SocketError) {
        try control(EPOLL_CTL_MOD, listener.descriptor.number, id, isOpen ? .reading : .nothing)
    }

    /// Ends the waiting of `wait`, now or the next time.
    package func wake() { bell.ring() }

    /// Waits until something is the matter, the bell rings or the time is over.
    ///
    /// - Parameter milliseconds: -1 for as long as it takes.
    /// - Returns: What is the matter; nothing for the other two.
    package func wait(milliseconds: Int32) throws(SocketError) -> [Event] {
        try look(milliseconds: milliseconds) ?? []
    }

    /// What is the matter now.
    ///
    /// - Returns: Nil when nothing is, and the bell has not rung.
    package func look() throws(SocketError) -> [Event]? { try look(milliseconds: 0) }

    /// - Returns: Nil when the time is over.
    private func look(milliseconds: Int32) throws(SocketError) -> [Event]? {
        try withUnsafeTemporaryAllocation(of: epoll_event.self, capacity: Self.eventCountMax) {
            (buffer) throws(SocketError) -> [Event]? in
            let count: Int32
            do {
                count = epoll_wait(poll.number, buffer.baseAddress, CInt(Self.eventCountMax), milliseconds)
                if count < 0 {
                    let number = errno
                    // A signal may have come for whoever waits: let it look.
                    if number == EINTR { return [] }
                    throw SocketError(call: "epoll_wait", errno: number, path: "epoll")
                }
            }
            guard count > 0 else { return nil }
            return (0..<Int(count)).compactMap { event(buffer[$0]) }
        }
    }

    private func event(_ event: epoll_event) -> Event? {
        let id = event.data.u64
        if id == Self.bellID {
            bell.hear()
            return nil
        }
        let isOver = event.events & (EPOLLHUP.rawValue | EPOLLERR.rawValue) != 0
        return Event(
            id: id,
            isReadable: isOver || event.events & EPOLLIN.rawValue != 0,
            isWritable: event.events & EPOLLOUT.rawValue != 0
        )
    }

    private func control(
        _ operation: CInt,
        _ number: CInt,
        _ id: UInt64,
        _ interest: Interest
    ) throws(SocketError) {
        var event = epoll_event()
        event.events = interest.events
        event.data.u64 = id
        _ = try SocketCalls.check("epoll_ctl", "epoll") { epoll_ctl(poll.number, operation, number, &event) }
    }
}
