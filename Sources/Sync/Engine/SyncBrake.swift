/// A change so large that a person is asked before it is carried out.
package struct SyncBrake: Hashable, Sendable {
    package enum Direction: UInt8, Hashable, Sendable, CaseIterable {
        /// From the log onto this disk.
        case arriving
        /// From this disk to the log, and so to all others.
        case leaving
    }

    /// From when on an engine asks. No clock is in it: a change is what comes between two moments at which disk and log are
    /// the same.
    package struct Limits: Hashable, Sendable {
        /// More than so many items of a hundred.
        package var sharePercent = 50
        /// And at least so many items; a small folder is nobody's question.
        package var countMin = 20

        package init() {}

        package init(sharePercent: Int, countMin: Int) {
            (self.sharePercent, self.countMin) = (sharePercent, countMin)
        }
    }

    /// What has been decided about a change.
    package enum Stage: UInt8, Hashable, Sendable {
        /// It waits for a person.
        case asked
        /// A person has decided; until disk and log are the same, nothing is asked again.
        case answered
    }

    package let direction: Direction
    /// So many items would be removed or have their contents replaced, and wait.
    package let waitingCount: Int
    /// So many have been since disk and log were the same last, before it was seen how many there would be.
    package let doneCount: Int
    /// Of so many there were.
    package let itemCount: Int
    /// How far the log had been read when disk and log were the same last: what it comes to there is how everything was
    /// before the change.
    package let restorePoint: LogPosition
}

/// What an engine knows of large changes.
struct Braking: Sendable {
    /// What one way is about to be removed or overwritten, and as what.
    var pending: [SyncBrake.Direction: [ItemID: ItemState]] = [:]
    /// What has been, since disk and log were the same last.
    var done: [SyncBrake.Direction: Set<ItemID>] = [:]
    var removedCount: [SyncBrake.Direction: Int] = [:]
    var stages: [SyncBrake.Direction: SyncBrake.Stage] = [:] { didSet { isWritten = true } }
    /// What is here and a person does not want: it is to be what the log has.
    var undone: [ItemID: ItemState] = [:]
    /// What is here without its contents, and a person wants it rather than what others have made of it.
    var kept: [ItemID: Kept] = [:]
    var restorePoint: LogPosition = 0
    /// Whether `stages` has been written since somebody asked last.
    var isWritten = false

    init() {}

    /// - Parameter stages: As they were remembered: there is nothing to write down.
    init(_ stages: [SyncBrake.Direction: SyncBrake.Stage]) { self.stages = stages }

    struct Kept: Sendable {
        let ours: ItemState
        /// What others had made of it when the person was asked.
        let theirs: ContentName?
    }
}
