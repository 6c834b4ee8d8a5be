/// Where a document stands between its edits, and which of those places is the one on disk.
///
/// Every edit makes a new place; undoing walks back to an earlier one, redoing forth again. A plain counter
/// would call a document clean that was saved, undone once and then edited differently: the count is back at
/// zero, but what was saved can no longer be reached. Here a place has an identity, and that one is gone.
///
/// 1. `places` is never empty and `position` is inside it.
/// 2. No identity is given to two contents; places next to each other that hold the same one have the same.
struct ChangeLine {
    /// The most places remembered. Older ones are forgotten from the far end: at worst a document that was
    /// undone that far counts as changed though it is not.
    static let placesMax = 10_000

    /// One state of the document's contents.
    struct Place: Hashable {
        fileprivate let identity: Int
    }

    private var places = [Place(identity: 0)]
    private var position = 0
    private var identitiesGiven = 1
    private var saved = Place(identity: 0)

    /// Where the document stands now.
    var current: Place { places[position] }

    /// Whether what is on disk is something else than what is in memory.
    var hasUnsavedChanges: Bool { current != saved }

    /// An edit that the undo manager knows: what could have been redone is gone.
    mutating func done() { step(to: newPlace()) }

    /// A step that the undo manager knows and that changes nothing of what is saved.
    mutating func stepped() { step(to: current) }

    private mutating func step(to place: Place) {
        places.removeSubrange((position + 1)...)
        places.append(place)
        position += 1
        forgetFarEnd()
    }

    /// One step back. Beyond the first known place lies one that was never seen.
    mutating func undone() {
        if position > 0 {
            position -= 1
        } else {
            places.insert(newPlace(), at: 0)
        }
    }

    /// One step forth again.
    mutating func redone() {
        if position + 1 == places.count { places.append(newPlace()) }
        position += 1
        forgetFarEnd()
    }

    /// A change that no undo takes back by itself: it stays, whatever is undone and redone around it, so that no
    /// step leads to a place as it was before.
    mutating func touched() {
        places = [newPlace()]
        position = 0
    }

    /// What the undo manager would undo and redo is other than it was: only where the document stands is known.
    mutating func lostSteps() {
        places = [current]
        position = 0
    }

    /// What is in memory counts as being on disk.
    mutating func cleared() {
        saved = current
    }

    /// A save that began at this place has ended well.
    mutating func saved(at place: Place) {
        saved = place
    }

    private mutating func newPlace() -> Place {
        defer { identitiesGiven += 1 }
        return Place(identity: identitiesGiven)
    }

    private mutating func forgetFarEnd() {
        guard places.count > Self.placesMax else { return }
        let excess = min(places.count - Self.placesMax, position)
        places.removeFirst(excess)
        position -= excess
    }
}
