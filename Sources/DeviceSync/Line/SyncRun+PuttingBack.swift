internal import Dispatch
internal import FileSystem
internal import Sync

/// The number that the container's folder bears, which only goes up.
struct RootCount {
    /// As it is remembered; 0 for none: then it tells nothing.
    var known: UInt64 = 0
    /// Whether something was noted since it was raised.
    var isDue = false
    /// When it was to be raised last, by the clock that nobody sets; nil for not yet.
    var raisedSeconds: Double?
    /// Whether it is raised, if need be, once its time is over since.
    var isToBeRaised = false
    /// How the folder was just after that.
    var raised: ItemTrace?
    /// Whether the folder is older than is remembered, and that it is doubted could not be written down.
    var isDoubtUnwritten = false
}

// The container's folder may be what it was before, and the very directory all the same: its volume was put back to a snapshot, or
// what is in it was put back in place, with its attributes. Neither number nor birth of the directory tells that. A number does
// that it bears and this device remembers, and that is raised as time goes on:
//
//     raised on the folder ──▶ lasts there ──▶ remembered
//
// So it is raised every twenty seconds at most, as long as something was noted since, and at the end. A folder that
// bears less than is remembered is older than the memory, and doubted as another directory is. One that bears more tells
// nothing: a process ended between the two steps, or the memory is the older one. On a volume without attributes nothing tells.
extension SyncRun {
    private static let countKey = "root count"
    /// For so long what happens after it was raised waits for the next number.
    private static let raisingSeconds = 20.0

    /// Recalls what number the folder is to bear.
    func recallCount() throws {
        rootCount.known = (try memory.value(Self.countKey) ?? []).reduce(0) { $0 << 8 | UInt64($1) }
    }

    /// Whether the folder is older than what is remembered of it.
    var isPutBack: Bool {
        guard rootCount.known > 0 else { return false }
        // What cannot be asked says nothing, and neither does another one in its place.
        guard let borne = try? CountedFolder.count(at: place.folder), borne < rootCount.known else {
            return false
        }
        guard let folder = ownFolder, let borne = try? folder.count() else { return false }
        return borne < rootCount.known
    }

    /// Has the folder doubted from now on, until all of it has been looked at.
    ///
    /// - Throws: What keeps that from being written down. It is doubted all the same, as it is whenever it is looked at.
    func doubtAsPutBack() throws {
        doubtRoot()
        rootCount.isDoubtUnwritten = true
        // Who starts after an end that comes before all is looked at is to doubt it, too: no directory is known.
        try memory.remember(Self.directoryKey, [])
        if let folder = ownFolder {
            do { try raise(on: folder) } catch is SystemError {
                // It cannot be changed: from here on it is as old as it says.
                try remember(count: try folder.count())
            }
        }
        rootCount.isDoubtUnwritten = false
    }

    /// Has the folder doubted where it is found to be older while it is looked at.
    ///
    /// - Returns: Whether all of it is to be looked at for that: once, if it cannot be written down.
    func doubtIfPutBack() -> Bool {
        guard isPutBack else { return false }
        let isKnown = rootCount.isDoubtUnwritten
        do { try doubtAsPutBack() } catch {
            if !isKnown { report(.failed(path: "what this device remembers", why: "\(error)")) }
            return !isKnown
        }
        return true
    }

    /// Something was noted that a folder that is put back later would not have.
    func noteCountDue() {
        rootCount.isDue = true
        let wait = rootCount.raisedSeconds.map { $0 + Self.raisingSeconds - place.runningSeconds() } ?? 0
        if wait <= 0 {
            rootCount.raisedSeconds = place.runningSeconds()
            // What has been noted is to go on first.
            raiseCount(after: 0)
        } else if !rootCount.isToBeRaised {
            rootCount.isToBeRaised = true
            raiseCount(after: wait)
        }
    }

    private func raiseCount(after seconds: Double) {
        queue.asyncAfter(deadline: .now() + seconds) { [box = Confined(Weak(self))] in
            guard let self = box.value.value, !self.isStopped else { return }
            if seconds > 0 { self.rootCount.isToBeRaised = false }
            self.rootCount.raisedSeconds = self.place.runningSeconds()
            self.raiseCount()
        }
    }

    /// Raises the number, if something was noted since that was done last.
    func raiseCount() {
        guard rootCount.isDue, let folder = ownFolder else { return }
        do {
            // One that is put back and was not looked at yet is to be known as that.
            guard try folder.count() >= rootCount.known else { return }
            try raise(on: folder)
        } catch {
            // A folder, or a memory, that cannot be changed now is older by what happens meanwhile, and no more.
        }
    }

    private func raise(on folder: CountedFolder) throws {
        let next = max(rootCount.known, try folder.count()) + 1
        try folder.set(next)
        rootCount.raised = ItemTrace(try folder.status())
        try remember(count: next)
        rootCount.isDue = false
    }

    private func remember(count number: UInt64) throws {
        var writer = StateWriter()
        writer.integer(number)
        try memory.remember(Self.countKey, writer.bytes)
        rootCount.known = number
    }

    /// The folder, if it is in its place.
    private var ownFolder: CountedFolder? {
        // An inode's number is given again.
        guard !hasRootEnded, let root = table.root, let folder = try? CountedFolder(place.folder),
            let status = try? folder.status(), ItemTrace(status).isSameItem(as: root)
        else { return nil }
        return folder
    }

    /// Whether the folder itself is as it was when its number was raised last: an event that tells of its attributes is of that.
    var isAsRaised: Bool {
        guard let raised = rootCount.raised, let status = try? FolderScan.status(at: place.folder) else {
            return false
        }
        return ItemTrace(status) == raised
    }
}
