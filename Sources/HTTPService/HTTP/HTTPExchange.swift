internal import CMicroHTTPD
internal import Foundation
internal import Locks

/// The library's connection, for the time of a call or of a pause that the exchange asked for.
struct HTTPConnection: @unchecked Sendable {
    // Sendable: used on the connection's own thread; elsewhere only to resume it, which the library locks.
    let pointer: OpaquePointer
}

/// What a callback of the library is about.
struct HTTPCall {
    let connection: HTTPConnection
    let registry: HTTPExchangeRegistry
}

/// One request and its answer.
///
/// Its state is one enumeration under one lock.
///
///     new ── begin ──▶ discarding ── bodyEnded ──▶ answered
///       │                   └── bodyEnded (wait) ──▶ waiting ── fulfil ──▶ ready ── bodyEnded ──▶ answered
///       └─── begin ──▶ receiving ── bodyEnded ──▶ answered, or waiting, as above
///
/// 1. A response is never queued in the first call, unless the connection shall end with it: the library
///    closes a connection that is answered before its body was read.
/// 2. A connection is suspended exactly while the stage is `waiting`, and both suspended and resumed under the lock, so
///    whoever finds another stage knows that it runs.
final class HTTPExchange: Sendable {
    private enum Stage {
        case new
        case discarding(HTTPAnswer, byteCount: UInt64)
        case receiving(any HTTPBodyReceiver, byteCount: UInt64, byteCountMax: UInt64)
        case waiting(HTTPConnection)
        case ready(WebResponse)
        case answered
    }
    private struct State {
        var stage = Stage.new
        var request: WebRequest?
        var upgrade: (@Sendable (UpgradedSocket) -> Void)?
    }

    private let target: String?
    private let state = Locked(State())

    /// A request with this target, as sent; nil where it is no text.
    init(target: String?) {
        self.target = target
    }

    /// Whether the head has not been looked at.
    var isNew: Bool {
        state.withLock { if case .new = $0.stage { true } else { false } }
    }

    /// The head is there.
    ///
    /// False closes the connection.
    func begin(_ call: HTTPCall, method: String, version: String) -> Bool {
        call.registry.insert(self)
        guard let target = target.flatMap({ RequestTarget($0) }) else {
            return refuse(call.registry.handler.answer(to: .badTarget), call, request: nil)
        }
        let request = WebRequest(
            method: method,
            target: target,
            version: version,
            headers: call.connection.headers(),
            peer: call.connection.peer()
        )
        let answer = call.registry.handler.answer(to: request)
        let declared = request.declaredByteCount ?? 0
        if case .receive(let receiver, let byteCountMax) = answer {
            if declared > byteCountMax {
                receiver.abandon()
                return refuse(call.registry.handler.answer(to: .tooLarge), call, request: request)
            }
            state.withLock {
                $0.request = request
                $0.stage = .receiving(receiver, byteCount: 0, byteCountMax: byteCountMax)
            }
            return true
        }
        let isOpenEnded = request.hasHeader("Transfer-Encoding")
        // A body of unknown length is not read to its end for nothing.
        if isOpenEnded, case .respond(let response) = answer, response.status >= 400 {
            return refuse(response, call, request: request)
        }
        if declared > call.registry.limits.unwantedBodyByteCountMax {
            if case .respond(let response) = answer { return refuse(response, call, request: request) }
            return refuse(call.registry.handler.answer(to: .unwantedBody), call, request: request)
        }
        state.withLock {
            $0.request = request
            $0.stage = .discarding(answer, byteCount: 0)
        }
        return true
    }

    /// A piece of the body is there.
    ///
    /// False closes the connection.
    func received(_ bytes: UnsafeRawBufferPointer, _ call: HTTPCall) -> Bool {
        let byteCount = UInt64(bytes.count)
        var receiver: (any HTTPBodyReceiver)?
        let isWithinLimit = state.withLock { state -> Bool in
            switch state.stage {
            case .discarding(let answer, let before):
                state.stage = .discarding(answer, byteCount: before + byteCount)
                return before + byteCount <= call.registry.limits.unwantedBodyByteCountMax
            case .receiving(let found, let before, let byteCountMax):
                receiver = found
                state.stage = .receiving(found, byteCount: before + byteCount, byteCountMax: byteCountMax)
                return before + byteCount <= byteCountMax
            case .new, .waiting, .ready, .answered:
                return false
            }
        }
        // Too late for an answer: the library takes none in the middle of a body. `ended` tells the receiver.
        guard isWithinLimit else { return false }
        receiver?.receive(bytes)
        return true
    }

    /// The body is whole, or an answer has become ready.
    ///
    /// False closes the connection.
    func bodyEnded(_ call: HTTPCall) -> Bool {
        let (stage, request) = state.withLock { state in
            let stage = state.stage
            state.stage = .answered
            return (stage, state.request)
        }
        switch stage {
        case .discarding(.respond(let response), _), .ready(let response):
            return call.connection.queue(response, request: request)
        case .discarding(.wait(let produce), _):
            suspend(call, until: produce)
            return true
        case .discarding(.upgrade(let headers, let takeOver), _):
            state.withLock { $0.upgrade = takeOver }
            return call.connection.queueUpgrade(headers)
        case .receiving(let receiver, _, _):
            switch receiver.finish() {
            case .respond(let response): return call.connection.queue(response, request: request)
            case .wait(let produce):
                suspend(call, until: produce)
                return true
            }
        case .discarding(.receive, _), .new, .waiting, .answered:
            return false
        }
    }

    /// Gives a waiting request its answer.
    ///
    /// Any thread; without effect when it is not waiting any longer.
    func fulfil(_ response: WebResponse) {
        state.withLock { state in
            guard case .waiting(let connection) = state.stage else { return }
            state.stage = .ready(response)
            // Under the lock (invariant 2). The library takes a lock of its own and calls nothing back.
            MHD_resume_connection(connection.pointer)
        }
    }

    /// Hands the socket to whoever asked for the upgrade.
    func upgraded(_ socket: UpgradedSocket) {
        let takeOver = state.withLock { state in
            defer { state.upgrade = nil }
            return state.upgrade
        }
        takeOver?(socket)
    }

    /// The library forgets the request.
    func ended() {
        let receiver = state.withLock { state -> (any HTTPBodyReceiver)? in
            defer { state.stage = .answered }
            if case .receiving(let receiver, _, _) = state.stage { return receiver }
            return nil
        }
        receiver?.abandon()
    }

    private func suspend(_ call: HTTPCall, until produce: @escaping @Sendable () async -> WebResponse) {
        let connection = call.connection
        state.withLock { state in
            state.stage = .waiting(connection)
            // Under the lock (invariant 2): resumed before it is suspended it would wait for its socket, and nobody answers.
            MHD_suspend_connection(connection.pointer)
        }
        call.registry.hasBegunToWait(self)
        Task { self.fulfil(await produce()) }
    }

    private func refuse(_ response: WebResponse, _ call: HTTPCall, request: WebRequest?) -> Bool {
        state.withLock { $0.stage = .answered }
        return call.connection.queue(response.setting("Connection", "close"), request: request)
    }
}
