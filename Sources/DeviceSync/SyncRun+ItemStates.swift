internal import FileSystem
internal import Foundation
internal import Sync
internal import SyncMessages
internal import Vault

// How items stand, for others who ask.
extension SyncRun {
    /// How what is at a place below the folder stands; nil for nothing.
    func state(at path: String) -> ItemSyncState? {
        // The container's own folder is no item.
        item(at: path).flatMap { $0 == .root ? nil : state(of: $0) }
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

    func state(of item: ItemID) -> ItemSyncState {
        var state = ItemSyncState(path: place.folder.string + "/" + path(of: item))
        let (ours, theirs) = (engine.disk[item], engine.tree[item])
        let known = ours ?? theirs
        state.isFolder = known?.kind == .folder
        let change = engine.change(of: item)
        // Nobody looks any more once this has ended.
        let isRead =
            unkept[item] == nil && !dirtyPackages.contains(item) && unread[item] == nil
            && writing.waiting[item] == nil
        let isSeen = !isStopped && isRead && unlistedFolder(above: item) == nil
        state.isUploaded = isSeen && theirs != nil && (change == .none || change == .elsewhere)
        let isSending = ours?.contents.contains { engine.isSending($0) && failedContents[$0] == nil } == true
        state.isUploading = lineState == .up && (isSending || engine.isCommitting(item))
        if !state.isUploaded { state.uploadFailure = uploadFailure(of: item, ours?.content) }
        state.isSettled = isSeen && ours == theirs && stuck[item] == nil
        state.pause = paused[item]
        state.hasConflicts = [ours, theirs].contains { $0?.lostConflicts.isEmpty == false }
        if let stuck = stuck[item] { state.downloadFailure = SyncRefusal(.failed, stuck.why.description) }
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
        var share = ItemSyncState.Share(UInt64(fraction * Double(total)), of: total)
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
