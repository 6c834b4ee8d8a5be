internal import Dispatch
internal import DocumentFoundation
internal import FileSystem
internal import HubProtocol
internal import Sync
internal import Vault

// The room that contents take in the vault which are not here any more.
//
// Equal contents are in the vault once, maybe only as those of an item that is not here, whoever else has them or has had
// them. So each version is looked at by itself, each time: one goes when nobody needs what is in it.
extension SyncRun {
    /// What leaves the vault, if nobody needs it.
    enum Leaving: Sendable {
        /// What items hold whose contents are not here, some of which have just gone.
        case evicted(Set<ItemID>)
        /// What items held before they were what they are, or before they went.
        case superseded
    }

    /// Gives the room back that contents took, off the queue: that may take long. Until then they are not asked for again.
    func forget(_ what: Leaving) {
        if case .evicted(let items) = what { forgetting.formUnion(items) }
        let (contents, report) = (contents, report)
        forgettingQueue.async { [queue, box = Confined(Weak(self))] in
            var isDone = false
            // While the vault still has what leads to the rest.
            var isReleased = true
            if case .superseded = what { isReleased = Self.release(box, on: queue, report) }
            do {
                let look = queue.sync { box.value.value?.look(for: what, in: contents) }
                let kept = try look?() ?? []
                let leaving = queue.sync { box.value.value?.decideWhatLeaves(kept, what) }
                // Who has been stopped does this at the next start.
                if let leaving {
                    try contents.forget(leaving)
                    isDone = true
                    report(.freed)
                }
            } catch let error as VaultError where error.code == .busy {
                // The next start does this, or the next eviction.
            } catch {
                report(.failed(path: "the container's vault", why: "its room cannot be given back: \(error)"))
            }
            queue.async { [isDone, isReleased] in box.value.value?.forgotten(what, isDone && isReleased) }
        }
    }

    /// Releases former states at the hub, off the queue.
    ///
    /// - Returns: Whether that is done.
    private static func release(
        _ box: Confined<Weak<SyncRun>>,
        on queue: DispatchQueue,
        _ report: @Sendable (SyncReport) -> Void
    ) -> Bool {
        do {
            guard let releasing = try queue.sync(execute: { try box.value.value?.releasing() }) else {
                return false
            }
            let outcome = try releasing.run()
            queue.sync { box.value.value?.note(outcome, asOf: releasing.head) }
            return true
        } catch is LineFailure {
            // The next time does it, too.
        } catch let failure as HubFailure where failure.error.code == .conflict {
            // The log has grown meanwhile: what was former may be present.
        } catch {
            report(.failed(path: "former states at the hub", why: "\(error)"))
        }
        return false
    }

    /// What finds the versions that may leave, off the queue.
    private func look(
        for what: Leaving,
        in contents: ContentStore
    ) -> @Sendable () throws -> [ContentStore.Kept] {
        switch what {
        case .evicted:
            let absent = engine.dataless
            return { try contents.versions(of: absent) }
        case .superseded:
            let here = Set(table.items.keys)
            return { try contents.formerVersions(of: here) }
        }
    }

    /// Which versions nobody needs. Nobody asks for what is in these until they have gone.
    ///
    /// - Returns: Nil when nothing is to be done any more.
    private func decideWhatLeaves(_ kept: [ContentStore.Kept], _ what: Leaving) -> [VersionID]? {
        guard !isStopped else { return nil }
        let mayLeave =
            switch what {
            case .evicted: kept.filter { !isNeeded($0.item) }
            case .superseded: kept
            }
        let needed = neededContents(among: mayLeave)
        let leaving = mayLeave.filter { !needed.contains($0.content) }
        self.leaving = Set(leaving.map(\.content))
        // Nothing is taken for here any more that no item on the disk has.
        if case .superseded = what { take([.evicted([])]) }
        return leaving.map(\.version)
    }

    /// Whether an item needs its contents here.
    private func isNeeded(_ item: ItemID) -> Bool {
        downloads[item] != nil || !engine.dataless.contains(item) || table[item]?.isDataless == false
    }

    /// Which contents somebody needs here: as they are, as they are to be, or as what both come from. What a merge came to is nowhere
    /// else, and what a person wants back maybe neither.
    private func neededContents(among kept: [ContentStore.Kept]) -> Set<ContentName> {
        guard !kept.isEmpty else { return [] }
        let all = Set(kept.map(\.content))
        let byteCounts = Set(all.compactMap { Self.byteCount(of: $0) })
        var needed: Set<ContentName> = []
        func note(_ state: ItemState?) {
            state?.forEachContent { if all.contains($0) { needed.insert($0) } }
        }
        for (item, known) in table.items where isNeeded(item) {
            // There are hundreds of thousands, and to make the name of contents takes memory: a file's length says of nearly
            // all that they have others.
            let isOther =
                known.trace.kind == .regular && !known.state.hasConflicts
                && !byteCounts.contains(UInt64(clamping: known.trace.byteCount))
            if !isOther { note(known.state) }
        }
        // Of all others disk and log say the same.
        let unsettled = engine.differing.union(unkept.keys).union(paused.keys).union(downloads.items)
        for item in unsettled where isNeeded(item) {
            for state in [table[item]?.state, engine.disk[item], engine.tree[item], engine.lastAgreed(item)] {
                note(state)
            }
            needed.formUnion(all.intersection(engine.comingContents(of: item)))
        }
        // What is on its way to the hub is read here, though its item may have others by now.
        return needed.union(all.filter(engine.isSending))
    }

    private func forgotten(_ what: Leaving, _ isDone: Bool) {
        let gone = leaving
        var evicted: Set<ItemID> = []
        switch what {
        case .evicted(let items): evicted = items
        case .superseded: former.end(isDone: isDone, threshold: place.room.formerByteCountMin)
        }
        forgetting.subtract(evicted)
        leaving = []
        guard !isStopped else { return }
        if isDone, !evicted.isEmpty, forgetting.isEmpty { note(isForgetting: false) }
        requestContents(of: downloads.items(needing: gone).union(evicted).sorted())
    }

    private static let forgettingKey = "forgetting"

    func note(isForgetting: Bool) {
        do { try memory.remember(Self.forgettingKey, [isForgetting ? 1 : 0]) } catch {
            // Some room stays taken, or is looked for once more.
            report(.failed(path: "what this device remembers", why: "\(error)"))
        }
    }

    /// Goes on with what a process had begun that has ended.
    func forgetLeftovers() throws {
        guard try memory.value(Self.forgettingKey) == [1] else { return }
        forget(.evicted(engine.dataless))
    }
}
