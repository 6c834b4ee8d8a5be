public import Glibc

/// A value that only one thread at a time can touch.
///
/// `Synchronization.Mutex` would do the same; the thread sanitizer of this toolchain reports races in it that
/// are not there, and a race that cannot be told from noise is not found.
///
/// Public although no product has it: only then does the compiler put it into the code of other targets, and what
/// it does there costs a fraction.
public final class Locked<State>: @unchecked Sendable {
    // Sendable because `state` is only reached between locking and unlocking.
    @usableFromInline let mutex: UnsafeMutablePointer<pthread_mutex_t>
    // Nor need the compiler look for overlapping accesses: a second one would wait for the first for ever.
    @exclusivity(unchecked) @usableFromInline var state: State

    /// Starts with a value.
    @inlinable
    public init(_ state: sending State) {
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
    @inlinable
    public func withLock<Result, Failure: Error>(
        _ body: (inout State) throws(Failure) -> sending Result
    ) throws(Failure) -> sending Result {
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        return try body(&state)
    }
}
