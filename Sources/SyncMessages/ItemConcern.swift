/// What a person has to know of an item that is not simply here as it is at the hub, and of a folder with such items in it,
/// the least pressing first.
package enum ItemConcern: String, Codable, Hashable, CaseIterable, Comparable, Sendable {
    /// Its contents are at the hub only.
    case remote
    case downloading
    case uploading
    /// It differs from what the hub has, and that changes by itself later.
    case waiting
    case paused
    case error
    case conflict

    /// How pressing it is, from 0 on.
    package var rank: Int {
        switch self {
        case .remote: 0
        case .downloading: 1
        case .uploading: 2
        case .waiting: 3
        case .paused: 4
        case .error: 5
        case .conflict: 6
        }
    }

    package static func < (left: ItemConcern, right: ItemConcern) -> Bool { left.rank < right.rank }
}

extension ItemSyncState.Standing {
    package var concern: ItemConcern? {
        switch self {
        case .settled: nil
        case .remote: .remote
        case .downloading: .downloading
        case .uploading: .uploading
        case .waiting: .waiting
        case .paused: .paused
        case .error: .error
        case .conflict: .conflict
        }
    }

    /// How a folder stands with an item in it of which a person has to know this.
    init(inside concern: ItemConcern) {
        switch concern {
        case .remote: self = .remote
        case .downloading: self = .downloading(nil)
        case .uploading: self = .uploading(nil)
        case .waiting: self = .waiting
        case .paused: self = .paused
        case .error: self = .error(SyncRefusal(.failed, "Something in this folder cannot be kept in step."))
        case .conflict: self = .conflict
        }
    }
}
