internal import Foundation
internal import SyncMessages

/// The conversations of a service, as many as there may be at a time. Pure.
///
/// Who follows something does so for as long as a document is open or a folder is shown, and takes no place from those who ask.
package struct ServiceConversations: Sendable {
    /// One process asks at most a few things at once.
    package static let askingCountMax = 512
    /// Each open document is followed twice. Every one costs a thread, which does nothing mostly, and two open files.
    package static let followingCountMax = 2048

    private var asking: [UUID: ServiceConversation] = [:]
    private var following: [UUID: ServiceConversation] = [:]
    private let askingCountMax: Int
    private let followingCountMax: Int

    init(
        askingCountMax: Int = ServiceConversations.askingCountMax,
        followingCountMax: Int = ServiceConversations.followingCountMax
    ) {
        (self.askingCountMax, self.followingCountMax) = (askingCountMax, followingCountMax)
    }

    var all: [ServiceConversation] { Array(asking.values) + Array(following.values) }

    /// - Returns: Whether there is room for it.
    mutating func begin(_ conversation: ServiceConversation, _ id: UUID) -> Bool {
        guard asking.count < askingCountMax else { return false }
        asking[id] = conversation
        return true
    }

    /// Who asks is to be told until he has enough.
    ///
    /// - Returns: Whether there is room for that.
    mutating func follow(_ id: UUID) -> Bool {
        guard following.count < followingCountMax else { return false }
        following[id] = asking.removeValue(forKey: id)
        return true
    }

    mutating func end(_ id: UUID) { (asking[id], following[id]) = (nil, nil) }
}

extension SyncQuestion {
    /// Whether there are answers until who asks has enough.
    var isFollowing: Bool {
        switch self {
        case .follow, .followExplanation, .followLargeChanges, .log(isFollowed: true): true
        default: false
        }
    }
}
