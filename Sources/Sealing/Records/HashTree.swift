internal import Cryptography

/// Many records under one signature: a Merkle tree over their digests. Each record brings the way from its digest to
/// the root with it, and so can be checked by itself.
///
/// The digest of a leaf begins with 0, that of a node with 1; a node without a neighbour rises to the next level as it is.
struct HashTree {
    /// A digest on the way to the root, and on which side of the one that one comes with it stands.
    struct Step: Hashable {
        var isLeft: Bool
        var hash: [UInt8]
    }

    /// No way to a root is longer.
    static let stepCountMax = 16
    /// The most leaves of a tree.
    static let leafCountMax = 1 << stepCountMax

    let root: [UInt8]
    /// Of each leaf the way to the root.
    let paths: [[Step]]

    static func leaf(_ bytes: [UInt8], _ hasher: SHA256Hasher) throws(CryptographyError) -> [UInt8] {
        try hasher.digest(of: [0] + bytes)
    }

    init(_ leaves: [[UInt8]], _ hasher: SHA256Hasher) throws(CryptographyError) {
        precondition((1...Self.leafCountMax).contains(leaves.count), "a tree of \(leaves.count) leaves")
        var paths = [[Step]](repeating: [], count: leaves.count)
        // Each node, and the leaves that are below it.
        var level = leaves.enumerated().map { (hash: $1, leaves: $0..<$0 + 1) }
        while level.count > 1 {
            var next: [(hash: [UInt8], leaves: Range<Int>)] = []
            for index in stride(from: 0, to: level.count, by: 2) {
                guard index + 1 < level.count else {
                    next.append(level[index])
                    break
                }
                let (left, right) = (level[index], level[index + 1])
                for leaf in left.leaves { paths[leaf].append(Step(isLeft: false, hash: right.hash)) }
                for leaf in right.leaves { paths[leaf].append(Step(isLeft: true, hash: left.hash)) }
                let hash = try Self.node(left.hash, right.hash, hasher)
                next.append((hash, left.leaves.lowerBound..<right.leaves.upperBound))
            }
            level = next
        }
        (root, self.paths) = (level[0].hash, paths)
    }

    /// The root that a way leads to.
    static func root(
        from leaf: [UInt8],
        _ path: [Step],
        _ hasher: SHA256Hasher
    ) throws(CryptographyError) -> [UInt8] {
        var hash = leaf
        for step in path {
            hash = try step.isLeft ? node(step.hash, hash, hasher) : node(hash, step.hash, hasher)
        }
        return hash
    }

    private static func node(
        _ left: [UInt8],
        _ right: [UInt8],
        _ hasher: SHA256Hasher
    ) throws(CryptographyError) -> [UInt8] {
        var bytes: [UInt8] = [1]
        bytes.reserveCapacity(65)
        bytes += left
        bytes += right
        return try hasher.digest(of: bytes)
    }
}
