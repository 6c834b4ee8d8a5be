internal import Foundation
internal import HubProtocol
internal import Locks

/// How pages of a log are asked for and taken apart. While nothing happens the question is the same each time, and so is the
/// answer, byte for byte: neither is made anew, which saves a device at rest most of what it would do then.
///
/// Sendable; any thread.
final class LogPages: Sendable {
    private struct Question {
        let position: UInt64
        let waitSeconds: Int
        let text: String
    }

    private let question = Locked<Question?>(nil)
    private let last = Locked<(bytes: Data, page: LogPage)?>(nil)

    /// What is asked behind the path of a log.
    ///
    /// - Parameters:
    ///   - position: After which the page begins.
    ///   - waitSeconds: How long the hub is to wait for an entry if there is none yet.
    func query(after position: UInt64, waitSeconds: Int) -> String {
        question.withLock { last in
            if let last, last.position == position, last.waitSeconds == waitSeconds { return last.text }
            let text = "?after=\(position)&limit=\(HubLimits.entryCountMax)&wait=\(waitSeconds)"
            last = Question(position: position, waitSeconds: waitSeconds, text: text)
            return text
        }
    }

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
