import Coordination

/// An arbiter spoken to in short words, and its effects as text.
struct ArbiterScript {
    private(set) var arbiter = AccessArbiter()
    private var names: [AccessID: String] = [:]
    private var tickets: [String: Ticket] = [:]
    private var ticketNames: [Ticket: String] = [:]

    static let client = ClientID(1)

    /// Items inside "x.pkg" are inside a package.
    static func claim(_ path: String, _ use: AccessClaim.Use) -> AccessClaim {
        guard let item = ItemPath(path) else { preconditionFailure("\(path) is not absolute") }
        return AccessClaim(item, inside: item.ancestors.filter { $0.string.hasSuffix(".pkg") }, use: use)
    }

    static func presenter(_ name: Character) -> PresenterID {
        PresenterID(client: client, number: UInt64(name.asciiValue ?? 0))
    }

    private func id(_ name: String) -> AccessID {
        AccessID(client: Self.client, number: name.utf8.reduce(0) { $0 * 256 + UInt64($1) })
    }

    mutating func present(_ name: Character, _ path: String?) {
        arbiter.presenterAdded(Self.presenter(name), at: path.flatMap { ItemPath($0) })
    }

    /// Requests; the purpose is the access's own, or the presenter's it is for, or the one named.
    mutating func request(
        _ name: String,
        _ claims: AccessClaim...,
        for presenter: Character? = nil,
        purpose: String? = nil,
        isPreparation: Bool = false,
        in outer: String? = nil,
        answering message: String? = nil
    ) -> [String] {
        names[id(name)] = name
        let owner = presenter.map(Self.presenter)
        return told(
            arbiter.request(
                AccessRequest(
                    id: id(name),
                    purpose: purpose.map { .named($0) } ?? owner.map { .presenter($0) } ?? .named(name),
                    presenter: owner,
                    claims: claims,
                    isPreparation: isPreparation,
                    nestedIn: outer.map { self.id($0) },
                    answering: message.flatMap { tickets[$0] }
                )
            )
        )
    }

    /// Says that an access runs still that another arbiter has granted.
    mutating func hold(_ name: String, _ claims: AccessClaim..., in outer: String? = nil) -> Bool {
        names[id(name)] = name
        return arbiter.reestablish(
            AccessRequest(
                id: id(name),
                purpose: .named(name),
                claims: claims,
                nestedIn: outer.map { self.id($0) }
            )
        )
    }

    mutating func read(_ name: String, _ path: String, for presenter: Character? = nil) -> [String] {
        request(name, Self.claim(path, .reading(savesFirst: true)), for: presenter)
    }

    mutating func write(
        _ name: String,
        _ path: String,
        _ writing: AccessClaim.Writing = .updating,
        for presenter: Character? = nil
    ) -> [String] {
        request(name, Self.claim(path, .writing(writing)), for: presenter)
    }

    mutating func end(_ name: String, _ outcomes: WriteOutcome...) -> [String] {
        told(arbiter.ended(id(name), outcomes: outcomes))
    }

    mutating func cancel(_ name: String) -> [String] { told(arbiter.cancelled(id(name))) }

    /// Answers a message, named as in the effect: "p toReader for r".
    mutating func reply(_ message: String, _ reply: PresenterReply = .done) -> [String] {
        tickets[message].map { told(arbiter.presenterReplied($0, reply)) } ?? ["no message \(message)"]
    }

    mutating func expire(_ message: String) -> [String] {
        tickets[message].map { told(arbiter.timeLimitPassed($0)) } ?? ["no message \(message)"]
    }

    mutating func withdraw(_ name: Character) -> [String] {
        told(arbiter.presenterRemoved(Self.presenter(name)))
    }

    mutating func move(_ source: String, _ target: String, by purpose: String) -> [String] {
        guard let source = ItemPath(source), let target = ItemPath(target) else { return ["no path"] }
        let packages = [target] + Array(target.ancestors)
        return told(
            arbiter.itemMoved(
                from: source,
                to: target,
                inside: packages.filter { $0.string.hasSuffix(".pkg") },
                purpose: .named(purpose)
            )
        )
    }

    /// Tells the time.
    mutating func pass(to now: Double) { arbiter.now = now }

    mutating func loseClient() -> [String] { told(arbiter.clientGone(Self.client)) }

    /// What one access waits for.
    func waits(_ name: String) -> [String] {
        (arbiter.waits[id(name)] ?? []).map {
            switch $0 {
            case .access(let id): names[id] ?? "?"
            case .presenter(let presenter, let message): "\(Self.text(presenter)) \(Self.text(message))"
            }
        }
    }

    private mutating func told(_ effects: [AccessArbiter.Effect]) -> [String] {
        effects.map { effect in
            switch effect {
            case .send(let message, let presenter, let access, let ticket):
                var text = "\(Self.text(presenter)) \(Self.text(message))"
                if tickets[text] != nil, let name = names[access] { text += " for \(name)" }
                tickets[text] = ticket
                ticketNames[ticket] = text
                return text
            case .notify(let presenter, let notice): return "\(Self.text(presenter)) \(Self.text(notice))"
            case .grant(let id, let items):
                return "grant \(names[id] ?? "?") \(items.map(\.string).joined(separator: " "))"
            case .fail(let id, let failure): return "fail \(names[id] ?? "?") \(text(failure))"
            case .reacquire(let ticket): return "reacquire \(ticketNames[ticket] ?? "?")"
            }
        }
    }

    private static func text(_ presenter: PresenterID) -> String {
        String(UnicodeScalar(UInt8(presenter.number)))
    }

    private func text(_ failure: AccessFailure) -> String {
        switch failure {
        case .cancelled: "cancelled"
        case .presenterFailed(let presenter, _): "refused by \(Self.text(presenter))"
        case .presenterTimedOut(let presenter, let message):
            "late: \(Self.text(presenter)) \(Self.text(message))"
        case .deadlock(let cycle):
            "deadlock: "
                + cycle.links.map { link in
                    let reason =
                        switch link.reason {
                        case .item(let item): "for \(item)"
                        case .inner: "inside"
                        case .answer(let presenter, let message):
                            "for \(Self.text(presenter)) \(Self.text(message))"
                        }
                    return "\(names[link.access] ?? "?") \(reason)"
                }.joined(separator: ", ")
        }
    }

    private static func text(_ message: PresenterMessage) -> String {
        switch message {
        case .relinquishToReader: "toReader"
        case .relinquishToWriter: "toWriter"
        case .saveChanges: "save"
        case .accommodateItemDeletion: "deletion"
        case .accommodateSubitemDeletion(let item): "deletion of \(item)"
        case .accommodateItemEviction: "eviction"
        }
    }

    private static func text(_ notice: PresenterNotice) -> String {
        switch notice {
        case .itemDidChange: "changed"
        case .itemDidMove(let target): "moved to \(target)"
        case .subitemDidAppear(let item): "appeared \(item)"
        case .subitemDidChange(let item): "changed \(item)"
        case .subitemDidMove(let source, let target): "moved \(source) to \(target)"
        }
    }
}
