/// Blobs that the index speaks of and that the volume does not give. Pure.
///
/// 1. What is noted is a blob at a place: one that was sent again has another, and is in order.
/// 2. Once a blob of a segment is noted the others of it are doubtful: they are tried before anybody is promised them.
/// 3. Nothing of it is kept: the next process tries all of them again.
struct UnreadableBlobs: Sendable {
    /// How many are known, so that a lost volume does not fill the memory; what is beyond that is tried each time.
    static let countMax = 1 << 18

    private var places: [[UInt8]: BlobPlace] = [:]
    private var segments: Set<Int> = []

    /// Where the bytes are said to lie of a blob that could not be read; nil for one that could be, as far as is known.
    func place(of key: [UInt8]) -> BlobPlace? { places[key] }

    func contains(_ key: [UInt8], at place: BlobPlace) -> Bool { places[key] == place }

    /// Whether a blob is to be tried before it is promised.
    func isDoubtful(_ place: BlobPlace) -> Bool {
        guard case .segment(let number, _) = place else { return false }
        return segments.contains(number)
    }

    /// - Returns: Whether that is news.
    mutating func insert(_ key: [UInt8], at place: BlobPlace) -> Bool {
        if case .segment(let number, _) = place { segments.insert(number) }
        let known = places[key]
        guard known != place, known != nil || places.count < Self.countMax else { return false }
        places[key] = place
        return true
    }

    /// Forgets a blob that has another place now.
    mutating func remove(_ key: [UInt8], at place: BlobPlace) {
        if places[key] == place { places[key] = nil }
    }
}
