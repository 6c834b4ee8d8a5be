extension AccessArbiter {
    /// What every access that does not run waits for.
    package var waits: [AccessID: [AccessWait]] {
        var waits: [AccessID: [AccessWait]] = [:]
        for (id, access) in accesses {
            switch access.stage {
            case .waiting: waits[id] = access.blockers.map { .access($0) }
            case .asking:
                waits[id] = access.dealings.tickets.compactMap { questions[$0] }
                    .map { .presenter($0.presenter, $0.message) }
            case .ready: waits[id] = rivals(of: access).map { .access($0) }
            case .running: break
            }
        }
        return waits
    }

    /// The running accesses that one which does not run waits for directly, of other clients.
    package func runningAccesses(awaitedBy id: AccessID) -> [AccessID] {
        guard let access = accesses[id] else { return [] }
        let awaited: [AccessID] =
            switch access.stage {
            case .waiting: access.blockers
            case .asking, .ready: rivals(of: access)
            case .running: []
            }
        return awaited.filter { $0.client != id.client && accesses[$0]?.stage == .running }
    }

    /// Whether any access waits directly for a running one of another client.
    package func isAwaited(_ id: AccessID) -> Bool {
        guard !queue.isEmpty || admitted.count > 1 else { return false }
        return (queue + admitted).contains { runningAccesses(awaitedBy: $0).contains(id) }
    }

    /// Admits and starts whatever can be, and fails what never could.
    ///
    /// Called after every event.
    mutating func settle() {
        repeat { while admitNext() || startNext() {} } while breakCycle()
    }

    /// Runs an access that nothing stands in the way of and no presenter is asked about: most are such.
    ///
    /// `settle` would do the same in more steps.
    mutating func startAtOnce(_ request: AccessRequest) -> Effect? {
        guard queue.isEmpty, !concernsPresenters(request) else { return nil }
        var access = Access(request, arrival: arrivalCount, since: now)
        for id in admitted {
            if let other = accesses[id], Self.conflict(access, other) { return nil }
        }
        admissionCount += 1
        access.stage = .running
        access.admission = admissionCount
        accesses[request.id] = access
        admitted.append(request.id)
        return .grant(request.id, request.claims.map(\.item))
    }

    private mutating func admitNext() -> Bool {
        guard let first = queue.first else { return false }
        if admitted.isEmpty {
            queue.removeFirst()
            admit(first)
            return true
        }
        var ahead = admitted.compactMap { accesses[$0] }
        for position in queue.indices {
            let id = queue[position]
            guard let access = accesses[id] else { continue }
            let blockers = blockers(of: access, among: ahead)
            if blockers.isEmpty {
                queue.remove(at: position)
                admit(id)
                return true
            }
            if access.blockers != blockers { accesses[id]?.blockers = blockers }
            ahead.append(access)
        }
        return false
    }

    private mutating func admit(_ id: AccessID) {
        guard let place = accesses.place(of: id) else { return }
        admissionCount += 1
        accesses[at: place].stage = .asking
        accesses[at: place].admission = admissionCount
        accesses[at: place].blockers = []
        let access = accesses[at: place]
        let dealings = dealings(for: access)
        admitted.append(id)
        guard let dealings else { return }
        accesses[at: place].dealings.begin(dealings)
        for party in dealings.parties.indices { ask(party, place) }
    }

    private mutating func startNext() -> Bool {
        var hasChanged = false
        for id in admitted {
            guard let place = accesses.place(of: id) else { continue }
            switch accesses[at: place].stage {
            case .asking where accesses[at: place].isAnswered: accesses[at: place].stage = .ready
            case .ready: break
            case .waiting, .asking, .running: continue
            }
            guard admitted.count == 1 || rivals(of: accesses[at: place]).isEmpty else { continue }
            accesses[at: place].stage = .running
            accesses[at: place].since = now
            effects.append(.grant(id, accesses[at: place].claims.map(\.item)))
            hasChanged = true
        }
        return hasChanged
    }

    /// Whether code uses the items now; a preparation only reserves them.
    static func isInUse(_ access: Access) -> Bool {
        access.stage == .running && !access.request.isPreparation
    }

    /// Those admitted that an admitted access conflicts with and that run already or were admitted later.
    func rivals(of access: Access) -> [AccessID] {
        guard admitted.count > 1 else { return [] }
        return admitted.filter { id in
            guard let other = accesses[id] else { return false }
            let goesFirst = Self.isInUse(other) || other.admission > access.admission
            return goesFirst && Self.conflict(access, other)
        }
    }

    private func blockers(of access: Access, among ahead: [Access]) -> [AccessID] {
        let rivals = ahead.filter { Self.conflict(access, $0) }
        guard !rivals.isEmpty, mayPass(access, ahead) else { return rivals.map(\.request.id) }
        return rivals.filter { Self.isInUse($0) || !isAwaited(access, by: $0) }.map(\.request.id)
    }

    /// Whether there is any reason for which an access could pass others; asking is cheaper than `isAwaited`.
    private func mayPass(_ access: Access, _ ahead: [Access]) -> Bool {
        access.request.nestedIn != nil || answersRequest(access)
            || ahead.contains { $0.stage != .waiting && $0.request.purpose == access.request.purpose }
    }

    static func conflict(_ first: Access, _ second: Access) -> Bool {
        guard first.request.purpose != second.request.purpose else { return false }
        return first.claims.contains { claim in second.claims.contains { claim.conflicts(with: $0) } }
    }

    /// Whether the access is done for a presenter that has been asked to save, or to let its item go, and has not
    /// answered yet: it may have to write before it can.
    private func answersRequest(_ access: Access) -> Bool {
        guard let presenter = access.request.presenter else { return false }
        return questions.values.contains { $0.presenter == presenter && $0.message.mayNeedWriting }
    }

    /// Whether `other` cannot go on before `access` has, so that waiting for it would be for ever.
    private func isAwaited(_ access: Access, by other: Access) -> Bool {
        let presenter = answersRequest(access) ? access.request.presenter : nil
        let outer = outer(of: access)
        var seen: Set<AccessID> = [other.request.id]
        var open = [other]
        while let next = open.popLast() {
            if next.stage != .waiting, next.request.purpose == access.request.purpose { return true }
            if let presenter, next.dealings.ticket(of: presenter) != nil { return true }
            if outer.contains(next.request.id) { return true }
            for id in successors(of: next) where seen.insert(id).inserted {
                if let found = accesses[id] { open.append(found) }
            }
        }
        return false
    }

    /// Whom an access waits for, directly or through a presenter or code that itself waits.
    private func successors(of access: Access) -> [AccessID] {
        switch access.stage {
        case .waiting: access.blockers
        case .asking:
            rivals(of: access)
                + accesses.keys.filter { id in
                    guard let presenter = accesses[id]?.request.presenter else { return false }
                    return access.dealings.ticket(of: presenter) != nil
                }
        case .ready: rivals(of: access)
        case .running:
            accesses.keys.filter { id in
                guard let other = accesses[id], other.stage != .running else { return false }
                return other.request.purpose == access.request.purpose
            }
        }
    }
}
