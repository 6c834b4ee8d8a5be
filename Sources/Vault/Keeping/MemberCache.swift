internal import FileSystem

/// What tells that a member is as it was when it was read: more than a stamp, as its bytes are not looked at.
struct MemberTrace: Hashable, Sendable {
    var device: UInt64
    var inode: UInt64
    var byteCount: Int64
    /// Nanoseconds since 1970.
    var modified: Int64
    var changed: Int64

    init(_ status: MemberStatus) {
        device = status.stamp.device
        inode = status.stamp.inode
        byteCount = status.stamp.byteCount
        modified = status.stamp.modificationSeconds &* 1_000_000_000 &+ status.stamp.modificationNanoseconds
        changed = status.changeSeconds &* 1_000_000_000 &+ status.changeNanoseconds
    }

    /// For what was not looked at.
    init(device: UInt64 = 0, inode: UInt64 = 0, byteCount: Int64 = 0, modified: Int64, changed: Int64) {
        self.device = device
        self.inode = inode
        self.byteCount = byteCount
        self.modified = modified
        self.changed = changed
    }

    /// Whether a write after the member was looked at would have left other times.
    ///
    /// A clock goes in steps: two writes in one step leave the same times, so what was changed shortly before it was
    /// read is read again. Two seconds are the longest step, FAT's.
    func isSettled(by moment: Int64) -> Bool {
        max(modified, changed) < moment - 2_000_000_000
    }

    func encode(into writer: inout ByteWriter) {
        writer.integer(device)
        writer.integer(inode)
        writer.integer(byteCount)
        writer.integer(modified)
        writer.integer(changed)
    }

    init(from reader: inout ByteReader) throws(MalformedBytes) {
        device = try reader.integer()
        inode = try reader.integer()
        byteCount = try reader.integer()
        modified = try reader.integer()
        changed = try reader.integer()
    }
}

/// A member as it was kept last.
struct CachedMember {
    var name: String
    var kind: ManifestEntry.Kind
    var trace: MemberTrace
    /// Whether the trace tells for certain that nothing was written since.
    var isSettled: Bool
    /// How many bytes it, or all in it, has.
    var byteCount: UInt64
    var content: ContentReference?
    /// The member as the manifest has it.
    var entry: ArraySlice<UInt8>
}

/// What was seen of the members of one leaf of a folder, or of a document that is a file, when it was kept last. A hint:
/// what it says is compared.
struct MemberCache {
    /// The leaf's node.
    var reference: ContentReference
    /// In the order of their names' bytes.
    var members: [CachedMember]

    func encoded(_ hasher: VaultHasher) throws -> [UInt8] {
        var writer = ByteWriter()
        writer.integer(reference.level)
        writer.name(reference.name)
        writer.integer(UInt32(members.count))
        for member in members {
            writer.integer(UInt8((member.isSettled ? 1 : 0) | (member.content == nil ? 0 : 2)))
            writer.integer(member.kind.rawValue)
            member.trace.encode(into: &writer)
            writer.integer(member.byteCount)
            if let content = member.content {
                writer.integer(content.level)
                writer.name(content.name)
            }
            writer.text(member.name)
            writer.sized(member.entry)
        }
        return try hasher.check(PackFormat.Purpose.cache, writer.bytes) + writer.bytes
    }

    /// Nil when it is not what was written.
    init?(_ bytes: [UInt8], _ hasher: VaultHasher) throws {
        guard try Self.isWhole(bytes, hasher) else { return nil }
        do { self = try bytes.withUnsafeBytes { try Self.decode($0, bytes) } } catch is MalformedBytes {
            return nil
        }
    }

    /// Whether a row begins with the check of the rest.
    static func isWhole(_ bytes: [UInt8], _ hasher: VaultHasher) throws -> Bool {
        let checkByteCount = PackFormat.checkByteCount
        guard bytes.count > checkByteCount else { return false }
        return try bytes.withUnsafeBytes { bytes in
            let body = UnsafeRawBufferPointer(rebasing: bytes[checkByteCount...])
            return try hasher.check([PackFormat.Purpose.cache], [], body).elementsEqual(
                bytes[..<checkByteCount]
            )
        }
    }

    init(reference: ContentReference, members: [CachedMember]) {
        self.reference = reference
        self.members = members
    }

    private static func decode(
        _ raw: UnsafeRawBufferPointer,
        _ bytes: [UInt8]
    ) throws(MalformedBytes) -> MemberCache {
        var reader = ByteReader(raw)
        _ = try reader.raw(PackFormat.checkByteCount)
        let level = try reader.integer(UInt8.self)
        let reference = ContentReference(name: try reader.name(), level: level)
        let count = Int(try reader.integer(UInt32.self))
        guard count <= reader.remainingCount else { throw MalformedBytes(what: "count") }
        var members: [CachedMember] = []
        members.reserveCapacity(count)
        for _ in 0..<count {
            let flags = try reader.integer(UInt8.self)
            guard let kind = ManifestEntry.Kind(rawValue: try reader.integer()) else {
                throw MalformedBytes(what: "kind")
            }
            let trace = try MemberTrace(from: &reader)
            let byteCount = try reader.integer(UInt64.self)
            var content: ContentReference?
            if flags & 2 != 0 {
                let level = try reader.integer(UInt8.self)
                content = ContentReference(name: try reader.name(), level: level)
            }
            let name = try reader.text()
            let entryByteCount = Int(try reader.integer(UInt32.self))
            let start = reader.offset
            _ = try reader.raw(entryByteCount)
            members.append(
                CachedMember(
                    name: name,
                    kind: kind,
                    trace: trace,
                    isSettled: flags & 1 != 0,
                    byteCount: byteCount,
                    content: content,
                    entry: bytes[start..<start + entryByteCount]
                )
            )
        }
        try reader.finish()
        return MemberCache(reference: reference, members: members)
    }
}

/// Which members of a document may have changed since it was kept last.
indirect enum ChangedMembers {
    /// Any.
    case all
    /// These, by their names' bytes, and in them those; a member that is not named is as it was.
    case only([[UInt8]: ChangedMembers])

    /// - Parameter paths: The members that changed, came or went; nil for what nobody knows.
    init(_ paths: (some Sequence<MemberPath>)?) {
        guard let paths else {
            self = .all
            return
        }
        self = .only([:])
        for path in paths { insert(path.components[...]) }
    }

    private mutating func insert(_ components: ArraySlice<String>) {
        guard case .only(var members) = self else { return }
        guard let first = components.first else {
            self = .all
            return
        }
        let name = Array(first.utf8)
        var below = members[name] ?? .only([:])
        below.insert(components.dropFirst())
        members[name] = below
        self = .only(members)
    }
}
