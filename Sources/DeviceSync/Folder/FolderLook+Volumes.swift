internal import FileSystem
internal import Sync

// Folders at which other volumes begin. One that is not mounted leaves a folder in its place, and one that is mounted over
// another folder hides what is in that: neither removes anything.
//
// Of each folder at which one begins that is noted, to outlast a restart (`FolderTable.volumes`). What is at its place, or at the
// place of any folder, is then
//
//     | noted | mounted | bears its mark         |                                                            |
//     |-------|---------|------------------------|------------------------------------------------------------|
//     | no    | no      | either                 | as of any folder                                           |
//     | yes   | yes     | yes, and is the noted  | as of any folder: mounted anew                             |
//     | yes   | no      | no, or it lies beneath | unmounted: nobody can say what is in it                    |
//     | no    | yes     | no, and it had members | covered: nobody can say what is in it                      |
//     | yes   | yes     | no                     | renewed: another volume; what is not in it has vanished    |
//     | yes   | yes     | yes, and is another    | renewed: a copy of the volume                              |
//     | yes   | no      | yes                    | renewed: a copy of it, without a volume of its own         |
//     | no    | yes     | yes, or it was empty   | renewed: a copy of it on a volume, or a volume to be filled |
//
// A copy that was made with its attributes bears the mark: what its top folder is is noted, too (`TopFolder`).
//
// That a folder is renewed is noted with what has vanished from it, in one write, and its mark is given after
// that, if it does not bear it as a copy: to who finds the mark with the note it is the folder as ever, from which somebody has
// removed what is not there.
extension FolderLook {
    /// Why nobody can say what is in a folder though another can be looked at in its place.
    struct Apart: Equatable {
        enum Cause { case unmounted, covered }

        let cause: Cause
        /// What was found in its place; nil where that was another already when it was asked for.
        let place: FolderPlace?
    }

    enum Lying {
        case asEver
        /// The folder as ever, though it bears no mark, or another's: it has not got its own yet, or cannot
        /// bear one.
        case asEverUnmarked
        case apart(Apart)
        /// It is the folder from now on.
        case renewed(FolderTable.Volume?)
    }

    /// Whether what is at a folder's place is another, or nothing: the folder above tells what has become of it. Not looked at
    /// before it is listed, as it may happen until then.
    ///
    /// It is another, too, though it is the same directory, where that bears the mark of another and is that by now.
    mutating func isAway(_ folder: ItemID, from path: FilePath) throws -> Bool {
        guard folder != .root, let known = table[folder] else { return false }
        guard let place = try FolderPlace(at: path), known.trace.isDirectory(place),
            table.folder(insteadOf: folder, in: root) == nil
        else { return true }
        let volume = table.volumes[folder]
        guard isMountPoint(place, in: table.trace(ofFolder: known.state.place.parent)) else {
            if volume != nil { table.note(volume: nil, at: folder) }
            return false
        }
        guard let found = try FoundTopFolder(at: path, as: place) else { return true }
        let bearsMark = found.mark.map { ItemID($0) } == folder
        // Volumes of memory have the same numbers one after another, and a copy has the mark.
        if let volume, volume.isMarked && !bearsMark || found.top.isAnother(than: volume.top) { return true }
        let isMarked = try bearsMark || volume != nil && giveMark(ofVolume: folder, at: path)
        table.note(
            volume: FolderTable.Volume(beneath: volume?.beneath ?? 0, isMarked: isMarked, top: found.top),
            at: folder
        )
        return false
    }

    /// Gives the top folder of a volume its mark, if it is written down what volume that is.
    ///
    /// - Returns: False when it has none.
    private func giveMark(ofVolume folder: ItemID, at path: FilePath) throws -> Bool {
        guard !table.unwrittenVolumes.contains(folder) else { return false }
        return try FileIdentity.give(folder.mark, toItemAt: path, replacing: true)
    }

    private func isMountPoint(_ place: FolderPlace, in parent: ItemTrace?) -> Bool {
        place.isMountPoint ?? parent.map { $0.device != place.device } ?? false
    }

    /// What a directory is to the folder that was seen at its place last.
    mutating func lying(_ index: Int) throws -> Lying {
        let entry = found[index]
        guard entry.trace.kind == .directory, !entry.isPlaceholder,
            let folder = table.item(at: place(of: entry)), let known = table[folder],
            known.state.kind == .folder, !isMatched(folder)
        else { return .asEver }
        let volume = table.volumes[folder]
        let isSame = known.trace.isSameItem(as: entry.trace)
        // Of nearly all folders this is all.
        if volume == nil, isSame { return .asEver }
        guard let place = try FolderPlace(at: entry.path) else { return .asEver }
        // Mounted or unmounted since it was listed: what is there now is looked at the next time.
        let changed = Lying.apart(Apart(cause: volume == nil ? .covered : .unmounted, place: nil))
        guard entry.trace.isDirectory(place) else { return changed }
        let isMounted = isMountPoint(place, in: table.trace(ofFolder: known.state.place.parent))
        if volume == nil, !isMounted { return .asEver }
        let isOther = seen(entry).map { $0 != folder } ?? false
        guard let top = try FoundTopFolder(at: entry.path, as: place)?.top else { return changed }
        let bearsMark = try mark(of: index).map { ItemID($0) } == folder
        switch (volume, isMounted) {
        case (let volume?, true):
            let isNoted = !top.isAnother(than: volume.top)
            if isNoted, bearsMark { return .asEver }
            if isNoted, isSame, !volume.isMarked { return .asEverUnmarked }
            return .renewed(FolderTable.Volume(beneath: volume.beneath, isMarked: bearsMark, top: top))
        case (let volume?, false):
            if isSame || isOther { return .asEver }
            let isCopy = bearsMark && entry.trace.inode != volume.beneath
            return isCopy ? .renewed(nil) : .apart(Apart(cause: .unmounted, place: place))
        case (nil, _):
            let isToBeFilled = !isOther && (bearsMark || table.members(of: folder).isEmpty)
            guard isToBeFilled else { return .apart(Apart(cause: .covered, place: place)) }
            return .renewed(
                FolderTable.Volume(beneath: known.trace.inode, isMarked: bearsMark, top: top)
            )
        }
    }

    /// Decides what a directory is to the folder that was at its place.
    ///
    /// - Returns: Whether there is no more to it.
    mutating func takeLying(_ index: Int) throws -> Bool {
        switch try lying(index) {
        case .asEver: return false
        case .asEverUnmarked:
            guard let folder = table.item(at: place(of: found[index])) else { return false }
            try settle(index, as: folder)
        case .apart(let apart):
            guard let folder = table.item(at: place(of: found[index])) else { return false }
            found[index].isApart = true
            matched.insert(folder)
            outcome.apart[folder] = apart
        case .renewed(let volume):
            guard let folder = table.item(at: place(of: found[index])) else { return false }
            try settle(index, as: folder)
            outcome.folders.insert(folder)
            renewed.insert(folder)
            table.note(volume: volume, at: folder, isAnother: true)
        }
        return true
    }

    /// What is not there any more of folders that are others now.
    mutating func takeVanished() {
        for folder in renewed {
            outcome.vanished.formUnion(
                table.subtree(of: folder).filter { $0 != folder && !isMatched($0) && !isPresent($0) }
            )
        }
        outcome.missing.subtract(outcome.vanished)
    }
}

extension ItemTrace {
    fileprivate func isDirectory(_ place: FolderPlace) -> Bool {
        place.isDirectory && kind == .directory && inode == place.inode && device == place.device
    }
}
