import Locks

/// A clock of which each look is hours after the one before: nothing was just now.
package enum LeapingClock {
    package static func make() -> @Sendable () -> Double {
        let seconds = Locked(0.0)
        return {
            seconds.withLock { seconds in
                defer { seconds += 4 * 3600 }
                return seconds
            }
        }
    }
}
