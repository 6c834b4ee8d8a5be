/// Cuts a folder's members into the leaves of its tree. A leaf that is as it was is taken over without a look inside: a
/// cut depends on nothing before the last one.
///
/// 1. What is pending begins where the last leaf ended.
/// 2. A leaf is taken over only while nothing is pending.
struct FolderLeaves {
    private struct Made {
        var leaf: FolderCache.Leaf
        /// Nil while it has no row.
        var number: UInt32?
        /// Nil where the row stays as it is.
        var members: [CachedMember]?
    }

    private struct Known {
        var leaf: FolderCache.Leaf
        var members: [CachedMember]
        /// Whether the node is there.
        var isStored: Bool
    }

    private let session: KeepSession
    private var made: [Made] = []
    private var pending: [CachedMember] = []
    private var pendingByteCount = 0
    /// Leaves that were looked into, by their first name's bytes.
    private var known: [[UInt8]: Known] = [:]

    init(session: KeepSession) {
        self.session = session
    }

    /// Whether a leaf could be taken over now.
    var isAtCut: Bool { pending.isEmpty }

    /// Says what a leaf was, so that it is recognised.
    mutating func know(_ leaf: FolderCache.Leaf, _ members: [CachedMember], isStored: Bool = true) {
        known[Array(leaf.firstName.utf8)] = Known(leaf: leaf, members: members, isStored: isStored)
    }

    /// Takes over a leaf as it is.
    mutating func take(_ leaf: FolderCache.Leaf) {
        precondition(isAtCut, "a leaf was taken over in the middle of another")
        made.append(Made(leaf: leaf, number: leaf.number, members: nil))
    }

    mutating func append(_ member: CachedMember) throws {
        // Where one ends for want of room what comes behind it says, and that may change: it is not closed.
        if !ContentTree.hasRoom(byteCount: pendingByteCount, for: member.entry.count) {
            try close(isClosed: false)
        }
        pending.append(member)
        pendingByteCount += member.entry.count
        let isEnd = ContentTree.isEnd(count: pending.count, isBoundary: ContentTree.isBoundary(member.name))
        if isEnd { try close(isClosed: true) }
    }

    private mutating func close(isClosed: Bool) throws {
        guard let first = pending.first else { return }
        let members = pending
        (pending, pendingByteCount) = ([], 0)
        let old = known[Array(first.name.utf8)]
        if let old, old.isStored, old.leaf.isClosed == isClosed, old.members.count == members.count,
            zip(old.members, members).allSatisfy({ $0.entry == $1.entry })
        {
            let isSeen = zip(old.members, members).allSatisfy { $0.isSeen(as: $1) }
            made.append(
                Made(leaf: old.leaf, number: old.leaf.number, members: isSeen ? nil : members)
            )
            return
        }
        let leaf = FolderCache.Leaf(
            number: 0,
            node: try ContentTree.leaf(of: members.map(\.entry)) { try session.store($0, $1) },
            byteCount: members.reduce(0) { $0 + $1.byteCount },
            isClosed: isClosed,
            firstName: first.name
        )
        made.append(Made(leaf: leaf, number: nil, members: members))
    }

    /// Ends the last leaf, and stores the nodes above the leaves.
    ///
    /// - Parameters:
    ///   - old: What was seen last; its rows are used again.
    ///   - isCurrent: Whether what it leads to is certainly there.
    mutating func finish(_ old: FolderCache?, isCurrent: Bool) throws -> (FolderCache, CacheRows) {
        try close(isClosed: false)
        let kept = Set(made.compactMap(\.number))
        var free = (old?.leaves.map(\.number).filter { !kept.contains($0) } ?? []).sorted(by: >)
        var next = (old?.leaves.map(\.number).max() ?? FolderCache.row) + 1
        var rows = CacheRows(path: "", rows: [])
        for index in made.indices {
            if made[index].number == nil {
                made[index].leaf.number = free.popLast() ?? next
                if made[index].leaf.number == next { next += 1 }
            }
            guard let members = made[index].members else { continue }
            let leaf = made[index].leaf
            let cache = MemberCache(reference: ContentReference(name: leaf.node, level: 0), members: members)
            rows.rows.append((leaf.number, try cache.encoded(session.hasher)))
        }
        rows.removed = free
        let leaves = made.map(\.leaf)
        let cache = FolderCache(reference: try reference(of: leaves, old), leaves: leaves)
        if cache != old || (!isCurrent && !rows.rows.isEmpty) {
            rows.rows.append((FolderCache.row, try cache.encoded(session.hasher)))
        }
        return (cache, rows)
    }

    private func reference(of leaves: [FolderCache.Leaf], _ old: FolderCache?) throws -> ContentReference {
        let nodes = leaves.map(\.node)
        if let old, old.leaves.map(\.node) == nodes, try session.has(old.reference.name) {
            return old.reference
        }
        return try ContentTree.folder(ofLeaves: nodes) { try session.store($0, $1) }
    }
}

extension CachedMember {
    /// Whether there is nothing new to remember of it. A folder's trace is never asked.
    fileprivate func isSeen(as other: CachedMember) -> Bool {
        (kind == .folder || trace == other.trace) && isSettled == other.isSettled
    }
}
