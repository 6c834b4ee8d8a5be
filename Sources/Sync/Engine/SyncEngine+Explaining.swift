extension SyncEngine {
    /// Why an item is not the same here and in the log.
    package enum Reason: Hashable, Sendable {
        /// Its contents are to be at the hub first.
        case sending(ContentName)
        /// Its contents are to be here first.
        case getting(ContentName)
        /// The hub does not have its contents, as far as the log has been read, and they were evicted here: a device that
        /// has them is to send them.
        case contentsLost(ContentName)
        /// What it is here has been offered to the hub, which has not answered.
        case committing
        /// The hub has taken something else first: the log is to be read to there.
        case readingLog(to: LogPosition)
        /// The disk is being made what the log says.
        case placing
        case merging
        /// Another item has its name here.
        case nameTaken(by: ItemID)
        /// Another item had its name, and the hub is about to hear that it has left it.
        case nameLeft(by: ItemID)
        /// It is another item, too, and becomes that: once what is under way with that is done, and it is here as the log has it.
        case uniting(with: ItemID)
        /// The folder that it is to be in is not there yet.
        case folderMissing(ItemID)
        /// It is to go into a folder that is inside it here.
        case loop
        /// A person is to say whether a change goes on, of which this is a part: what `brake(_:)` says.
        case braked(SyncBrake.Direction)
        /// Somebody has paused it.
        case paused
        /// Items in it go first.
        case members([ItemID])
        /// It is about to be looked at.
        case due
    }

    /// Who has changed an item since disk and log agreed.
    package enum Change: String, Hashable, Sendable, Codable {
        case none, here, elsewhere, both
    }

    /// Who has changed an item since disk and log agreed last.
    package func change(of item: ItemID) -> Change {
        switch (disk[item] != lastAgreed(item), tree[item] != lastAgreed(item)) {
        case (false, false): .none
        case (true, false): .here
        case (false, true): .elsewhere
        case (true, true): disk[item] == tree[item] ? .none : .both
        }
    }

    /// Why an item differs; empty for one that does not.
    package func reasons(for item: ItemID) -> [Reason] {
        reasons(for: item, waitingFor: waiting.lazy.filter { $0.value.contains(item) }.map(\.key))
    }

    /// As `reasons(for:)`, of many items: what they wait for is gone through once for all of them. Those that do not differ are
    /// not among them.
    package func reasons(forAll items: Set<ItemID>) -> [ItemID: [Reason]] {
        var obstacles: [ItemID: [Obstacle]] = [:]
        for (obstacle, waiting) in waiting {
            for item in waiting where items.contains(item) { obstacles[item, default: []].append(obstacle) }
        }
        var all: [ItemID: [Reason]] = [:]
        for item in items {
            let reasons = reasons(for: item, waitingFor: obstacles[item] ?? [])
            if !reasons.isEmpty { all[item] = reasons }
        }
        return all
    }

    private func reasons(for item: ItemID, waitingFor obstacles: some Sequence<Obstacle>) -> [Reason] {
        guard differs(item) else { return [] }
        var reasons: [Reason] = []
        switch steps[item] {
        case .commit: reasons.append(.committing)
        case .place: reasons.append(.placing)
        case .merge: reasons.append(.merging)
        case nil: if isStandingStill(item) { return [.paused] }
        }
        if let position = refusals[item] { reasons.append(.readingLog(to: position)) }
        for obstacle in obstacles {
            if case .brake(let direction) = obstacle, !isBraked(item, direction) { continue }
            reasons += self.reasons(of: obstacle, for: item)
        }
        if reasons.isEmpty {
            let members = disk[item] == nil ? tree.children(of: item) : disk.members(of: item)
            let all = comings[item, default: []].union(members)
            if !all.isEmpty { reasons.append(.members(all.sorted())) }
        }
        return reasons.isEmpty ? [.due] : reasons
    }

    /// The items that wait for contents which neither the hub nor this device has, with those.
    package var lacking: [ItemID: ContentName] {
        var lacking: [ItemID: ContentName] = [:]
        for case (.content(let content), let items) in waiting
        where !uploading.contains(content) && !fetching.contains(content) {
            for item in items where differs(item) { lacking[item] = content }
        }
        return lacking
    }

    /// Whether contents are on their way here.
    package func isGetting(_ content: ContentName) -> Bool { fetching.contains(content) }

    /// Whether the hub has been told of an item, and has not answered.
    package func isCommitting(_ item: ItemID) -> Bool {
        if case .commit = steps[item] { true } else { false }
    }

    /// Whether it waits for what the hub says of just that commit.
    package func isCommitting(_ commit: Commit) -> Bool {
        if case .commit(let own) = steps[commit.item] { own.id == commit.id } else { false }
    }

    private func reasons(of obstacle: Obstacle, for item: ItemID) -> [Reason] {
        switch obstacle {
        case .content(let content):
            if uploading.contains(content) { return [.sending(content)] }
            return [fetching.contains(content) ? .getting(content) : .contentsLost(content)]
        case .name(let place): return disk.items(at: place).sorted().map { Reason.nameTaken(by: $0) }
        case .folder(let folder): return [.folderMissing(folder)]
        case .leaving(let other):
            let isUniting = tree.successor(of: item) == other || counterpart(of: item) == other
            return [isUniting ? .uniting(with: other) : .nameLeft(by: other)]
        case .loop: return [.loop]
        case .brake(let direction): return [.braked(direction)]
        }
    }
}
