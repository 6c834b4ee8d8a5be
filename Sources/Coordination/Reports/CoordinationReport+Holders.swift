extension CoordinationReport {
    /// Whom an access waits for, a clause for each: "Color (process 72) reads it". None when it does not wait.
    package func holders(of access: AccessID) -> [String] {
        let name = Party.text(access)
        var clauses: [String] = []
        for clause in waits.first(where: { $0.party.access == name })?.waitsFor.map({
            holder($0) { "\($0.verb) it" }
        }) ?? []
        where !clauses.contains(clause) { clauses.append(clause) }
        return clauses
    }

    /// What a wait is for, in a clause.
    ///
    /// - Parameter deed: What is said of an access that runs, behind the name of who has it.
    package func holder(_ reason: Wait.Reason, deed: (Claim) -> String) -> String {
        switch reason {
        case .answer(let presenter, let message):
            return "\(presenter.description(at: time)) has not answered \(message)"
        case .access(let id):
            if let claim = claims.first(where: { $0.party.access == id }) {
                return "\(claim.party.name) \(deed(claim))"
            }
            let wait = waits.first { $0.party.access == id }
            return wait.map { "\($0.party.name) asked earlier" } ?? "another access has it"
        }
    }
}

extension CoordinationReport.Claim {
    /// What is done with its items: "reads".
    fileprivate var verb: String {
        if isPreparation { return "has reserved" }
        return items.allSatisfy { $0.use == .read } ? "reads" : "writes"
    }
}
