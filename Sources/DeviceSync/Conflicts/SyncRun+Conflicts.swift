internal import DocumentFoundation
internal import FileSystem
internal import Foundation
internal import Sync
internal import Vault

/// Which versions show what has lost a conflict, and what of that is to be done yet.
struct ShownConflicts {
    /// The versions that contents have become which lost a conflict.
    var shown: [ItemID: [ContentName: VersionID]] = [:]
    /// Items of which an app has kept versions in conflict, or somebody has settled some, and what is shown of them is not written
    /// down yet: that is with what the engine makes of it.
    var takenUp: Set<ItemID> = []
    /// Items of which not all could be shown or settled.
    var behind: Set<ItemID> = []
    /// When contents were modified last whose versions are shown anew, in nanoseconds since 1970.
    var shownBefore: [ContentName: Int64] = [:]
    var withThemselves = ConflictsWithThemselves()
    /// Tells that somebody may have settled one; nil while there are none, or it cannot be had.
    var watch: DirectoryWatch?
    var isLookDue = false
}

// What lost a conflict is an unresolved version of its document, as `NSFileVersion` lists them, until somebody has settled
// it on any device.
extension SyncRun {
    /// Makes versions of contents that have lost a conflict, and settles those that are settled elsewhere. What a full disk keeps
    /// from it is done with the next retry.
    ///
    /// - Parameter lost: What has just left the item's place, and has lost.
    func showConflicts(of item: ItemID, thatHasLost lost: ContentName? = nil) throws {
        conflicts.behind.insert(item)
        if let lost { forgetEarlySettling(of: lost, of: item) }
        try showConflictsNow(of: item)
        conflicts.behind.remove(item)
    }

    private func showConflictsNow(of item: ItemID) throws {
        guard versions.isOn, let state = table[item]?.state, table[item]?.isDataless == false,
            let path = table.path(of: item, in: place.folder)
        else { return }
        let known = conflicts.shown[item] ?? [:]
        let open = state.lostConflicts
        let url = path.url(isDirectory: false)
        // Shown before it was put in place, what bears no mark is known of where it is only now.
        if let id = known.values.first { try versions.notePlace(url, ofItemWith: id) }
        guard Set(known.keys) != open else { return }
        // Who settles one as soon as it is shown is heard, too.
        try watchConflicts(beside: item)
        for content in open.subtracting(known.keys).sorted() { try show(content, of: item, at: path) }
        if known.isEmpty, let id = conflicts.shown[item]?.values.first {
            try versions.notePlace(url, ofItemWith: id)
        }
        let settled = known.filter { !open.contains($0.key) }
        try versions.settle(Set(settled.values), at: url)
        for content in settled.keys { conflicts.shown[item]?[content] = nil }
        if conflicts.shown[item]?.isEmpty == true { conflicts.shown[item] = nil }
        try memory.remember(conflicts: conflicts.shown[item] ?? [:], of: item)
        try watchConflicts()
    }

    /// Shows what could not be shown, or settled. Why was said as it was tried first.
    func showConflictsAgain() {
        for item in conflicts.behind { try? showConflicts(of: item) }
    }

    /// Makes versions of contents that have lost a conflict before the item is put in place that they are in conflict with: who
    /// sees it, and removes it, is to have them before his eyes as well. Should it not come to its place, they are settled again.
    func showConflicts(of item: ItemID, beforePlacing state: ItemState) throws {
        let unseen = state.lostConflicts.subtracting((conflicts.shown[item] ?? [:]).keys)
        guard versions.isOn, !unseen.isEmpty, table[item]?.isDataless != true,
            let path = table.path(of: state.place, in: place.folder)
        else { return }
        try watchConflicts(beside: item)
        for content in unseen.sorted() { try show(content, of: item, at: path) }
        try memory.remember(conflicts: conflicts.shown[item] ?? [:], of: item)
        try watchConflicts()
    }

    /// What has just lost was shown while it was in place itself. A document that was read then has settled it as being the same,
    /// which says nothing of what has won since: it is shown anew.
    private func forgetEarlySettling(of content: ContentName, of item: ItemID) {
        guard versions.isOn, let id = conflicts.shown[item]?[content],
            let path = table.path(of: item, in: place.folder)
        else { return }
        // One that is shown twice, as nobody could say, is settled once it is found.
        let isOpen = (try? versions.unsettled([id], at: path.url(isDirectory: false)))?.isEmpty == false
        guard !isOpen else { return }
        conflicts.shownBefore[content] = modificationDate(ofLost: content, of: item)
        conflicts.shown[item]?[content] = nil
    }

    /// What was shown in a vault that knows nothing of it, as it was removed, put back to what it had been, or is another one, was
    /// settled by nobody: it is shown anew.
    private func showAnew(_ lost: some Sequence<ContentName>, of item: ItemID) throws {
        for content in lost {
            conflicts.shownBefore[content] = modificationDate(ofLost: content, of: item)
            conflicts.shown[item]?[content] = nil
        }
        if conflicts.shown[item]?.isEmpty == true { conflicts.shown[item] = nil }
        try showConflicts(of: item)
    }

    private func show(_ content: ContentName, of item: ItemID, at path: FilePath) throws {
        let url = path.url(isDirectory: false)
        let making = try making(of: content, of: item)
        conflicts.shown[item, default: [:]][content] = try withOwnFolder(for: .conflict) { folder in
            let copy = folder.appending(path.name)
            // As old as its coming, where nobody knows better.
            try contents.restore(content, to: copy, modified: making.modified)
            return try versions.keepConflict(at: copy, of: url, as: item.mark, .conflict, by: making.maker)
        }
        conflicts.shownBefore[content] = nil
    }

    /// Takes up what an app has kept as a version in conflict, as its save found in place what others had written: every device is
    /// to show it, and none may throw the document away without having seen it.
    ///
    /// An app keeps it before it saves, so that who reads what was saved finds it.
    func takeUpConflicts(of item: ItemID, _ known: inout FolderItem) {
        guard versions.isOn, known.state.kind == .document, let path = table.path(of: item, in: place.folder)
        else { return }
        attempt("what is in conflict with “\(self.path(of: item))” stays on this device alone") {
            let url = path.url(isDirectory: false)
            for id in try unshown(of: item, at: url) {
                guard let content = try keepConflict(id, at: path, of: item) else { continue }
                guard content != known.state.content else {
                    settleConflictWithItself(of: item)
                    continue
                }
                if conflicts.shown[item]?[content] != nil {
                    // There is one like it, which is to be settled once.
                    try versions.settle([id], at: url)
                    continue
                }
                conflicts.shown[item, default: [:]][content] = id
                conflicts.takenUp.insert(item)
                known.state.conflicts.insert(content)
                report(.conflict(path: self.path(of: item)))
            }
            try watchConflicts()
        }
    }

    /// Those of some items, which have been read, that are to be asked for versions in conflict one by one; nil for all, where
    /// they cannot be told together: what is wrong is said of each.
    func mayBeInConflict(_ items: [ItemID]) -> Set<ItemID>? {
        guard items.count > 1, versions.isOn,
            let found = try? versions.inConflict(at: place.folder.url(isDirectory: true))
        else { return nil }
        return Set(
            items.filter { item in
                if found.marks.contains(item.mark) { return true }
                guard !found.paths.isEmpty, let path = table.path(of: item, in: place.folder) else {
                    return false
                }
                return found.paths.contains(path.string)
            }
        )
    }

    /// The versions in conflict that an app has kept and nobody has shown elsewhere.
    func unshown(of item: ItemID, at url: URL) throws -> [VersionID] {
        let shown = Set((conflicts.shown[item] ?? [:]).values)
        return try versions.unsettled(of: item.mark, at: url).filter { !shown.contains($0) }
    }

    /// Keeps among the contents what a version holds.
    func keepConflict(_ id: VersionID, at path: FilePath, of item: ItemID) throws -> ContentName? {
        try withOwnFolder(for: .conflict) { folder in
            let copy = folder.appending(path.name)
            try versions.restore(id, of: path.url(isDirectory: false), to: copy)
            return try contents.keep(Vault.Keepable(copy, as: item.mark, isElsewhere: true))
        }
    }

    /// Notes where what is in conflict and bears no mark is now: its place alone tells whose conflicts those are.
    func notePlacesInConflict() {
        for (item, shown) in conflicts.shown {
            guard let id = shown.values.first, let path = table.path(of: item, in: place.folder) else {
                continue
            }
            attempt("where “\(self.path(of: item))” is cannot be noted") {
                try versions.notePlace(path.url(isDirectory: false), ofItemWith: id)
            }
        }
    }

    /// Looks which conflicts somebody has settled here, and from now on does so when that may be.
    func followConflicts() {
        attempt("conflicts cannot be looked at") {
            do {
                // What is settled from here on is told.
                try watchConflicts()
                try lookAtConflicts()
            } catch {
                conflicts.watch = nil
                throw error
            }
        }
        if conflicts.shown.isEmpty { conflicts.watch = nil }
    }

    /// - Parameter item: One of which some are about to be shown; nil where some are.
    private func watchConflicts(beside item: ItemID? = nil) throws {
        guard versions.isOn, conflicts.watch == nil, let item = item ?? conflicts.shown.keys.first else {
            return
        }
        let url = (table.path(of: item, in: place.folder) ?? place.folder).url(isDirectory: false)
        do {
            conflicts.watch = try versions.watchConflicts(of: url, on: queue) {
                [box = Confined(Weak(self))] in
                box.value.value?.conflictsMayBeSettled()
            }
        } catch is SystemError {
            // For want of watches, say, it is looked at from time to time instead.
        }
    }

    private func conflictsMayBeSettled() {
        heardCount += 1
        guard !conflicts.isLookDue, !isStopped else { return }
        conflicts.isLookDue = true
        // Whoever settles one often settles more.
        queue.asyncAfter(deadline: .now() + Self.settlingSeconds) { [box = Confined(Weak(self))] in
            guard let self = box.value.value, !self.isStopped else { return }
            self.conflicts.isLookDue = false
            // A vault that was removed and made anew is another file.
            self.conflicts.watch = nil
            self.followConflicts()
            if self.mayHaveToRetry { self.retryLater() }
        }
    }

    /// So long what is settled gathers.
    private static let settlingSeconds = 0.05

    /// Looks which conflicts somebody has settled here, and has the engine hear of it.
    private func lookAtConflicts() throws {
        guard versions.isOn else { return }
        var events: [Event] = []
        // What was found is not found again: it is told, whatever keeps the rest from being looked at.
        defer { if !events.isEmpty { take(events) } }
        for (item, known) in conflicts.shown {
            guard var seen = table[item], let path = table.path(of: item, in: place.folder) else { continue }
            let url = path.url(isDirectory: false)
            let ended = Set(known.values).subtracting(try versions.unsettled(Set(known.values), at: url))
            guard !ended.isEmpty else { continue }
            let unknown = try versions.unknown(ended, at: url)
            if !unknown.isEmpty { try showAnew(known.filter { unknown.contains($0.value) }.keys, of: item) }
            let settled = known.filter { ended.contains($0.value) && !unknown.contains($0.value) }.keys
            guard !settled.isEmpty else { continue }
            for content in settled {
                seen.state.conflicts.remove(content)
                conflicts.shown[item]?[content] = nil
            }
            if conflicts.shown[item]?.isEmpty == true { conflicts.shown[item] = nil }
            table[item] = seen
            conflicts.takenUp.insert(item)
            events.append(.diskChanged(item, seen.state))
        }
    }
}
