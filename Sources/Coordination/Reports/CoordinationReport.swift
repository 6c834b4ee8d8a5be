/// Who uses which item, who waits for whom, who presents what and which deadlocks were broken: the state of an
/// arbiter at one moment, for people and programs to read.
///
/// Times are seconds since 1970.
package struct CoordinationReport: Codable, Hashable, Sendable {
    /// Who wants something.
    package struct Party: Codable, Hashable, Sendable {
        /// Names the access in this report.
        package var access: String
        package var process: CoordinationLabels.Process?
        /// What the access is part of, in words.
        package var purpose: String
        /// The type of the presenter that it is done for.
        package var presenter: String?
        /// Where that was registered, if that is known.
        package var registeredAt: String?
        /// When that was registered, if that is known.
        package var registeredSince: Double?
    }

    /// An item, and how it is used or to be used.
    package struct Item: Codable, Hashable, Sendable {
        package enum Use: String, Codable, Hashable, Sendable {
            case read, write, merge, move, delete, replace
        }

        package var path: String
        package var use: Use
    }

    /// An access that runs.
    package struct Claim: Codable, Hashable, Sendable {
        package var party: Party
        package var items: [Item]
        /// Whether the items are only reserved, for accesses to come.
        package var isPreparation: Bool
        /// When it was granted.
        package var since: Double
        /// The access inside which it was asked for.
        package var insideOf: String?
    }

    /// An access that does not run yet.
    package struct Wait: Codable, Hashable, Sendable {
        /// One thing that is waited for: the end of an access, or a presenter's answer.
        package enum Reason: Codable, Hashable, Sendable {
            case access(String)
            case answer(Presenter, message: String)
        }

        package var party: Party
        package var items: [Item]
        /// When it was asked for.
        package var since: Double
        package var waitsFor: [Reason]
        /// The access inside which it was asked for.
        package var insideOf: String?
    }

    /// A registered presenter.
    package struct Presenter: Codable, Hashable, Sendable {
        package var process: CoordinationLabels.Process?
        package var typeName: String
        /// Nil while it presents nothing.
        package var path: String?
        /// When it was registered, if that is known.
        package var since: Double?
        /// Where it was registered, if that is known: "Scrapbook/Page.swift:31".
        package var registeredAt: String?
    }

    package var time: Double
    package var claims: [Claim]
    package var waits: [Wait]
    package var presenters: [Presenter]
    /// The last ones, the latest first.
    package var brokenCycles: [BrokenCycle]
}
