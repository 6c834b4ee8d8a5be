internal import DocumentFoundation
internal import FileSystem
internal import Foundation
internal import Sync
internal import SyncMessages
internal import Vault

// How items stand, for others who ask.
extension SyncRun {
    /// How what is at a place below the folder stands; nil for nothing.
    ///
    /// It is looked at: what has just been saved no event may have told of yet, and is not at the hub for all that.
    func state(at path: String) -> ItemSyncState? {
        guard let item = item(at: path) else { return stateOfUnseen(at: path) }
        // The container's own folder is no item.
        guard item != .root else { return nil }
        let isAsSeen = isAsSeen(item, at: path)
        if !isAsSeen { lookAgain(at: item) }
        return state(of: item, isAsSeen: isAsSeen)
    }

    /// Whether nothing says that a document is another than when it was read last. Of a package only its own directory and
    /// what has been told of it say anything.
    private func isAsSeen(_ item: ItemID, at path: String) -> Bool {
        // Of what is gone, waits or is not looked at its state says so anyway.
        guard !isStopped, writing.waiting[item] == nil, !isExcluded(item) else { return true }
        guard let known = table[item], let there = table.path(of: item, in: place.folder) else {
            return !isSomething(at: path)
        }
        guard known.state.kind == .document else { return true }
        do {
            guard let now = try FolderScan.status(at: there).map({ ItemTrace($0) }) else { return false }
            let isUnread = now.kind == .directory && dirtyFolders.contains(known.state.place.parent)
            return now == known.trace && !isUnread && !written.contains(item)
        } catch {
            // That it cannot be looked at is found out, and said, where all is looked at.
            return true
        }
    }

    /// Whether nothing says that a file holds something else than when it was read last, be it told of or not. A mark that it was
    /// given since says nothing of that, nor does another name; of what is in a package its events tell.
    func isFileAsRead(_ item: ItemID) -> Bool {
        guard !isStopped, writing.waiting[item] == nil, !isExcluded(item), let known = table[item],
            known.state.kind == .document, known.trace.kind == .regular,
            let there = table.path(of: item, in: place.folder)
        else { return true }
        do {
            guard let now = try FolderScan.status(at: there) else { return false }
            return ItemTrace(now).hasContents(of: known.trace)
        } catch {
            // That it cannot be looked at is found out, and said, where all is looked at.
            return true
        }
    }

    /// Has a document be looked at, and those who follow hear how it stands then.
    func lookAgain(at item: ItemID) {
        news.insert(item)
        guard let folder = parent(of: item) else { return }
        dirtyFolders.insert(folder)
        lookSoon()
    }

    /// How something stands that nobody has looked at yet: it is here alone. Nil for nothing, and for what is no item.
    func stateOfUnseen(at path: String) -> ItemSyncState? {
        let there = place.folder.appending(path)
        guard !path.isEmpty, !path.pathNames.dropLast().contains(where: place.isPackage),
            // What cannot be looked at is not known.
            let status = try? FolderScan.status(at: there),
            LeftOut.reason(forMemberNamed: there.name, status.stamp.kind) == nil,
            packageHolding(path) == nil, Placeholder(at: there) == nil,
            !SyncExclusion.isExcluded(there, below: place.folder)
        else { return nil }
        var state = ItemSyncState(path: there.string)
        state.isFolder = status.stamp.kind == .directory && !place.isPackage(there.name)
        (state.isUploaded, state.isSettled) = (false, false)
        if isLineDown { state.uploadFailure = noLine }
        if status.stamp.kind == .regular { state.byteCount = UInt64(clamping: status.stamp.byteCount) }
        return state
    }

    /// How all items below a folder stand, itself left out.
    func states(below path: String) -> [ItemSyncState] {
        guard let folder = item(at: path) else { return [] }
        return table.subtree(of: folder).filter { $0 != folder }.map { state(of: $0) }
    }

    /// How all items below a folder stand, and why, at one moment; none once nobody looks any more.
    func standings(below path: String) -> [(state: ItemSyncState, explanation: Explanation)] {
        guard !isStopped, let folder = item(at: path) else { return [] }
        return table.subtree(of: folder).filter { $0 != folder }.map {
            (state: state(of: $0), explanation: explain($0))
        }
    }

    /// Why items are not in step, of some of them, by their paths.
    func explainDiffering(max count: Int) -> [Explanation] {
        let items = isStopped ? [] : engine.differing
        let explained = items.map { explain($0) }.filter { !$0.isSettled }
        return Array(explained.sorted { $0.path.utf8.lexicographicallyPrecedes($1.path.utf8) }.prefix(count))
    }

    /// How those items stand that are directly in a folder and are not simply here as they are at the hub, with folders in which
    /// something is not.
    func unsettledStates(in path: String) -> [ItemSyncState] {
        guard let folder = item(at: path) else { return [] }
        var items = unsettledItems
        if isStopped { items.formUnion(table.members(of: folder)) }
        items = items.filter { parent(of: $0) == folder }
        items.formUnion(table.members(of: folder).filter { worst(in: $0) != nil })
        return items.map { listedState(of: $0) }
    }

    /// - Parameter isAsSeen: Whether it is still what was seen last, as far as somebody has looked.
    func state(of item: ItemID, isAsSeen: Bool = true) -> ItemSyncState {
        var state = ItemSyncState(path: place.folder.string + "/" + path(of: item))
        let (ours, theirs) = (engine.disk[item], engine.tree[item])
        let known = ours ?? theirs
        state.isFolder = known?.kind == .folder
        if known == nil, table[item] == nil { state.isNowhere = true }
        let change = engine.change(of: item)
        // Nobody looks any more once this has ended.
        let isRead =
            unkept[item] == nil && !dirtyPackages.contains(item) && unread[item] == nil
            && writing.waiting[item] == nil && !amidSaves.contains(item)
        let isSeen = !isStopped && isRead && isAsSeen && unlistedFolder(above: item) == nil
        state.isUploaded = isSeen && theirs != nil && (change == .none || change == .elsewhere)
        let isSending = ours?.contents.contains { engine.isSending($0) && failedContents[$0] == nil } == true
        let held = stuck[item]
        let isCommitting = engine.isCommitting(item) && held == nil
        state.isUploading = lineState == .up && (isSending || isCommitting)
        if !state.isUploaded { state.uploadFailure = uploadFailure(of: item, ours?.content) }
        state.isSettled = isSeen && ours == theirs && held == nil
        state.pause = paused[item]
        state.hasConflicts = [ours, theirs].contains { $0?.lostConflicts.isEmpty == false }
        if let held, !held.effect.isLeaving {
            state.downloadFailure = SyncRefusal(.failed, held.why.description)
        }
        guard !state.isFolder else { return state }
        if ours == nil || table[item]?.isDataless == true {
            state.contents = .missing
        } else if let theirs, change == .elsewhere || change == .both, theirs.content != ours?.content {
            state.contents = .stale
        }
        state.byteCount = known?.content.flatMap { Self.byteCount(of: $0) }
        if state.isUploading { state.upload = ours?.content.flatMap { upload(of: $0) } }
        let awaited = ours == theirs ? [] : theirs?.contents.filter { engine.isGetting($0) }.sorted() ?? []
        if let download = downloads[item] {
            state.isDownloadRequested = true
            state.downloadFailure = download.failure
            if download.failure == nil {
                state.download = share(of: known?.content, download.byteCount, state.byteCount)
            }
        } else if let failure = downloadFailure(awaited) {
            state.downloadFailure = failure
        } else if !awaited.isEmpty {
            let come = awaited.first.flatMap { arrivals[$0] }?.byteCount ?? 0
            state.download = share(
                of: awaited.first,
                UInt64(come),
                awaited.first.flatMap { Self.byteCount(of: $0) }
            )
        }
        return state
    }

    func upload(of content: ContentName) -> ItemSyncState.Share? {
        guard let objects = uploads[content], let total = Self.byteCount(of: content) else { return nil }
        let fraction = objects.total == 0 ? 0 : Double(objects.done) / Double(objects.total)
        // Of the largest totals that there are, as somebody may have said one, all is more than what a whole number holds.
        let done = fraction < 1 ? UInt64(fraction * Double(total)) : total
        var share = ItemSyncState.Share(done, of: total)
        share.objects = objects
        return share
    }

    /// How much of contents has come. Sealed bytes are some more or less than those that they hold.
    private func share(of content: ContentName?, _ come: UInt64, _ total: UInt64?) -> ItemSyncState.Share {
        var share = ItemSyncState.Share(min(come, total ?? 0), of: total ?? 0)
        share.objects = content.flatMap { arrivals[$0] }?.objects
        return share
    }

    /// How much of contents that are on their way has come here; nil where nothing tells.
    func download(of content: ContentName) -> ItemSyncState.Share? {
        arrivals[content].map { share(of: content, UInt64($0.byteCount), Self.byteCount(of: content)) }
    }

    private func uploadFailure(of item: ItemID, _ content: ContentName?) -> SyncRefusal? {
        if let why = unkept[item] { return SyncRefusal(.failed, "It cannot be read: \(why)") }
        if let (_, why) = unlistedFolder(above: item) {
            return SyncRefusal(.failed, "Nobody can look at it: \(why)")
        }
        if let held = stuck[item], held.effect.isLeaving {
            return SyncRefusal(
                held.why.cause == .hubFull ? .quota : .failed,
                "It cannot be sent: \(held.why)"
            )
        }
        if isLineDown { return noLine }
        return content.flatMap { failedContents[$0] }
    }

    private var noLine: SyncRefusal {
        var refusal = SyncRefusal(.unreachable, "There is no line to the hub: \(lineReason)")
        refusal.hubDeed = logDeed?.kind
        return refusal
    }

    /// Why contents that are awaited do not come.
    func downloadFailure(_ contents: [ContentName]) -> SyncRefusal? {
        guard !contents.isEmpty else { return nil }
        if isLineDown { return noLine }
        return contents.compactMap { failedContents[$0] }.first
    }

    /// Of all files in it; nil for what no vault has written down.
    static func byteCount(of content: ContentName) -> UInt64? {
        try? ContentStore.contents(content).byteCount
    }
}
