internal import Foundation

/// Whether a thread that waits for an answer is to wait awake for a moment before it sleeps.
///
/// `wait` spins: it looks again and again until something has come or a tenth of a millisecond is over. The rest decides
/// whether it does, and has no effects. Between two cores it takes the kernel longer to wake a thread than to carry an
/// answer, so that waiting awake is several times as fast; on one core it keeps the one that is to answer from running.
/// Which it is cannot be known beforehand, so it is tried: each time in vain doubles the number of waits until the
/// next time, each success halves it. Who waits for nothing is never awake.
package struct Wakefulness: Sendable {
    /// How long one who waits is awake at most, in nanoseconds: about as long as it takes to wake it and the one that
    /// is to answer, where cores are virtual and sleep when nothing runs on them.
    static let limitNanoseconds: UInt64 = 100_000
    /// So many waits are asleep at most before one is tried awake: it costs a wait less than a thousandth of the limit.
    static let sleptCountMax = 1024

    /// Waits until the next try.
    private var remaining = 0
    private var sleptCount = 0
    private let isPossible: Bool
    private let limitNanoseconds: UInt64

    package init() { self.init(isPossible: Self.hasSeveralCores) }

    /// - Parameters:
    ///   - isPossible: Whether another core could answer meanwhile.
    ///   - limitNanoseconds: How long one who waits is awake at most.
    init(isPossible: Bool, limitNanoseconds: UInt64 = Self.limitNanoseconds) {
        self.isPossible = isPossible
        self.limitNanoseconds = limitNanoseconds
    }

    /// Waits awake, if that pays.
    ///
    /// - Parameter hasCome: Looks whether it has.
    /// - Returns: Whether it has come; if not the thread is to sleep now.
    package mutating func wait<Failure: Error>(
        until hasCome: () throws(Failure) -> Bool
    ) throws(Failure) -> Bool {
        guard isToBeTried() else { return false }
        // What is there at once was not waited for: on one core the other has run before this thread went on, and it
        // would be taken for a reason to be awake when it has not.
        if try hasCome() { return true }
        let end = MonotonicClock.now + limitNanoseconds
        repeat {
            guard try hasCome() else { continue }
            tried(true)
            return true
        } while MonotonicClock.now < end
        tried(false)
        return false
    }

    /// A wait begins.
    ///
    /// - Returns: Whether it is to be awake at first; then `tried` is called with how it went.
    mutating func isToBeTried() -> Bool {
        guard isPossible else { return false }
        guard remaining == 0 else {
            remaining -= 1
            return false
        }
        return true
    }

    /// A wait was awake.
    ///
    /// - Parameter hasFound: Whether what was waited for came in time.
    mutating func tried(_ hasFound: Bool) {
        sleptCount = hasFound ? sleptCount / 2 : min(max(sleptCount * 2, 1), Self.sleptCountMax)
        remaining = sleptCount
    }

    /// Whether this machine has more than one core.
    private static let hasSeveralCores = sysconf(CInt(_SC_NPROCESSORS_ONLN)) > 1
}

/// A clock for short waits.
package enum MonotonicClock {
    /// In nanoseconds.
    package static var now: UInt64 {
        var time = timespec()
        // It cannot fail: the clock is there on every Linux.
        _ = clock_gettime(CLOCK_MONOTONIC, &time)
        return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
    }
}
