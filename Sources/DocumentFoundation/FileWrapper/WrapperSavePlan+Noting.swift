package import FileSystem
internal import Foundation

extension WrapperSavePlan {
    /// Whether what is on disk is already what is to be saved.
    package var isEmpty: Bool {
        if case .changes(let changes) = work { return changes.isEmpty }
        return false
    }

    /// Makes the wrappers know that `work` is on disk: names are updated, and the next save is measured
    /// against this one.
    ///
    /// Call once, after the work succeeded; what the application did since the capture still counts as
    /// changed.
    ///
    /// - Parameters:
    ///   - path: Where the item is now.
    ///   - placed: What was put in place, as it was just before; for what is not named the disk is asked, which may
    ///     hold what others have written since.
    ///   - updatesNames: Whether `filename` of what was written becomes its name there.
    /// - Cost: one lstat(2) for each member written and each directory with changes.
    package func noteWritten(
        at path: FilePath,
        placed: [MemberPath: FileStamp] = [:],
        updatesNames: Bool = true
    ) {
        // A member that has gone again already, or cannot be looked at, counts as not on disk.
        let stamps = written.map {
            placed[$0.path] ?? (try? FileStamp(of: $0.path.components.reduce(path) { $0.appending($1) }))
        }
        let visitedStamps = visited.map {
            try? FileStamp(of: $0.path.components.reduce(path) { $0.appending($1) })
        }
        let now = Date.now.nanoseconds
        TreeLock.with {
            let origin = writtenOrigin(at: path, now: now)
            for gone in forgotten
            where gone.wrapper.state.record?.isMember(gone.name, of: gone.folder) ?? false {
                gone.wrapper.state.record = nil
            }
            for (member, stamp) in zip(written, stamps) {
                note(member, stamp, origin, path)
                if updatesNames { member.captured.wrapper.state.filename = member.key ?? path.name }
            }
            for (directory, stamp) in zip(visited, visitedStamps) {
                note(directory, stamp)
            }
        }
    }

    /// The origin that the tree has from now on.
    private func writtenOrigin(at path: FilePath, now: Int64) -> DiskOrigin {
        // A tree that was read nowhere is its maker's own: nobody has asked for files to be mapped.
        let mapsFiles = top.state.record?.origin.mapsFiles ?? false
        let known = visited.first { $0.path == .top }?.wrapper ?? written.first?.successorOf
        guard case .changes(let changes) = work, let origin = known?.listed?.folder?.origin else {
            return DiskOrigin(itemPath: path, readAt: now, mapsFiles: mapsFiles)
        }
        origin.itemPath = path
        guard !changes.isEmpty else { return origin }
        origin.writtenAt = now
        // One file more, less or other is put in its place; anything else may exchange directories.
        if changes.placed.count + changes.removed.count > 1 || !changes.placed.values.allSatisfy(\.isFile) {
            origin.isRebuilt = true
        }
        return origin
    }

    private func note(_ member: WrittenMember, _ stamp: FileStamp?, _ origin: DiskOrigin, _ path: FilePath) {
        let wrapper = member.captured.wrapper
        let folder = member.parent?.listed?.folder
        let isFound =
            stamp.map { $0.kind == wrapper.state.contents.kind && member.captured.fits($0) } ?? false
        guard let stamp, isFound, folder != nil || member.parent == nil else {
            wrapper.state.record = nil
            wrapper.listed?.folder = nil
            return
        }
        let name = member.key ?? path.name
        let record = DiskRecord(origin: origin, folder: folder, name: name, mark: .stamped(stamp))
        wrapper.state.record = record
        wrapper.settleAttributes(serial)
        guard case .directory(let captured?) = member.captured.contents, let directory = wrapper.listed else {
            return
        }
        // Members that stayed in place know the directory they are in by identity, so it is handed on.
        directory.folder = member.successorOf?.listed?.folder ?? record.asFolder
        directory.folder?.listedAs = stamp
        directory.hasClashingNames = false
        directory.settle(serial, members: captured.members.mapValues(\.wrapper), keys: nil)
        if let old = member.successorOf, old !== wrapper {
            old.state.record = nil
            old.listed?.folder = nil
        }
    }

    private func note(_ directory: VisitedDirectory, _ stamp: FileStamp?) {
        guard let listed = directory.wrapper.listed else { return }
        listed.settle(serial, members: directory.members, keys: directory.keys)
        guard let stamp else { return }
        directory.wrapper.state.record?.mark = .stamped(stamp)
        listed.folder?.listedAs = stamp
    }
}

extension WrapperDirectory {
    /// Strikes out the differences that a save has written, and remembers what is on disk under the keys that
    /// changed again meanwhile.
    ///
    /// - Parameters:
    ///   - serial: The last change that the save has captured.
    ///   - members: The members that were captured.
    ///   - keys: Which keys were captured; nil for all.
    func settle(_ serial: UInt64, members: [String: FileWrapper], keys: Set<String>?) {
        for (key, difference) in differences {
            if difference.serial <= serial {
                differences[key] = nil
            } else if keys?.contains(key) ?? true {
                let saved = members.index(forKey: key).map {
                    Saved.present(SavedMember(name: members[$0].key, members[$0].value))
                }
                differences[key] = Difference(serial: difference.serial, saved: saved ?? .absent)
            }
        }
    }
}

extension FileWrapper {
    /// Strikes out a change of attributes that a save has written.
    fileprivate func settleAttributes(_ serial: UInt64) {
        if let change = state.attributesChange, change <= serial { state.attributesChange = nil }
    }
}

extension CapturedWrapper {
    /// Whether an item of this stamp can hold what was captured.
    fileprivate func fits(_ stamp: FileStamp) -> Bool {
        if case .file(let data?) = contents { return stamp.byteCount == Int64(data.count) }
        return true
    }
}

extension MemberTree {
    fileprivate var isFile: Bool {
        if case .file = self { return true }
        return false
    }
}

extension FileWrapper {
    /// Makes the tree know that the item it was read from, or written to, has been moved by somebody.
    ///
    /// Members that were not read yet are read there. A move to another volume is a copy, whose members are other
    /// files and may have other dates: all that the tree remembers is taken to be there as it was, because whoever
    /// tells of the move says so.
    ///
    /// - Parameters:
    ///   - path: Where the item, the top of the tree, is now.
    ///   - stamp: What was found there.
    /// - Cost: none but for another volume; then that of all wrappers.
    package func noteMoved(to path: FilePath, foundAs stamp: FileStamp) {
        TreeLock.with {
            guard let record = state.record, record.folder == nil else { return }
            record.origin.itemPath = path
            state.filename = path.name
            guard case .stamped(let known) = record.mark else { return }
            if stamp.device != known.device || stamp.inode != known.inode { record.origin.isRebuilt = true }
            if stamp.device != known.device { noteCopied(record.origin, at: Date.now.nanoseconds) }
        }
    }

    private func noteCopied(_ origin: DiskOrigin, at now: Int64) {
        (origin.readAt, origin.writtenAt) = (now, now)
        var pending = [self]
        while let wrapper = pending.popLast() {
            guard let kind = wrapper.state.record?.kind, wrapper.state.record?.origin === origin else {
                continue
            }
            wrapper.state.record?.mark = .listed(kind)
            pending += wrapper.listed?.children.values ?? [:].values
        }
    }
}
