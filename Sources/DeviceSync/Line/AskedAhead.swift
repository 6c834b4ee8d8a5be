internal import Dispatch
internal import HubProtocol
internal import Locks

/// What is new in the log, asked for while a start does what it has to do before its line is open.
///
///     not asked ──ask──▶ under way, or answered ──take, drop──▶ over
///
/// It is asked for once: a start that has to wait for its disk asks when it goes on, as any line does. Any thread.
final class AskedAhead: Sendable {
    private struct State {
        var isAsked = false
        var page: Promised<LogPage>?
    }

    private let hub: any ContainerHub
    private let state = Locked(State())
    private let queue = DispatchQueue(label: "sheaf.ahead", qos: .userInitiated)

    init(_ hub: any ContainerHub) { self.hub = hub }

    func ask(after position: UInt64) {
        let page = Promised<LogPage>()
        let isFirst = state.withLock { state in
            defer { state.isAsked = true }
            if !state.isAsked { state.page = page }
            return !state.isAsked
        }
        guard isFirst else { return }
        queue.async { [hub] in page.keep { try hub.log(after: position, waitSeconds: 0) } }
    }

    /// What was asked, for who reads the log first; nil for all others.
    func take() -> Promised<LogPage>? { state.withLock { $0.page.take() } }

    /// Has nobody hear of it.
    func drop() { state.withLock { $0.page = nil } }

    /// Closes the hub, and returns when nothing is asked any more.
    func end() {
        state.withLock { $0 = State(isAsked: true) }
        hub.close()
        queue.sync {}
    }
}
