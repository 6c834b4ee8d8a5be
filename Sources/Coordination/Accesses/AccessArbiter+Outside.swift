extension AccessArbiter {
    /// Whether a running access writes an item, or something that holds it.
    ///
    /// - Parameter client: Whose accesses do not count.
    package func isBeingWritten(_ item: ItemPath, exceptBy client: ClientID? = nil) -> Bool {
        admitted.contains { $0.client != client && isWriting($0, item) }
    }

    /// The running accesses of other clients that write an item.
    package func runningAccesses(writing item: ItemPath, exceptBy client: ClientID) -> [AccessID] {
        admitted.filter { $0.client != client && isWriting($0, item) }
    }

    private func isWriting(_ id: AccessID, _ item: ItemPath) -> Bool {
        guard let access = accesses[id], access.stage == .running, !access.request.isPreparation else {
            return false
        }
        return access.claims.contains { claim in
            claim.isWriting && claim.scopes.contains { $0.holds(item) }
        }
    }
}
