internal import FileSystem
internal import Foundation

/// Goes through a document and stores what is new of it.
struct ItemKeeper {
    let session: KeepSession
    let item: FileMark
    /// When it began, in nanoseconds since 1970.
    let moment: Int64
    /// Whether what is seen of the members is told.
    let remembers: Bool
    /// Whether what was seen of them last is asked.
    let asks: Bool
    /// Whether a file that is written to each time that it is read is taken as it is.
    let takesAsItIs: Bool
    /// What the document is to be taken for bearing where the disk does not say it.
    let notes: DressNotes
    /// What was seen, folder by folder; told to the index with the version.
    private(set) var caches: [CacheRows] = []
    /// What the kernel said of a document that is a file, while it was read; nil for one that was not.
    private(set) var readStatus: MemberStatus?

    private static let depthMax = 200

    init(
        session: KeepSession,
        item: FileMark,
        moment: Int64,
        remembers: Bool = true,
        asks: Bool? = nil,
        takesAsItIs: Bool = false,
        notes: DressNotes = DressNotes()
    ) {
        self.session = session
        self.item = item
        self.moment = moment
        self.remembers = remembers
        self.asks = asks ?? remembers
        self.takesAsItIs = takesAsItIs
        self.notes = notes
    }

    /// Stores a document.
    ///
    /// - Parameters:
    ///   - path: Where it is; a symbolic link itself.
    ///   - changes: What may have changed, of a package, since it was kept last.
    /// - Returns: The document, without its name.
    mutating func keep(_ path: FilePath, _ changes: ChangedMembers) throws -> ManifestEntry {
        let folder = try session.sourceFolder(at: path.parent)
        let status = try folder.status(of: path.name)
        (caches, readStatus) = ([], nil)
        guard status.stamp.kind == .directory else {
            let known = try fileCache()
            let member = try leaf(path.name, as: "", status, in: folder, at: DressNotes.top, known)
            if member.entry != known?.entry || member.trace != known?.trace || !(known?.isSettled ?? false) {
                let none = ContentReference(name: ObjectName(), level: 0)
                if remembers {
                    let cache = MemberCache(reference: none, members: [member])
                    caches.append(
                        CacheRows(path: "", rows: [(FolderCache.row, try cache.encoded(session.hasher))])
                    )
                }
            }
            return try entry(of: member)
        }
        return try self.folder(path.name, as: "", status, in: folder, at: "/", changes, depth: 0).0
    }

    private func entry(of member: CachedMember) throws -> ManifestEntry {
        try member.entry.withUnsafeBytes { bytes in
            var reader = ByteReader(bytes)
            return try ManifestEntry(from: &reader, isRoot: true)
        }
    }

    /// What was seen of a document that is a file.
    private func fileCache() throws -> CachedMember? {
        guard asks else { return nil }
        let row = try session.fileRow(of: item)
        guard let row, var member = try MemberCache(row.bytes, session.hasher)?.members.first else {
            return nil
        }
        // Collected since: what it leads to may be gone.
        if row.generation != session.generation, let content = member.content, try !session.has(content.name)
        {
            member.isSettled = false
        }
        return member
    }

    // MARK: Folders

    /// Stores a folder.
    ///
    /// - Parameters:
    ///   - entryName: What it is called in the manifest: its name, or nothing for the document itself.
    ///   - path: Where it is in the document, "/" before each name.
    private mutating func folder(
        _ name: String,
        as entryName: String,
        _ status: MemberStatus,
        in parent: SourceFolder,
        at path: String,
        _ changes: ChangedMembers,
        depth: Int
    ) throws -> (ManifestEntry, CachedMember) {
        guard depth < Self.depthMax else { throw unkeepable(parent, name, "is too deep in folders") }
        let folder = try parent.folder(name)
        let known = asks ? try KnownFolder(path, of: item, session) : nil
        var leaves: FolderLeaves
        if case .only(let changed) = changes, let known, known.isCurrent {
            do {
                leaves = try changedLeaves(changed, of: folder, at: path, known, depth)
            } catch is KnownFolder.Broken {
                leaves = try allLeaves(of: folder, at: path, .all, known, depth)
            }
        } else {
            leaves = try allLeaves(of: folder, at: path, changes, known, depth)
        }
        var (cache, rows) = try leaves.finish(known?.cache, isCurrent: known?.isCurrent ?? false)
        rows.path = path
        if remembers, !rows.rows.isEmpty || !rows.removed.isEmpty { caches.append(rows) }
        let entry = ManifestEntry(
            name: entryName,
            kind: .folder,
            dress: notes.dress(Self.dress(status, try folder.userAttributes()), at: path),
            byteCount: cache.leaves.reduce(0) { $0 + $1.byteCount },
            content: cache.reference
        )
        return (entry, try member(entry, status, isSettled: false, in: parent))
    }

    /// The leaves of a folder of which some members may have changed; all others are not looked at.
    private mutating func changedLeaves(
        _ changed: [[UInt8]: ChangedMembers],
        of folder: SourceFolder,
        at path: String,
        _ known: KnownFolder,
        _ depth: Int
    ) throws -> FolderLeaves {
        var leaves = FolderLeaves(session: session)
        var rest = changed.sorted { $0.key.lexicographicallyPrecedes($1.key) }[...]
        let old = known.cache.leaves
        for (index, leaf) in old.enumerated() {
            // What stands before the next leaf's first name, or behind all.
            let end = index + 1 < old.count ? Array(old[index + 1].firstName.utf8) : nil
            let here = rest.prefix { change in end.map { change.key.lexicographicallyPrecedes($0) } ?? true }
            rest = rest.dropFirst(here.count)
            if here.isEmpty, leaves.isAtCut, leaf.isClosed || index + 1 == old.count {
                leaves.take(leaf)
                continue
            }
            let members = try known.members(of: leaf)
            leaves.know(leaf, members)
            for member in try changedMembers(here, of: folder, at: path, members, depth) {
                try leaves.append(member)
            }
        }
        // An empty folder has no leaf.
        for member in try changedMembers(rest, of: folder, at: path, [], depth) { try leaves.append(member) }
        return leaves
    }

    /// The leaves of a folder of which nobody knows what has changed, or whether what was seen of it is still there.
    private mutating func allLeaves(
        of folder: SourceFolder,
        at path: String,
        _ changes: ChangedMembers,
        _ known: KnownFolder?,
        _ depth: Int
    ) throws -> FolderLeaves {
        var leaves = FolderLeaves(session: session)
        let old = try known?.verified(&leaves)
        let members: [CachedMember]
        if case .only(let changed) = changes, let old, old.isWhole {
            let sorted = changed.sorted { $0.key.lexicographicallyPrecedes($1.key) }
            members = try changedMembers(sorted[...], of: folder, at: path, old.members, depth)
        } else {
            members = try allMembers(of: folder, at: path, old?.members ?? [], depth)
        }
        for member in members { try leaves.append(member) }
        return leaves
    }

    private mutating func allMembers(
        of folder: SourceFolder,
        at path: String,
        _ known: [CachedMember],
        _ depth: Int
    ) throws -> [CachedMember] {
        var members: [CachedMember] = []
        let found = try folder.members()
        members.reserveCapacity(found.count)
        var position = 0
        for index in found.map(\.name).orderInBytes {
            let name = found[index].name
            while position < known.count, known[position].name.precedesInBytes(name) { position += 1 }
            let former =
                position < known.count && known[position].name.isSameInBytes(name) ? known[position] : nil
            members.append(try member(name, found[index].status, of: folder, at: path, former, .all, depth))
        }
        return members
    }

    private mutating func changedMembers(
        _ changed: ArraySlice<(key: [UInt8], value: ChangedMembers)>,
        of folder: SourceFolder,
        at path: String,
        _ known: [CachedMember],
        _ depth: Int
    ) throws -> [CachedMember] {
        var members: [CachedMember] = []
        members.reserveCapacity(known.count + changed.count)
        var position = 0
        for (bytes, below) in changed {
            let name = String(decoding: bytes, as: UTF8.self)
            let start = position
            while position < known.count, known[position].name.precedesInBytes(name) { position += 1 }
            members.append(contentsOf: known[start..<position])
            let isKnown = position < known.count && known[position].name.isSameInBytes(name)
            do {
                let former = isKnown ? known[position] : nil
                members.append(
                    try member(name, try folder.status(of: name), of: folder, at: path, former, below, depth)
                )
            } catch let error as SystemError where error.isAbsent {
                // Gone; it has no place in this version.
            }
            if isKnown { position += 1 }
        }
        members.append(contentsOf: known[position...])
        return members
    }

    private mutating func member(
        _ name: String,
        _ status: MemberStatus,
        of folder: SourceFolder,
        at path: String,
        _ known: CachedMember?,
        _ changes: ChangedMembers,
        _ depth: Int
    ) throws -> CachedMember {
        let below = DressNotes.path(of: name, in: path)
        guard status.stamp.kind == .directory else {
            return try leaf(name, as: name, status, in: folder, at: below, known)
        }
        return try self.folder(name, as: name, status, in: folder, at: below, changes, depth: depth + 1).1
    }

    // MARK: Files and links

    private mutating func leaf(
        _ name: String,
        as entryName: String,
        _ status: MemberStatus,
        in folder: SourceFolder,
        at path: String,
        _ known: CachedMember?
    ) throws -> CachedMember {
        switch status.stamp.kind {
        case .regular:
            let trace = MemberTrace(status)
            if let known, known.kind == .file, known.isSettled, known.trace == trace { return known }
            // What is looked at elsewhere goes soon, and a member of a package may be a link to another's already.
            let mayBorrow = remembers && entryName.isEmpty
            var keeper = FileKeeper(session: session, mayBorrow: mayBorrow, hasFormer: known?.kind == .file)
            keeper.takesAsItIs = takesAsItIs
            // Of a lone file whoever follows it hears that it was closed.
            keeper.asksWhoWrites = !entryName.isEmpty
            let outcome = try keeper.keep(name, in: folder)
            let entry = ManifestEntry(
                name: entryName,
                kind: .file,
                dress: notes.dress(Self.dress(outcome.status, outcome.attributes), at: path),
                byteCount: outcome.byteCount,
                content: outcome.content
            )
            if entryName.isEmpty { readStatus = outcome.status }
            let isSettled = MemberTrace(outcome.status).isSettled(by: moment) && !outcome.wasOpenForWriting
            return try member(entry, outcome.status, isSettled: isSettled, in: folder)
        case .symbolicLink:
            let entry = ManifestEntry(
                name: entryName,
                kind: .link,
                dress: notes.dress(Self.dress(status, [:]), at: path),
                byteCount: 0,
                content: nil,
                linkText: try folder.linkText(name)
            )
            return try member(entry, status, isSettled: false, in: folder)
        case .directory, .other:
            throw unkeepable(folder, name, "is a device, a pipe or a socket")
        }
    }

    private func member(
        _ entry: ManifestEntry,
        _ status: MemberStatus,
        isSettled: Bool,
        in folder: SourceFolder
    ) throws -> CachedMember {
        guard entry.isKeepable else {
            throw unkeepable(folder, entry.name, "has names or attributes too long")
        }
        return CachedMember(
            name: entry.name,
            kind: entry.kind,
            trace: MemberTrace(status),
            isSettled: isSettled,
            byteCount: entry.byteCount,
            content: entry.content,
            entry: entry.encoded[...]
        )
    }

    private static func dress(_ status: MemberStatus, _ attributes: [String: Data]) -> MemberDress {
        MemberDress(
            permissions: status.stamp.permissions & 0o1777,
            modificationSeconds: status.stamp.modificationSeconds,
            modificationNanoseconds: status.stamp.modificationNanoseconds,
            attributes: attributes
        )
    }

    private func unkeepable(_ folder: SourceFolder, _ name: String, _ why: String) -> VaultError {
        let detail = "The member \(why) and cannot be kept. Take it out of the document."
        return VaultError(code: .unkeepable, path: folder.path.appending(name), detail: detail)
    }
}
