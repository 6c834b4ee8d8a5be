internal import Foundation
internal import HubProtocol
internal import Locks

/// Takes pages of a log apart. While nothing happens, each is without entries and says, byte for byte, what the one before did:
/// it is not taken apart again, which saves a device at rest most of what it would do then.
///
/// Sendable; any thread.
final class LogPages: Sendable {
    private let last = Locked<(bytes: Data, page: LogPage)?>(nil)

    /// - Parameters:
    ///   - bytes: What a hub has answered.
    ///   - decode: Takes it apart.
    func read(_ bytes: Data, _ decode: (Data) throws -> LogPage) throws -> LogPage {
        if let last = last.withLock({ $0 }), last.bytes == bytes { return last.page }
        let page = try decode(bytes)
        // One with entries does not come twice.
        if page.entries.isEmpty { last.withLock { $0 = (bytes, page) } }
        return page
    }
}
