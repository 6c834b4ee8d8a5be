internal import FileSystem
internal import Foundation

/// Compares captured wrappers with what is on disk and collects what a save has to do.
struct WrapperPlanner {
    /// Thrown where changes cannot be told member by member.
    struct NeedsWholeTree: Error {}

    private let linkBase: FilePath?
    private(set) var changes = PackageChanges()
    private var written: [WrittenMember] = []
    private var forgotten: [ForgottenMember] = []
    private var replaced: [ReplacedMember] = []
    private var visited: [VisitedDirectory] = []

    init(linkingFrom linkBase: FilePath?) {
        self.linkBase = linkBase
    }

    func plan(_ work: WrapperSavePlan.Work, of top: FileWrapper, serial: UInt64) -> WrapperSavePlan {
        WrapperSavePlan(
            work: work,
            top: top,
            serial: serial,
            written: written,
            forgotten: forgotten,
            replaced: replaced,
            visited: visited
        )
    }

    // MARK: - Changes

    /// Collects what a directory that was read from its place has changed since.
    mutating func compareInPlace(
        _ wrapper: FileWrapper,
        _ directory: CapturedDirectory,
        at path: MemberPath
    ) throws {
        guard !directory.hasClashingNames, let folder = directory.folder else { throw NeedsWholeTree() }
        visited.append(
            VisitedDirectory(
                wrapper: wrapper,
                path: path,
                members: directory.members.mapValues(\.wrapper),
                keys: Set(directory.saved.keys)
            )
        )
        for (key, saved) in directory.saved {
            let index = directory.members.index(forKey: key)
            let now = index.map { directory.members[$0].value }
            let place = try path.appendingKey(index.map { directory.members[$0].key } ?? key)
            guard case .present(let was) = saved else {
                if let now { try self.place(now, in: wrapper, at: place) }
                continue
            }
            if let held = was.held, held !== now?.wrapper {
                // Still held by somebody, perhaps for an undo: what it never read is read while it is there.
                // If that fails the item has changed before, and the contents are nil as documented.
                try? held.readEverything()
            }
            guard let now else {
                try remove(was, from: folder, at: path)
                continue
            }
            guard let last = place.components.last, last.utf8.elementsEqual(was.name.utf8) else {
                throw NeedsWholeTree()
            }
            try compareMember(now, with: was, in: wrapper, folder, at: place)
        }
    }

    /// Collects how a new directory differs from the one that was last read or written.
    mutating func compare(
        _ now: CapturedWrapper,
        _ directory: CapturedDirectory,
        with known: FileWrapper,
        in parent: FileWrapper?,
        at path: MemberPath
    ) throws {
        guard !directory.isBlind else { throw NeedsWholeTree() }
        _ = try known.readChildren()
        let (folder, members, hasClashes) = TreeLock.with {
            (known.listed?.folder, known.listed?.savedMembers ?? [], known.listed?.hasClashingNames ?? true)
        }
        guard let folder, !hasClashes else { throw NeedsWholeTree() }
        written.append(WrittenMember(captured: now, parent: parent, path: path, successorOf: known))
        var rest = Dictionary(members.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
        for (key, child) in directory.members {
            let place = try path.appendingKey(key)
            guard let saved = rest.removeValue(forKey: key) else {
                try self.place(child, in: now.wrapper, at: place)
                continue
            }
            guard key.utf8.elementsEqual(saved.name.utf8) else { throw NeedsWholeTree() }
            try compareMember(child, with: saved, in: now.wrapper, folder, at: place)
        }
        for gone in rest.values { try remove(gone, from: folder, at: path) }
    }

    /// Compares what is under a name now with what was.
    private mutating func compareMember(
        _ now: CapturedWrapper,
        with saved: SavedMember,
        in parent: FileWrapper,
        _ folder: DiskDirectory,
        at path: MemberPath
    ) throws {
        let isSame = now.attributes == nil && now.record?.isMember(saved.name, of: folder) ?? false
        let was = TreeLock.with { saved.wrapper(in: folder) }
        switch now.contents {
        case .directory(nil) where isSame:
            return
        case .directory(let directory?) where isSame && directory.folder != nil:
            return try compareInPlace(now.wrapper, directory, at: path)
        case .file where isSame, .symbolicLink where isSame:
            return
        case .directory(let directory?) where now.attributes == nil:
            if let was, was.kind == .directory,
                TreeLock.with({ was.listed == nil || was.listed?.folder != nil })
            {
                return try compare(now, directory, with: was, in: parent, at: path)
            }
        case .file(let data?) where now.attributes == nil:
            if let was, was.kind == .regular, was.holdsOnDisk(data) {
                written.append(WrittenMember(captured: now, parent: parent, path: path, successorOf: nil))
                return
            }
        case .symbolicLink(let text?):
            // A link that changed is not equal.
            if let was, was.kind == .symbolicLink, (try? was.readLinkText())?.isSameInBytes(text) == true {
                written.append(WrittenMember(captured: now, parent: parent, path: path, successorOf: nil))
                return
            }
        default: break
        }
        if saved.held !== now.wrapper { forget(saved, in: folder) }
        replaced.append(ReplacedMember(path: path, wrapper: saved.held === now.wrapper ? nil : was))
        try place(now, in: parent, at: path)
    }

    private mutating func place(_ now: CapturedWrapper, in parent: FileWrapper, at path: MemberPath) throws {
        changes.placed[path] = try tree(of: now, in: parent, at: path)
    }

    private mutating func remove(
        _ was: SavedMember,
        from folder: DiskDirectory,
        at path: MemberPath
    ) throws {
        let place = try path.appendingKey(was.name)
        changes.removed.insert(place)
        replaced.append(ReplacedMember(path: place, wrapper: TreeLock.with { was.wrapper(in: folder) }))
        forget(was, in: folder)
    }

    /// Notes that the item of a wrapper goes, if somebody holds the wrapper.
    private mutating func forget(_ was: SavedMember, in folder: DiskDirectory) {
        guard let wrapper = was.held else { return }
        forgotten.append(ForgottenMember(wrapper: wrapper, folder: folder, name: was.name))
    }

    // MARK: - Whole trees

    /// All that has to be written for a wrapper and what is below it.
    mutating func tree(
        of now: CapturedWrapper,
        in parent: FileWrapper?,
        at path: MemberPath
    ) throws -> MemberTree {
        written.append(WrittenMember(captured: now, parent: parent, path: path, successorOf: nil))
        switch now.contents {
        case .symbolicLink(let text):
            return .symbolicLink(try text ?? now.wrapper.readLinkText())
        case .file(let data):
            return try file(now, data, at: path)
        case .directory(let directory?) where !directory.isBlind:
            var members: [String: MemberTree] = [:]
            for (key, child) in directory.members {
                members[key] = try tree(of: child, in: now.wrapper, at: try path.appendingKey(key))
            }
            return .directory(members, now.attributes ?? carriedAttributes(of: now))
        case .directory:
            _ = try now.wrapper.readChildren()
            written.removeLast()
            return try tree(of: TreeLock.with { now.wrapper.captured(isWhole: true) }, in: parent, at: path)
        }
    }

    private func file(_ now: CapturedWrapper, _ data: Data?, at path: MemberPath) throws -> MemberTree {
        if let attributes = now.attributes {
            // Linked, the attributes would also become those of the file it is linked to.
            return .file(.data(try data ?? now.wrapper.readFileContents()), attributes)
        }
        let location = TreeLock.with { now.record?.location }
        if let location, let base = linkBase ?? (path == .top ? location.top : nil) {
            // A lone file is copied from there in any case, never linked.
            let place = location.path(below: base)
            // What is not there, or not the same any more, is written from its bytes.
            if let stamp = try? FileWrapper.stamp(of: location, at: place) {
                return .file(
                    .existing(place, stamp),
                    path == .top ? MemberAttributes(stamp) : MemberAttributes()
                )
            }
        }
        let data = try data ?? now.wrapper.readFileContents()
        return .file(.data(data), carriedAttributes(of: now))
    }

    /// What a copy of an item that is on disk keeps of it.
    private func carriedAttributes(of now: CapturedWrapper) -> MemberAttributes {
        guard let record = TreeLock.with({ now.wrapper.state.record }) else { return MemberAttributes() }
        guard case .stamped(let stamp) = record.mark else { return MemberAttributes() }
        return stamp.kind == .directory
            ? MemberAttributes(permissions: stamp.permissions) : MemberAttributes(stamp)
    }
}

extension FileWrapper {
    /// Whether the file that this was read from or written to is still there and holds these bytes.
    ///
    /// Looks at the bytes only where the sizes are the same.
    func holdsOnDisk(_ data: Data) -> Bool {
        do {
            let (location, stamp) = try touch()
            guard stamp.byteCount == Int64(data.count) else { return false }
            let known: Data? = TreeLock.with {
                guard case .file(let data) = state.contents else { return nil }
                return data
            }
            if let known { return known == data }
            return try data
                == FileReading.contents(of: location.path, mapped: location.mapsFiles, expecting: stamp)
        } catch {
            // A file that cannot be read is not known to be equal, so it is written.
            return false
        }
    }
}

extension MemberPath {
    /// The place of a member under a key.
    func appendingKey(_ key: String) throws -> MemberPath {
        guard let path = appending(key) else {
            throw CocoaError(
                .fileWriteInvalidFileName,
                userInfo: [
                    NSFilePathErrorKey: description + "/" + key,
                    NSLocalizedFailureReasonErrorKey: "A file cannot be named “\(key)”.",
                    NSLocalizedRecoverySuggestionErrorKey:
                        "Give the file wrapper another preferred filename.",
                ]
            )
        }
        return path
    }
}
