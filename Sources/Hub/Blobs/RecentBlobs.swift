internal import HubProtocol

/// Which blobs were sent or asked for a short while ago, and which are being released. Pure.
///
/// A device asks for the blobs of contents before it commits what refers to them, and nobody but it knows that they are about
/// to be needed. So they are not released for a while after that; see Docs/formats/hub.md.
///
/// 1. What was noted less than `seconds` ago is recent; what was noted more than twice that ago is not.
/// 2. Nobody knows what was noted before this began: all is recent for `seconds` after that.
/// 3. Where more than `countMax` of an account were noted in that time, all of that account is recent, and nothing of others.
struct RecentBlobs {
    /// What was noted of an account.
    private struct Noted {
        var keys: Set<UInt64> = []
        /// Whether there was more.
        var isFull = false

        func contains(_ key: UInt64) -> Bool { isFull || keys.contains(key) }
    }

    static let seconds = 3600.0
    static let countMax = 1 << 18

    private var current: [AccountID: Noted] = [:]
    private var former: [AccountID: Noted] = [:]
    /// When the current ones began.
    private var since: Double
    private let begun: Double
    /// How many requests to release each are under way.
    private var releasing: [UInt64: Int] = [:]

    init(begun: Double) { (since, self.begun) = (begun, begun) }

    /// Notes blobs that were sent or asked for.
    ///
    /// - Returns: Those that are just being released: what is read of them now may be old.
    mutating func note(
        _ names: some Sequence<BlobName>,
        of owner: BlobOwner,
        now: Double
    ) -> [BlobName] {
        turn(now)
        var noted = current.removeValue(forKey: owner.account) ?? Noted()
        defer { current[owner.account] = noted }
        var doubtful: [BlobName] = []
        for name in names {
            let key = Self.key(name, owner.container)
            if noted.keys.count < Self.countMax { noted.keys.insert(key) } else { noted.isFull = true }
            if releasing[key] != nil { doubtful.append(name) }
        }
        return doubtful
    }

    mutating func isRecent(_ name: BlobName, of owner: BlobOwner, now: Double) -> Bool {
        turn(now)
        if now < begun + Self.seconds { return true }
        let key = Self.key(name, owner.container)
        return [current, former].contains { $0[owner.account]?.contains(key) == true }
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
        former = isLongAgo ? [:] : current
        (current, since) = ([:], isLongAgo ? now : since + Self.seconds)
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
