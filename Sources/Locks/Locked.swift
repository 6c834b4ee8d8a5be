internal import Glibc

/// A value that only one thread at a time can touch.
///
/// `Synchronization.Mutex` would do the same; the thread sanitizer of this toolchain reports races in it that
/// are not there, and a race that cannot be told from noise is not found.
package final class Locked<State>: @unchecked Sendable {
    // Sendable because `state` is only reached between locking and unlocking.
    private let mutex: UnsafeMutablePointer<pthread_mutex_t>
    private var state: State

    /// Starts with a value.
    package init(_ state: sending State) {
        self.state = state
        mutex = .allocate(capacity: 1)
        mutex.initialize(to: pthread_mutex_t())
        pthread_mutex_init(mutex, nil)
    }

    deinit {
        pthread_mutex_destroy(mutex)
        mutex.deallocate()
    }

    /// Runs `body` with the value, alone. `body` must not call out to anything that could come back here.
    package func withLock<Result, Failure: Error>(
        _ body: (inout State) throws(Failure) -> sending Result
    ) throws(Failure) -> sending Result {
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        return try body(&state)
    }
}
