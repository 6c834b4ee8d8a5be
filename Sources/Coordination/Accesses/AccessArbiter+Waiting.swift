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

    /// Admits the first that waits for nobody.
    private mutating func admitNext() -> Bool {
        guard !queue.isEmpty else { return false }
        let purposes = Set(admitted.compactMap { accesses[$0]?.request.purpose })
        for position in queue.indices {
            guard let place = accesses.place(of: queue[position]) else { continue }
            if !accesses[at: place].predecessors.isEmpty {
                let impassable =
                    mayPass(accesses[at: place], purposes) ? impassable(for: accesses[at: place]) : nil
                if accesses[at: place].impassable != impassable {
                    accesses[at: place].impassable = impassable
                }
                if !accesses[at: place].blockers.isEmpty { continue }
            }
            admit(queue.remove(at: position))
            return true
        }
        return false
    }

    private mutating func admit(_ id: AccessID) {
        guard let place = accesses.place(of: id) else { return }
        admissionCount += 1
        accesses[at: place].stage = .asking
        accesses[at: place].admission = admissionCount
        if !accesses[at: place].predecessors.isEmpty {
            accesses[at: place].predecessors = []
            accesses[at: place].impassable = nil
            noteAhead(id)
        }
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

    /// Whom an access cannot pass by of those that it comes after.
    private func impassable(for access: Access) -> [AccessID] {
        access.predecessors.filter { id in
            guard let other = accesses[id] else { return false }
            return Self.isInUse(other) || !isAwaited(access, by: other)
        }
    }

    /// Whether there is any reason for which an access could pass others; asking is cheaper than `isAwaited`.
    ///
    /// - Parameter purposes: Those of the admitted accesses.
    private func mayPass(_ access: Access, _ purposes: Set<Purpose>) -> Bool {
        access.request.nestedIn != nil || purposes.contains(access.request.purpose) || answersRequest(access)
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
