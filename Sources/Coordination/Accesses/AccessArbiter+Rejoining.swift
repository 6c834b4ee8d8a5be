extension AccessArbiter {
    /// Takes over an access that another arbiter has granted and that runs still.
    ///
    /// Nobody is asked: that was done before it was granted. Accesses that were admitted meanwhile and do not run
    /// yet wait for it.
    ///
    /// - Returns: Whether it goes on; not if it conflicts with one that runs here.
    package mutating func reestablish(_ request: AccessRequest) -> Bool {
        precondition(accesses[request.id] == nil, "access \(request.id) is taken over a second time")
        arrivalCount += 1
        var access = Access(request, arrival: arrivalCount, since: now)
        let isRefused = admitted.contains { id in
            guard let other = accesses[id], other.stage == .running else { return false }
            return Self.conflict(access, other)
                && !request.isPreparation && !other.request.isPreparation
        }
        if isRefused { return false }
        // A cycle may close through it as through any other.
        if request.isInner { noteInner(&access.request) }
        admissionCount += 1
        access.stage = .running
        access.admission = admissionCount
        accesses[request.id] = access
        admitted.append(request.id)
        noteAhead(request.id)
        return true
    }

    /// Whether an access is waiting or running.
    package func knows(_ id: AccessID) -> Bool { accesses[id] != nil }

    /// Whether an access has been granted and is not over.
    package func isRunning(_ id: AccessID) -> Bool { accesses[id]?.stage == .running }

    /// Whether the items of an access are still where it was asked for.
    package func isWhereAsked(_ id: AccessID) -> Bool { accesses[id]?.isWhereAsked == true }

    /// Whether there is any presenter that could hear of what an access did.
    package var hasPresenters: Bool { !presented.isEmpty }

    /// From where tickets are counted, so that those of two arbiters are never mistaken for each other.
    package mutating func countTickets(from number: UInt64) {
        precondition(ticketCount == 0, "tickets have been given out already")
        ticketCount = number
    }
}
