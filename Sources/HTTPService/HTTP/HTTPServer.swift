internal import Dispatch
internal import Locks

/// An HTTP/1.1 server on one listening socket.
///
/// The library below parses, bounds and times out connections on threads of its own; each request is one
/// `HTTPExchange`. No type of the library is visible to callers.
///
/// The library must not be stopped over a suspended connection, so `stop` first makes every exchange answer.
package final class HTTPServer: Sendable {
    private let acceptor: HTTPAcceptor
    private let narrow: HTTPDaemon
    private let roomy: HTTPDaemon?
    private let exchanges: HTTPExchangeRegistry
    private let isStopping = Locked(false)

    /// Starts to serve a listening socket.
    ///
    /// - Parameter listener: Not blocking.
    /// - Parameter admits: Whether a connection is served, by where its other end is; one that is not is closed before anything of
    ///   it is read. MUST return soon: others wait behind it.
    package init(
        listener: Descriptor,
        limits: HTTPLimits,
        handler: any HTTPRequestHandler,
        admits: @escaping @Sendable (IPv4Endpoint) -> Bool = { _ in true }
    ) throws(HTTPServerRefused) {
        let exchanges = HTTPExchangeRegistry(handler: handler, limits: limits, admits: admits)
        let acceptor = HTTPAcceptor(listener, limits: limits)
        func daemon(_ kind: ConnectionPlaces.Kind, _ byteCount: Int) throws(HTTPServerRefused) -> HTTPDaemon {
            try HTTPDaemon(exchanges, limits: limits, headByteCountMax: byteCount) { acceptor.hasEnded(kind) }
        }
        let narrow = try daemon(.narrow, limits.headByteCountMax)
        do {
            roomy = limits.roomyConnectionCountMax > 0 ? try daemon(.roomy, limits.roomyByteCount) : nil
        } catch {
            narrow.stop()
            throw error
        }
        (self.acceptor, self.narrow, self.exchanges) = (acceptor, narrow, exchanges)
        acceptor.start { [roomy] kind, socket, address in
            (kind == .roomy ? roomy ?? narrow : narrow).add(socket, from: address)
        }
    }

    /// Refuses new connections, lets requests in progress end, and frees everything.
    ///
    /// - Parameter drainSeconds: How long requests in progress may take; then waiting ones are answered with
    ///   503 and the rest are cut off.
    /// - Parameter farewellSeconds: How long the last answers may take to go out.
    /// - Isolation: any. Returns when no thread of the server runs any longer; a second call returns at once.
    package func stop(drainSeconds: Double, farewellSeconds: Double = 1) async {
        let isFirst = isStopping.withLock { stopping in
            defer { stopping = true }
            return !stopping
        }
        guard isFirst else { return }
        // From here on new connections are refused.
        await acceptor.stop()
        await exchanges.drain(seconds: drainSeconds)
        exchanges.giveUpWaiting()
        // The last answers are on their way out; a client that reads takes them at once.
        await exchanges.drain(seconds: farewellSeconds)
        await withCheckedContinuation { continuation in
            // Joins threads, and so does not belong on the shared pool.
            DispatchQueue.global().async { [narrow, roomy] in
                narrow.stop()
                roomy?.stop()
                continuation.resume()
            }
        }
    }
}
