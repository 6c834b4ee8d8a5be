internal import DocumentFoundation
internal import FileSystem
internal import Foundation
internal import Sync
internal import Vault

// Items that were here before the log was heard of, or were made meanwhile, and that it has as well: they become those, with their
// versions, and with what is in conflict with them.
extension SyncRun {
    /// Keeps for later what is heard of a log that has other items, while not all is read that is here: who joins with a folder that
    /// has the same files would get each of them a second time.
    ///
    /// - Returns: Whether it does.
    func holdsBack(_ news: HubLine.News) -> Bool {
        if heldNews.isEmpty {
            guard !unread.isEmpty, engine.tree.itemCount == 0, case .entries(let heard) = news,
                heard.contains(where: { $0.entry.commit.state != nil && table[$0.entry.commit.item] == nil })
            else { return false }
        }
        heldNews.append(news)
        return true
    }

    /// Goes on with what was heard meanwhile, once all is read.
    func endHoldingBack() {
        guard !heldNews.isEmpty, unread.isEmpty else { return }
        let held = heldNews
        heldNews = []
        for news in held { heard(news) }
    }

    /// Has items of the folder become others. Their contents are kept as those' first, all together.
    func become(_ effects: [Effect]) {
        var kept: [ItemID: ContentName] = [:]
        let documents = effects.compactMap { effect -> (item: ItemID, document: Vault.Keepable)? in
            guard case .become(let item, let other, let expected) = effect, expected.kind == .document,
                let path = table.path(of: item, in: place.folder)
            else { return nil }
            return (item, Vault.Keepable(path, as: other.mark))
        }
        do {
            for (document, result) in zip(documents, try contents.keep(documents.map(\.document))) {
                // What cannot be read has changed since, or is found so by the next look.
                if case .success(let read) = result { kept[document.item] = read.name }
            }
        } catch {
            for effect in effects { fail(effect, error) }
            return
        }
        for effect in effects where !isStopped {
            guard case .become(let item, let other, let expected) = effect else { continue }
            do { try become(item, other, expecting: expected, kept[item]) } catch { fail(effect, error) }
        }
    }

    private func become(
        _ item: ItemID,
        _ other: ItemID,
        expecting expected: ItemState,
        _ kept: ContentName?
    ) throws {
        let effect = Effect.become(item, other, expecting: expected)
        guard !isExcluded(item) else { return holdBack(item, effect) }
        // Of a placeholder only the contents are wanted.
        let isThere = table[other].map { $0.isDataless && $0.state == expected } ?? true
        guard let known = table[item], known.state == expected, isThere, kept == expected.content,
            !missing.contains(item), let path = table.path(of: item, in: place.folder),
            try placer.isAsSeen(known, at: path)
        else { return refuse(item, effect, "it is another here than it was") }
        let copies = known.state.kind == .document ? keepVersions(of: item, as: other, at: path) : [:]
        // A link bears none, and of a file with several names one item has it.
        if known.trace.kind != .symbolicLink, try FileIdentity.mark(at: path) == item.mark {
            try FileIdentity.give(other.mark, toItemAt: path, replacing: true)
        }
        guard let status = try FolderScan.status(at: path), ItemTrace(status).isSameItem(as: known.trace)
        else {
            return refuse(item, effect, "it has gone since")
        }
        var now = known
        now.trace.changed = ItemTrace(status).changed
        if table[other] == nil {
            table.rename(item, to: other, as: now)
        } else {
            // What cannot bear the mark could not be told.
            guard try FileIdentity.mark(at: path) == other.mark else {
                return refuse(item, effect, "it cannot be marked")
            }
            table[item] = nil
            table[other] = now
            // The placeholder is found beside it, and goes.
            dirtyFolders.insert(now.state.parent)
            lookSoon()
        }
        handOver(item, to: other, at: path, known)
        handOverConflicts(of: item, to: other, copies)
        take([.became(item, other)])
        refusals[item] = nil
        requestContents(of: other)
        guard table[other]?.state.hasConflicts == true else { return }
        // What was not copied.
        attempt("what is in conflict with “\(self.path(of: other))” is not shown") {
            try showConflicts(of: other)
        }
    }

    /// Has the user's versions of a document, which are known by its mark, be the other's.
    ///
    /// - Returns: Which version is now the copy of which.
    private func keepVersions(
        of item: ItemID,
        as other: ItemID,
        at path: FilePath
    ) -> [VersionID: VersionID] {
        guard versions.isOn else { return [:] }
        do {
            return try versions.copyVersions(
                of: item.mark,
                to: other.mark,
                at: path.url(isDirectory: false)
            )
        } catch {
            // They stay in the vault, and nobody finds them there by the document.
            report(.failed(path: self.path(of: item), why: "its versions cannot be kept with it: \(error)"))
            return [:]
        }
    }

    /// Has what is shown of an item's conflicts be the other's: who settles the copies settles these, and what is settled elsewhere
    /// is settled in the copies.
    private func handOverConflicts(
        of item: ItemID,
        to other: ItemID,
        _ copies: [VersionID: VersionID]
    ) {
        conflicts.behind.remove(item)
        if conflicts.withThemselves.asking[item] != nil || conflicts.withThemselves.behind.contains(item) {
            conflicts.withThemselves.behind.remove(item)
            settleConflictWithItself(of: other)
        }
        guard let shown = conflicts.shown.removeValue(forKey: item) else { return }
        for (content, id) in shown {
            if let copy = copies[id] { conflicts.shown[other, default: [:]][content] = copy }
        }
        // Written down with that it is the other.
        conflicts.takenUp.formUnion([item, other])
    }

    /// Has all that is known of an item be known of another.
    private func handOver(_ item: ItemID, to other: ItemID, at path: FilePath, _ known: FolderItem) {
        watches?.end(item)
        unwatched.remove(item)
        writing.forget(item)
        (writers[item], stuck[item]) = (nil, nil)
        doubt?.handOver(item, to: other)
        leftOut[other] = leftOut.removeValue(forKey: item)
        unkept[item] = nil
        if suspects.remove(item) != nil { suspects.insert(other) }
        if perishable.remove(item) != nil { perishable.insert(other) }
        dirtyFolders.remove(item)
        dirtyPackages.remove(item)
        if known.state.kind == .folder {
            unlisted[item] = nil
            watchIfPossible(other)
            // What came into it meanwhile.
            dirtyFolders.insert(other)
            lookSoon()
        } else if known.trace.kind == .directory {
            attempt("a package cannot be watched") { try watch(placedPackage: other, at: path) }
        }
        news.formUnion([item, other] + table.members(of: other))
    }
}
