/// A change so large that a person is asked before it is carried out.
package struct SyncBrake: Hashable, Sendable {
    package enum Direction: UInt8, Hashable, Sendable, CaseIterable {
        /// From the log onto this disk.
        case arriving
        /// From this disk to the log, and so to all others.
        case leaving
    }

    /// From when on an engine asks.
    package struct Limits: Hashable, Sendable {
        /// More than so many items of a hundred.
        package var sharePercent = 50
        /// And at least so many items; a small folder is nobody's question.
        package var countMin = 20

        package init() {}

        package init(sharePercent: Int, countMin: Int) {
            (self.sharePercent, self.countMin) = (sharePercent, countMin)
        }

        /// Nobody is ever asked.
        package static let off = Limits(sharePercent: 100, countMin: .max)
    }

    /// What has been decided about a change.
    package enum Stage: UInt8, Hashable, Sendable {
        /// It waits for a person.
        case asked
        /// A person has decided; until disk and log are the same, nothing is asked again.
        case answered
        /// What goes this way now comes of what a person, or a hub that was put back, has wanted: nothing is asked either.
        case excused
    }

    package let direction: Direction
    /// So many items would be removed or have their contents replaced, and wait.
    package let waitingCount: Int
    /// So many more have been, before it was seen how many there would be.
    package let doneCount: Int
    /// Of so many there were.
    package let itemCount: Int
    /// How far the log had been read before the first of these: what it comes to there is how everything was.
    package let restorePoint: LogPosition
}

/// What an engine knows of large changes.
struct Braking: Sendable {
    var leaving = LossWindow()
    var arriving = LossWindow()
    var stages: [SyncBrake.Direction: SyncBrake.Stage] = [:]
    /// What a person has decided last, when it was over.
    var lastChange: LargeChange?
    /// What is asked, since this process has begun.
    var questions: [SyncBrake.Direction: Question] = [:]
    /// The ways of which a person has said that what waits is not to happen, until it is so.
    var isTakenBack: Set<SyncBrake.Direction> = []
    /// What is here and a person does not want: it is to be what the log has.
    var undone: [ItemID: ItemState] = [:]
    /// What is here without its contents, and a person wants it rather than what others have made of it.
    var kept: [ItemID: Kept] = [:]
    /// What a person wants back of a change that has gone on.
    var wantedBack: [ItemID: LargeChange.Former] = [:]
    /// Contents that came of a merge: nothing goes by them.
    var merged: [ItemID: ContentName] = [:]
    /// Contents that a person wants back, of items whose others were on their way: nothing goes by them, should the log have those.
    var restored: [ItemID: ContentName] = [:]
    /// What was told of `memory` last.
    var told = SyncMemory.Braking()
    var isLastChangeWritten = false

    struct Question: Sendable {
        /// By which it is asked.
        let limits: SyncBrake.Limits
        /// How much was lost, or about to be, when it was most.
        var lossCount: Int
    }

    struct Kept: Sendable {
        let ours: ItemState
        /// What others had made of it when the person was asked.
        let theirs: ContentName?
    }

    init() {}

    /// The log does not have any more what comes after a place.
    mutating func goBack(to position: LogPosition) {
        leaving.goBack(to: position)
        arriving.goBack(to: position)
        // What the change has come to is not known any more.
        if let change = lastChange, change.endPoint > position {
            (lastChange, isLastChangeWritten) = (nil, true)
        }
        wantedBack = [:]
    }

    subscript(direction: SyncBrake.Direction) -> LossWindow {
        get { direction == .leaving ? leaving : arriving }
        _modify { if direction == .leaving { yield &leaving } else { yield &arriving } }
    }
}
