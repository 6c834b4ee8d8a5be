internal import CLinux
internal import Foundation

/// One end of a connection between two processes of this machine: unix(7). No call blocks but those that wait,
/// and `receiveAsleep`.
package final class LocalSocket: Sendable {
    /// Who is at the other end.
    package struct Peer: Hashable, Sendable {
        package let processID: Int32
        package let userID: UInt32
    }

    /// What there was to receive.
    package enum Receipt: Hashable, Sendable {
        /// So many bytes.
        case bytes(Int)
        /// Nothing now.
        case nothing
        /// Nothing ever: the other end is closed or gone.
        case end
    }

    let descriptor: SocketDescriptor

    init(_ descriptor: SocketDescriptor) {
        self.descriptor = descriptor
    }

    /// Connects to a listener.
    ///
    /// - Throws: `SocketError` with `isNobodyThere` when no process listens; `EAGAIN` when it is behind.
    package init(connectingTo path: String) throws(SocketError) {
        let descriptor = try SocketCalls.makeSocket(for: path)
        try SocketCalls.withAddress("connect", path) { connect(descriptor.number, $0, $1) }
        self.descriptor = descriptor
    }

    /// Who was at the other end when the connection was made.
    package func peer() throws(SocketError) -> Peer {
        var (process, user) = (pid_t(), uid_t())
        _ = try SocketCalls.check("getsockopt", "a socket") {
            cdoc_peer_credentials(descriptor.number, &process, &user)
        }
        return Peer(processID: process, userID: user)
    }

    /// Receives what there is, at most as much as the buffer has room for.
    package func receive(into buffer: UnsafeMutableRawBufferPointer) -> Receipt {
        while true {
            if let receipt = receiveOnce(into: buffer, CInt(MSG_DONTWAIT)) { return receipt }
        }
    }

    /// Sets how long `receiveAsleep` waits.
    ///
    /// The kernel counts in ticks of its own, of up to ten milliseconds.
    package func setReceiveLimit(milliseconds: Int) throws(SocketError) {
        let flags = try SocketCalls.check("fcntl", "a socket") { fcntl(descriptor.number, F_GETFL) }
        // All calls but that one say themselves that they do not block.
        _ = try SocketCalls.check("fcntl", "a socket") {
            fcntl(descriptor.number, F_SETFL, flags & ~O_NONBLOCK)
        }
        var limit = timeval(tv_sec: milliseconds / 1000, tv_usec: milliseconds % 1000 * 1000)
        _ = try SocketCalls.check("setsockopt", "a socket") {
            setsockopt(
                descriptor.number,
                SOL_SOCKET,
                SO_RCVTIMEO,
                &limit,
                socklen_t(MemoryLayout<timeval>.size)
            )
        }
    }

    /// Receives what is there, or waits until something comes, as long as `setReceiveLimit` says: in one call what
    /// takes two with `waitUntilReadable`.
    ///
    /// - Returns: `nothing` also when a signal came.
    package func receiveAsleep(into buffer: UnsafeMutableRawBufferPointer) -> Receipt {
        receiveOnce(into: buffer, 0) ?? .nothing
    }

    /// - Returns: Nil when a signal came.
    private func receiveOnce(into buffer: UnsafeMutableRawBufferPointer, _ flags: CInt) -> Receipt? {
        let count = recv(descriptor.number, buffer.baseAddress, buffer.count, flags)
        if count > 0 { return .bytes(count) }
        if count == 0 { return .end }
        switch errno {
        case EINTR: return nil
        case EAGAIN: return .nothing
        // ECONNRESET and whatever else: there is no one to speak to.
        default: return .end
        }
    }

    /// Sends as much as there is room for.
    ///
    /// - Returns: How many bytes were taken; nil when the other end is closed or gone.
    package func send(_ bytes: UnsafeRawBufferPointer) -> Int? {
        var sent = 0
        while sent < bytes.count {
            let start = bytes.baseAddress.map { $0 + sent }
            let count = Foundation.send(
                descriptor.number,
                start,
                bytes.count - sent,
                CInt(MSG_NOSIGNAL) | CInt(MSG_DONTWAIT)
            )
            if count >= 0 {
                sent += count
            } else if errno == EAGAIN {
                return sent
            } else if errno != EINTR {
                return nil
            }
        }
        return sent
    }

    /// Waits until there is something to receive, or the connection has ended.
    ///
    /// - Returns: Whether there is; not when the time was too short, or a signal came.
    package func waitUntilReadable(milliseconds: Int32) -> Bool {
        var wanted = pollfd(fd: descriptor.number, events: Int16(POLLIN), revents: 0)
        return poll(&wanted, 1, milliseconds) > 0
    }

    /// Waits until there is something to receive, the connection has ended, or the bell rings.
    ///
    /// - Parameter milliseconds: At most so long; -1 for ever.
    /// - Returns: Whether there is; not when the bell has rung, the time is over, or a signal came.
    package func waitUntilReadable(or bell: SocketBell, milliseconds: Int32 = -1) -> Bool {
        bell.wait(for: descriptor, milliseconds: milliseconds)
    }

    /// Ends the connection for both ends; whoever waits for something to receive hears of it.
    package func shutDown() {
        // An error means that it has ended already.
        _ = shutdown(descriptor.number, CInt(SHUT_RDWR))
    }
}
