package import FileSystem
internal import Foundation

extension FileWrapper {
    func matches(itemAt url: URL) -> Bool {
        guard let path = FilePath(url) else { return false }
        // What cannot be looked at is not known to match.
        return (try? matches(itemAt: path)) ?? false
    }

    private func matches(itemAt path: FilePath) throws -> Bool {
        guard let stamp = try FileStamp.ifPresent(at: path), stamp.kind == kind else { return false }
        switch stamp.kind {
        case .symbolicLink:
            return try readLinkText().isSameInBytes(FileReading.symbolicLinkText(at: path))
        case .regular:
            let known = knownAttributes
            guard let date = known.modificationDate, known.permissions == stamp.permissions else {
                return false
            }
            // A date in a dictionary is a Double of seconds: good to a quarter of a microsecond in our time.
            return abs(date.timeIntervalSince(stamp.modificationDate)) < 1e-6
        case .directory:
            guard knownAttributes.permissions == stamp.permissions else { return false }
            return try matchesMembers(of: path)
        case .other:
            return false
        }
    }

    private func matchesMembers(of path: FilePath) throws -> Bool {
        let children = try readChildren()
        let members = try FileReading.entries(in: path)
        guard members.count == children.count else { return false }
        for member in members {
            guard let child = children[member.name] else { return false }
            guard try child.matches(itemAt: path.appending(member.name)) else { return false }
        }
        return true
    }

    /// Whether one member on disk is still the one that this tree was read from or last written to.
    ///
    /// What the application has changed meanwhile does not matter. A folder is looked at with all that is in
    /// it.
    ///
    /// - Parameters:
    ///   - member: Which. It may be one that is gone, which is known if it has been saved without it.
    ///   - item: Where the tree is on disk.
    /// - Returns: False also when it is not known what was there.
    package func isKnown(_ member: MemberPath, of item: FilePath) -> Bool {
        guard let saved = TreeLock.with({ saved(member) }) else { return false }
        let place = member.components.reduce(item) { $0.appending($1) }
        let found: FileStamp?
        // What cannot be looked at is not known to be the same.
        do { found = try FileStamp.ifPresent(at: place) } catch { return false }
        switch (saved, found) {
        case (.absent, nil): return true
        case (.absent, _), (.present, nil): return false
        case (.present(let known), let found?):
            guard let location = TreeLock.with({ known.record?.location }),
                location.mark.judge(found, from: location, now: Date.now.nanoseconds) == .unchanged
            else { return false }
            guard found.kind == .directory else { return true }
            return known.held?.matches(itemAt: place.url(isDirectory: true)) ?? false
        }
    }

    /// Under the lock: what was on disk at a place in the tree; nil when that is not known.
    private func saved(_ member: MemberPath) -> WrapperDirectory.Saved? {
        var saved: WrapperDirectory.Saved?
        var directory = listed
        for name in member.components {
            guard let folder = directory, folder.folder != nil, !folder.hasClashingNames else { return nil }
            let next = folder.saved(name)
            saved = next
            guard case .present(let child) = next else {
                directory = nil
                continue
            }
            directory = child.held?.listed
        }
        return saved
    }

    /// What the item of this wrapper should bear on disk; fields that nothing is known of are nil.
    private var knownAttributes: MemberAttributes {
        let (attributes, isOnDisk, mark) = TreeLock.with {
            (state.attributes, state.attributesChange == nil, state.record?.mark)
        }
        if let attributes, !isOnDisk || mark == nil { return WrapperAttributes.applied(from: attributes) }
        switch mark {
        case .stamped(let stamp): return MemberAttributes(stamp)
        case .listed:
            // A member that changed since is known by nothing that could match.
            return (try? touch().stamp).map(MemberAttributes.init) ?? MemberAttributes()
        case nil: return MemberAttributes()
        }
    }
}

extension MemberAttributes {
    /// The permissions and date that an item has.
    init(_ stamp: FileStamp) {
        self.init(permissions: stamp.permissions, modificationDate: stamp.modificationDate)
    }
}
