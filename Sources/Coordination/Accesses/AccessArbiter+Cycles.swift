extension AccessArbiter {
    /// Notes a request made by a thread that others may wait for.
    ///
    /// An outer access that is gone, or another client's, is none.
    mutating func noteInner(_ request: inout AccessRequest) {
        if let outer = request.nestedIn, outer.client != request.id.client || accesses[outer] == nil {
            request.nestedIn = nil
        }
        if request.isInner { inner.append(request.id) }
    }

    /// Fails the youngest access of a cycle of waits; false when there is none.
    mutating func breakCycle() -> Bool {
        guard !inner.isEmpty, let cycle = findCycle() else { return false }
        fail(cycle.links[0].access, .deadlock(cycle))
        return true
    }

    /// Whom an access was asked for inside of, directly or not, up to the answer to a message.
    ///
    /// None of them can end before it has. Those outside of an answer are left out: an access made by an answer
    /// may ask the same presenter again.
    func outer(of access: Access) -> Set<AccessID> {
        var (found, next) = (Set<AccessID>(), access)
        while next.request.answering == nil, let id = next.request.nestedIn, let outer = accesses[id] {
            guard found.insert(id).inserted else { break }
            next = outer
        }
        return found
    }

    /// A shortest cycle of waits, if there is any.
    ///
    /// Without threads that wait inside something, accesses wait only for earlier ones, so every cycle goes
    /// through an inner access that does not run.
    private func findCycle() -> WaitCycle? {
        for start in inner where accesses[start].map({ $0.stage != .running }) == true {
            var (reached, next): ([AccessID: Step], Int) = ([:], 0)
            var open = [start]
            while next < open.count {
                let id = open[next]
                next += 1
                for (other, reason) in certainWaits(of: id) {
                    guard reached[other] == nil else { continue }
                    reached[other] = Step(from: id, reason: reason)
                    if other == start { return cycle(through: start, reached) }
                    open.append(other)
                }
            }
        }
        return nil
    }

    /// Who is known not to let an access end before it has itself ended, and why.
    private func certainWaits(of id: AccessID) -> [(AccessID, WaitCycle.Reason)] {
        guard let access = accesses[id] else { return [] }
        let rivals: [AccessID] =
            switch access.stage {
            case .waiting: access.blockers
            case .asking, .ready: rivals(of: access)
            case .running: []
            }
        let waits = rivals.map { ($0, WaitCycle.Reason.item(contested(by: access, $0))) }
        let innerWaits = inner.compactMap { innerID -> (AccessID, WaitCycle.Reason)? in
            guard let request = accesses[innerID]?.request else { return nil }
            if let question = question(answeredAfter: request), question.access == id {
                return (innerID, .answer(question.presenter, question.message))
            }
            return request.nestedIn == id ? (innerID, .inner) : nil
        }
        return waits + innerWaits
    }

    /// The question, not yet answered, whose answering thread waits for an access.
    private func question(answeredAfter request: AccessRequest) -> Question? {
        guard let question = request.answering.flatMap({ questions[$0] }) else { return nil }
        return question.presenter.client == request.id.client ? question : nil
    }

    /// The first item of an access that another keeps it from.
    private func contested(by access: Access, _ id: AccessID) -> ItemPath {
        let claim = access.claims.first { claim in
            accesses[id]?.claims.contains { claim.conflicts(with: $0) } == true
        }
        return (claim ?? access.claims[0]).item
    }

    /// How the search came to an access.
    private struct Step {
        let from: AccessID
        let reason: WaitCycle.Reason
    }

    private func cycle(through start: AccessID, _ reached: [AccessID: Step]) -> WaitCycle? {
        var (links, id): ([WaitCycle.Link], AccessID) = ([], start)
        repeat {
            guard let step = reached[id], let access = accesses[step.from] else { return nil }
            links.insert(link(access, step.reason), at: 0)
            id = step.from
        } while id != start
        let failing = links.indices.filter { !links[$0].isRunning }
            .max { arrival(of: links[$0]) < arrival(of: links[$1]) }
        guard let failing else { return nil }
        return WaitCycle(links: Array(links[failing...] + links[..<failing]))
    }

    private func arrival(of link: WaitCycle.Link) -> UInt64 { accesses[link.access]?.arrival ?? 0 }

    private func link(_ access: Access, _ reason: WaitCycle.Reason) -> WaitCycle.Link {
        WaitCycle.Link(
            access: access.request.id,
            purpose: access.request.purpose,
            presenter: access.request.presenter,
            claims: access.claims,
            isRunning: access.stage == .running,
            since: access.since,
            reason: reason
        )
    }
}
