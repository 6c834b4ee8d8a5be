internal import Dispatch
internal import DocumentFoundation
internal import FileSystem
internal import Foundation
internal import Sync
internal import SyncMessages
internal import Vault

// What happens in the folder, and what is made of it.
extension SyncRun {
    /// So long events gather before the folder is looked at: an editor's steps of saving are one change.
    private static let gatherSeconds = 0.003
    /// So long what is missing may come back under another name.
    private static let missingSeconds = 0.05
    /// For so long at most it waits for more that comes to be missing.
    private static let removalSeconds = 0.5

    func heard(_ news: FolderWatches.News) {
        heardCount += 1
        switch news {
        case .folder(let item, let events):
            guard noteWriting(events, in: item) else { return }
            dirtyFolders.insert(item)
        case .ended(let item):
            dirtyFolders.insert(item)
            unwatched.insert(item)
            if item == .root { hasRootEnded = true }
        case .package(let item, let events):
            guard noteWriting(events, inPackage: item) else { return }
            dirtyPackages.insert(item)
        case .overflow:
            dirtyFolders.formUnion(table.folders)
            // A package's own traces do not tell what is deep in it.
            dirtyPackages.formUnion(table.packages)
        }
        retryLater()
        lookSoon()
    }

    func lookSoon(after seconds: Double = gatherSeconds) {
        guard !isLookDue, !isStopped else { return }
        isLookDue = true
        queue.asyncAfter(deadline: .now() + seconds) { [box = Confined(Weak(self))] in
            guard let self = box.value.value, !self.isStopped else { return }
            self.isLookDue = false
            self.attempt("the folder cannot be looked at") { try self.lookAtDirty() }
        }
    }

    func attempt(_ what: String, _ body: () throws -> Void) {
        do { try body() } catch {
            report(.failed(path: what, why: "\(error)"))
        }
    }

    /// At the start: everything, whatever was seen last.
    ///
    /// - Returns: What has vanished, though nobody has removed it.
    func lookAtAll() throws -> Set<ItemID> {
        dirtyPackages = table.packages
        do { try watches?.watch(folder: .root, at: place.folder) } catch {
            // What lacks a watch alone is looked at from time to time.
            guard DiskRefusal.cause(of: error) == .watches else { throw error }
            noteUnlisted(.root, error)
        }
        let folders = table.folders
        for item in folders where item != .root { watchIfPossible(item) }
        let found = try look(at: folders)
        // The engine hears of all that is there, and so of what is not.
        if isBlind { missing.note(found.missing, at: uptimeSeconds()) }
        let gone = isBlind ? [] : found.missing.filter { !isAmidSave($0) }
        endSaves(in: found.stagings)
        try noteLost(gone)
        let events = try found.events + gone.flatMap(self.gone)
        tellVanished(events)
        return events.reduce(into: []) { if case .vanished(let items) = $1 { $0.formUnion(items) } }
    }

    /// - Returns: Whether anything is otherwise than it was.
    @discardableResult
    func lookAtDirty() throws -> Bool {
        let folders = dirtyFolders
        dirtyFolders = []
        guard !folders.isEmpty || !dirtyPackages.isEmpty else {
            answerRefused()
            return false
        }
        let found = try lookAgainIfNot(at: folders)
        take(found.events)
        missing.note(found.missing, at: uptimeSeconds())
        noteLook(at: folders)
        if missing.isEmpty { answerRefused() } else { lookForMissingLater(after: Self.missingSeconds) }
        return !found.events.isEmpty || !found.missing.isEmpty
    }

    private func lookForMissingLater(after seconds: Double) {
        guard !isMissingDue, !isStopped else { return }
        isMissingDue = true
        queue.asyncAfter(deadline: .now() + seconds) { [box = Confined(Weak(self))] in
            guard let self = box.value.value, !self.isStopped else { return }
            self.isMissingDue = false
            self.attempt("the folder cannot be looked at") { try self.lookForMissing() }
            // What has come to be missing since has its own time. What nobody can look for is looked for when somebody can.
            let wait = self.missing.wait(for: Self.missingSeconds, at: self.uptimeSeconds())
            if let wait { self.lookForMissingLater(after: wait) }
        }
    }

    /// Tells the engine what is at the places of items whose steps were refused, unless something may still turn up. Where
    /// nobody can look it may do so for ever, and holds up nobody but itself.
    ///
    /// Where a look is due, that comes first: what a step had taken aside, as the folder went, is put back by it.
    func answerRefused() {
        guard !refused.isEmpty, missing.isEmpty || isBlind else { return }
        guard dirtyFolders.isEmpty else {
            // While the folder is away there is none: it is looked at when it is back.
            if unlisted[.root].map({ $0.cause == .watches }) ?? true { lookSoon() }
            return
        }
        let open = missing.items.union(amidSaves)
        let items = refused.subtracting(open).sorted()
        refused.formIntersection(open)
        take(items.map { .placeRefused($0, found: known($0)) })
    }

    /// What the engine is to know of an item of the folder.
    private func known(_ item: ItemID) -> ItemState? {
        table[item].flatMap { $0.state.kind == .folder || $0.state.content != nil ? $0.state : nil }
    }

    /// Absence is a deletion only if nothing has turned up elsewhere, and the folder itself is still there. It may have turned
    /// up where nobody can look: it is missing until somebody can.
    func lookForMissing() throws {
        guard !missing.isEmpty else { return }
        guard !isBlind else { return answerRefused() }
        let now = uptimeSeconds()
        let sought = missing.take(for: Self.missingSeconds, upTo: Self.removalSeconds, at: now)
        guard !sought.isEmpty else { return }
        // A copy of a placeholder is the item once nothing else is.
        let folders = Set(sought.keys.compactMap { table[$0]?.state.place.parent })
            .union(dirtyFolders).union(foldersOfStrayPlaceholders)
        dirtyFolders = []
        let found: Found
        do { found = try lookAgainIfNot(at: folders) } catch {
            missing.putBack(sought)
            throw error
        }
        var events = found.events
        missing.putBack(isLookDone ? sought.filter { found.missing.contains($0.key) } : sought)
        missing.note(found.missing, at: uptimeSeconds())
        if isLookDone, !isBlind {
            // What was not missing before may turn up yet, and is of one removal with what was.
            let gone = missing.take(for: Self.missingSeconds, upTo: Self.removalSeconds, at: now)
            do {
                try noteLost(Set(gone.keys))
                for item in gone.keys where !isAmidSave(item) { events += try self.gone(item) }
            } catch {
                missing.putBack(gone)
                dirtyFolders.formUnion(folders)
                // Untold, what has vanished would be written down as removed with whatever is written next.
                take(events)
                throw error
            }
        }
        tellVanished(events)
        take(events)
        endDoubt()
        answerRefused()
    }

    /// Whether there are folders in which nobody can say what is.
    ///
    /// Into a folder that is not mounted nobody moves anything.
    var isBlind: Bool { isRootAway || unlisted.values.contains(where: Self.isBlinding) }

    /// Whether nobody can say what is in a folder that cannot be looked at for this.
    static func isBlinding(_ why: DiskRefusal) -> Bool { why.cause != .watches && why.cause != .away }

    private struct Found {
        var events: [Event] = []
        var missing: Set<ItemID> = []
        var stagings: [(folder: ItemID, name: String)] = []
    }

    /// Looks at folders; what cannot be looked at now is looked at again.
    private func lookAgainIfNot(at folders: Set<ItemID>) throws -> Found {
        do { return try look(at: folders) } catch {
            dirtyFolders.formUnion(folders)
            retryLater()
            throw error
        }
    }

    /// Looks at folders, and keeps what is new of their documents.
    private func look(at folders: Set<ItemID>) throws -> Found {
        let outcome = try lookAtReadable(folders)
        var found = Found(
            events: takeVolumes(outcome),
            missing: outcome.missing,
            stagings: outcome.stagings
        )
        noteBack(outcome)
        takeExclusions(outcome)
        found.events += takeContents(outcome)
        watchFound(outcome.folders)
        let touched = toBeRead(after: outcome)
        // Of files it is known until they have been read.
        written.formUnion(outcome.unproven.filter(isWritable))
        readsAnew.formUnion(outcome.unproven)
        defer { readsAnew.subtract(outcome.unproven) }
        let others = foldersOfOtherNames(of: touched).subtracting(folders)
        if !others.isEmpty {
            dirtyFolders.formUnion(others)
            lookSoon()
        }
        var changed = outcome.placed
        for item in try keep(touched, atOnce: outcome.returning) { changed.insert(item) }
        let listed = outcome.listed.subtracting(outcome.unreadable.keys)
        notePresent(in: listed, but: outcome.missing)
        claimMoved(outcome.placed)
        changed.formUnion(try readSuspects(in: listed))
        if isLookDone { endWriting(in: listed, but: touched) }
        found.events += changes(of: changed)
        if !changed.isEmpty { notePlacesInConflict() }
        return found
    }

    /// Has documents that are elsewhere than they were keep their versions there: what is new in their former places is another.
    private func claimMoved(_ items: Set<ItemID>) {
        for item in items where table[item]?.state.kind == .document && table[item]?.isDataless == false {
            guard let path = table.path(of: item, in: place.folder) else { continue }
            attempt("it cannot be noted where “\(path.name)” is") {
                try versions.claim(path.url(isDirectory: false), as: item.mark)
            }
        }
    }

    /// Looks at folders, as far as they can be read. What cannot is looked at again now and then; nothing counts as gone
    /// meanwhile.
    private func lookAtReadable(_ folders: Set<ItemID>) throws -> FolderLook.Outcome {
        isLookDone = false
        guard findRoot() else { return notLooked(at: folders) }
        var looksOnly: Set<ItemID> = []
        let readable = folders.filter { folder in
            // What is in its place is not it.
            if unlisted[folder]?.cause == .away { return true }
            let isToBeWatched = unwatched.remove(folder) != nil || unlisted[folder] != nil
            guard isToBeWatched, !watchIfPossible(folder) else { return true }
            // One that is not watched would be looked at once and never again, but for those that only lack a watch:
            // these are looked at now and then.
            guard unlisted[folder]?.cause == .watches else { return false }
            looksOnly.insert(folder)
            return true
        }
        var look = FolderLook(table, at: place.folder, isPackage: place.isPackage)
        look.knownExclusions = excluded
        look.unread = unread
        look.departed = departedLately()
        look.former = formerContent(of:)
        let outcome = try look.look(at: readable)
        // Whatever was found is in another folder if that is in its place.
        guard findRoot() else { return notLooked(at: folders) }
        (table, isLookDone) = (look.table, true)
        for (place, item) in outcome.departed { departed[place] = (item, uptimeSeconds()) }
        for folder in readable where outcome.unreadable[folder] == nil && !looksOnly.contains(folder) {
            if unlisted[folder]?.cause != .away { noteListed(folder) }
        }
        for (folder, error) in outcome.unreadable { noteUnlisted(folder, error) }
        takeLeftOut(outcome, in: readable)
        return outcome
    }

    /// What has just been renamed may be what an editor has made of the old file before it writes the new one.
    private func departedLately() -> [ItemPlace: ItemID] {
        guard !departed.isEmpty else { return [:] }
        let now = uptimeSeconds()
        departed = departed.filter { $0.value.seconds + Self.missingSeconds > now }
        return departed.mapValues { $0.item }
    }

    /// What has happened in them is looked for when the container's folder is there, or can be looked at.
    private func notLooked(at folders: Set<ItemID>) -> FolderLook.Outcome {
        dirtyFolders.formUnion(folders)
        return FolderLook.Outcome()
    }

    func noteUnlisted(_ folder: ItemID, _ error: SystemError) { noteUnlisted(folder, DiskRefusal(error)) }

    func noteUnlisted(_ folder: ItemID, _ why: DiskRefusal) {
        let former = unlisted.updateValue(why, forKey: folder)
        guard former?.description != why.description else { return }
        report(.failed(path: folder == .root ? "the folder" : path(of: folder), why: "\(why)"))
        // Nobody can say how what is in it stands.
        news.formUnion(table.subtree(of: folder))
        tellFollowers()
    }

    func noteListed(_ folder: ItemID) {
        guard unlisted.removeValue(forKey: folder) != nil else { return }
        news.formUnion(table.subtree(of: folder))
        tellFollowers()
    }

    /// What the engine is to hear of items that have changed, folders before what is in them.
    func changes(of items: Set<ItemID>) -> [Event] {
        items.map { (depth: depth($0), item: $0) }.sorted { ($0.depth, $0.item) < ($1.depth, $1.item) }
            .compactMap { _, item in known(item).map { .diskChanged(item, $0) } }
    }

    func depth(_ item: ItemID) -> Int {
        var (depth, at) = (0, item)
        while let parent = table[at]?.state.place.parent, depth < 4096 { (depth, at) = (depth + 1, parent) }
        return depth
    }

    /// Notes that an item is not there any more, with all in it.
    private func gone(_ item: ItemID) throws -> [Event] {
        guard let path = table.path(of: item, in: place.folder), let known = table[item] else { return [] }
        if try isStillThere(item, known, at: path) { return [] }
        var events: [Event] = []
        guard !isExcluded(item) else { return [] }
        let unproven = unproven(in: item)
        let kept = excludedMembers(of: item)
        let back = putBackLost(item)
        let vanished = unproven.union(kept).subtracting(back)
        for member in table.subtree(of: item) where !back.contains(member) {
            forget(member)
            if !vanished.contains(member) { events.append(.diskChanged(member, nil)) }
        }
        if !vanished.isEmpty { events.append(.vanished(vanished)) }
        return events
    }

    private func isStillThere(_ item: ItemID, _ known: FolderItem, at path: FilePath) throws -> Bool {
        guard let status = try FolderScan.status(at: path), ItemTrace(status).isSameItem(as: known.trace)
        else { return false }
        // It was one before all of a placeholder was written, and has its mark from then.
        if try !known.isDataless && Placeholder.ifPresent(at: path) != nil { return false }
        // An inode's number is given again at once: what bears another's mark is another.
        let mark = try FileIdentity.ifPresent(at: path)?.mark
        return mark.map { ItemID($0) == item } ?? (ItemTrace(status) == known.trace)
    }

    /// Has nothing more to do with an item that is not there any more.
    func forget(_ item: ItemID) {
        watches?.end(item)
        unwatched.remove(item)
        missing.end(item)
        amidSaves.remove(item)
        (unkept[item], unlisted[item], toldExcesses[item]) = (nil, nil, nil)
        (unread[item], leftOut[item]) = (nil, nil)
        suspects.remove(item)
        perishable.remove(item)
        written.remove(item)
        if writing.forget(item) { news.insert(item) }
        if stuck.removeValue(forKey: item) != nil { refused.insert(item) }
        if endWaiting(item) { refused.insert(item) }
        handOnMark(of: item, from: table[item], to: nil)
        noteSuperseded(table[item]?.state.content)
        table[item] = nil
    }
}
