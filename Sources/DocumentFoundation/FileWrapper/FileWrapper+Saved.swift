package import FileSystem
package import Foundation

extension FileWrapper {
    /// The tree as it was when it was last read or written, whatever was done to it since.
    ///
    /// Wrappers that still stand for the same member are in both trees. Of a file that was replaced here, the bytes are
    /// there if they had been read and are not too many. What had not been read is read from disk when asked for, and
    /// nil when others have changed it there.
    ///
    /// - Returns: Nil where it is not known; a tree that is not to be changed.
    /// - Cost: Each listed directory that differs is copied; no file is touched.
    package var asSaved: FileWrapper? { TreeLock.with { savedTree() } }

    /// A directory of these members under these very names, which are those they get on disk.
    ///
    /// The members may be in other trees, too. Of two names that are one in another form of Unicode the later gets a
    /// number.
    package static func directory(of members: [(name: String, wrapper: FileWrapper)]) -> FileWrapper {
        let directory = WrapperDirectory(capacity: members.count)
        let wrapper = FileWrapper(state: WrapperState(.directory(directory)))
        TreeLock.with {
            for (name, child) in members {
                if child.state.preferredFilename == nil { child.state.preferredFilename = name }
                directory.adoptRead(child, under: directory.freeKey(for: name))
                child.state.parents.insert(wrapper)
            }
        }
        return wrapper
    }

    /// As above, of names that are all different.
    package static func directory(of members: [String: FileWrapper]) -> FileWrapper {
        directory(of: members.map { (name: $0.key, wrapper: $0.value) })
    }

    /// Whether two names in the directory on disk are one in another form of Unicode: the keys of their wrappers are
    /// then not their names, and which has which depends on the volume's order.
    package var hasClashingNames: Bool { TreeLock.with { listed?.hasClashingNames ?? false } }

    /// The bytes of a file, or the text of a link as UTF-8, where they have been read; the disk is not asked.
    package var bytesInMemory: Data? {
        TreeLock.with {
            switch state.contents {
            case .file(let data): data
            case .symbolicLink(let text): text.map { Data($0.utf8) }
            case .directory: nil
            }
        }
    }

    /// Whether a file or a link was read from the same item on disk as an earlier one, and that item has not changed
    /// since either was read.
    package func isUnchangedOnDisk(since earlier: FileWrapper) -> Bool {
        let (own, known) = TreeLock.with { (state.record?.location, earlier.state.record?.location) }
        guard let own, let known, own.path == known.path else { return false }
        // What cannot be looked at is not known to be the same.
        return earlier.isSettledOnDisk && (try? touch()) != nil
    }

    /// Whether the item of a file or a link is certainly as it was when it was read, or listed.
    ///
    /// What was only listed, and was written shortly before that, may have been written again in the same tick of the
    /// clock.
    package var isSettledOnDisk: Bool {
        let location = TreeLock.with { state.record?.location }
        // What cannot be looked at is not known to be the same. Not noted: the next one to ask is to hear the same.
        guard let location, let stamp = try? Self.stamp(of: location, at: location.path) else { return false }
        guard case .listed = location.mark else { return true }
        let limit = location.readAt - Self.clockTickNanoseconds
        if stamp.modifiedAt < limit { return true }
        // A later date may be that of a device whose clock ran ahead. When the kernel has last seen a change of any
        // kind nobody can set, and it is never before the last write.
        guard let status = try? FolderScan.status(at: location.path) else { return false }
        return status.stamp == stamp && status.changedAt < limit
    }

    /// The longest tick of a kernel's clock, twice.
    private static let clockTickNanoseconds: Int64 = 20_000_000

    /// The members that were changed here since the tree was last read or written; a folder's are named each.
    package var differingMembers: Set<MemberPath> {
        TreeLock.with {
            var members: Set<MemberPath> = []
            collectDifferences(at: .top, into: &members)
            return members
        }
    }

    /// Whether a file or a link holds the same as another one, which need not have been read.
    ///
    /// - Returns: False also for directories, and where it cannot be told.
    /// - Cost: Files are compared by their bytes, read only where the sizes are the same, and piece by piece where neither is
    ///   in memory. None is in memory for that afterwards.
    package func holdsSame(as other: FileWrapper) -> Bool {
        if self === other { return true }
        switch (kind, other.kind) {
        case (.regular, .regular):
            if let own = bytesInMemory {
                return other.bytesInMemory.map { $0 == own } ?? other.holdsOnDisk(own)
            }
            if let bytes = other.bytesInMemory { return holdsOnDisk(bytes) }
            return isSameUnread(as: other) || holdsSameOnDisk(as: other)
        case (.symbolicLink, .symbolicLink):
            // A link that cannot be read is not known to be equal.
            guard let own = try? readLinkText(), let text = try? other.readLinkText() else { return false }
            return own.isSameInBytes(text)
        default: return false
        }
    }

    private func holdsSameOnDisk(as other: FileWrapper) -> Bool {
        do {
            let (own, its) = (try touch(), try other.touch())
            guard own.stamp.byteCount == its.stamp.byteCount,
                try FileReading.haveSameBytes(own.location.path, its.location.path)
            else { return false }
            // What was written while it was read is not known to be equal.
            return try touch().stamp == own.stamp && other.touch().stamp == its.stamp
        } catch {
            return false
        }
    }

    /// The bytes of a file of no more than so many, which are not kept in memory for that; nil also where it cannot be read.
    package func bytes(atMost byteCountMax: Int) -> Data? {
        if let known = bytesInMemory { return known.count <= byteCountMax ? known : nil }
        guard kind == .regular, let (location, stamp) = try? touch(), stamp.byteCount <= Int64(byteCountMax)
        else { return nil }
        return try? FileReading.contents(of: location.path, expecting: stamp)
    }

    /// A number that is another one after any change to the tree.
    package var changeSerial: UInt64 {
        TreeLock.with { listed?.differences.values.map(\.serial).max() ?? 0 }
    }

    // MARK: Under the lock

    private func isSameUnread(as other: FileWrapper) -> Bool {
        TreeLock.with {
            guard let own = state.record, let record = other.state.record, let folder = record.folder else {
                return false
            }
            return own.isMember(record.name, of: folder) && own.mark == record.mark
        }
    }

    private func collectDifferences(at path: MemberPath, into members: inout Set<MemberPath>) {
        guard let directory = listed else { return }
        for (key, difference) in directory.differences {
            guard let place = path.appending(key) else { continue }
            if case .present(let saved) = difference.saved, let child = directory.children[key],
                saved.held === child, child.listed != nil
            {
                child.collectDifferences(at: place, into: &members)
            } else {
                members.insert(place)
            }
        }
    }

    private func savedTree() -> FileWrapper? {
        guard let directory = listed else { return self }
        guard let folder = directory.folder, !directory.hasClashingNames else { return nil }
        let members = directory.savedMembers
        let saved = WrapperDirectory(folder: folder, capacity: members.count)
        for member in members {
            guard let wrapper = member.wrapper(in: folder),
                let child = directory.differences[member.name] == nil ? wrapper : wrapper.savedTree()
            else { return nil }
            saved.adoptRead(child, under: member.name)
        }
        return FileWrapper(state: WrapperState(.directory(saved), name: state.filename, record: state.record))
    }
}

extension MemberStatus {
    /// When anything of the item changed last, in nanoseconds since 1970.
    fileprivate var changedAt: Int64 {
        let (seconds, isTooLarge) = changeSeconds.multipliedReportingOverflow(by: 1_000_000_000)
        return isTooLarge ? .max : seconds &+ changeNanoseconds
    }
}
