/// The periods by which an engine counts what is removed and replaced: it has no clock, and is told.
///
/// Ten minutes each, also over starts, so that what is lost counts for ten minutes at least and for twenty at most: a script or a
/// program that has gone wrong takes less, and what people edit in a day is no large change. They are measured while the machine
/// runs, by a clock that nobody sets; a period ends with the boot that it began in.
struct LossPeriods: Hashable, Sendable {
    /// When a period began.
    struct Beginning: Hashable, Sendable {
        /// Since the machine was started.
        var seconds: Double
        /// What tells that start from others.
        var boot: [UInt8]
    }

    /// When the last one began; nil for: never yet.
    private(set) var begun: Beginning?
    private let boot: [UInt8]
    private var isWritten = false

    static let seconds = 600.0

    /// - Parameters:
    ///   - begun: When the last one began, as it was written down; nil for: never yet.
    ///   - boot: The machine's now.
    init(begun: Beginning?, boot: [UInt8]) { (self.begun, self.boot) = (begun, boot) }

    /// Looks at the clock.
    ///
    /// - Parameter now: In seconds since the machine was started.
    /// - Returns: How many periods have begun since; more than two are as good as two.
    mutating func pass(to now: Double) -> Int {
        guard let former = begun, former.boot == boot, former.seconds <= now else {
            defer { (begun, isWritten) = (Beginning(seconds: now, boot: boot), true) }
            return begun == nil ? 0 : 1
        }
        let count = ((now - former.seconds) / Self.seconds).rounded(.down)
        guard count >= 1 else { return 0 }
        // One after another, whenever somebody looks.
        (begun, isWritten) = (Beginning(seconds: former.seconds + count * Self.seconds, boot: boot), true)
        return Int(min(count, 2))
    }

    /// What is to be written down; nil for: as it was.
    mutating func takeWritten() -> Beginning? {
        guard isWritten else { return nil }
        isWritten = false
        return begun
    }
}
