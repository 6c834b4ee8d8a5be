/// How many requests for contents are under way at a time, so that a line is full. Pure.
///
/// Over a short line one that goes while another is worked on is enough, and more would only take memory. Over a long one nothing
/// comes while a question and its answer are on their way, unless more was asked before. How long is waited tells which it is.
struct LinePace: Sendable {
    /// How many answers are asked for before the one at hand has been worked on.
    private(set) var aheadCount = 1
    /// How many parts of contents are on their way to the hub, while the next one is made.
    private(set) var sendingCount = 2

    /// Of two mebibytes each these are what a line of a gigabit holds in 0.1 seconds.
    private static let countMax = 4
    /// On one machine an answer comes, and a part lasts, within some milliseconds; a disk that is slow takes some more.
    private static let longWait = Duration.milliseconds(40)

    /// Notes for how long an answer was waited for that had been asked for ahead.
    mutating func noteAnswer(after wait: Duration) {
        if wait > Self.longWait { aheadCount = min(aheadCount + 1, Self.countMax) }
    }

    /// Notes how long a part took to be there durably.
    mutating func noteSent(after time: Duration) {
        if time > Self.longWait { sendingCount = min(sendingCount + 1, Self.countMax) }
    }
}
