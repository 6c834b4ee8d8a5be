internal import DocumentFoundation
internal import FileSystem
internal import Foundation
internal import Sync
internal import Vault

// How what is in documents comes to be kept.
extension SyncRun {
    /// New documents that are read at a time have so many bytes together, unless one has more.
    private static let readByteCountMax: Int64 = 64 << 20

    /// The next new documents to be read. Those that are being written wait, as they do by `mayRead`.
    private func takeUnread() -> [ItemID: ItemTrace] {
        var (some, byteCount): ([ItemID: ItemTrace], Int64) = ([:], 0)
        while some.count < place.readCountMax, let (item, trace) = unread.first(),
            // A file that is a hole may be as long as there are numbers.
            some.isEmpty || trace.byteCount <= Self.readByteCountMax - byteCount
        {
            unread[item] = nil
            guard mayRead(item, trace) else { continue }
            byteCount += trace.byteCount
            some[item] = trace
        }
        return some
    }

    private func readOn() {
        guard !isReadDue else { return }
        isReadDue = true
        queue.async { [box = Confined(Weak(self))] in
            guard let self = box.value.value, !self.isStopped else { return }
            self.isReadDue = false
            self.attempt("documents cannot be read") { self.take(self.changes(of: try self.keep([:]))) }
            self.endHoldingBack()
        }
    }

    /// Keeps what documents hold. Of many that are new only some, the others in turns of their own: what has been read is
    /// sent meanwhile.
    ///
    /// - Parameters:
    ///   - touched: Which, and how they look.
    ///   - urgent: What the log may know already: it is not to be taken for absent.
    /// - Returns: Those that are others now, or are in conflict with others.
    func keep(_ touched: [ItemID: ItemTrace], atOnce urgent: Set<ItemID> = []) throws -> Set<ItemID> {
        var (traces, waiting): ([ItemID: ItemTrace], Set<ItemID>) = ([:], [])
        for (item, trace) in touched {
            if urgent.contains(item) {
                traces[item] = trace
            } else if table[item]?.state.content == nil {
                unread[item] = trace
            } else if mayRead(item, trace) {
                traces[item] = trace
            } else {
                waiting.insert(item)
            }
        }
        for (item, trace) in takeUnread() { traces[item] = trace }
        if !unread.isEmpty { readOn() }
        var gone: Set<ItemID> = []
        for item in dirtyPackages where traces[item] == nil && !waiting.contains(item) {
            guard let path = table.path(of: item, in: place.folder) else { continue }
            do {
                guard let status = try FolderScan.status(at: path) else {
                    gone.insert(item)
                    continue
                }
                guard urgent.contains(item) || mayRead(item, ItemTrace(status)) else { continue }
                traces[item] = ItemTrace(status)
                unread[item] = nil
            } catch {
                noteUnkept(item, error)
            }
        }
        dirtyPackages = []
        for item in gone { lookForPlace(of: item) }
        do { return try keepNow(traces) } catch {
            // It is not the documents' fault: no room, or no watch to be had. They are tried again with what cannot be read.
            let why = DiskRefusal(error)
            let isSaid = unkept.values.contains(where: why.isSaid)
            for item in traces.keys { unkept[item] = why }
            news.formUnion(traces.keys)
            if !isSaid { report(.failed(path: "what documents hold", why: "\(why)")) }
            return []
        }
    }

    /// How a document is read.
    func document(_ item: ItemID) throws -> Vault.Keepable {
        Vault.Keepable(
            table.path(of: item, in: place.folder) ?? place.folder.appending(".sheaf-nowhere"),
            as: item.mark,
            // What a power cut may have damaged is not what it looks like, nor need be what somebody has written.
            isReadAnew: readsAnew.contains(item) || suspects.contains(item) || written.contains(item),
            isTakenAsItIs: writing.isReadThoughOpen(item),
            notes: try memory.losses(of: item)
        )
    }

    private func keepNow(_ traces: [ItemID: ItemTrace]) throws -> Set<ItemID> {
        let items = traces.filter(watchIfPackage).keys.sorted()
        func byteCount(of item: ItemID) -> Int64? {
            traces[item].flatMap { $0.kind == .directory ? nil : $0.byteCount }
        }
        let documents = try items.map(document)
        guard !documents.isEmpty else { return [] }
        var changed: Set<ItemID> = []
        let isNew = items.map { table[$0]?.state.content == nil }
        let readBegan = now
        let results = try keep(documents, holding: items.map(byteCount), areNew: isNew)
        let conflicting = mayBeInConflict(items)
        for (item, result) in zip(items, results) {
            switch result {
            case .success(let read):
                let isAsked = conflicting?.contains(item) ?? true
                let isTaken = try take(
                    read,
                    of: item,
                    listedAs: traces[item],
                    readBegan: readBegan,
                    asksForConflicts: isAsked
                )
                if isTaken { changed.insert(item) }
            case .failure(let error):
                writing.endRead(item)
                // Written to all the time: the next event tells. Unreadable: that is to be said.
                if isThere(item) { noteUnkept(item, error) } else { lookForPlace(of: item) }
            }
        }
        return changed
    }

    /// Keeps documents together; where there is no room for all, each by itself, the smallest first: none is in the way of
    /// another that has room.
    ///
    /// - Parameters:
    ///   - byteCounts: How large each of them is; nil for what is no file, of which nothing tells.
    ///   - isNew: Whether nothing of each need be here; of what was edited most is.
    private func keep(
        _ documents: [Vault.Keepable],
        holding byteCounts: [Int64?],
        areNew isNew: [Bool]
    ) throws -> [Result<ContentStore.Read, any Error>] {
        do { return try contents.keep(documents) } catch
            where documents.count > 1 && DiskRefusal.cause(of: error) == .full
        {
            var results = documents.map { _ in Result<ContentStore.Read, any Error>.failure(error) }
            var hasRoomForNew = true
            for index in documents.indices.sorted(by: { byteCounts[$0] ?? .max < byteCounts[$1] ?? .max }) {
                let isNewFile = isNew[index] && byteCounts[index] != nil
                guard hasRoomForNew || !isNewFile else { continue }
                do { results[index] = try contents.keep([documents[index]])[0] } catch
                    where DiskRefusal.cause(of: error) == .full
                {
                    // A larger one that is new has no room either.
                    if isNewFile { hasRoomForNew = false }
                }
            }
            return results
        }
    }

    /// Takes what has been read of an item, unless it does not count.
    ///
    /// - Parameters:
    ///   - readBegan: When the reading began.
    ///   - asksForConflicts: Whether an app may have kept a version in conflict with it.
    /// - Returns: Whether its contents are others now, or it is in conflict with others.
    private func take(
        _ read: ContentStore.Read,
        of item: ItemID,
        listedAs listed: ItemTrace?,
        readBegan: Double,
        asksForConflicts: Bool
    ) throws -> Bool {
        let content = read.name
        guard var known = table[item] else { return false }
        defer { writing.endRead(item) }
        let former = known.state.content
        if try isExcludedMeanwhile(item, listedAs: listed, readAs: read.trace) {
            leave(content, of: known)
            return false
        }
        let isWhole = try former == content || isLogged(content, of: item)
        guard isWhole || counts(item, read.trace, as: listed?.kind, readBegan: readBegan) else {
            // Half of what somebody is writing is nobody's.
            noteSuperseded(content)
            return false
        }
        switch repair(item, from: former, (content, read.trace ?? listed ?? known.trace)) {
        case .none: suspects.remove(item)
        case .done(let repaired):
            unkept[item] = nil
            suspects.remove(item)
            table[item] = repaired
            handOnMark(of: item, from: known, to: repaired.trace)
            return former != repaired.state.content
        case .waits(let why):
            unkept[item] = why
            news.insert(item)
            return false
        }
        let kind = (read.trace ?? listed)?.kind
        guard former == content || mayGoOn(content, of: item, known, kind) else { return false }
        unkept[item] = nil
        // What is written from here on is told later.
        written.remove(item)
        if let former, former != content, losing.remove(item) != nil {
            // What was about to lose a conflict has been saved anew, and loses as it is now.
            known.state.conflicts.remove(former)
        }
        let seen = known
        known.state.content = content
        if let listed {
            known.trace = try self.trace(of: item, listedAs: listed, readAs: read.trace)
            // What was not read as it was listed may be another's, and is looked at again.
            if known.trace.changed == 0 {
                dirtyFolders.insert(known.state.place.parent)
                lookSoon()
            }
        }
        // What has come back to what it was may have been something else meanwhile, which is kept then.
        if asksForConflicts, former != content || seen.trace != known.trace {
            takeUpConflicts(of: item, &known)
        }
        table[item] = known
        handOnMark(of: item, from: seen, to: known.trace)
        if former != content { noteSuperseded(former) }
        return known.state != seen.state
    }

    /// Whether an item's new contents go to others, now that what it held is kept.
    ///
    /// - Parameter kind: What it is now.
    private func mayGoOn(
        _ content: ContentName,
        of item: ItemID,
        _ known: FolderItem,
        _ kind: FileStamp.Kind?
    ) -> Bool {
        let former = known.state.content
        switch addFormerValues(former, to: item) {
        case .there: break
        case .added:
            leave(content, of: known)
            return false
        case .waits(let why):
            unkept[item] = why
            news.insert(item)
            return false
        }
        // Before it goes to others: once it has, nothing tells that there was something to keep.
        guard let why = keepFormer(former, of: item, nowOf: kind, isFound: true) else { return true }
        unkept[item] = why
        news.insert(item)
        return false
    }

    /// What was read of an item stays here: the next look finds it otherwise.
    private func leave(_ content: ContentName, of known: FolderItem) {
        if known.state.content != content { noteSuperseded(content) }
        dirtyFolders.insert(known.state.place.parent)
        lookSoon()
    }

    /// Whether a package is what the log says: then it is whole, however lately something has happened in it. A process that dies,
    /// or a power cut, just after it was put in place leaves one, and as long as it is not said to be here, what comes of it
    /// elsewhere has nothing in common with it.
    private func isLogged(_ content: ContentName, of item: ItemID) throws -> Bool {
        guard table[item]?.trace.kind == .directory else { return false }
        return try (resumed.map { try $0.logged(item) } ?? engine.tree[item])?.content == content
    }

    /// Whether somebody has excluded an item after it was listed, and before it was read: it has been read as it is known from now
    /// on, so nothing would tell the next look that something was done to it.
    ///
    /// - Throws: `SystemError` when the disk does not tell.
    private func isExcludedMeanwhile(
        _ item: ItemID,
        listedAs listed: ItemTrace?,
        readAs read: ItemTrace?
    ) throws -> Bool {
        guard let listed, let read, read.changed != listed.changed else { return false }
        return try table.path(of: item, in: place.folder).map(SyncExclusion.isKnownAsMarked) ?? false
    }

    /// How an item is known from now on that was listed, and read a moment later.
    ///
    /// - Returns: As it was read, which may have moved its change time: a file that is lent gets a link. Where it was not read as it
    ///   was listed, as it was listed, with a change time that nothing has.
    private func trace(
        of item: ItemID,
        listedAs listed: ItemTrace,
        readAs read: ItemTrace?
    ) throws -> ItemTrace {
        var now = read
        if listed.kind == .symbolicLink {
            let path = table.path(of: item, in: place.folder)
            now = try path.flatMap { try FolderScan.status(at: $0) }.map { ItemTrace($0) }
        } else if read == nil {
            // A package; or a file that is as it was, and was not read.
            return listed
        }
        if let now, now.hasContents(of: listed) { return now }
        var unread = listed
        unread.changed = 0
        return unread
    }

    /// Has an item be looked for that is not at its place: it is gone, or its folder is somewhere else by now, and nobody looks into
    /// that for its own move.
    private func lookForPlace(of item: ItemID) {
        guard let known = table[item], !missing.contains(item) else { return }
        dirtyFolders.insert(known.state.place.parent)
        if known.trace.kind == .directory { dirtyPackages.insert(item) }
        lookSoon()
    }

    func isThere(_ item: ItemID) -> Bool {
        guard let path = table.path(of: item, in: place.folder) else { return false }
        // What cannot be looked at is not gone.
        do { return try FolderScan.status(at: path) != nil } catch { return true }
    }

    /// Notes that an item cannot be kept for now. What is tried again and again is told of once.
    func noteUnkept(_ item: ItemID, _ error: any Error) {
        let why = DiskRefusal(error)
        let isSaid =
            why.isSaid(by: unkept[item]) || why.isOfDisk && unkept.values.contains(where: why.isSaid)
        unkept[item] = why
        news.insert(item)
        if !isSaid { report(.failed(path: path(of: item), why: "\(why)")) }
    }
}
