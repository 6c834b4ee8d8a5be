// What the hub makes of this engine's commits, and what others' say of what is here.
extension SyncEngine {
    /// Whether this engine knows that it has made a commit. One from a future that was lost with the engine's memory is
    /// as anybody else's.
    ///
    /// A process may be put back to what it was with its memory, as by a snapshot of the whole machine: then it gives numbers again
    /// that the log has already, and what the log has under them is none of its own.
    mutating func isOwn(_ commit: Commit) -> Bool {
        let id = commit.id
        if case .commit(let own) = steps[commit.item], own.id == id {
            if own.state == commit.state { return true }
            // The hub has taken the one for the other, and says nothing of it any more.
            endCommit(own)
            touch(commit.item)
            return false
        }
        guard id.device == device, !wentBack.contains(commit.item) else { return false }
        if id.number > commitCounts[id.session] ?? 0 {
            if id.session == session { commitCounts[session] = id.number }
            return false
        }
        return steps.commit(id) == nil
    }

    /// A commit of this engine is in the log: the one that is waited for, or one before it that was believed lost. What
    /// the log has made of it beyond that is news from the log.
    mutating func accepted(_ commit: Commit) {
        var state = commit.state
        // It got another name only because the one that it has here was not free in the log yet: it is to have that one.
        if let placed = tree[commit.item]?.place, let wanted = state?.place, placed != wanted,
            let other = tree.item(at: wanted), isLeaving(other)
        {
            state?.place = placed
        }
        // A folder stays that has something in it which the hub heard of first: whether it is to go is decided anew.
        if commit.state != nil || tree[commit.item] == nil {
            if vanished[commit.item] == nil {
                agree(commit.item, on: state)
                // It was taken back meanwhile: what is about to be in its place is newer.
                if case .place(let placed, _) = steps[commit.item] {
                    steps[commit.item] = .place(placed, agreedAs: state)
                }
            } else if disk[commit.item] == nil {
                agree(commit.item, on: nil)
            } else {
                // It has come back as it was before this.
                recognise(commit)
            }
        }
        merges[commit.item] = nil
        // What has been done since it was offered is on its way still.
        if letThrough[commit.item].map({ commit.state?.hasContents(of: $0) ?? true }) == true {
            letThrough[commit.item] = nil
        }
        if case .commit(let own) = steps[commit.item], own.id == commit.id { endCommit(own) }
    }

    /// Folders exist again in the log for something that this engine has told of: they were here then. One that is not here any
    /// more was removed after that, of which the log has yet to hear.
    mutating func noteRevived(_ folders: some Sequence<ItemID>) {
        for folder in folders
        where disk[folder] == nil && lastAgreed(folder) == nil && vanished[folder] == nil {
            // What is about to be here again was not removed.
            if case .place = steps[folder] { continue }
            agree(folder, on: tree[folder])
        }
    }

    /// Somebody else's commit that says what the disk has already: so far the two agree.
    mutating func recognise(_ commit: Commit) {
        guard let state = commit.state, let ours = disk[commit.item], ours.hasContents(of: state) else {
            return
        }
        var base = lastAgreed(commit.item) ?? state
        (base.content, base.conflicts) = (state.content, state.conflicts)
        agree(commit.item, on: base)
    }

    mutating func refused(_ id: Commit.ID, _ position: LogPosition) {
        guard let own = steps.commit(id) else { return }
        let item = own.item
        endCommit(own)
        if position > tree.position { refusals[item] = position }
        touch(item)
    }

    /// What a commit needs is sent before it is made anew, by what the item is then.
    mutating func withheld(_ id: Commit.ID, lacking lacked: Set<ContentName>) {
        guard let own = steps.commit(id) else { return }
        for content in lacked {
            contents.remove(content, .atHub)
            contents.remove(content, .sent)
        }
        endCommit(own)
        touch(own.item)
    }

    // MARK: What comes into folders

    /// Begins to wait for what the hub says of a commit.
    mutating func beginCommit(_ commit: Commit) {
        steps[commit.item] = .commit(commit)
        guard let parent = commit.state?.parent, parent != .root, parent != tree[commit.item]?.parent else {
            return
        }
        comings[parent, default: []].insert(commit.item)
    }

    /// Ends waiting for what the hub says of a commit.
    mutating func endCommit(_ commit: Commit) {
        steps[commit.item] = nil
        guard let parent = commit.state?.parent, comings[parent]?.remove(commit.item) != nil else { return }
        if comings[parent]?.isEmpty == true { comings[parent] = nil }
        touch(parent)
    }

    /// Whether a commit is on its way by which something comes into a folder: one that removes the folder could be there before
    /// it, and the folder would come back.
    mutating func awaitsMembers(_ folder: ItemID) -> Bool {
        guard let items = comings[folder] else { return false }
        let left = items.filter { item in
            if case .commit(let commit) = steps[item] { commit.state?.parent == folder } else { false }
        }
        comings[folder] = left.isEmpty ? nil : left
        return !left.isEmpty
    }
}
