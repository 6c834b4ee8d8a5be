internal import FileSystem

/// What was seen of one folder of a document when it was kept last: which leaves its tree has. Each leaf's members are in
/// a row of their own, so that a change of one rewrites no others. A hint: what it says is compared.
struct FolderCache: Hashable {
    /// A leaf of the folder's tree.
    struct Leaf: Hashable {
        /// The row where its members are, from 1 on.
        var number: UInt32
        var node: ObjectName
        /// How many bytes are in it in all.
        var byteCount: UInt64
        /// Whether what comes behind it could not be part of it.
        var isClosed: Bool
        var firstName: String

        // Swift takes names for the same that differ in bytes only.
        static func == (left: Leaf, right: Leaf) -> Bool {
            left.number == right.number && left.node == right.node && left.byteCount == right.byteCount
                && left.isClosed == right.isClosed && left.firstName.isSameInBytes(right.firstName)
        }
    }

    /// The row of the folder itself.
    static let row: UInt32 = 0

    var reference: ContentReference
    /// In the order of their names' bytes.
    var leaves: [Leaf]

    func encoded(_ hasher: VaultHasher) throws -> [UInt8] {
        var writer = ByteWriter()
        writer.integer(reference.level)
        writer.name(reference.name)
        writer.integer(UInt32(leaves.count))
        for leaf in leaves {
            writer.integer(leaf.number)
            writer.name(leaf.node)
            writer.integer(leaf.byteCount)
            writer.integer(UInt8(leaf.isClosed ? 1 : 0))
            writer.text(leaf.firstName)
        }
        return try hasher.check(PackFormat.Purpose.cache, writer.bytes) + writer.bytes
    }

    init(reference: ContentReference, leaves: [Leaf]) {
        self.reference = reference
        self.leaves = leaves
    }

    /// Nil when it is not what was written.
    init?(_ bytes: [UInt8], _ hasher: VaultHasher) throws {
        guard try MemberCache.isWhole(bytes, hasher) else { return nil }
        do { self = try bytes.withUnsafeBytes { try Self.decode($0) } } catch is MalformedBytes { return nil }
    }

    private static func decode(_ raw: UnsafeRawBufferPointer) throws(MalformedBytes) -> FolderCache {
        var reader = ByteReader(raw)
        _ = try reader.raw(PackFormat.checkByteCount)
        let level = try reader.integer(UInt8.self)
        let reference = ContentReference(name: try reader.name(), level: level)
        let count = Int(try reader.integer(UInt32.self))
        guard count <= reader.remainingCount else { throw MalformedBytes(what: "count") }
        var leaves: [Leaf] = []
        leaves.reserveCapacity(count)
        for _ in 0..<count {
            leaves.append(
                Leaf(
                    number: try reader.integer(),
                    node: try reader.name(),
                    byteCount: try reader.integer(),
                    isClosed: try reader.integer(UInt8.self) != 0,
                    firstName: try reader.text()
                )
            )
        }
        try reader.finish()
        return FolderCache(reference: reference, leaves: leaves)
    }
}

/// One row of what was seen of a folder, or of a document that is a file, and in which generation.
typealias CacheRow = (generation: Int, bytes: [UInt8])

/// What is to be written of one folder, or of a document that is a file.
struct CacheRows {
    var path: String
    var rows: [(number: UInt32, bytes: [UInt8])]
    var removed: [UInt32] = []
}
