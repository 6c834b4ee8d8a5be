internal import Sync

/// How much of contents on their way the hub has got.
///
/// It is told from several threads, each of which has sent a part: what one tells late is less than what is known.
struct UploadShares {
    private var shares: [ContentName: Double] = [:]

    /// From 0 to 1; nil for what is not on its way.
    subscript(name: ContentName) -> Double? { shares[name] }

    /// - Returns: Whether that is news.
    mutating func note(_ share: Double, of name: ContentName) -> Bool {
        guard share > shares[name] ?? -1 else { return false }
        shares[name] = share
        return true
    }

    /// Notes that contents have come, or cannot.
    mutating func end(_ name: ContentName) { shares[name] = nil }

    mutating func endAll() { shares = [:] }
}
