/// What is about to be removed or replaced one way, and what has been of late: what a brake counts.
///
/// 1. An item counts once, however often it is replaced: who works on a few documents all day has replaced a few.
/// 2. What counts, counts for the period in which it was lost last and for the next one, whether or not disk and log have been
///    the same meanwhile. When a period begins somebody outside says, as there is no clock in here.
/// 3. The restore point is how far the log had been read before the first item was lost that still counts.
/// 4. Too much is a share of all there is, with what has gone; and so is the same share of what there was at the restore point:
///    to put something new beside each item before that goes changes nothing.
struct LossWindow: Sendable {
    typealias Mark = SyncMemory.Points.Mark

    /// What is about to be lost on the other side, and as what it is there.
    private(set) var pending: [ItemID: ItemState] = [:]
    /// What has been, and in which period last.
    private(set) var counted = ItemTable<UInt32>()
    /// From where it counts, which is remembered.
    private(set) var points = SyncMemory.Points()
    /// Counted ones that are not there any more.
    private var gone: Set<ItemID> = []
    /// What came after the restore point, and in which period.
    private var fresh: [ItemID: UInt32] = [:]
    /// How many of `pending` are among `counted`, and how many of both in `fresh`.
    private var (againCount, freshLossCount) = (0, 0)
    /// How many of `counted` were lost in this period.
    private var currentCount = 0
    /// How it was when nothing was about to be lost.
    private var quiet = Mark(position: 0, itemCount: 0)

    init() {}

    /// Goes on from what was remembered.
    ///
    /// - Parameter log: As far as it has been read.
    init(_ counted: ItemMap<UInt32>, _ points: SyncMemory.Points?, _ log: ContainerTree) {
        quiet = Mark(position: log.position, itemCount: log.itemCount)
        guard let points else { return }
        (self.counted, self.points) = (ItemTable(counted), points)
        for (_, period) in counted where period == points.period { currentCount += 1 }
        guard let mark = points.former ?? points.current else { return }
        // What was there already and has been changed since counts as new: nobody remembers which of the two it is.
        log.forEach { item, _ in
            let revision = log.revision(of: item)
            guard revision > mark.position, counted[item] == nil else { return }
            let isLate = points.current.map { revision > $0.position } ?? false
            fresh[item] = isLate ? points.period : points.period - 1
        }
    }

    /// Whether something has been lost of late, or is about to be.
    var hasPoints: Bool { points.former != nil || points.current != nil }

    /// How many have been lost that do not wait to be once more.
    var doneCount: Int { counted.all.count - againCount }

    /// How many have been lost of late, or are about to be.
    var lossCount: Int { pending.count + doneCount }

    /// How many that count are not there any more.
    var goneCount: Int { gone.count }

    var restorePoint: LogPosition { restoreMark.position }

    private var restoreMark: Mark { points.former ?? points.current ?? quiet }

    private func isLost(_ item: ItemID) -> Bool { pending[item] != nil || counted[item] != nil }

    /// Whether so much is about to be lost, with what has been, that a person is to be asked.
    ///
    /// - Parameter itemCount: How many there are on the other side.
    func isTooMuch(of itemCount: Int, _ limits: SyncBrake.Limits) -> Bool {
        guard !pending.isEmpty else { return false }
        return limits.isExceeded(by: lossCount, of: itemCount + gone.count)
            || limits.isExceeded(by: lossCount - freshLossCount, of: restoreMark.itemCount)
    }

    // MARK: Counting

    /// Something is on the other side that was not.
    mutating func noteNew(_ item: ItemID) {
        if !isLost(item) { fresh[item] = points.period }
    }

    /// Looks at an item anew.
    ///
    /// - Parameters:
    ///   - endangered: What the other side has of it and is about to lose; nil for nothing.
    ///   - now: What the other side has of it.
    ///   - areSame: Whether both sides have the same contents of it, or neither has it.
    mutating func weigh(_ item: ItemID, endangered: ItemState?, now: ItemState?, areSame: Bool) {
        let isCounted = !counted.all.isEmpty && counted[item] != nil
        if isCounted { setGone(item, now == nil) }
        let before = pending.isEmpty ? nil : pending[item]
        if before == nil, endangered == nil { return }
        let wasLost = isCounted || before != nil
        defer {
            if fresh[item] != nil { freshLossCount += (isLost(item) ? 1 : 0) - (wasLost ? 1 : 0) }
        }
        pending[item] = endangered
        if isCounted { againCount += (endangered == nil ? 0 : 1) - (before == nil ? 0 : 1) }
        guard let before, endangered == nil else { return }
        // Else it was put back, or something else has come in between by which it stays.
        guard areSame, now?.content != before.content || now == nil else { return }
        if counted[item] != points.period { currentCount += 1 }
        counted[item] = points.period
        setGone(item, now == nil)
    }

    private mutating func setGone(_ item: ItemID, _ isGone: Bool) {
        if isGone { gone.insert(item) } else { gone.remove(item) }
    }

    /// Finds out anew which of those that count are not there any more.
    mutating func lookForGone(_ isThere: (ItemID) -> Bool) {
        gone = Set(counted.all.keys.filter { !isThere($0) })
    }

    /// Ends a look at all that has happened at one time.
    ///
    /// - Parameters:
    ///   - position: How far the log has been read.
    ///   - itemCount: How many there are on the other side.
    mutating func endLook(at position: LogPosition, itemCount: Int) {
        guard pending.isEmpty, currentCount == 0 else {
            points.current = points.current ?? quiet
            return
        }
        (points.current, quiet) = (nil, Mark(position: position, itemCount: itemCount))
        if points.former == nil, !fresh.isEmpty { (fresh, freshLossCount) = ([:], 0) }
    }

    mutating func takeWritten() -> Set<ItemID> { counted.takeWritten() }

    // MARK: Periods

    /// A period has passed: what was lost before the last one counts no more.
    mutating func beginPeriod() {
        for (item, period) in counted.all where period != points.period { forget(item) }
        fresh = fresh.filter { $0.value == points.period }
        points.former = currentCount == 0 ? nil : points.current
        points.period += 1
        currentCount = 0
        if pending.isEmpty { points.current = nil }
        freshLossCount = fresh.keys.count { isLost($0) }
    }

    private mutating func forget(_ item: ItemID) {
        counted[item] = nil
        gone.remove(item)
        if pending[item] != nil { againCount -= 1 }
    }

    /// A person knows of all that has been lost: none of it counts any more.
    mutating func clear(at position: LogPosition, itemCount: Int) {
        for item in counted.all.keys { forget(item) }
        (fresh, freshLossCount, currentCount) = ([:], 0, 0)
        quiet = Mark(position: position, itemCount: itemCount)
        (points.former, points.current) = (nil, pending.isEmpty ? nil : quiet)
    }

    /// The log does not have any more what comes after a place.
    mutating func goBack(to position: LogPosition) {
        points.former?.goBack(to: position)
        points.current?.goBack(to: position)
        quiet.goBack(to: position)
    }
}

extension SyncMemory.Points.Mark {
    fileprivate mutating func goBack(to position: LogPosition) {
        self.position = min(self.position, position)
    }
}

extension SyncBrake.Limits {
    /// Whether so many are more than what goes without a question.
    fileprivate func isExceeded(by lossCount: Int, of itemCount: Int) -> Bool {
        lossCount >= countMin && lossCount * 100 > itemCount * sharePercent
    }
}
