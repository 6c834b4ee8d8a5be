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

    /// Makes the bell be still.
    func hear() {
        var number: UInt64 = 0
        // Nothing there after all is fine.
        _ = read(descriptor.number, &number, MemoryLayout<UInt64>.size)
    }
}
