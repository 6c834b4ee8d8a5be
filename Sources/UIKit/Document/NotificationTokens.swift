internal import Foundation

/// What observes notifications for as long as somebody holds this.
///
/// The centre keeps an observer, and the object that it observes, until it is removed.
final class NotificationTokens {
    private var tokens: [any NSObjectProtocol] = []

    func add(_ token: any NSObjectProtocol) { tokens.append(token) }

    deinit { for token in tokens { NotificationCenter.default.removeObserver(token) } }
}
