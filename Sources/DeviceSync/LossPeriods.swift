internal import Foundation

/// The periods by which an engine counts what is removed and replaced: it has no clock, and is told.
///
/// Ten minutes each, also over starts, so that what is lost counts for ten minutes at least and for twenty at most: a script or a
/// program that has gone wrong takes less, and what people edit in a day is no large change. A clock that is set ends a period
/// early or late, and decides nothing else.
struct LossPeriods: Hashable, Sendable {
    /// When the last one began, in seconds since 1970; nil for: never yet.
    private(set) var begunSeconds: Double?
    private var isWritten = false

    static let seconds = 600.0

    init(begunSeconds: Double?) { self.begunSeconds = begunSeconds }

    /// Looks at the clock.
    ///
    /// - Returns: How many periods have begun since; more than two are as good as two.
    mutating func pass(to now: Date) -> Int {
        let now = now.timeIntervalSince1970
        guard let begun = begunSeconds else {
            (begunSeconds, isWritten) = (now, true)
            return 0
        }
        let count = (abs(now - begun) / Self.seconds).rounded(.down)
        guard count >= 1 else { return 0 }
        // One after another, whenever somebody looks; after a clock that was set back, from there on.
        (begunSeconds, isWritten) = (now < begun ? now : begun + count * Self.seconds, true)
        return Int(min(count, 2))
    }

    /// What is to be written down; nil for: as it was.
    mutating func takeWritten() -> LossPeriods? {
        guard isWritten else { return nil }
        isWritten = false
        return self
    }
}
