internal import Foundation

/// A value that only one thread at a time can touch.
///
/// `Synchronization.Mutex` would do the same; the thread sanitizer of this toolchain reports races in it that
/// are not there, and a race that cannot be told from noise is not found.
package final class Locked<State>: @unchecked Sendable {
    // Sendable because `state` is only reached between `lock()` and `unlock()`.
    private let lock = NSLock()
    private var state: State

    /// Starts with a value.
    package init(_ state: sending State) {
        self.state = state
    }

    /// Runs `body` with the value, alone. `body` must not call out to anything that could come back here.
    package func withLock<Result, Failure: Error>(
        _ body: (inout State) throws(Failure) -> sending Result
    ) throws(Failure) -> sending Result {
        lock.lock()
        defer { lock.unlock() }
        return try body(&state)
    }
}
