internal import HubProtocol

/// Which blobs were sent or asked for a short while ago, and which are being released. Pure.
///
/// A device asks for the blobs of contents before it commits what refers to them, and nobody but it knows that they are about
/// to be needed. So they are not released for a while after that; see Docs/formats/hub.md.
///
/// 1. What was noted less than `seconds` ago is recent; what was noted more than twice that ago is not.
/// 2. Nobody knows what was noted before this began: all is recent for `seconds` after that.
/// 3. Of more than `countMax` noted in that time, all is recent.
struct RecentBlobs {
    static let seconds = 3600.0
    static let countMax = 1 << 20

    private var current: Set<UInt64> = []
    private var former: Set<UInt64> = []
    /// When the current ones began, and whether there were too many of either.
    private var since: Double
    private let begun: Double
    private var isCurrentFull = false
    private var isFormerFull = false
    /// How many requests to release each are under way.
    private var releasing: [UInt64: Int] = [:]

    init(begun: Double) { (since, self.begun) = (begun, begun) }

    /// Notes blobs that were sent or asked for.
    ///
    /// - Returns: Those that are just being released: what is read of them now may be old.
    mutating func note(
        _ names: some Sequence<BlobName>,
        of container: ContainerName,
        now: Double
    ) -> [BlobName] {
        turn(now)
        var doubtful: [BlobName] = []
        for name in names {
            let key = Self.key(name, container)
            if current.count < Self.countMax { current.insert(key) } else { isCurrentFull = true }
            if releasing[key] != nil { doubtful.append(name) }
        }
        return doubtful
    }

    mutating func isRecent(_ name: BlobName, of container: ContainerName, now: Double) -> Bool {
        turn(now)
        if now < begun + Self.seconds || isCurrentFull || isFormerFull { return true }
        let key = Self.key(name, container)
        return current.contains(key) || former.contains(key)
    }

    mutating func beginReleasing(_ names: some Sequence<BlobName>, of container: ContainerName) {
        for name in names { releasing[Self.key(name, container), default: 0] += 1 }
    }

    mutating func endReleasing(_ names: some Sequence<BlobName>, of container: ContainerName) {
        for name in names {
            let key = Self.key(name, container)
            guard let count = releasing[key] else { continue }
            releasing[key] = count > 1 ? count - 1 : nil
        }
    }

    private mutating func turn(_ now: Double) {
        guard now >= since + Self.seconds else { return }
        let isLongAgo = now >= since + 2 * Self.seconds
        (former, isFormerFull) = isLongAgo ? ([], false) : (current, isCurrentFull)
        (current, isCurrentFull, since) = ([], false, isLongAgo ? now : since + Self.seconds)
    }

    /// Names are random: what their words come to tells nearly all apart, and two that are taken for one are kept for longer.
    private static func key(_ name: BlobName, _ container: ContainerName) -> UInt64 {
        func words(_ bytes: [UInt8]) -> [UInt64] {
            stride(from: 0, to: bytes.count, by: 8).map { start in
                bytes[start..<min(start + 8, bytes.count)].reduce(0) { $0 << 8 | UInt64($1) }
            }
        }
        return words(name.bytes).reduce(words(container.bytes).first ?? 0, ^)
    }
}
