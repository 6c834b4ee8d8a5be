internal import CCurl
package import Foundation
internal import Locks

/// A request as a client sends it.
package struct HTTPRequest: Sendable {
    package var method: String
    /// The path and the query, which begin with a slash.
    package var target: String
    package var headers: [String: String]
    package var body: Data?
    /// When it has failed.
    package enum Patience: Hashable, Sendable {
        /// After so many seconds without the whole answer.
        case whole(seconds: Int)
        /// After so many seconds in which nothing goes or comes, however long the whole takes: over a slow line much does.
        case quiet(seconds: Int)
    }

    package var patience: Patience
    /// How many bytes of an answer are taken.
    package var answerByteCountMax: Int

    package init(
        _ method: String,
        _ target: String,
        headers: [String: String] = [:],
        body: Data? = nil,
        patience: Patience = .whole(seconds: 60),
        answerByteCountMax: Int = 64 << 20
    ) {
        (self.method, self.target, self.headers, self.body) = (method, target, headers, body)
        (self.patience, self.answerByteCountMax) = (patience, answerByteCountMax)
    }
}

/// What a server has answered.
package struct HTTPAnswer: Sendable {
    package let status: Int
    let head: HTTPHead
    package let body: Data

    /// By names in small letters; of several with one name the last.
    package var headers: [String: String] { head.fields }
}

/// Asks one server, over connections that are kept. By libcurl.
///
/// A connection may be dead without a word: the network is another one by now, or what is between has forgotten it. Where that turns
/// out of one it is so of all that have been kept, mostly: none of them is used again.
///
/// Sendable; `send` blocks, on any number of threads at a time.
package final class HTTPClient: Sendable {
    private struct State {
        var idle: [Transfer] = []
        var busy: [Transfer] = []
        var isClosed = false
    }

    private let base: String
    private let isLocal: Bool
    private let state = Locked(State())
    private let memory = AnswerMemory()
    private let liveness: Liveness
    private static let isReady = curl_global_init(Int(CURL_GLOBAL_DEFAULT)) == CURLE_OK

    /// - Parameter base: `http` or `https`, the host, and a port if need be; a path is put before each target.
    package convenience init(_ base: URL) throws(HTTPClientError) {
        try self.init(base, liveness: Liveness())
    }

    /// - Parameter liveness: When a connection counts as dead.
    init(_ base: URL, liveness: Liveness) throws(HTTPClientError) {
        guard let scheme = base.scheme, ["http", "https"].contains(scheme), base.host != nil, base.user == nil
        else {
            throw HTTPClientError(
                kind: .unusable,
                why: "“\(base)” is not the address of a server",
                remedy: "Give one like http://127.0.0.1:7433."
            )
        }
        guard Self.isReady else {
            throw HTTPClientError(kind: .unusable, why: "libcurl cannot be used here")
        }
        var text = base.absoluteString
        while text.hasSuffix("/") { text.removeLast() }
        (self.base, isLocal, self.liveness) = (text, Self.isOnThisMachine(base), liveness)
    }

    /// Whether an address is one of this machine alone: nothing that goes there can be listened to on the way.
    package static func isOnThisMachine(_ address: URL) -> Bool {
        guard let host = address.host?.lowercased() else { return false }
        if host == "localhost" || ["::1", "[::1]"].contains(host) { return true }
        // A name may begin as a number does.
        var parsed = in_addr()
        return inet_pton(AF_INET, host, &parsed) == 1 && host.hasPrefix("127.")
    }

    deinit { close() }

    /// Sends a request and waits for the answer.
    ///
    /// - Returns: The answer, whatever its status.
    /// - Throws: When there is none, or the client is closed.
    package func send(_ request: HTTPRequest) throws(HTTPClientError) -> HTTPAnswer {
        let taken = state.withLock { state -> Transfer? in
            guard !state.isClosed,
                let transfer = state.idle.popLast()
                    ?? Transfer(isLocal: isLocal, memory: memory, liveness: liveness)
            else { return nil }
            state.busy.append(transfer)
            return transfer
        }
        guard let transfer = taken else { throw Self.closed }
        let result = transfer.run(request, at: base + request.target) { [state] in
            state.withLock { $0.isClosed }
        }
        let unneeded = state.withLock { state -> [Transfer] in
            if let index = state.busy.firstIndex(where: { $0 === transfer }) { state.busy.remove(at: index) }
            guard !result.hasLostConnection, !state.isClosed else {
                defer { state.idle = [] }
                return state.idle
            }
            state.idle.append(transfer)
            return []
        }
        // Their connections end here, not while others wait for the lock.
        withExtendedLifetime(unneeded) {}
        return try result.get()
    }

    /// Ends the requests that are under way, and all later ones, with errors.
    package func close() {
        state.withLock { state in
            state.isClosed = true
            state.idle = []
            for transfer in state.busy { transfer.wake() }
        }
    }

    static let closed = HTTPClientError(
        kind: .closed,
        why: "The connection was closed from this side"
    )
}

extension Result where Failure == HTTPClientError {
    /// Whether what is kept of connections may be as dead as this one.
    fileprivate var hasLostConnection: Bool {
        if case .failure(let error) = self { [.broken, .untrusted].contains(error.kind) } else { false }
    }
}
