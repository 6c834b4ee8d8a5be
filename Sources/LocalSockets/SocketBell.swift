internal import CLinux
internal import Foundation

/// Wakes a thread that waits for a socket: eventfd(2). Any thread rings; a ring is heard once, also if it comes first.
package final class SocketBell: Sendable {
    let descriptor: SocketDescriptor

    package init() throws(SocketError) {
        descriptor = SocketDescriptor(
            owning: try SocketCalls.check("eventfd", "eventfd") {
                eventfd(0, CInt(EFD_CLOEXEC) | CInt(EFD_NONBLOCK))
            }
        )
    }

    /// Ends the waiting of who waits, now or the next time.
    package func ring() {
        var one: UInt64 = 1
        // It fails only when the bell has been rung 2^64 times and not been heard.
        _ = write(descriptor.number, &one, MemoryLayout<UInt64>.size)
    }

    /// Waits until the bell rings, which is still then.
    ///
    /// - Parameter milliseconds: At most so long.
    package func wait(milliseconds: Int32) {
        var wanted = pollfd(fd: descriptor.number, events: Int16(POLLIN), revents: 0)
        if poll(&wanted, 1, milliseconds) > 0 { hear() }
    }

    /// Waits until something can be read from a socket, or the bell rings, which is still then.
    ///
    /// - Parameter milliseconds: At most so long; -1 for ever.
    /// - Returns: Whether there is something; not when the bell has rung, the time is over, or a signal came.
    func wait(for socket: SocketDescriptor, milliseconds: Int32) -> Bool {
        var wanted = (
            pollfd(fd: socket.number, events: Int16(POLLIN), revents: 0),
            pollfd(fd: descriptor.number, events: Int16(POLLIN), revents: 0)
        )
        let count = withUnsafeMutableBytes(of: &wanted) { bytes in
            poll(bytes.assumingMemoryBound(to: pollfd.self).baseAddress, 2, milliseconds)
        }
        guard count > 0 else { return false }
        if wanted.1.revents != 0 { hear() }
        return wanted.0.revents != 0
    }

    func hear() {
        var number: UInt64 = 0
        // Nothing there after all is fine.
        _ = read(descriptor.number, &number, MemoryLayout<UInt64>.size)
    }
}
