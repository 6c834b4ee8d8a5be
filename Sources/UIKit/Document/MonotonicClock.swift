internal import Foundation

/// Seconds on a clock that only moves forward.
enum MonotonicClock {
    static var seconds: Double { ProcessInfo.processInfo.systemUptime }
}
