/// One thing that is wrong in a story. What it says differs from one telling to the next; what kind of thing it is does not.
struct StoryFault: Hashable, Sendable {
    enum Kind: Hashable, Sendable, CaseIterable {
        /// An edit that was acknowledged is nowhere.
        case lost
        /// Devices differ from the hub.
        case differs
        /// What was removed is there again.
        case returned
        /// An edit is there more than once.
        case doubled
        /// Something is there that nobody has made.
        case strange
        /// Something is elsewhere than where it was put.
        case elsewhere
        /// A conflict that nobody has made.
        case needless
        /// They show other conflicts than the hub knows of.
        case conflict
        /// A package is half.
        case half
        /// What explain says of an item is wrong, or nothing.
        case explain
        /// Devices do not come to rest.
        case restless
        /// Something could not be done that has to be possible.
        case other

        /// How grave it is: the less, the graver. What is lost weighs more than what is half, that more than devices that
        /// disagree, and that more than what nobody explains.
        var rank: Int {
            switch self {
            case .lost: 0
            case .half: 1
            case .differs, .conflict: 2
            case .explain: 3
            case .returned, .doubled, .strange, .elsewhere, .needless, .restless, .other: 4
            }
        }

        /// Those of some kinds than which none of them is graver.
        static func gravest(of kinds: Set<Kind>) -> Set<Kind> {
            let rank = kinds.map(\.rank).min()
            return kinds.filter { $0.rank == rank }
        }
    }

    let kind: Kind
    /// For a person.
    let text: String

    init(_ kind: Kind, _ text: String) { (self.kind, self.text) = (kind, text) }

    /// What an error says. A world's seed is nothing by which a story could be told again: the story is.
    init(_ error: any Error) {
        if let failure = error as? WorldFailure {
            self.init(.restless, failure.reasons)
        } else {
            self.init(.other, "\(error)")
        }
    }
}
