internal import DocumentFoundation
internal import FileSystem
internal import Foundation
internal import Sync
internal import Vault

// What is done in the folder.
extension SyncRun {
    func carryOutNow(_ effect: Effect) {
        do {
            if let why = farAway(effect) { return hold(effect, why) }
            switch effect {
            case .place(let item, let state, let expected): try place(item, state, expecting: expected)
            case .remove(let item, let expected): try remove(item, expecting: expected)
            case .become: become([effect])
            case .merge(let item, let base, let ours, let theirs): try merge(item, base, ours, theirs)
            case .upload, .fetch, .commit: break
            }
        } catch {
            fail(effect, error)
        }
    }

    /// Why nothing can be done in the folder that a step is about, which is not there; nil where it is.
    private func farAway(_ effect: Effect) -> DiskRefusal? {
        switch effect {
        case .place(let item, let state, _):
            [item, state.place.parent].lazy.compactMap { self.unlistedFolder(above: $0)?.1 }
                .first { $0.cause == .away }
        case .become(let item, _, _): unlistedFolder(above: item).flatMap { $0.1.cause == .away ? $0.1 : nil }
        case .remove(let item, _): unlistedFolder(above: item).flatMap { $0.1.cause == .away ? $0.1 : nil }
        case .merge, .upload, .fetch, .commit: nil
        }
    }

    /// A step waits for its folder, of which is told by itself.
    private func hold(_ effect: Effect, _ why: DiskRefusal) {
        stuck[effect.item] = (effect, why)
        news.insert(effect.item)
    }

    func fail(_ effect: Effect, _ error: any Error) {
        if let access = error as? FolderAccess.Awaited { return wait(effect.item, .effect(effect), access) }
        if lacks(for: effect, error) { return }
        if let open = error as? OpenInPrograms { return wait(effect, for: open) }
        if case .place(_, let state, _) = effect, let path = table.path(of: state.place, in: place.folder) {
            unfinished.insert(path)
        }
        stuck[effect.item] = (effect, DiskRefusal(error))
        news.insert(effect.item)
        report(.failed(path: path(of: effect.item), why: "\(error)"))
    }

    /// A step waits for programs that have a file open in a package.
    private func wait(_ effect: Effect, for open: OpenInPrograms) {
        stuck[effect.item] = (
            effect,
            DiskRefusal(
                "A file in it is open in a program that writes it\(open.who).",
                helps: "Close it there; it goes on by itself."
            )
        )
        news.insert(effect.item)
        retryLater()
    }

    private func place(_ item: ItemID, _ state: ItemState, expecting expected: ItemState?) throws {
        let effect = Effect.place(item, state, expecting: expected)
        guard !isExcluded(item) else { return holdBack(item, effect) }
        guard table[item]?.state == expected else {
            return refuse(item, effect, "it is another here than at the hub")
        }
        guard !written.contains(item) else { return refuse(item, effect, "it was written since") }
        var replaced: ReplacedFile?
        let wasLosing = losing.remove(item) != nil
        let outcome: Placer.Outcome
        do {
            let modified = try modified(item, as: state, in: engine.tree)
            try showConflicts(of: item, beforePlacing: state)
            outcome = try placer.place(item, state, modified: modified, in: table, replaced: &replaced)
        } catch {
            if wasLosing, isAsSeen(item) { losing.insert(item) }
            throw error
        }
        if case .done = outcome, state.isLosing { losing.insert(item) }
        try take(outcome, of: item, state, expecting: expected)
        if let replaced, let expected, case .done = outcome { hold(replaced, of: item, as: expected) }
    }

    /// When contents that an item has not had here were modified last, by what the log says of it now; nil where nobody knows,
    /// as of those that this device has merged.
    private func modified(_ item: ItemID, as state: ItemState, in tree: ContainerTree) throws -> Int64? {
        guard let content = state.content, content != table[item]?.state.content else { return nil }
        return try memory.modified(at: tree.revision(of: item), as: content)
    }

    /// Whether an item's own contents are certainly still in its place.
    func isAsSeen(_ item: ItemID) -> Bool {
        guard let known = table[item], let path = table.path(of: item, in: place.folder) else { return false }
        // What cannot be looked at is not certain.
        return (try? placer.isAsSeen(known, at: path)) ?? false
    }

    /// Puts new documents in place together.
    func placeNew(_ effects: [Effect]) {
        let held = effects.filter { farAway($0) != nil }
        held.forEach(carryOut)
        let effects = held.isEmpty ? effects : effects.filter { farAway($0) == nil }
        guard !effects.isEmpty, findRoot() else { return effects.forEach(carryOut) }
        do {
            let documents = try newDocuments(effects, in: engine.tree)
            for (document, result) in zip(documents, try placer.placeNew(documents, in: table)) {
                do { try take(try result.get(), of: document.item, document.state, expecting: nil) } catch {
                    fail(.place(document.item, document.state, expecting: nil), error)
                }
            }
        } catch {
            // One by one: what is wrong with one is not to be in the others' way.
            for effect in effects { carryOut(effect) }
        }
    }

    private func newDocuments(_ effects: [Effect], in tree: ContainerTree) throws -> [Placer.NewDocument] {
        for case .place(let item, let state, _) in effects {
            try showConflicts(of: item, beforePlacing: state)
        }
        return try memory.atOneTime {
            try effects.compactMap { effect in
                guard case .place(let item, let state, _) = effect else { return nil }
                return .init(item: item, state: state, modified: try modified(item, as: state, in: tree))
            }
        }
    }

    /// Notes what became of an item that was to be placed.
    private func take(
        _ outcome: Placer.Outcome,
        of item: ItemID,
        _ state: ItemState,
        expecting expected: ItemState?
    ) throws {
        guard case .done(let placed) = outcome else {
            if case .another(let why) = outcome {
                refuse(item, .place(item, state, expecting: expected), why)
            }
            return
        }
        let former = table[item]
        table[item] = placed
        handOnMark(of: item, from: former, to: placed?.trace)
        if expected?.content != state.content,
            let why = keepFormer(expected?.content, of: item, isFound: false)
        {
            // Not said to be placed before that is kept: a look finds what is there, and tries again.
            table[item] = former
            stuck[item] = (.place(item, state, expecting: expected), why)
            news.insert(item)
            return
        }
        if let path = table.path(of: item, in: place.folder) {
            if state.kind == .folder, expected == nil {
                watchIfPossible(item)
                // What somebody may have put in before it was watched.
                dirtyFolders.insert(item)
                lookSoon()
            } else if state.kind == .document, placed?.trace.kind == .directory {
                try watch(placedPackage: item, at: path)
            }
            if state.kind == .document, former?.isDataless != false || former?.state.place != state.place {
                try versions.claim(path.url(isDirectory: false), as: item.mark)
            }
        }
        if expected?.content != state.content { noteSuperseded(expected?.content) }
        if let former = expected?.place, former != state.place { notePlacesInConflict() }
        take([.placed(item)])
        refusals[item] = nil
        // What is on its way is another by now, or is here without it.
        if downloads[item] != nil { requestContents(of: item) }
        if placed?.isDataless != true {
            let lost = expected?.content.flatMap { state.lostConflicts.contains($0) ? $0 : nil }
            try showConflicts(of: item, thatHasLost: lost)
        }
        // What is only noted changes nothing for anybody.
        guard !state.isLosing else { return }
        report(.received(path: path(of: item)))
        if !state.lostConflicts.isSubset(of: expected?.lostConflicts ?? []) {
            report(.conflict(path: path(of: item)))
        }
    }

    /// Watches a package that has just come: what somebody may have written into it before is looked for.
    func watch(placedPackage item: ItemID, at path: FilePath) throws {
        try watch(package: item, at: path)
        dirtyPackages.insert(item)
        lookSoon()
    }

    private func remove(_ item: ItemID, expecting expected: ItemState) throws {
        let effect = Effect.remove(item, expecting: expected)
        guard !isExcluded(item) else {
            return isThere(item) ? holdBack(item, effect) : letGoOfExcluded(item)
        }
        guard table[item]?.state == expected else {
            return refuse(item, effect, "it is another here than at the hub")
        }
        guard !written.contains(item) else { return refuse(item, effect, "it was written since") }
        let path = path(of: item)
        var removed: ReplacedFile?
        switch try placer.remove(item, in: table, removed: &removed) {
        case .done:
            forget(item)
            refused.remove(item)
            take([.placed(item)])
            if downloads[item] != nil { requestContents(of: item) }
            report(.removed(path: path))
            lookAtStrayPlaceholders()
            if let removed { hold(removed, of: item, as: expected) }
        case .another(let why): refuse(item, effect, why)
        }
    }

    /// So often one step is planned anew at once; after that it is tried now and then.
    private static let refusalCountMax = 5

    /// The disk is not as the engine takes it for: it hears what is there after a look.
    func refuse(_ item: ItemID, _ effect: Effect, _ found: String) {
        if writing.waiting[item] != nil {
            // What is there is looked at when that has ended.
            stuck[item] = (effect, DiskRefusal(writingText(of: item)))
            news.insert(item)
            return
        }
        refusals[item, default: 0] += 1
        guard refusals[item, default: 0] <= Self.refusalCountMax else {
            refusals[item] = nil
            // What is found of one that cannot be kept stays what it was.
            let why = unkept[item] ?? DiskRefusal("It is never as it was found: \(found).")
            stuck[item] = (effect, why)
            news.insert(item)
            return report(.failed(path: path(of: item), why: why.description))
        }
        if let parent = table[item]?.state.place.parent { dirtyFolders.insert(parent) }
        if let parent = engine.tree[item]?.place.parent { dirtyFolders.insert(parent) }
        dirtyFolders.insert(.root)
        if table[item]?.trace.kind == .directory, table[item]?.state.kind == .document {
            dirtyPackages.insert(item)
        }
        refused.insert(item)
        lookSoon()
    }
}

extension SyncEngine.Effect {
    /// Which item it is about.
    var item: ItemID {
        switch self {
        case .place(let item, _, _), .remove(let item, _), .become(let item, _, _), .merge(let item, _, _, _):
            item
        case .commit(let commit): commit.item
        case .upload, .fetch: .root
        }
    }

    /// Whether it is to go to the hub.
    var isLeaving: Bool {
        switch self {
        case .upload, .commit: true
        case .fetch, .place, .remove, .become, .merge: false
        }
    }
}
