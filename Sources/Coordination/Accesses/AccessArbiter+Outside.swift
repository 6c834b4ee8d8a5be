extension AccessArbiter {
    /// Whether a running access writes an item, or something that holds it.
    package func isBeingWritten(_ item: ItemPath) -> Bool {
        admitted.contains { id in
            guard let access = accesses[id], access.stage == .running, !access.request.isPreparation else {
                return false
            }
            return access.claims.contains { claim in
                claim.isWriting && ([claim.scope] + claim.laterScopes).contains { $0.holds(item) }
            }
        }
    }
}
