internal import Dispatch
internal import Locks

/// The requests in progress of one server.
///
/// Its state is in one struct under one lock.
final class HTTPExchangeRegistry: Sendable {
    private struct State {
        var exchanges: [ObjectIdentifier: HTTPExchange] = [:]
        var whenEmpty: [@Sendable () -> Void] = []
        var hasGivenUp = false
    }

    let handler: any HTTPRequestHandler
    let limits: HTTPLimits
    let admits: @Sendable (IPv4Endpoint) -> Bool
    private let state = Locked(State())

    /// No requests yet.
    init(
        handler: any HTTPRequestHandler,
        limits: HTTPLimits,
        admits: @escaping @Sendable (IPv4Endpoint) -> Bool
    ) {
        self.handler = handler
        self.limits = limits
        self.admits = admits
    }

    /// A request's head is there.
    func insert(_ exchange: HTTPExchange) {
        state.withLock { $0.exchanges[ObjectIdentifier(exchange)] = exchange }
    }

    /// A request is over.
    ///
    /// The library may hold a lock of its own here, so nothing is called back into it.
    func remove(_ exchange: HTTPExchange) {
        let calls = state.withLock { state -> [@Sendable () -> Void] in
            state.exchanges[ObjectIdentifier(exchange)] = nil
            guard state.exchanges.isEmpty else { return [] }
            defer { state.whenEmpty = [] }
            return state.whenEmpty
        }
        for call in calls { call() }
    }

    /// Returns when no request is in progress, or after so many seconds.
    func drain(seconds: Double) async {
        await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
            let once = Once { continuation.resume() }
            let isEmpty = state.withLock { state in
                if !state.exchanges.isEmpty { state.whenEmpty.append { once.run() } }
                return state.exchanges.isEmpty
            }
            if isEmpty { return once.run() }
            DispatchQueue.global().asyncAfter(deadline: .now() + seconds) { once.run() }
        }
    }

    /// Answers every request that still waits with 503, and from now on every one that begins to wait.
    func giveUpWaiting() {
        let exchanges = state.withLock { state in
            state.hasGivenUp = true
            return Array(state.exchanges.values)
        }
        let answer = handler.answer(to: .shuttingDown)
        for exchange in exchanges { exchange.fulfil(answer) }
    }

    /// To be called by a request that has just begun to wait: the server may have given up in between, on a
    /// connection that was kept open, and must not be stopped over a request that waits.
    func hasBegunToWait(_ exchange: HTTPExchange) {
        guard state.withLock({ $0.hasGivenUp }) else { return }
        exchange.fulfil(handler.answer(to: .shuttingDown))
    }
}

/// Something that happens once, whoever comes first.
final class Once: Sendable {
    private let action: Locked<(@Sendable () -> Void)?>

    /// Will run `action` the first time.
    init(_ action: @escaping @Sendable () -> Void) {
        self.action = Locked(action)
    }

    /// Runs the action unless that has been done.
    func run() {
        let action = action.withLock { action in
            defer { action = nil }
            return action
        }
        action?()
    }
}
