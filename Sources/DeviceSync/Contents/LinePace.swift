/// How many requests for contents are under way at a time, so that a line is full, and how much is in each. Pure.
///
/// Over a short line one that goes while another is worked on is enough, and more would only take memory. Over a long one nothing
/// comes while a question and its answer are on their way, unless more was asked before. How long is waited tells which it is.
///
/// What was under way when a line breaks is lost with it: over one that breaks often little is to be under way at a time.
struct LinePace: Sendable {
    /// How many answers are asked for before the one at hand has been worked on.
    private(set) var aheadCount = 1
    /// How many parts of contents are on their way to the hub, while the next one is made.
    private(set) var sendingCount = LinePace.usualSendingCount
    /// How many bytes of sealed objects are to be in a request, which the hub makes durable, or in an answer.
    private(set) var byteCount = LinePace.byteCounts.upperBound
    /// How many have got through of this size, after a break.
    private var throughCount = 0
    /// What stands before the hub has taken no request of more than this, or not much more.
    private var requestByteCountMax = LinePace.byteCounts.upperBound

    /// How many bytes are to be in a request.
    var requestByteCount: Int { min(byteCount, requestByteCountMax) }

    /// A request and its answer over a line of a megabit take about two seconds with the least of them.
    static let byteCounts = 256 << 10...2 << 20
    private static let usualSendingCount = 2
    private static let throughCountMin = 4
    /// Of two mebibytes each these are what a line of a gigabit holds in 0.1 seconds.
    private static let countMax = 4
    /// On one machine an answer comes, and a part lasts, within some milliseconds; a disk that is slow takes some more.
    private static let longWait = Duration.milliseconds(40)

    /// Notes for how long an answer was waited for that had been asked for ahead.
    mutating func noteAnswer(after wait: Duration) {
        noteThrough()
        if wait > Self.longWait { aheadCount = min(aheadCount + 1, Self.countMax) }
    }

    /// Notes how long a part took to be there durably.
    mutating func noteSent(after time: Duration) {
        noteThrough()
        if time > Self.longWait || sendingCount < Self.usualSendingCount {
            sendingCount = min(sendingCount + 1, Self.countMax)
        }
    }

    /// One that got through may be the last of its size: it takes some of them until larger ones are tried.
    private mutating func noteThrough() {
        guard byteCount < Self.byteCounts.upperBound else { return }
        throughCount += 1
        guard throughCount == Self.throughCountMin else { return }
        (throughCount, byteCount) = (0, min(2 * byteCount, Self.byteCounts.upperBound))
    }

    /// Notes that the line has broken while something was under way.
    mutating func noteBreak() {
        (aheadCount, sendingCount) = (1, 1)
        (throughCount, byteCount) = (0, max(byteCount / 2, Self.byteCounts.lowerBound))
    }

    /// Notes that a request of so many bytes was too large for what stands before the hub.
    ///
    /// - Returns: Whether it is worth a try with smaller ones.
    mutating func noteTooLarge(byteCount: Int) -> Bool {
        let most = max(min(byteCount, requestByteCount) / 2, Self.byteCounts.lowerBound)
        guard most < requestByteCountMax, byteCount > most else { return false }
        requestByteCountMax = most
        return true
    }
}
