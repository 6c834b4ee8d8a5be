/// When a changed document is to be saved without being asked.
///
/// Times are seconds on any clock that only moves forward; the schedule has none of its own.
///
/// 1. While there is an unsaved change there is a deadline, or a save is running.
/// 2. A deadline is never later than `delayMax` after the first change that no save has taken.
struct AutosaveSchedule {
    private enum Phase {
        /// Nothing to save.
        case idle
        /// Changes wait since `firstChange`; the next save is due at `due`.
        case waiting(firstChange: Double, due: Double)
        /// A save is running; `changedSince` is the first change that it does not hold.
        case saving(changedSince: Double?)
    }

    private let delay: Double
    private let delayMax: Double
    private var phase = Phase.idle
    private var failures = 0

    /// - Parameters:
    ///   - delay: Seconds of quiet after a change before it is saved.
    ///   - delayMax: Seconds that a change waits at most while others keep coming.
    init(delay: Double, delayMax: Double) {
        self.delay = delay
        self.delayMax = delayMax
    }

    /// When to save next; nil when there is nothing to wait for.
    var deadline: Double? {
        if case .waiting(_, let due) = phase { due } else { nil }
    }

    /// The document changed.
    mutating func changed(at now: Double) {
        switch phase {
        case .idle:
            phase = .waiting(firstChange: now, due: now + delay)
        case .waiting(let firstChange, let due):
            // After a failure the next try has its own time, which more typing does not bring forward.
            let quiet = failures > 0 ? due : min(now + delay, firstChange + delayMax)
            phase = .waiting(firstChange: firstChange, due: quiet)
        case .saving(let changedSince):
            phase = .saving(changedSince: changedSince ?? now)
        }
    }

    /// A save has taken what is in memory.
    mutating func saveStarted() {
        phase = .saving(changedSince: nil)
    }

    /// A save ended well.
    mutating func saveSucceeded(at now: Double) {
        failures = 0
        guard case .saving(let changedSince) = phase else { return }
        phase =
            changedSince.map { .waiting(firstChange: $0, due: max(now, min(now + delay, $0 + delayMax))) }
            ?? .idle
    }

    /// A save failed: what it should have written still waits. Tries get rarer, up to one a minute.
    mutating func saveFailed(at now: Double) {
        failures += 1
        let pause = min(60, delayMax * Double(1 << min(failures, 6)))
        phase = .waiting(firstChange: now, due: now + pause)
    }

    /// Nothing is left to save.
    mutating func cleared() {
        failures = 0
        phase = .idle
    }
}
