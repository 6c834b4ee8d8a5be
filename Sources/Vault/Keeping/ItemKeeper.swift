internal import FileSystem
internal import Foundation

/// Goes through a document and stores what is new of it.
struct ItemKeeper {
    let session: KeepSession
    let item: FileMark
    /// When it began, in nanoseconds since 1970.
    let moment: Int64
    /// Whether what was seen of the members last is asked and told anew.
    let remembers: Bool
    /// What was seen, folder by folder; told to the index with the version.
    private(set) var caches: [(path: String, cache: MemberCache)] = []

    private static let depthMax = 200

    init(session: KeepSession, item: FileMark, moment: Int64, remembers: Bool = true) {
        self.session = session
        self.item = item
        self.moment = moment
        self.remembers = remembers
    }

    /// Stores a document.
    ///
    /// - Parameters:
    ///   - path: Where it is; a symbolic link itself.
    ///   - changes: What may have changed, of a package, since it was kept last.
    /// - Returns: The document, without its name.
    mutating func keep(_ path: FilePath, _ changes: ChangedMembers) throws -> ManifestEntry {
        let folder = try SourceFolder(at: path.parent)
        let status = try folder.status(of: path.name)
        caches = []
        guard status.stamp.kind == .directory else {
            let known = try cache("").flatMap { $0.members.first }
            let member = try leaf(path.name, as: "", status, in: folder, known)
            if member.entry != known?.entry || member.trace != known?.trace || !(known?.isSettled ?? false) {
                let none = ContentReference(name: ObjectName(), level: 0)
                if remembers { caches.append(("", MemberCache(reference: none, members: [member]))) }
            }
            return try entry(of: member)
        }
        let (entry, _) = try self.folder(path.name, as: "", status, in: folder, at: "/", changes, depth: 0)
        if !remembers { caches = [] }
        return entry
    }

    private func entry(of member: CachedMember) throws -> ManifestEntry {
        try member.entry.withUnsafeBytes { bytes in
            var reader = ByteReader(bytes)
            return try ManifestEntry(from: &reader, isRoot: true)
        }
    }

    private func cache(_ path: String) throws -> MemberCache? {
        guard remembers,
            let (generation, bytes) = try session.store.withIndex({ try $0.memberCache(item, path) }),
            var cache = try MemberCache(bytes, session.hasher)
        else { return nil }
        // Collected since: what the cache leads to may be gone.
        guard generation != session.generation else { return cache }
        if try !session.has(cache.reference.name) {
            cache.reference = ContentReference(name: ObjectName(), level: 0)
        }
        for index in cache.members.indices {
            guard let content = cache.members[index].content, try !session.has(content.name) else { continue }
            cache.members[index].isSettled = false
            cache.isWhole = false
        }
        return cache
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
        let known = try cache(path)
        let members: [CachedMember]
        if case .only(let changed) = changes, let known, known.isWhole {
            members = try changedMembers(changed, of: folder, at: path, known.members, depth)
        } else {
            members = try allMembers(of: folder, at: path, known?.members ?? [], depth)
        }
        let reference = try reference(to: members, known)
        let isSeen = known.map { $0.reference == reference && Self.isSame($0.members, members) } ?? false
        if !isSeen { caches.append((path, MemberCache(reference: reference, members: members))) }
        let entry = ManifestEntry(
            name: entryName,
            kind: .folder,
            dress: Self.dress(status, try folder.userAttributes()),
            byteCount: members.reduce(0) { $0 + $1.byteCount },
            content: reference
        )
        return (entry, try member(entry, status, isSettled: false, in: parent))
    }

    private func reference(to members: [CachedMember], _ known: MemberCache?) throws -> ContentReference {
        if let known, known.reference.name != ObjectName(), known.members.count == members.count,
            zip(known.members, members).allSatisfy({ $0.entry == $1.entry })
        {
            return known.reference
        }
        let entries = members.map { (bytes: $0.entry, isBoundary: ContentTree.isBoundary($0.name)) }
        return try ContentTree.folder(of: entries) { try session.store($0, $1) }
    }

    /// Whether there is nothing new to remember.
    private static func isSame(_ known: [CachedMember], _ seen: [CachedMember]) -> Bool {
        zip(known, seen).allSatisfy { known, seen in
            // A folder's trace is never asked.
            (known.kind == .folder || known.trace == seen.trace) && known.isSettled == seen.isSettled
        }
    }

    private mutating func allMembers(
        of folder: SourceFolder,
        at path: String,
        _ known: [CachedMember],
        _ depth: Int
    ) throws -> [CachedMember] {
        var members: [CachedMember] = []
        var position = 0
        for name in try folder.memberNames().sorted(by: { $0.precedesInBytes($1) }) {
            while position < known.count, known[position].name.precedesInBytes(name) { position += 1 }
            let isKnown = position < known.count && known[position].name.isSameInBytes(name)
            members.append(
                try member(name, of: folder, at: path, isKnown ? known[position] : nil, .all, depth)
            )
        }
        return members
    }

    private mutating func changedMembers(
        _ changed: [[UInt8]: ChangedMembers],
        of folder: SourceFolder,
        at path: String,
        _ known: [CachedMember],
        _ depth: Int
    ) throws -> [CachedMember] {
        var members: [CachedMember] = []
        members.reserveCapacity(known.count + changed.count)
        var position = 0
        for (bytes, below) in changed.sorted(by: { $0.key.lexicographicallyPrecedes($1.key) }) {
            let name = String(decoding: bytes, as: UTF8.self)
            let start = position
            while position < known.count, known[position].name.precedesInBytes(name) { position += 1 }
            members.append(contentsOf: known[start..<position])
            let isKnown = position < known.count && known[position].name.isSameInBytes(name)
            do {
                members.append(
                    try member(name, of: folder, at: path, isKnown ? known[position] : nil, below, depth)
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
        of folder: SourceFolder,
        at path: String,
        _ known: CachedMember?,
        _ changes: ChangedMembers,
        _ depth: Int
    ) throws -> CachedMember {
        let status = try folder.status(of: name)
        guard status.stamp.kind == .directory else {
            return try leaf(name, as: name, status, in: folder, known)
        }
        let below = path == "/" ? path + name : path + "/" + name
        return try self.folder(name, as: name, status, in: folder, at: below, changes, depth: depth + 1).1
    }

    // MARK: Files and links

    private func leaf(
        _ name: String,
        as entryName: String,
        _ status: MemberStatus,
        in folder: SourceFolder,
        _ known: CachedMember?
    ) throws -> CachedMember {
        switch status.stamp.kind {
        case .regular:
            let trace = MemberTrace(status)
            if let known, known.kind == .file, known.isSettled, known.trace == trace { return known }
            let outcome = try FileKeeper(session: session).keep(name, in: folder)
            let entry = ManifestEntry(
                name: entryName,
                kind: .file,
                dress: Self.dress(outcome.status, outcome.attributes),
                byteCount: outcome.byteCount,
                content: outcome.content
            )
            let isSettled = MemberTrace(outcome.status).isSettled(by: moment)
            return try member(entry, outcome.status, isSettled: isSettled, in: folder)
        case .symbolicLink:
            let entry = ManifestEntry(
                name: entryName,
                kind: .link,
                dress: Self.dress(status, [:]),
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
            attributes: attributes.filter { $0.key != FileMark.attributeName }
        )
    }

    private func unkeepable(_ folder: SourceFolder, _ name: String, _ why: String) -> VaultError {
        let detail = "The member \(why) and cannot be kept. Take it out of the document."
        return VaultError(code: .unkeepable, path: folder.path.appending(name), detail: detail)
    }
}

extension String {
    /// Whether this stands before the other, byte by byte.
    ///
    /// Swift takes names for the same that differ in bytes only; a volume does not.
    func precedesInBytes(_ other: String) -> Bool {
        let order = utf8.withContiguousStorageIfAvailable { own in
            other.utf8.withContiguousStorageIfAvailable { its in
                let order = Self.order(own, its)
                return order == 0 ? own.count < its.count : order < 0
            }
        }
        if case .some(.some(let precedes)) = order { return precedes }
        return utf8.lexicographicallyPrecedes(other.utf8)
    }

    private static func order(_ own: UnsafeBufferPointer<UInt8>, _ its: UnsafeBufferPointer<UInt8>) -> CInt {
        guard let first = own.baseAddress, let second = its.baseAddress else { return 0 }
        return memcmp(first, second, Swift.min(own.count, its.count))
    }

    func isSameInBytes(_ other: String) -> Bool {
        !precedesInBytes(other) && !other.precedesInBytes(self)
    }
}
