internal import DocumentFoundation
internal import FileSystem
internal import Foundation
internal import Sync
internal import Vault

// What lost a conflict is an unresolved version of its document, as `NSFileVersion` lists them, until somebody has settled
// it on any device.
extension SyncRun {
    /// Makes versions of contents that have lost a conflict, and settles those that are settled elsewhere.
    func showConflicts(of item: ItemID) throws {
        guard versions.isOn, let state = table[item]?.state, table[item]?.isDataless == false,
            let path = table.path(of: item, in: place.folder)
        else { return }
        let known = conflicts[item] ?? [:]
        let open = state.lostConflicts
        guard Set(known.keys) != open else { return }
        let url = path.url(isDirectory: false)
        for content in open.subtracting(known.keys).sorted() { try show(content, of: item, at: path) }
        try versions.noteLink(at: url, as: item.mark)
        let settled = known.filter { !open.contains($0.key) }
        try versions.settle(Set(settled.values), at: url)
        for content in settled.keys { conflicts[item]?[content] = nil }
        if conflicts[item]?.isEmpty == true { conflicts[item] = nil }
        try memory.remember(conflicts: conflicts[item] ?? [:], of: item)
        try watchConflicts()
    }

    /// Makes versions of contents that have lost a conflict before the item is put in place that they are in conflict with: who
    /// sees it, and removes it, is to have them before his eyes as well. Should it not come to its place, they are settled again.
    func showConflicts(of item: ItemID, beforePlacing state: ItemState) throws {
        let unseen = state.lostConflicts.subtracting((conflicts[item] ?? [:]).keys)
        guard versions.isOn, !unseen.isEmpty, table[item]?.isDataless != true,
            let path = table.path(of: state.place, in: place.folder)
        else { return }
        for content in unseen.sorted() { try show(content, of: item, at: path) }
        try memory.remember(conflicts: conflicts[item] ?? [:], of: item)
        try watchConflicts()
    }

    private func show(_ content: ContentName, of item: ItemID, at path: FilePath) throws {
        let copy = place.memory.appending("conflict-\(UUID().uuidString)").appending(path.name)
        try ItemMoves.createFolder(copy.parent, permissions: 0o700)
        // Nobody else's; what cannot be removed is in the way of nothing.
        defer { try? FileManager.default.removeItem(at: copy.parent.url(isDirectory: true)) }
        // As old as its coming, which is what a list of versions is to say.
        try contents.restore(content, to: copy)
        conflicts[item, default: [:]][content] = try versions.keepConflict(
            at: copy,
            of: path.url(isDirectory: false),
            as: item.mark,
            .conflict
        )
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
            let shown = Set((conflicts[item] ?? [:]).values)
            for id in try versions.unsettled(of: item.mark, at: url) where !shown.contains(id) {
                let content = try keepConflict(id, at: path, of: item)
                // A save that failed has left it in place, and the next one settles that.
                guard let content, content != known.state.content else { continue }
                if conflicts[item]?[content] != nil {
                    // There is one like it, which is to be settled once.
                    try versions.settle([id], at: url)
                    continue
                }
                conflicts[item, default: [:]][content] = id
                takenUp.insert(item)
                known.state.conflicts.insert(content)
                report(.conflict(path: self.path(of: item)))
            }
            try watchConflicts()
        }
    }

    /// Keeps among the contents what a version holds.
    private func keepConflict(_ id: VersionID, at path: FilePath, of item: ItemID) throws -> ContentName? {
        let copy = place.memory.appending("conflict-\(UUID().uuidString)").appending(path.name)
        try ItemMoves.createFolder(copy.parent, permissions: 0o700)
        // Nobody else's; what cannot be removed is in the way of nothing.
        defer { try? FileManager.default.removeItem(at: copy.parent.url(isDirectory: true)) }
        try versions.restore(id, of: path.url(isDirectory: false), to: copy)
        return try contents.keep(Vault.Keepable(copy, as: item.mark, isElsewhere: true))
    }

    /// Notes where links in conflict are now: their places alone tell whose conflicts those are.
    func noteLinksInConflict() {
        for item in conflicts.keys where table[item]?.trace.kind == .symbolicLink {
            guard let path = table.path(of: item, in: place.folder) else { continue }
            attempt("where “\(self.path(of: item))” is cannot be noted") {
                try versions.noteLink(at: path.url(isDirectory: false), as: item.mark)
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
                conflictWatch = nil
                throw error
            }
        }
        if conflicts.isEmpty { conflictWatch = nil }
    }

    private func watchConflicts() throws {
        guard versions.isOn, conflictWatch == nil, let item = conflicts.keys.first else { return }
        let url = (table.path(of: item, in: place.folder) ?? place.folder).url(isDirectory: false)
        do {
            conflictWatch = try versions.watchConflicts(of: url, on: queue) { [box = Confined(Weak(self))] in
                box.value.value?.conflictsMayBeSettled()
            }
        } catch is SystemError {
            // For want of watches, say, it is looked at from time to time instead.
        }
    }

    private func conflictsMayBeSettled() {
        guard !isConflictLookDue, !isStopped else { return }
        isConflictLookDue = true
        // Whoever settles one often settles more.
        queue.asyncAfter(deadline: .now() + Self.settlingSeconds) { [box = Confined(Weak(self))] in
            guard let self = box.value.value, !self.isStopped else { return }
            self.isConflictLookDue = false
            // A vault that was removed and made anew is another file.
            self.conflictWatch = nil
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
        for (item, known) in conflicts {
            guard var seen = table[item], let path = table.path(of: item, in: place.folder) else { continue }
            let open = try versions.unsettled(Set(known.values), at: path.url(isDirectory: false))
            let settled = known.filter { !open.contains($0.value) }.keys
            guard !settled.isEmpty else { continue }
            for content in settled {
                seen.state.conflicts.remove(content)
                conflicts[item]?[content] = nil
            }
            if conflicts[item]?.isEmpty == true { conflicts[item] = nil }
            table[item] = seen
            try memory.remember(conflicts: conflicts[item] ?? [:], of: item)
            events.append(.diskChanged(item, seen.state))
        }
        if !events.isEmpty { take(events) }
    }
}
