/// What happens in a client that the arbiter has to know.
package enum ArbiterEvent: Hashable, Sendable {
    /// An access wants to run.
    case requested(AccessRequest)
    /// An access that another arbiter granted runs still.
    case held(AccessRequest)
    /// A granted access is over.
    case ended(AccessID, [WriteOutcome])
    /// An access is no longer wanted.
    case cancelled(AccessID)
    /// The registration is nil where a client of version 1 says it.
    case presenterAdded(PresenterID, at: ItemPath?, typeName: String, PresenterRegistration? = nil)
    case presenterMoved(PresenterID, to: ItemPath?)
    case presenterRemoved(PresenterID)
    /// A presenter has answered; with the error if it failed.
    case replied(Ticket, PresenterReply, ErrorFacts?)
    case itemMoved(ItemMove)
    /// Attributes of an item in the cloud have changed.
    case attributesChanged(ItemPath, [String], except: PresenterID?)
    /// A presenter stepped aside for an access when another arbiter asked it, and left something to run at the
    /// end.
    case steppedAside(PresenterID, for: AccessID, Ticket)
}

/// A move that someone announces.
package struct ItemMove: Hashable, Sendable {
    package let source: ItemPath
    package let target: ItemPath
    /// The packages that hold what is inside `target`.
    package let packages: [ItemPath]
    package let purpose: Purpose
    /// The presenter it is done for, which is not told.
    package let presenter: PresenterID?

    package init(
        from source: ItemPath,
        to target: ItemPath,
        inside packages: [ItemPath],
        purpose: Purpose,
        presenter: PresenterID?
    ) {
        self.source = source
        self.target = target
        self.packages = packages
        self.purpose = purpose
        self.presenter = presenter
    }
}

/// An error as another process can know it.
package struct ErrorFacts: Hashable, Sendable {
    package let domain: String
    package let code: Int64
    /// For people, in their language.
    package let text: String

    package init(domain: String, code: Int64, text: String) {
        self.domain = domain
        self.code = code
        self.text = text
    }
}

extension AccessArbiter {
    /// Takes one event of a client that keeps the rules.
    ///
    /// Attributes are not the arbiter's matter, nor is what another arbiter left unfinished: these events change
    /// nothing here.
    package mutating func take(_ event: ArbiterEvent) -> [Effect] {
        switch event {
        case .requested(let request): return self.request(request)
        case .held(let request):
            _ = reestablish(request)
            return []
        case .ended(let id, let outcomes): return ended(id, outcomes: outcomes)
        case .cancelled(let id): return cancelled(id)
        case .presenterAdded(let id, let path, _, _):
            presenterAdded(id, at: path)
            return []
        case .presenterMoved(let id, let path):
            presenterMoved(id, to: path)
            return []
        case .presenterRemoved(let id): return presenterRemoved(id)
        case .replied(let ticket, let reply, _): return presenterReplied(ticket, reply)
        case .itemMoved(let move):
            return itemMoved(
                from: move.source,
                to: move.target,
                inside: move.packages,
                purpose: move.purpose,
                presenter: move.presenter
            )
        case .attributesChanged, .steppedAside: return []
        }
    }
}
