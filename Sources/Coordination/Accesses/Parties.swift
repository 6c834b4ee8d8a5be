/// Who speaks to the arbiter: a process, or whatever stands for one.
package struct ClientID: Hashable, Sendable {
    package let rawValue: UInt64

    package init(_ rawValue: UInt64) {
        self.rawValue = rawValue
    }
}

/// One access, named by the client that asks for it; never used twice.
package struct AccessID: Hashable, Sendable {
    package let client: ClientID
    package let number: UInt64

    package init(client: ClientID, number: UInt64) {
        self.client = client
        self.number = number
    }

    // Numbers alone tell most accesses apart.
    package func hash(into hasher: inout Hasher) {
        hasher.combine(number)
    }
}

/// One presenter, named by the client it lives in.
package struct PresenterID: Hashable, Sendable {
    package let client: ClientID
    package let number: UInt64

    package init(client: ClientID, number: UInt64) {
        self.client = client
        self.number = number
    }
}

extension PresenterID {
    /// The order in which presenters are asked.
    func precedes(_ other: PresenterID) -> Bool {
        client == other.client ? number < other.number : client.rawValue < other.client.rawValue
    }
}

/// What an access is part of.
///
/// Accesses of one purpose never wait for one another.
package enum Purpose: Hashable, Sendable {
    /// One coordinator's own.
    case coordinator(ClientID, UInt64)
    /// Whatever is done for one presenter.
    case presenter(PresenterID)
    /// A name that several agreed on, in any process.
    case named(String)
}

extension Purpose {
    /// That of moves by those who coordinate nothing, which any process may see and announce.
    package static let outsideChanges = Purpose.named("sheaf.outside-changes")
}

/// One message that awaits an answer; named by the arbiter and never used twice.
package struct Ticket: Hashable, Sendable {
    package let number: UInt64

    package init(number: UInt64) {
        self.number = number
    }
}

/// What a presenter is asked, and must answer before the access goes on.
package enum PresenterMessage: Hashable, Sendable {
    case relinquishToReader
    case relinquishToWriter
    case saveChanges
    case accommodateItemDeletion
    case accommodateSubitemDeletion(ItemPath)
    case accommodateItemEviction

    /// Whether the answer may bring something to run when the access is over.
    package var isRelinquishing: Bool { self == .relinquishToReader || self == .relinquishToWriter }

    /// Whether a presenter may have to write its item before it can answer.
    package var mayNeedWriting: Bool { !isRelinquishing }
}

/// What a presenter is told, without an answer.
package enum PresenterNotice: Hashable, Sendable {
    case itemDidChange
    case itemDidMove(to: ItemPath)
    case subitemDidAppear(ItemPath)
    case subitemDidChange(ItemPath)
    case subitemDidMove(from: ItemPath, to: ItemPath)

    /// Where the item is that the notice speaks of; nil for the presented item itself.
    var newPlace: ItemPath? {
        switch self {
        case .itemDidChange: nil
        case .itemDidMove(let place), .subitemDidAppear(let place), .subitemDidChange(let place),
            .subitemDidMove(_, let place):
            place
        }
    }
}

/// How a presenter answers.
package enum PresenterReply: Hashable, Sendable {
    /// It has stepped aside, and may have left something to run when the access is over.
    case relinquished(hasReacquirer: Bool)
    /// It has done what it was asked.
    case done
    /// It could not; the access ends.
    case failed
}
