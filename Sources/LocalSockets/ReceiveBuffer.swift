internal import Locks

/// Room for what a socket brings, made once: to take and give back so much memory for each receipt costs more than the
/// receipt.
package final class ReceiveBuffer: Sendable {
    private struct Memory: @unchecked Sendable {
        // Sendable because it is only reached with the lock held.
        let bytes: UnsafeMutableRawBufferPointer
    }

    private let memory: Locked<Memory>

    package init(byteCount: Int = 32 * 1024) {
        memory = Locked(Memory(bytes: .allocate(byteCount: byteCount, alignment: 16)))
    }

    deinit { memory.withLock { $0.bytes.deallocate() } }

    /// Runs `body` with the room, which nobody else uses meanwhile.
    package func withBytes<Result>(_ body: (UnsafeMutableRawBufferPointer) -> Result) -> Result {
        memory.withLock { body($0.bytes) }
    }
}
