extension CoordinationReport {
    /// The state of an arbiter, as of its `now`.
    ///
    /// - Parameter brokenCycles: What the caller has kept of them, the latest first.
    package init(of arbiter: AccessArbiter, _ labels: CoordinationLabels, brokenCycles: [BrokenCycle] = []) {
        let accesses = arbiter.accesses.values.sorted { $0.arrival < $1.arrival }
        let waits = arbiter.waits
        self.time = arbiter.now
        self.claims = accesses.filter { $0.stage == .running }.map { Claim($0, labels) }
        self.waits = accesses.filter { $0.stage != .running }.map { access in
            Wait(access, waits[access.request.id] ?? [], arbiter, labels)
        }
        self.presenters = Set(labels.presenters.keys).union(arbiter.presented.ids)
            .sorted { $0.precedes($1) }
            .map { Presenter($0, at: arbiter.presented[$0], labels) }
        self.brokenCycles = brokenCycles
    }
}

extension CoordinationReport.Claim {
    init(_ access: AccessArbiter.Access, _ labels: CoordinationLabels) {
        self.party = CoordinationReport.Party(access.request, labels)
        self.items = access.claims.map { CoordinationReport.Item($0) }
        self.isPreparation = access.request.isPreparation
        self.since = access.since
        self.insideOf = access.request.nestedIn.map(CoordinationReport.Party.text)
    }
}

extension CoordinationReport.Wait {
    init(
        _ access: AccessArbiter.Access,
        _ waits: [AccessWait],
        _ arbiter: AccessArbiter,
        _ labels: CoordinationLabels
    ) {
        self.party = CoordinationReport.Party(access.request, labels)
        self.items = access.claims.map { CoordinationReport.Item($0) }
        self.since = access.since
        self.waitsFor = waits.map { wait in
            switch wait {
            case .access(let id): .access(CoordinationReport.Party.text(id))
            case .presenter(let id, let message):
                .answer(
                    CoordinationReport.Presenter(id, at: arbiter.presented[id], labels),
                    message: message.selectorName
                )
            }
        }
        self.insideOf = access.request.nestedIn.map(CoordinationReport.Party.text)
    }
}

extension CoordinationReport.Presenter {
    init(_ id: PresenterID, at path: ItemPath?, _ labels: CoordinationLabels) {
        self.process = labels.processes[id.client]
        self.typeName = labels.presenters[id]?.typeName ?? "a presenter"
        self.path = path?.string
        self.since = labels.presenters[id]?.since
        self.registeredAt = labels.presenters[id]?.place
    }
}

extension CoordinationReport.Party {
    init(_ request: AccessRequest, _ labels: CoordinationLabels) {
        self.init(request.id, request.purpose, request.presenter, labels)
    }

    init(_ id: AccessID, _ purpose: Purpose, _ presenter: PresenterID?, _ labels: CoordinationLabels) {
        self.access = Self.text(id)
        self.process = labels.processes[id.client]
        let label = presenter.flatMap { labels.presenters[$0] }
        self.presenter = presenter.map { _ in label?.typeName ?? "a presenter" }
        self.registeredAt = label?.place
        self.registeredSince = label?.since
        self.purpose =
            switch purpose {
            case .coordinator(_, let number): "coordinator \(number)"
            case .presenter: "presenter"
            case .named(let name): name
            }
    }

    static func text(_ id: AccessID) -> String { "\(id.client.rawValue).\(id.number)" }
}

extension CoordinationReport.Item {
    init(_ claim: AccessClaim) {
        self.path = claim.item.string
        self.use =
            switch claim.use {
            case .reading: .read
            case .writing(.updating), .writing(.evicting): .write
            case .writing(.merging): .merge
            case .writing(.moving): .move
            case .writing(.deleting): .delete
            case .writing(.replacing): .replace
            }
    }
}

extension PresenterMessage {
    /// The method that handles the message.
    package var selectorName: String {
        switch self {
        case .relinquishToReader: "relinquishPresentedItem(toReader:)"
        case .relinquishToWriter: "relinquishPresentedItem(toWriter:)"
        case .saveChanges: "savePresentedItemChanges(completionHandler:)"
        case .accommodateItemDeletion: "accommodatePresentedItemDeletion(completionHandler:)"
        case .accommodateSubitemDeletion: "accommodatePresentedSubitemDeletion(at:completionHandler:)"
        case .accommodateItemEviction: "accommodatePresentedItemEviction(completionHandler:)"
        }
    }
}
