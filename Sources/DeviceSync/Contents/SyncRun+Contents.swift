internal import Dispatch
internal import DocumentFoundation
internal import FileSystem
internal import Foundation
internal import Sync
internal import SyncMessages
internal import Vault

// Contents that come to this device when somebody wants them, and what a look finds of placeholders.
extension SyncRun {
    /// An item, or all documents below a folder.
    func documents(at path: String) throws -> [ItemID] {
        guard let item = item(at: path), table[item] != nil || item == .root || engine.tree[item] != nil
        else {
            throw SyncRefusal(.absent, "“\(path)” is not there.")
        }
        guard item == .root || table[item]?.state.kind == .folder else { return [item] }
        return table.subtree(of: item).filter { table[$0]?.state.kind == .document }
    }

    /// What has just been done to an item, or in a folder, is to count, though no event has told of it yet.
    func lookAround(_ path: String) throws {
        let folder = path.pathNames.dropLast().joined(separator: "/")
        if let parent = item(at: folder) { dirtyFolders.insert(parent) }
        if let found = item(at: path) {
            dirtyFolders.formUnion(table.subtree(of: found).filter { table[$0]?.state.kind == .folder })
            if table[found]?.trace.kind == .directory, table[found]?.state.kind == .document {
                dirtyPackages.insert(found)
            }
        }
        try lookAtDirty()
    }

    /// Takes in what was asked for of a process that has ended, and has not come.
    func recallRequests() throws {
        let requests = try memory.requests()
        let open = requests.filter { table[$0]?.isDataless == true }
        for item in open { downloads[item, default: Download()].isRequested = true }
        try memory.remember(requests: requests.subtracting(open), areOpen: false)
    }

    // MARK: In

    /// Has contents of an item, or of all in a folder, come to this device.
    ///
    /// - Parameter waiter: Who waits; nil for nobody. Told once for all of it.
    /// - Returns: What ends the waiting without an answer.
    func download(_ path: String, _ waiter: DownloadWaiter?) throws -> @Sendable () -> Void {
        // Who asks for all in a folder may have moved something there a moment ago, or the folder itself.
        if item(at: path).flatMap({ table[$0]?.state.kind }) != .document { try lookAround(path) }
        let items = try documents(at: path).filter {
            table[$0]?.isDataless != false || engine.disk[$0] == nil
        }
        guard let waiter, !items.isEmpty else {
            waiter?.done(nil)
            // Asked for once is asked for until it is here.
            try memory.remember(requests: Set(items), areOpen: true)
            for item in items {
                downloads[item, default: Download()].isRequested = true
            }
            requestContents(of: items)
            return {}
        }
        let id = UUID()
        let following = following(item(at: path), waiter)
        let shared = SharedWaiter(following, items.reduce(into: [:]) { $0[$1] = byteCount(of: $1) })
        for item in items {
            downloads[item, default: Download()].waiters[id] = DownloadWaiter(
                progress: { shared.progress(item, $0.doneByteCount) },
                done: { shared.done(item, $0) }
            )
        }
        requestContents(of: items)
        return { [queue, box = Confined(Weak(self))] in
            queue.async { box.value.value?.endWaiting(id, for: items) }
        }
    }

    /// One who waits and hears of it where an item has gone meanwhile.
    private func following(_ item: ItemID?, _ waiter: DownloadWaiter) -> DownloadWaiter {
        guard let item, let former = table.shownPath(of: item, in: place.folder) else { return waiter }
        var following = waiter
        following.done = { [box = Confined(Weak(self))] refusal in
            if refusal == nil, let run = box.value.value,
                let place = run.table.shownPath(of: item, in: run.place.folder), place != former
            {
                waiter.moved(place.string)
            }
            waiter.done(refusal)
        }
        return following
    }

    private func endWaiting(_ id: UUID, for items: [ItemID]) {
        for item in items {
            downloads[item]?.waiters[id] = nil
            if let download = downloads[item], download.waiters.isEmpty, !download.isRequested {
                downloads[item] = nil
                news.insert(item)
            }
        }
        tellFollowers()
    }

    private func byteCount(of item: ItemID) -> UInt64 {
        (table[item]?.state ?? engine.tree[item])?.content.flatMap { Self.byteCount(of: $0) } ?? 0
    }

    /// The contents that an item has to have here to be filled.
    private func needed(_ item: ItemID) -> Set<ContentName> {
        guard let known = table[item], known.isDataless else { return [] }
        return known.state.contents
    }

    func requestContents(of item: ItemID) { requestContents(of: CollectionOfOne(item)) }

    /// Asks for what is missing of items, and fills those of which nothing is. Who follows hears of all of them at once.
    func requestContents(of items: some Sequence<ItemID>) {
        let wanted = items.filter { downloads[$0] != nil }
        for item in wanted { askForContents(of: item) }
        if !wanted.isEmpty { tellFollowers() }
    }

    private func askForContents(of item: ItemID) {
        guard downloads[item] != nil else { return }
        let needed = needed(item)
        downloads.note(item, needs: needed)
        guard !forgetting.contains(item), awaited[item] == nil else { return }
        news.insert(item)
        guard table[item] != nil else { return waitForPlacing(item) }
        do {
            // It is asked for again when they have gone.
            guard leaving.isDisjoint(with: needed) else { return }
            let missing = try needed.sorted().filter { try !contents.has($0) }
            if missing.isEmpty { return try fill(item) }
            downloads[item]?.failure = nil
            guard lineState == .up else { return failIfThereIsNoLine(item) }
            line?.queue(downloads: missing.map { HubLine.Fetch(name: $0, item: item) })
        } catch let error as VaultError where error.code == .damaged && mayTryAgain(item) {
            // Known to be missing by now, so it is got.
            askForContents(of: item)
        } catch {
            endFilling(item, error)
        }
    }

    /// Counts what is to be tried again at once.
    private func mayTryAgain(_ item: ItemID) -> Bool {
        downloads[item]?.attemptCount += 1
        return downloads[item]?.attemptCount ?? Self.attemptCountMax < Self.attemptCountMax
    }

    func endFilling(_ item: ItemID, _ error: any Error) {
        if let access = error as? FolderAccess.Awaited { return wait(item, .filling, access) }
        end(
            item,
            SyncRefusal(.failed, "“\(path(of: item))” cannot be put in place: \(DiskRefusal(error))")
        )
    }

    /// What is not on the disk at all is on its way there by itself, unless nobody has it any more.
    private func waitForPlacing(_ item: ItemID) {
        guard engine.tree[item] == nil else { return failIfThereIsNoLine(item) }
        end(item, SyncRefusal(.absent, "“\(path(of: item))” is not there any more."))
    }

    private func failIfThereIsNoLine(_ item: ItemID) {
        guard isLineDown else { return }
        end(item, SyncRefusal(.unreachable, "There is no line to the hub: \(lineReason)"))
    }

    /// So often an item is tried to be filled again whose place was not as expected.
    private static let attemptCountMax = 5

    private func fill(_ item: ItemID) throws {
        guard table[item]?.isDataless == true else { return end(item, nil) }
        switch try placer.fill(item, in: table) {
        case .done(let filled):
            table[item] = filled
            if filled?.trace.kind == .directory, let path = table.path(of: item, in: place.folder) {
                try watch(placedPackage: item, at: path)
            }
            // What could not be done with the placeholder is planned anew.
            let refused: [Event] =
                stuck.removeValue(forKey: item) == nil ? [] : [.placeRefused(item, found: filled?.state)]
            take([.filled(item)] + refused)
            try showConflicts(of: item)
            report(.received(path: path(of: item)))
            end(item, nil)
        case .another(let why):
            guard mayTryAgain(item) else {
                return end(item, SyncRefusal(.busy, "“\(path(of: item))” cannot be put in place: \(why)."))
            }
            dirtyFolders.insert(table[item]?.state.place.parent ?? .root)
            try lookAtDirty()
            askForContents(of: item)
        }
    }

    /// Contents have come: fills what has all that it needs now, and notes what has come by itself.
    func fillDownloaded(_ names: [ContentName]) {
        for item in downloads.takeConcerned(by: names).sorted() {
            // Once it is on the disk it is looked at again, or once it is nowhere any more.
            if table[item] == nil, engine.tree[item] != nil { continue }
            let needed = needed(item)
            do {
                let isOther = downloads.note(item, needs: needed)
                guard try isOther || needed.allSatisfy({ try contents.has($0) }) else { continue }
                requestContents(of: item)
            } catch {
                // What the vault cannot tell now it tells when the next contents come.
                downloads.noteChanged([item])
            }
        }
    }

    func progress(_ name: ContentName, _ arrival: Arrival) {
        arrivals[name] = arrival
        news.formUnion(engine.waitingItems(for: name))
        for item in downloads.items(needing: name) {
            downloads[item]?.byteCount = UInt64(arrival.byteCount)
            let share = ItemSyncState.Share(UInt64(arrival.byteCount), of: self.byteCount(of: item))
            for waiter in downloads[item]?.waiters.values ?? [:].values { waiter.progress(share) }
            news.insert(item)
        }
        tellFollowers()
    }

    /// Who follows is not told yet.
    func failDownloads(of names: [ContentName], _ why: SyncRefusal) {
        for item in downloads.items(needing: names) {
            var refusal = SyncRefusal(.failed, "“\(path(of: item))” cannot be had from the hub: \(why)")
            refusal.hubDeed = why.hubDeed
            end(item, refusal)
        }
    }

    /// Who follows is not told yet.
    func failDownloads(_ refusal: SyncRefusal) { for item in downloads.items { end(item, refusal) } }

    /// Tells those who wait, and not who follows; what was only asked for is tried again when there is a line.
    private func end(_ item: ItemID, _ refusal: SyncRefusal?) {
        guard let download = downloads[item] else { return }
        news.insert(item)
        if refusal == nil, download.isRequested {
            do { try memory.remember(requests: [item], areOpen: false) } catch {
                // The next start finds that it is here.
                report(.failed(path: "what this device remembers", why: "\(error)"))
            }
        }
        if let refusal, download.isRequested {
            downloads[item]?.failure = refusal
            downloads[item]?.waiters = [:]
            downloads[item]?.attemptCount = 0
        } else {
            downloads[item] = nil
        }
        for waiter in download.waiters.values { waiter.done(refusal) }
    }

    // MARK: Found by a look

    /// Takes in what a look has found of placeholders.
    ///
    /// - Returns: What the engine is to hear first.
    func takeContents(_ outcome: FolderLook.Outcome) -> [Event] {
        for (item, path) in outcome.misnamed {
            guard let place = table.path(of: item, in: place.folder), place != path else { continue }
            do {
                try ItemMoves.move(path, toFree: place)
                if let status = try FolderScan.status(at: place) { table[item]?.trace = ItemTrace(status) }
            } catch {
                report(.failed(path: self.path(of: item), why: "its placeholder has a wrong name: \(error)"))
            }
        }
        for path in outcome.leftovers {
            // The next look finds it again.
            try? ItemMoves.removeFile(path)
        }
        var events: [Event] = outcome.filled.sorted().map { .filled($0) }
        if !outcome.evicted.isEmpty { events.append(.evicted(outcome.evicted)) }
        return events
    }
}
