/// How much room former states may take, and when it is worth while to give it back. Pure.
struct FormerRoom: Sendable {
    /// Every version counts for so many bytes beside those that it holds: for what the vault needs to know of it.
    private static let versionByteCount: UInt64 = 16 << 10

    /// How many bytes the vault may hold of what items held before.
    private(set) var byteCount: UInt64
    /// How many more are being given back; nil while none are.
    private var leavingByteCount: UInt64?
    /// Where it failed, how many there are to be before it is tried again with nothing else to cause it.
    private var dueByteCount: UInt64 = 0
    /// With which attempt a hub that is full is told next what is former.
    private var dueAttempt = 0

    init(byteCount: UInt64 = 0) { self.byteCount = byteCount }

    /// Contents have been replaced by others, or went with their item.
    ///
    /// - Parameter count: How many bytes they have, as whoever shares the container says.
    mutating func add(_ count: UInt64) {
        byteCount = Self.sum(Self.sum(byteCount, count), Self.versionByteCount)
    }

    /// How many there may be, where a process ends now.
    var rememberedByteCount: UInt64 { Self.sum(byteCount, leavingByteCount ?? 0) }

    private static func sum(_ one: UInt64, _ other: UInt64) -> UInt64 {
        let (sum, isOver) = one.addingReportingOverflow(other)
        return isOver ? .max : sum
    }

    /// Whether they take as much room as may be worth while. What has failed is tried again when all is in step anew, or once so
    /// much has been added.
    func isWorthWhile(_ threshold: UInt64) -> Bool {
        leavingByteCount == nil && byteCount >= max(threshold, dueByteCount)
    }

    /// All is in step, and was not before.
    mutating func noteInStep() { dueByteCount = 0 }

    /// Whether a hub without room is to be told now, however little it is: the first time, and then each so many attempts.
    mutating func isDue(at attempt: Int, gap: Int) -> Bool {
        guard leavingByteCount == nil, attempt >= dueAttempt else { return false }
        dueAttempt = attempt + gap
        return true
    }

    mutating func begin() { (leavingByteCount, byteCount) = (byteCount, 0) }

    /// - Parameter isDone: Whether the vault and the hub have let go of them; else they count as before.
    mutating func end(isDone: Bool, threshold: UInt64) {
        if !isDone { byteCount = rememberedByteCount }
        dueByteCount = isDone ? 0 : Self.sum(byteCount, threshold)
        leavingByteCount = nil
    }
}
