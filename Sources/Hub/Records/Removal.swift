internal import SQLite

/// What has become of a container that the hub's owner has removed, as the database has it. Pure.
///
/// Removed, it is no device's any longer, and all of it is there as it was. After the hub's retention it goes, which takes
/// several transactions and is gone on with after a kill; nobody can have it back from then on. That it was removed stays.
enum Removal: Hashable, Sendable {
    /// All of it is there, since a time of `ServedTime`, which is more than 0.
    case kept(since: Int)
    /// Some of it may be there, and goes.
    case going
    /// Nothing of it is there.
    case gone

    var number: Int {
        switch self {
        case .kept(let since): since
        case .going: -1
        case .gone: 0
        }
    }

    init(_ number: Int) {
        switch number {
        case 0: self = .gone
        case ..<0: self = .going
        default: self = .kept(since: number)
        }
    }

    /// Reads a row; nil for a container that was not removed.
    init?(_ row: SQLiteStatement, _ column: Int) {
        if row.isNull(column) { return nil }
        self.init(row.integer(column))
    }

    /// For how many seconds a removed container is kept at least: none of the requests that were let in before can bring
    /// anything more by then.
    static let secondsMin = 3600

    /// Whether it is to go, or to go on going.
    ///
    /// - Parameters:
    ///   - retentionSeconds: For how long what was deleted is kept.
    ///   - now: By `ServedTime`.
    func isDue(retentionSeconds: Int, now: Int) -> Bool {
        switch self {
        case .kept(let since): since < now - max(retentionSeconds, Self.secondsMin)
        case .going: true
        case .gone: false
        }
    }
}
