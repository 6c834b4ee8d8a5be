internal import FileSystem
package import Foundation

extension FileWrapper {
    // MARK: - Asking for contents

    /// The bytes, read now if they were not.
    func readFileContents() throws -> Data {
        let known: Data? = TreeLock.with {
            requireKind(.regular, "regularFileContents")
            guard case .file(let data) = state.contents else { return nil }
            return data
        }
        if let known { return known }
        let (location, stamp) = try touch()
        let data = try FileReading.contents(of: location.path, mapped: location.mapsFiles, expecting: stamp)
        return TreeLock.with {
            guard case .file(let other) = state.contents else { return data }
            if let other { return other }
            state.contents = .file(data)
            return data
        }
    }

    /// The text of the link, read now if it was not.
    func readLinkText() throws -> String {
        let known: String? = TreeLock.with {
            requireKind(.symbolicLink, "symbolicLinkDestinationURL")
            guard case .symbolicLink(let text) = state.contents else { return nil }
            return text
        }
        if let known { return known }
        let (location, _) = try touch()
        let text = try FileReading.symbolicLinkText(at: location.path)
        TreeLock.with {
            if case .symbolicLink(nil) = state.contents { state.contents = .symbolicLink(text) }
        }
        return text
    }

    /// The children by key, listed now if they were not.
    func readChildren() throws -> [String: FileWrapper] {
        let (known, isBlind) = TreeLock.with {
            requireKind(.directory, "fileWrappers")
            return (listed?.children, listed?.isBlind == true)
        }
        if isBlind { return try listWhatIsThere() }
        if let known { return known }
        let (location, stamp) = try touch()
        let members = try ListedMember.list(location.path)
        guard try FileStamp(of: location.path).hasContents(of: stamp) else {
            throw SystemError(call: "getdents", errno: ESTALE, path: location.path)
        }
        return TreeLock.with {
            if listed == nil, isDirectoryUnread, let record = state.record {
                install(members, of: record, listedAs: stamp)
            }
            return listed?.children ?? [:]
        }
    }

    /// Lists the children before one is added.
    ///
    /// Where the directory is no longer the one that was opened, what is there now is taken for its
    /// children. Where that cannot be listed, it is tried again before the children are asked for or saved.
    func listForChange() {
        guard TreeLock.with({ isDirectoryUnread }) else { return }
        do { _ = try readChildren() } catch {
            // Adding cannot fail: the error comes again for whoever asks for the children or saves.
            do { _ = try listWhatIsThere() } catch {
                TreeLock.with {
                    if isDirectoryUnread { state.contents = .directory(WrapperDirectory(isBlind: true)) }
                }
            }
        }
    }

    /// Takes for its children what is in the directory now, beside those that were added while nobody could list it.
    private func listWhatIsThere() throws(SystemError) -> [String: FileWrapper] {
        let location = TreeLock.with { state.record?.location }
        var members: [ListedMember] = []
        do throws(SystemError) {
            if let location { members = try ListedMember.list(location.path) }
        } catch {
            // Nothing to be listed is nothing to be kept: what is added is then all there is.
            guard error.isAbsent else { throw error }
        }
        return TreeLock.with {
            guard isDirectoryUnread || listed?.isBlind == true else { return listed?.children ?? [:] }
            let added = listed?.children.sorted { $0.key < $1.key } ?? []
            if let record = state.record {
                let origin = DiskOrigin(
                    itemPath: record.origin.itemPath,
                    readAt: Date.now.nanoseconds,
                    mapsFiles: record.origin.mapsFiles
                )
                let fresh = DiskRecord(
                    origin: origin,
                    folder: record.folder,
                    name: record.name,
                    mark: record.mark
                )
                install(members, of: fresh, listedAs: nil)
            } else {
                state.contents = .directory(WrapperDirectory())
            }
            // Without a record of its own the directory is written whole by the next save.
            state.record = nil
            guard let directory = listed else { return [:] }
            directory.folder = nil
            for (key, child) in added {
                replace(
                    directory.freeKey(for: child.state.preferredFilename ?? key),
                    with: child,
                    in: directory
                )
            }
            return directory.children
        }
    }

    /// Reads all that is unread, down to the last member.
    package func readEverything() throws {
        var pending = [self]
        while let wrapper = pending.popLast() {
            do {
                switch wrapper.kind {
                case .regular: _ = try wrapper.readFileContents()
                case .symbolicLink: _ = try wrapper.readLinkText()
                case .directory: pending += try wrapper.readChildren().values
                case .other: break
                }
            } catch let error as SystemError {
                // What a link leads to need not have a name that a text could be: then it stays on the disk as it is.
                if wrapper.kind == .symbolicLink, error.errno == EILSEQ { continue }
                throw CocoaError(error, while: .reading)
            }
        }
    }

    /// What a link with this text leads to, relative or not as the text is.
    package static func destinationURL(ofLinkText text: String) -> URL {
        guard !text.hasPrefix("/") else { return URL(fileURLWithPath: text) }
        var components = URLComponents()
        components.path = text
        return components.url ?? URL(fileURLWithPath: text)
    }

    // MARK: - The item on disk

    /// Looks whether the item is still the one that was opened, and notes its stamp.
    ///
    /// - Throws: `ESTALE` when it is not.
    func touch() throws(SystemError) -> (location: DiskLocation, stamp: FileStamp) {
        guard let location = TreeLock.with({ state.record?.location }) else {
            let name = TreeLock.with { state.filename ?? state.preferredFilename ?? "." }
            throw SystemError(call: "lstat", errno: ESTALE, path: FilePath(name))
        }
        let stamp = try Self.stamp(of: location, at: location.path)
        TreeLock.with {
            if state.record?.mark == location.mark { state.record?.mark = .stamped(stamp) }
        }
        return (location, stamp)
    }

    /// The stamp of the item at `path`, which must be the one that `location` marks.
    static func stamp(of location: DiskLocation, at path: FilePath) throws(SystemError) -> FileStamp {
        let stamp = try FileStamp(of: path)
        switch location.mark.judge(stamp, from: location, now: Date.now.nanoseconds) {
        case .unchanged: return stamp
        case .unchangedIfDirectoryIs:
            guard let listedAs = location.folderListedAs else { return stamp }
            let folder = try FileStamp(of: path.parent)
            if folder.inode == listedAs.inode, folder.hasContents(of: listedAs) { return stamp }
        case .changed: break
        }
        throw SystemError(call: "lstat", errno: ESTALE, path: path)
    }

    // MARK: - Under the lock

    private var isDirectoryUnread: Bool {
        if case .directory(nil) = state.contents { return true }
        return false
    }

    /// Makes the children that a reading found.
    func install(_ reading: WrapperReading) {
        guard let members = reading.members else { return }
        install(members, of: reading.record, listedAs: reading.stamp)
    }

    /// Makes the children that a listing names, keeping those of `old` that still have their names.
    ///
    /// - Returns: The kept children whose contents were read already, with the record each now has to have.
    @discardableResult
    func install(
        _ members: [ListedMember],
        of record: DiskRecord,
        listedAs stamp: FileStamp?,
        keeping old: WrapperDirectory? = nil
    ) -> [(child: FileWrapper, record: DiskRecord)] {
        let folder = record.asFolder
        folder.listedAs = stamp
        let directory = WrapperDirectory(folder: folder, capacity: members.count)
        var rest = old?.children ?? [:]
        var kept: [(child: FileWrapper, record: DiskRecord)] = []
        for member in members {
            guard let contents = WrapperContents(unreadOf: member.kind) else { continue }
            let mark = MemberMark.listed(member.kind)
            let memberRecord = DiskRecord(
                origin: record.origin,
                folder: folder,
                name: member.name,
                mark: mark
            )
            let child: FileWrapper
            if let same = rest.removeValue(forKey: member.name) {
                child = same
                // Other trees that hold it have to write what it becomes.
                if same.state.parents.all.count > 1 { same.tellParents(serial: TreeLock.nextSerial()) }
                if same.state.record == nil || !same.state.contents.isUnread {
                    kept.append((same, memberRecord))
                } else {
                    same.rebind(contents, memberRecord)
                }
            } else {
                child = FileWrapper(state: WrapperState(contents, name: member.name, record: memberRecord))
            }
            adopt(child, named: member.name, into: directory)
        }
        for child in rest.values { child.state.parents.remove(self) }
        state.contents = .directory(directory)
        return kept
    }

    private func adopt(_ child: FileWrapper, named name: String, into directory: WrapperDirectory) {
        let key = directory.freeKey(for: name)
        if key != name { directory.hasClashingNames = true }
        directory.adoptRead(child, under: key)
        child.state.parents.insert(self)
    }

    private func rebind(_ contents: WrapperContents, _ record: DiskRecord) {
        state.contents = contents
        state.attributes = nil
        state.attributesChange = nil
        state.record = record
        state.filename = record.name
        if state.preferredFilename == nil { state.preferredFilename = record.name }
    }

    // MARK: - Reading again

    func readAgain(from url: URL, options: ReadingOptions) throws {
        let reading = try WrapperReading(of: url, options: options)
        var pending = TreeLock.with {
            let kept = takeAgain(reading.record, reading.stamp, reading.members)
            tellParents(serial: TreeLock.nextSerial())
            return kept
        }
        while let (child, record) = pending.popLast() {
            pending += child.readAgain(as: record)
        }
        if options.contains(.immediate) { try readEverything() }
    }

    /// Looks at the item of a child that has been kept.
    ///
    /// An item that has gone or cannot be listed since its directory was listed leaves the child unread: then
    /// its contents are nil, as for any other item that changed.
    private func readAgain(as record: DiskRecord) -> [(child: FileWrapper, record: DiskRecord)] {
        let location = TreeLock.with { record.location }
        do throws(SystemError) {
            let stamp = try FileStamp(of: location.path)
            let members = stamp.kind == .directory ? try ListedMember.list(location.path) : nil
            return TreeLock.with {
                var record = record
                record.mark = .stamped(stamp)
                return takeAgain(record, stamp, members)
            }
        } catch {
            TreeLock.with {
                guard let contents = WrapperContents(unreadOf: record.kind) else { return }
                detachChildren()
                rebind(contents, record)
            }
            return []
        }
    }

    /// Becomes what was found, keeping contents that were read if the file is still the same.
    private func takeAgain(
        _ record: DiskRecord,
        _ stamp: FileStamp,
        _ members: [ListedMember]?
    ) -> [(child: FileWrapper, record: DiskRecord)] {
        let old = state
        if let members {
            rebind(.directory(nil), record)
            return install(members, of: record, listedAs: stamp, keeping: old.contents.directory)
        }
        detachChildren()
        guard let contents = WrapperContents(unreadOf: stamp.kind) else { return [] }
        rebind(contents, record)
        if case .stamped(let known)? = old.record?.mark, old.contents.kind == stamp.kind,
            known.device == stamp.device, known.inode == stamp.inode, stamp.hasContents(of: known)
        {
            state.contents = old.contents
        }
        return []
    }

    private func detachChildren() {
        for child in listed?.children.values ?? [:].values { child.state.parents.remove(self) }
    }
}
