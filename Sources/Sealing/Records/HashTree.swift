internal import Cryptography

/// Many records under one signature: a Merkle tree over their digests. Each record brings the way from its digest to
/// the root with it, and so can be checked by itself.
///
/// The digest of a leaf begins with 0, that of a node with 1; a node without a neighbour rises to the next level as it is.
struct HashTree {
    static let hashByteCount = 32
    /// The most leaves of a tree.
    static let leafCountMax = 1 << Path.stepCountMax

    /// The way from a leaf to the root: of each step a byte, 0 for a neighbour at the left, 1 for one at the right, and the
    /// neighbour's digest.
    struct Path: Hashable {
        /// No way is longer.
        static let stepCountMax = 16
        static let stepByteCount = 1 + hashByteCount

        private(set) var bytes: [UInt8] = []

        init() {}

        /// - Returns: Nil for what is no way.
        init?(_ bytes: [UInt8]) {
            guard bytes.count % Self.stepByteCount == 0, bytes.count / Self.stepByteCount <= Self.stepCountMax
            else { return nil }
            for start in stride(from: 0, to: bytes.count, by: Self.stepByteCount) where bytes[start] > 1 {
                return nil
            }
            self.bytes = bytes
        }

        var stepCount: Int { bytes.count / Self.stepByteCount }

        mutating func append(_ neighbour: [UInt8], isLeft: Bool) {
            bytes.append(isLeft ? 0 : 1)
            bytes += neighbour
        }

        func neighbour(_ step: Int) -> (isLeft: Bool, hash: [UInt8]) {
            let start = step * Self.stepByteCount
            return (bytes[start] == 0, Array(bytes[start + 1..<start + Self.stepByteCount]))
        }
    }

    let root: [UInt8]
    /// Of each leaf the way to the root.
    let paths: [Path]

    static func leaf(_ bytes: [UInt8], _ hasher: SHA256Hasher) throws(CryptographyError) -> [UInt8] {
        try hasher.digest(of: [0] + bytes)
    }

    init(_ leaves: [[UInt8]], _ hasher: SHA256Hasher) throws(CryptographyError) {
        precondition((1...Self.leafCountMax).contains(leaves.count), "a tree of \(leaves.count) leaves")
        var paths = [Path](repeating: Path(), count: leaves.count)
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
                for leaf in left.leaves { paths[leaf].append(right.hash, isLeft: false) }
                for leaf in right.leaves { paths[leaf].append(left.hash, isLeft: true) }
                let hash = try Self.node(left.hash, right.hash, hasher)
                next.append((hash, left.leaves.lowerBound..<right.leaves.upperBound))
            }
            level = next
        }
        (root, self.paths) = (level[0].hash, paths)
    }

    /// The node over two others.
    static func node(
        _ left: [UInt8],
        _ right: [UInt8],
        _ hasher: SHA256Hasher
    ) throws(CryptographyError) -> [UInt8] {
        var bytes: [UInt8] = [1]
        bytes.reserveCapacity(1 + 2 * hashByteCount)
        bytes += left
        bytes += right
        return try hasher.digest(of: bytes)
    }
}
