internal import Sync

// A look at everything, for those who ask whether all is in step.
extension SyncRun {
    /// Whether nothing is left to do, after a look at everything.
    var isInStepNow: Bool { lookNow().isInStep }

    /// Looks at everything, whatever has told of it.
    func lookNow() -> ContainerSync.Look {
        guard !isStopped else { return ContainerSync.Look(isInStep: false, heardCount: heardCount) }
        // What is looked at again by itself, or cannot be watched, is nothing that only this look finds.
        let isTold =
            !dirtyFolders.isEmpty || !dirtyPackages.isEmpty || isLookDue || !missing.isEmpty
            || !amidSaves.isEmpty || !unread.isEmpty || !writing.isEmpty || !unlisted.isEmpty
            || !unkept.isEmpty || !unwatched.isEmpty
        let former = table
        var hasFound = false
        dirtyFolders.formUnion(table.folders)
        attempt("the folder cannot be looked at") { hasFound = try lookAtDirty() }
        var untold = hasFound && !isTold ? whatIsOther(than: former) : []
        // That somebody has settled one is told a moment later.
        untold += lookAtShownConflicts().map { "a conflict of “\(path(of: $0))” is settled" }
        return ContainerSync.Look(isInStep: isSettled, untold: untold, heardCount: heardCount)
    }

    private func whatIsOther(than former: FolderTable) -> [String] {
        let items = Set(table.items.keys).union(former.items.keys).union(missing.items).sorted()
        return items.compactMap { item in
            guard let now = table[item], !missing.contains(item) else {
                return "“\(path(of: item))” has gone"
            }
            guard let before = former[item] else { return "“\(path(of: item))” is new" }
            let isSame = before.state == now.state && before.isDataless == now.isDataless
            return isSame ? nil : "“\(path(of: item))” has changed"
        }
    }

    /// - Returns: Of which items some are settled, and nothing has told of it.
    private func lookAtShownConflicts() -> [ItemID] {
        guard !conflicts.shown.isEmpty else { return [] }
        let isTold = conflicts.isLookDue || conflicts.watch == nil
        let former = conflicts.shown
        followConflicts()
        return isTold ? [] : former.keys.filter { conflicts.shown[$0] != former[$0] }.sorted()
    }
}

extension ContainerSync {
    /// What a look at the whole folder has come to.
    package struct Look: Sendable {
        /// Whether all is in step.
        package var isInStep: Bool
        /// What was otherwise than it was, and neither the folder's watches nor those of conflicts had told of.
        package var untold: [String] = []
        /// How often they had told anything until then.
        package var heardCount: Int
    }
}
