extension AccessArbiter {
    /// Whether a running access writes an item, or something that holds it.
    ///
    /// - Parameter client: Whose accesses do not count.
    package func isBeingWritten(_ item: ItemPath, exceptBy client: ClientID? = nil) -> Bool {
        admitted.contains { id in
            guard id.client != client, let access = accesses[id], access.stage == .running,
                !access.request.isPreparation
            else {
                return false
            }
            return access.claims.contains { claim in
                claim.isWriting && ([claim.scope] + claim.laterScopes).contains { $0.holds(item) }
            }
        }
    }
}
