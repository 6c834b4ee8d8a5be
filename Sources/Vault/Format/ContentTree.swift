/// Puts many names into a tree of objects that are cut where their contents say so, so that trees that differ in
/// one place share all others. Pure but for the storing, which is the caller's.
struct ContentTree {
    /// Stores an object, or finds that it is there.
    typealias Store = (ObjectKind, [UInt8]) throws -> ObjectName

    /// A node has at most so many children, and, but for the last, at least so many.
    static let childCountMax = 256
    static let childCountMin = 16
    /// One child in 64 ends a node.
    static let boundaryMask: UInt8 = 0x3f
    /// So many folders may lie in each other; nobody keeps as many, and what says that it has more is not followed.
    static let folderDepthMax = 256
    /// What stands before a node's children.
    private static let headByteCount = 5

    /// One piece of a file, or a list of pieces.
    struct Piece: Hashable, Sendable {
        var name: ObjectName
        var byteCount: UInt64
    }

    /// The tree of a file's chunks.
    ///
    /// - Returns: Nil for a file without any.
    static func list(of chunks: [Piece], store: Store) throws -> ContentReference? {
        guard !chunks.isEmpty else { return nil }
        var (level, pieces) = (UInt8(0), chunks)
        while pieces.count > 1 {
            level += 1
            pieces = try groups(pieces, isBoundary: { $0.name.firstByte & boundaryMask == 0 }).map { group in
                var writer = ByteWriter()
                writer.integer(level)
                writer.integer(UInt32(group.count))
                for piece in group {
                    writer.name(piece.name)
                    writer.integer(piece.byteCount)
                }
                let byteCount = group.reduce(0) { $0 + $1.byteCount }
                return Piece(name: try store(.list, writer.bytes), byteCount: byteCount)
            }
        }
        return ContentReference(name: pieces[0].name, level: level)
    }

    /// The tree of a folder's members.
    ///
    /// - Parameter entries: Encoded, in the order of their names' bytes; whether each ends a node.
    static func folder(
        of entries: [(bytes: ArraySlice<UInt8>, isBoundary: Bool)],
        store: Store
    ) throws -> ContentReference {
        let grouped = groups(entries, byteCount: \.bytes.count, isBoundary: \.isBoundary)
        let leaves = try grouped.map { group in
            try leaf(of: group.map(\.bytes), store: store)
        }
        return try folder(ofLeaves: leaves, store: store)
    }

    /// A leaf of a folder's tree.
    ///
    /// - Parameter entries: Encoded, in the order of their names' bytes; as many as ``isEnd(count:isBoundary:)`` says, and
    ///   ``hasRoom(byteCount:for:)``.
    static func leaf(of entries: [ArraySlice<UInt8>], store: Store) throws -> ObjectName {
        var writer = ByteWriter()
        writer.integer(UInt8(0))
        writer.integer(UInt32(entries.count))
        for entry in entries { writer.raw(entry) }
        return try store(.folder, writer.bytes)
    }

    /// The tree of a folder whose leaves are stored.
    static func folder(ofLeaves leaves: [ObjectName], store: Store) throws -> ContentReference {
        var (level, names) = (UInt8(0), leaves)
        if names.isEmpty { names = [try store(.folder, [0, 0, 0, 0, 0])] }
        while names.count > 1 {
            level += 1
            names = try groups(names, isBoundary: { $0.firstByte & boundaryMask == 0 }).map { group in
                var writer = ByteWriter()
                writer.integer(level)
                writer.integer(UInt32(group.count))
                for name in group { writer.name(name) }
                return try store(.folder, writer.bytes)
            }
        }
        return ContentReference(name: names[0], level: level)
    }

    /// Whether a member of this name is the last of its node: by its name alone, so that new contents move nothing.
    static func isBoundary(_ name: String) -> Bool {
        var name = name
        return name.withUTF8 { utf8 in
            // FNV-1a, 64 bits, mixed once more as its low bits are poor.
            var hash: UInt64 = 0xcbf2_9ce4_8422_2325
            for byte in utf8 { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01b3 }
            hash = (hash ^ (hash >> 32)) &* 0x9e37_79b9_7f4a_7c15
            return hash >> 58 == 0
        }
    }

    /// Whether a node ends with its latest child.
    static func isEnd(count: Int, isBoundary: @autoclosure () -> Bool) -> Bool {
        count == childCountMax || (count >= childCountMin && isBoundary())
    }

    /// Whether a leaf with so many bytes of members can have one more: no object is larger than one may be.
    static func hasRoom(byteCount: Int, for entryByteCount: Int) -> Bool {
        headByteCount + byteCount + entryByteCount <= PackFormat.objectByteCountMax
    }

    private static func groups<Child>(
        _ children: [Child],
        byteCount: (Child) -> Int = { _ in 0 },
        isBoundary: (Child) -> Bool
    ) -> [ArraySlice<Child>] {
        var groups: [ArraySlice<Child>] = []
        var (start, groupByteCount) = (0, 0)
        for index in children.indices {
            let childByteCount = byteCount(children[index])
            if index > start, !hasRoom(byteCount: groupByteCount, for: childByteCount) {
                groups.append(children[start..<index])
                (start, groupByteCount) = (index, 0)
            }
            groupByteCount += childByteCount
            let count = index - start + 1
            if isEnd(count: count, isBoundary: isBoundary(children[index])) {
                groups.append(children[start...index])
                (start, groupByteCount) = (index + 1, 0)
            }
        }
        if start < children.count { groups.append(children[start...]) }
        return groups
    }
}

/// What a node of a tree leads to.
enum TreeNode: Hashable, Sendable {
    case pieces([ContentTree.Piece])
    case entries([ManifestEntry])
    case names([ObjectName])

    /// Reads a node of a file's tree.
    ///
    /// - Parameter level: As what led here says.
    static func list(
        _ bytes: UnsafeRawBufferPointer,
        level: UInt8
    ) throws(MalformedBytes) -> [ContentTree.Piece] {
        var reader = ByteReader(bytes)
        let count = try head(&reader, level: level, childByteCount: ObjectName.byteCount + 8)
        var pieces: [ContentTree.Piece] = []
        pieces.reserveCapacity(count)
        for _ in 0..<count {
            pieces.append(ContentTree.Piece(name: try reader.name(), byteCount: try reader.integer()))
        }
        try reader.finish()
        return pieces
    }

    /// Reads a node of a folder's tree: members at level 0, names of nodes above it.
    static func folder(_ bytes: UnsafeRawBufferPointer, level: UInt8) throws(MalformedBytes) -> TreeNode {
        var reader = ByteReader(bytes)
        let childByteCount = level == 0 ? 1 : ObjectName.byteCount
        let count = try head(&reader, level: level, childByteCount: childByteCount)
        guard level == 0 else {
            var names: [ObjectName] = []
            for _ in 0..<count { names.append(try reader.name()) }
            try reader.finish()
            return .names(names)
        }
        var entries: [ManifestEntry] = []
        for _ in 0..<count { entries.append(try ManifestEntry(from: &reader)) }
        try reader.finish()
        return .entries(entries)
    }

    private static func head(
        _ reader: inout ByteReader,
        level: UInt8,
        childByteCount: Int
    ) throws(MalformedBytes) -> Int {
        guard try reader.integer(UInt8.self) == level else { throw MalformedBytes(what: "level") }
        let count = Int(try reader.integer(UInt32.self))
        guard count <= ContentTree.childCountMax, count <= reader.remainingCount / childByteCount else {
            throw MalformedBytes(what: "count")
        }
        return count
    }
}
