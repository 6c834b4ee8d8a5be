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
