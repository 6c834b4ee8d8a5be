internal import Dispatch
internal import DocumentFoundation
internal import FileSystem
internal import Sync
internal import SyncMessages
internal import Vault

// Contents that leave this device.
extension SyncRun {
    /// So long the items of one eviction wait for others to make way, all together: whoever evicts waits for it.
    private static let patienceSeconds = 5.0

    /// Has the contents of an item, or of all in a folder, leave this device; what was asked for and is not here does not come.
    ///
    /// - Throws: `SyncRefusal` for the first that has to stay, or comes all the same; what else can go is gone.
    func evict(_ path: String) throws {
        try lookAround(path)
        let items = try documents(at: path)
        let isOne =
            items.count == 1
            && table[items[0]].map { self.path(of: items[0]) == path && !$0.isDataless } ?? false
        var evicted: Set<ItemID> = []
        let (withdrawn, awaited) = withdrawRequests(for: items.filter { table[$0]?.isDataless != false })
        var refusal = awaited
        let deadline = DispatchTime.now() + Self.patienceSeconds
        for item in items where table[item]?.isDataless == false {
            // A link has no contents to speak of.
            if table[item]?.trace.kind == .symbolicLink, !isOne { continue }
            // Nor is an app's store ever without its values.
            if table[item]?.state.place.name.hasSuffix(KeyValueSettings.fileSuffix) == true, !isOne {
                continue
            }
            do {
                try checkThatContentsMayGo(item)
                switch try placer.access.waiting(
                    until: deadline,
                    { try placer.evict(item, in: table, saysWho: refusal == nil) }
                ) {
                case .done(let placeholder):
                    watches?.end(item)
                    handOnMark(of: item, from: table[item], to: nil)
                    table[item] = placeholder
                    evicted.insert(item)
                case .another(let why):
                    // It may look as it did when it was read.
                    if isWritable(item) { written.insert(item) }
                    dirtyFolders.insert(table[item]?.state.place.parent ?? .root)
                    lookSoon()
                    throw SyncRefusal(.inUse, "“\(self.path(of: item))” stays here: \(why). Try again.")
                }
            } catch let error as SyncRefusal {
                refusal = refusal ?? error
            } catch {
                refusal = refusal ?? SyncRefusal(.failed, "“\(self.path(of: item))” stays here: \(error)")
            }
        }
        if !evicted.isEmpty || !withdrawn.isEmpty {
            note(isForgetting: true)
            take([.evicted(evicted)])
            forget(.evicted(evicted.union(withdrawn)))
        }
        if let refusal { throw refusal }
    }

    /// Has contents not come that were asked for and are not here.
    ///
    /// - Returns: Those that do not, and why the first of the others comes all the same.
    private func withdrawRequests(for items: [ItemID]) -> (withdrawn: Set<ItemID>, refusal: SyncRefusal?) {
        let asked = items.filter { downloads[$0] != nil }
        let withdrawn = Set(asked.filter { downloads[$0]?.waiters.isEmpty == true })
        do { try memory.remember(requests: withdrawn, areOpen: false) } catch {
            let why = "What is asked for cannot be written down: \(DiskRefusal(error))"
            return ([], SyncRefusal(.failed, why))
        }
        for item in withdrawn {
            downloads[item] = nil
            if case .filling = awaited[item]?.step { endWaiting(item) }
        }
        news.formUnion(withdrawn)
        guard let awaited = asked.first(where: { downloads[$0] != nil }) else { return (withdrawn, nil) }
        let why = "“\(path(of: awaited))” is coming: somebody waits for it. Try again when it is here."
        return (withdrawn, SyncRefusal(.busy, why))
    }

    /// That nothing is lost when an item's contents go.
    private func checkThatContentsMayGo(_ item: ItemID) throws {
        let name = "“\(path(of: item))”"
        // It would not come back.
        guard !isStopped else {
            throw SyncRefusal(
                .unreachable,
                "\(name) stays here, as nothing comes from the hub: \(lineReason)"
            )
        }
        guard let known = table[item], let content = known.state.content else {
            throw SyncRefusal(.busy, "\(name) has not been read yet. Try again.")
        }
        guard known.trace.kind == .regular || known.trace.kind == .directory else {
            throw SyncRefusal(.failed, "\(name) is a link, which has no contents to free.")
        }
        guard !known.state.place.name.hasSuffix(KeyValueSettings.fileSuffix) else {
            throw SyncRefusal(.failed, "\(name) is an app's key-value store, which stays here.")
        }
        guard !isExcluded(item) else {
            throw SyncRefusal(.notUploaded, "\(name) is excluded from sync: it is nowhere else.")
        }
        guard known.state.conflicts.isEmpty else {
            throw SyncRefusal(.busy, "\(name) has versions in conflict. Settle the conflict first.")
        }
        if let refusal = lateRefusal(of: item, named: name) { throw refusal }
        guard isLookedAt(item), engine.change(of: item) == .none, engine.tree[item]?.content == content,
            engine.reasons(for: item).isEmpty
        else {
            throw SyncRefusal(
                .notUploaded,
                "\(name) is not at the hub as it is here, so it stays. See: sheaf explain"
            )
        }
        guard paused[item] == nil else {
            throw SyncRefusal(.busy, "\(name) is paused. Resume it first: sheaf resume")
        }
        guard downloads[item] == nil else {
            throw SyncRefusal(.busy, "\(name) is being downloaded. Try again when it has come.")
        }
    }

    /// Whether what is known of an item is what is there, as far as anything has told of it.
    func isLookedAt(_ item: ItemID) -> Bool {
        let folder = table[item]?.state.place.parent
        return unkept[item] == nil && unread[item] == nil && !dirtyPackages.contains(item)
            && !missing.contains(item) && writing.waiting[item] == nil && !written.contains(item)
            && folder.map { !dirtyFolders.contains($0) && unlisted[$0] == nil } ?? true
    }
}
