internal import Foundation
internal import HubProtocol
internal import Locks

/// The last page of each log that somebody was given, as it was sent: when a commit comes in, all who wait for it are
/// given the same.
///
/// Its state is in one struct under one lock. A log's entries never change, so a page is right for as long as its head
/// is the log's.
final class PageCache: Sendable {
    struct Key: Hashable, Sendable {
        var after: UInt64
        var limit: Int
        /// The log's head when the page was read.
        var head: LogHead
    }
    private struct State {
        var pages: [ContainerName: (key: Key, body: Data)] = [:]
    }

    /// Of how many logs a page is kept.
    private static let pageCountMax = 256
    /// Larger ones are read again, in bytes.
    private static let byteCountMax = 64 << 10

    private let state = Locked(State())

    func body(of container: ContainerName, _ key: Key) -> Data? {
        state.withLock { state in
            guard let page = state.pages[container], page.key == key else { return nil }
            return page.body
        }
    }

    func keep(_ body: Data, of container: ContainerName, _ key: Key) {
        guard body.count <= Self.byteCountMax else { return }
        state.withLock { state in
            if state.pages[container] == nil, state.pages.count >= Self.pageCountMax { state.pages = [:] }
            state.pages[container] = (key, body)
        }
    }
}
