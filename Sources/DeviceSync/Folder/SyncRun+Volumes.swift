internal import Dispatch
internal import FileSystem
internal import Sync

// Folders below the container's at which other volumes begin, and what becomes of them (`FolderLook+Volumes.swift`).
//
//     mounted ──(a bare folder is in its place)──▶ apart: all in it stays as it is; everything else goes on
//        ▲                                          │ │
//        └──────────(it is mounted again)───────────┘ └──(the bare folder is removed)──▶ what was in it comes from the hub
//
// To remove the bare folder is no removal of what is on the volume: that has it still. What has come from the hub then can be
// removed as anything else.
extension SyncRun {
    /// Hears of what is mounted and unmounted from now on, of which the folder that it is in tells nothing.
    func followMounts() {
        mounts = MountChanges.shared.follow { [queue, box = Confined(Weak(self))] places in
            queue.async { box.value.value?.heard(mountsAt: places) }
        }
    }

    /// Has the folders be looked at in which something is mounted, or not any more.
    private func heard(mountsAt places: [FilePath]) {
        guard !isStopped else { return }
        // Where nothing is there now, it is where it was meant to be.
        let root = (try? place.folder.resolved()) ?? place.folder
        if places.contains(where: root.isInside) { noticeRoot() }
        for place in places where place != root && place.isInside(root) { noteMount(at: place, in: root) }
        if !dirtyFolders.isEmpty || !dirtyPackages.isEmpty { lookSoon() }
    }

    private func noteMount(at place: FilePath, in root: FilePath) {
        let top = root.string == "/" ? 0 : root.string.utf8.count
        let names = String(decoding: place.string.utf8.dropFirst(top + 1), as: UTF8.self).pathNames
        var folder = ItemID.root
        for name in names.dropLast() {
            // What is not known yet is looked at when it is.
            guard let item = table.item(at: ItemPlace(folder, name)) else { return }
            guard table[item]?.state.kind == .folder else {
                // Somewhere in a package.
                dirtyPackages.insert(item)
                break
            }
            folder = item
        }
        dirtyFolders.insert(folder)
    }

    /// Notes what has become of volumes.
    ///
    /// - Returns: What the engine is to hear of.
    func takeVolumes(_ outcome: FolderLook.Outcome) -> [Event] {
        for (folder, apart) in outcome.apart { noteApart(folder, apart) }
        let back = unlisted.filter { folder, why in
            guard why.cause == .away, folder != .root, outcome.apart[folder] == nil,
                let parent = table[folder]?.state.place.parent
            else { return false }
            return outcome.listed.contains(folder)
                || outcome.listed.contains(parent) && !outcome.missing.contains(folder)
        }
        for folder in back.keys {
            apart[folder] = nil
            takeUp(folder)
        }
        guard !outcome.vanished.isEmpty else { return [] }
        // What is deepest first, as it leads through what is above.
        let items = outcome.vanished.sorted { depth($0) > depth($1) }
        for item in items { forget(item) }
        return [.vanished(outcome.vanished)]
    }

    /// What the memory does not have yet of volumes.
    var unwrittenVolumes: [ItemID: FolderTable.Volume?] {
        table.unwrittenVolumes.reduce(into: [:]) { $0.updateValue(table.volumes[$1], forKey: $1) }
    }

    /// Notes that it is written down what volumes there are, with what has vanished as they came. One that does
    /// not bear its mark may get it from now on.
    func noteWritten(volumes: [ItemID: FolderTable.Volume?]) {
        // While events wait, what has vanished since may be among them: all is written down again with these.
        guard !volumes.isEmpty, events.isEmpty else { return }
        table.noteWritten(volumes: volumes)
        let unmarked = volumes.filter { $0.value?.isMarked == false }
        guard !unmarked.isEmpty else { return }
        dirtyFolders.formUnion(unmarked.keys)
        lookSoon()
    }

    private func noteApart(_ folder: ItemID, _ found: FolderLook.Apart) {
        let name = path(of: folder)
        // As the look has found it: by now the volume may be there again.
        apart[folder] = found.place
        let why =
            switch found.cause {
            case .unmounted:
                DiskRefusal(
                    away: "What was mounted at “\(name)” is not mounted: nothing in it is taken for deleted.",
                    helps: """
                        Mount it: it goes on by itself. Or remove the folder: what was in it comes from the \
                        hub then, and can be removed as anything else.
                        """
                )
            case .covered:
                DiskRefusal(
                    away: "Something is mounted over “\(name)”: nothing that it hides is taken for deleted.",
                    helps: "Unmount it, or mount it elsewhere: it goes on by itself."
                )
            }
        noteUnlisted(folder, why)
        retryLater()
    }

    /// Whether what is in the place of a folder is what was found there last.
    func isStillApart(_ folder: ItemID) -> Bool {
        guard let known = apart[folder], unlisted[folder]?.cause == .away,
            let path = table.path(of: folder, in: place.folder)
        else { return false }
        // What cannot be looked at now is another for all that anybody knows, and is looked at again.
        return (try? FolderPlace(at: path)) == known
    }

    /// What of an item that is not there any more nobody has removed: what was on a volume, or in another directory than the
    /// container's folder is now, or was taken by a power cut.
    func unproven(in item: ItemID) -> Set<ItemID> {
        let all = table.subtree(of: item)
        var unproven = doubt.map { $0.items.intersection(all) } ?? []
        if perishable.contains(item) { return Set(all) }
        for member in all where table.volumes[member] != nil { unproven.formUnion(table.subtree(of: member)) }
        return unproven
    }
}
