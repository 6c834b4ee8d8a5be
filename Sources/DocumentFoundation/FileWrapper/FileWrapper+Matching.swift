internal import FileSystem
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
            return try readLinkText() == FileReading.symbolicLinkText(at: path)
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
