internal import FileSystem
internal import Sync
internal import SyncMessages

// What the engine says is to be done: what goes over the line is queued, the rest is done at once.
extension SyncRun {
    /// From how many on new documents are put in place together: one sync of the whole volume costs as much as some of
    /// single files.
    private static let arrivalCountMin = 16
    func carryOut(_ effects: [Effect]) {
        let asked = asked(by: effects)
        if lineState == .up {
            note(sending: asked.uploads)
            line?.queue(uploads: asked.uploads.sorted().map(upload))
            line?.queue(fetches: asked.fetches)
            line?.queue(commits: asked.commits)
        }
        // Contents that are here need no line; what cannot be looked for is asked for when there is one.
        for fetch in asked.fetches where lineState != .up && !leaving.contains(fetch.name) {
            guard (try? contents.has(fetch.name)) == true else { continue }
            events.append(.fetched(fetch.name))
        }
        if !asked.becoming.isEmpty { become(asked.becoming) }
        let isNew: (Effect) -> Bool = { [awaited] effect in
            guard case .place(let item, let state, expecting: nil) = effect else { return false }
            return state.content != nil && awaited[item] == nil
        }
        var others = asked.others
        let arriving = others.filter(isNew)
        if arriving.count >= Self.arrivalCountMin {
            placeNew(arriving)
            others.removeAll(where: isNew)
        }
        for effect in others where !isStopped { carryOut(effect) }
    }

    /// What effects ask for.
    private struct Asked {
        var uploads: Set<ContentName> = []
        var fetches: [HubLine.Fetch] = []
        var commits: [LogDesk.Offer] = []
        var becoming: [Effect] = []
        /// Else of the disk.
        var others: [Effect] = []
    }

    private func asked(by effects: [Effect]) -> Asked {
        // Taken once: to ask the run for it means a copy each time.
        let engine = engine
        var asked = Asked()
        for effect in effects {
            switch effect {
            case .upload(let content):
                if let item = excludedItem(sending: content) {
                    holdBack(item, effect)
                } else {
                    asked.uploads.insert(content)
                }
            case .fetch(let content):
                asked.fetches.append(fetch(content, in: engine))
            case .commit(let commit):
                if isExcluded(commit.item) {
                    holdBack(commit.item, effect)
                } else if !holdsBack(beyondLimit: commit) {
                    asked.commits.append(offer(commit, in: engine))
                }
            case .become: asked.becoming.append(effect)
            case .place, .remove, .merge: asked.others.append(effect)
            }
        }
        return asked
    }

    /// A commit, with when its document was modified last. One that is another here by now is committed anew.
    private func offer(_ commit: Commit, in engine: SyncEngine) -> LogDesk.Offer {
        // What the log has of an item the hub keeps for as long as it has that.
        let theirs = engine.tree[commit.item]
        let unsure = (commit.state?.contents ?? []).subtracting(theirs?.contents ?? [])
        let seen = table[commit.item]
        let isSeen =
            commit.state?.hasContent == true && seen?.state.content == commit.state?.content
            && seen?.trace.kind != .symbolicLink
        return LogDesk.Offer(
            commit: commit,
            modified: isSeen ? seen?.trace.modified : nil,
            lost: commit.state.map { modificationDates(ofLost: $0.lostConflicts, of: commit.item) } ?? [:],
            places: places(of: commit, in: engine),
            unsure: unsure,
            base: theirs?.content
        )
    }

    /// Asks for contents again that could not be sent or had.
    func askAgain() {
        attemptCount += 1
        forgetUnwantedFailures()
        let smallest = smallestWithoutHubRoom
        for (name, failure) in failedContents where lineState == .up {
            if failure.code == .quota, !isFullHubDue || name != smallest { continue }
            guard isDue(name) else { continue }
            if excludedItem(sending: name) != nil { continue }
            if engine.isSending(name) {
                // Should the hub have lost what it had of them, all of it is looked for.
                line?.queue(uploads: [ContentStore.Upload(name)])
            } else if engine.waitingItem(for: name) != nil {
                line?.queue(fetches: [fetch(name, in: engine)])
            } else if let item = waitingItem(for: name) {
                requestContents(of: item)
            }
        }
        forgetFalse()
    }

    /// Contents that nobody sends any more, nor waits for, are in the way of none that somebody does.
    private func forgetUnwantedFailures() {
        let engine = engine
        failedContents = failedContents.filter { name, _ in
            engine.isSending(name) || waitingItem(for: name) != nil || excludedItem(sending: name) != nil
        }
    }

    /// Contents that are to be sent, on top of what the log has of their item: the hub has that.
    private func upload(_ name: ContentName) -> ContentStore.Upload {
        ContentStore.Upload(name, on: engine.waitingItem(for: name).flatMap { engine.tree[$0]?.content })
    }

    /// Contents that are to come, with an item that they are for: whose version keeps them from being collected.
    private func fetch(_ content: ContentName, in engine: SyncEngine) -> HubLine.Fetch {
        HubLine.Fetch(name: content, item: engine.waitingItem(for: content) ?? .root)
    }
}
