internal import Cryptography

/// Which digests devices have signed: roots, and all that is known to lead to one.
///
/// So the signature of many records is checked once, and of each further record little more than its own digest.
struct SignedNodes {
    private var known: Set<[UInt8]> = []
    /// Some batches of 1,000 records.
    private static let countMax = 1 << 14

    /// Whether a device has signed the root that a leaf leads to.
    ///
    /// - Parameters:
    ///   - key: The device's.
    ///   - isSigned: Checks the signature of a root.
    mutating func contains(
        _ leaf: [UInt8],
        _ path: HashTree.Path,
        by key: [UInt8],
        _ hasher: SHA256Hasher,
        isSigned: (_ root: [UInt8]) throws(CryptographyError) -> Bool
    ) throws(CryptographyError) -> Bool {
        var met: [[UInt8]] = []
        var hash = leaf
        for step in 0..<path.stepCount {
            if known.contains(key + hash) {
                insert(met)
                return true
            }
            let neighbour = path.neighbour(step)
            met.append(key + hash)
            met.append(key + neighbour.hash)
            hash =
                try neighbour.isLeft
                ? HashTree.node(neighbour.hash, hash, hasher) : HashTree.node(hash, neighbour.hash, hasher)
        }
        if !known.contains(key + hash) {
            guard try isSigned(hash) else { return false }
            met.append(key + hash)
        }
        insert(met)
        return true
    }

    private mutating func insert(_ nodes: [[UInt8]]) {
        if known.count + nodes.count > Self.countMax { known.removeAll(keepingCapacity: true) }
        known.formUnion(nodes)
    }
}
