internal import FileSystem

/// What the index remembers of a folder, and whether it can be relied upon.
struct KnownFolder {
    /// A leaf's row is not what was written.
    struct Broken: Error {}

    let cache: FolderCache
    /// Whether nobody has collected since: what it leads to is there.
    let isCurrent: Bool
    private let path: String
    private let item: FileMark
    private let session: KeepSession

    /// Nil when nothing is remembered.
    init?(_ path: String, of item: FileMark, _ session: KeepSession) throws {
        let row = try session.store.withIndex { try $0.memberCache(item, path, FolderCache.row) }
        guard let row, let cache = try FolderCache(row.bytes, session.hasher) else { return nil }
        self.cache = cache
        isCurrent = row.generation == session.generation
        (self.path, self.item, self.session) = (path, item, session)
    }

    /// A leaf's members.
    ///
    /// - Throws: `Broken`.
    func members(of leaf: FolderCache.Leaf) throws -> [CachedMember] {
        let row = try session.store.withIndex { try $0.memberCache(item, path, leaf.number) }
        guard let row, let found = try MemberCache(row.bytes, session.hasher),
            found.reference.name == leaf.node, let first = found.members.first,
            first.name.isSameInBytes(leaf.firstName)
        else { throw Broken() }
        return found.members
    }

    /// All members that are remembered, and whether all of them are, with all that they lead to. What may be gone counts
    /// as not settled, so that it is read again.
    func verified(_ leaves: inout FolderLeaves) throws -> (members: [CachedMember], isWhole: Bool) {
        var (all, isWhole) = ([CachedMember](), true)
        for leaf in cache.leaves {
            var members: [CachedMember]
            do { members = try self.members(of: leaf) } catch is Broken {
                isWhole = false
                continue
            }
            let isStored = try isCurrent || session.has(leaf.node)
            for index in members.indices where !isCurrent {
                guard let content = members[index].content, try !session.has(content, members[index].kind)
                else { continue }
                members[index].isSettled = false
                isWhole = false
            }
            leaves.know(leaf, members, isStored: isStored)
            all += members
        }
        return (all, isWhole)
    }
}
