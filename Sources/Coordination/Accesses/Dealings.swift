/// What an access has to do with presenters.
struct Dealings: Sendable {
    /// What one presenter is asked for the access.
    struct Party: Sendable {
        let presenter: PresenterID
        /// In the order in which they are asked; the first `askedCount` have been.
        var messages: [PresenterMessage]
        var askedCount = 0
        /// Under which the last of them was asked, unless it has been answered.
        var ticket: Ticket?

        var asked: ArraySlice<PresenterMessage> { messages[..<askedCount] }
    }

    /// An announced move, to be told at the end.
    struct MoveNotice: Hashable, Sendable {
        let presenter: PresenterID
        let notice: PresenterNotice
    }

    /// One for each presenter, in the order of their ids.
    private(set) var parties: [Party] = []
    /// How many presenters have not answered what they were asked last.
    private(set) var unansweredCount = 0
    /// Answers that left something to run at the end.
    var reacquirers: [Ticket] = []
    /// Running accesses of the same purpose on whose messages this one relies.
    var reliances: Set<AccessID> = []
    var moveNotices: [MoveNotice] = []

    init() {}

    init(_ parties: [Party], relyingOn reliances: Set<AccessID>) {
        self.parties = parties
        self.reliances = reliances
    }

    /// Begins to ask; moves may have been announced before.
    ///
    /// - Parameter plan: Of which nothing has been asked yet.
    mutating func begin(_ plan: Dealings) { (parties, reliances) = (plan.parties, plan.reliances) }

    /// Where the presenter is among `parties`.
    func index(of presenter: PresenterID) -> Int? {
        let index = place(of: presenter)
        return index < parties.count && parties[index].presenter == presenter ? index : nil
    }

    /// What a presenter has been asked; nil for one that has nothing to do with the access.
    func asked(_ presenter: PresenterID) -> ArraySlice<PresenterMessage>? {
        index(of: presenter).map { parties[$0].asked }
    }

    /// Under which a presenter has been asked what it has not answered.
    func ticket(of presenter: PresenterID) -> Ticket? { index(of: presenter).flatMap { parties[$0].ticket } }

    var tickets: [Ticket] { parties.compactMap(\.ticket) }

    /// Asks a presenter its next question, if there is one.
    mutating func askNext(_ index: Int, _ ticket: Ticket) -> PresenterMessage? {
        guard parties[index].askedCount < parties[index].messages.count else { return nil }
        let message = parties[index].messages[parties[index].askedCount]
        parties[index].askedCount += 1
        parties[index].ticket = ticket
        unansweredCount += 1
        return message
    }

    /// A presenter has answered what it was asked last.
    ///
    /// - Returns: Where it is among `parties`.
    mutating func answered(_ presenter: PresenterID) -> Int? {
        guard let index = index(of: presenter) else { return nil }
        if parties[index].ticket != nil { unansweredCount -= 1 }
        parties[index].ticket = nil
        return index
    }

    /// A presenter is asked nothing any more.
    mutating func excuse(_ presenter: PresenterID) {
        guard let index = answered(presenter) else { return }
        parties[index].messages.removeSubrange(parties[index].askedCount...)
    }

    /// What another access has asked counts as asked by this one.
    mutating func takeOver(_ other: Dealings) {
        reacquirers += other.reacquirers
        for party in other.parties {
            let place = place(of: party.presenter)
            if place == parties.count || parties[place].presenter != party.presenter {
                parties.insert(Party(presenter: party.presenter, messages: []), at: place)
            }
            for message in party.asked where !parties[place].asked.contains(message) {
                parties[place].messages.insert(message, at: parties[place].askedCount)
                parties[place].askedCount += 1
            }
        }
    }

    /// Where the presenter is, or would be, among `parties`.
    private func place(of presenter: PresenterID) -> Int {
        var (low, high) = (0, parties.count)
        while low < high {
            let middle = (low + high) / 2
            if parties[middle].presenter.precedes(presenter) { low = middle + 1 } else { high = middle }
        }
        return low
    }
}
