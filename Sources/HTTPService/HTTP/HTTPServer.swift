internal import CMicroHTTPD
internal import Dispatch
internal import Foundation
internal import Locks

/// An HTTP/1.1 server on one listening socket.
///
/// Its state is in one struct under one lock.
///
/// The library below parses, bounds and times out connections on threads of its own; each request is one
/// `HTTPExchange`. No type of the library is visible to callers.
///
/// 1. The daemon runs from `init` to the end of `stop`; nothing calls into it after that.
/// 2. The library must not be stopped over a suspended connection, so `stop` first makes every exchange
///    answer.
package final class HTTPServer: Sendable {
    private struct Daemon: @unchecked Sendable {
        // Sendable: the library's functions that we call with it lock what they touch.
        let pointer: OpaquePointer
    }

    private let daemon: Daemon
    private let listener: Descriptor
    private let exchanges: HTTPExchangeRegistry
    private let isStopping = Locked(false)

    /// Starts to serve a listening socket.
    ///
    /// - Parameter admits: Whether a connection is served, by where its other end is; one that is not is closed before anything of
    ///   it is read. Called on the thread that serves it; MUST return soon.
    package init(
        listener: Descriptor,
        limits: HTTPLimits,
        handler: any HTTPRequestHandler,
        admits: @escaping @Sendable (IPv4Endpoint) -> Bool = { _ in true }
    ) throws(HTTPServerRefused) {
        let exchanges = HTTPExchangeRegistry(handler: handler, limits: limits, admits: admits)
        let reference = Unmanaged.passRetained(exchanges)
        let flags =
            MHD_USE_EPOLL.rawValue | MHD_USE_INTERNAL_POLLING_THREAD.rawValue
            | MHD_ALLOW_SUSPEND_RESUME.rawValue | MHD_ALLOW_UPGRADE.rawValue
        var options = [
            Self.option(.LISTEN_SOCKET, Int(listener.number)),
            Self.option(.THREAD_POOL_SIZE, limits.threadCount),
            Self.option(.CONNECTION_LIMIT, limits.connectionCountMax),
            Self.option(.CONNECTION_MEMORY_LIMIT, limits.headByteCountMax),
            Self.option(.CONNECTION_TIMEOUT, limits.idleSeconds),
            Self.option(.STRICT_FOR_CLIENT, 1),
            Self.option(.END, 0),
        ]
        let pointer = cdoc_mhd_start(
            flags,
            HTTPCallbacks.admit,
            HTTPCallbacks.handle,
            HTTPCallbacks.began,
            HTTPCallbacks.ended,
            reference.toOpaque(),
            &options
        )
        guard let pointer else {
            reference.release()
            throw HTTPServerRefused()
        }
        daemon = Daemon(pointer: pointer)
        self.listener = listener
        self.exchanges = exchanges
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
        // From here on new connections are refused; the descriptor itself is closed after the last thread.
        _ = MHD_quiesce_daemon(daemon.pointer)
        _ = shutdown(listener.number, CInt(SHUT_RDWR))
        await exchanges.drain(seconds: drainSeconds)
        exchanges.giveUpWaiting()
        // The last answers are on their way out; a client that reads takes them at once.
        await exchanges.drain(seconds: farewellSeconds)
        let (daemon, exchanges, listener) = (daemon, exchanges, listener)
        await withCheckedContinuation { continuation in
            // Joins threads, and so does not belong on the shared pool.
            DispatchQueue.global().async {
                MHD_stop_daemon(daemon.pointer)
                Unmanaged.passUnretained(exchanges).release()
                withExtendedLifetime(listener) {}
                continuation.resume()
            }
        }
    }

    private static func option(_ option: MHD_OPTION, _ value: Int) -> MHD_OptionItem {
        MHD_OptionItem(option: option, value: value, ptr_value: nil)
    }
}

/// The library did not start.
package struct HTTPServerRefused: Error, Hashable, Sendable, CustomStringConvertible {
    package var description: String {
        "libmicrohttpd did not start; check the limits on open files and threads (ulimit -n -u)."
    }
}

/// What the library calls, each on one of its threads.
///
/// Kept free of any actor.
private enum HTTPCallbacks {
    /// A connection is there.
    static let admit: MHD_AcceptPolicyCallback = { registry, address, byteCount in
        guard let registry, let address else { return .NO }
        // Only where it has come over IPv4 is asked.
        guard let peer = IPv4Endpoint(address, byteCount: byteCount) else { return .YES }
        let registryObject = Unmanaged<HTTPExchangeRegistry>.fromOpaque(registry).takeUnretainedValue()
        return registryObject.admits(peer) ? .YES : .NO
    }

    /// A request line is there: makes the exchange that the later calls carry.
    static let began:
        @convention(c) (UnsafeMutableRawPointer?, UnsafePointer<CChar>?, OpaquePointer?)
            -> UnsafeMutableRawPointer? = { registry, target, _ in
                let exchange = HTTPExchange(target: target.flatMap { String(validatingCString: $0) })
                return Unmanaged.passRetained(exchange).toOpaque()
            }

    /// A head, a piece of a body, its end, or the turn after a pause.
    static let handle: MHD_AccessHandlerCallback = {
        registry,
        connection,
        _,
        method,
        version,
        bytes,
        byteCount,
        context in
        guard let registry, let connection, let method, let version, let byteCount,
            let held = context?.pointee
        else { return .NO }
        let exchange = Unmanaged<HTTPExchange>.fromOpaque(held).takeUnretainedValue()
        let registryObject = Unmanaged<HTTPExchangeRegistry>.fromOpaque(registry).takeUnretainedValue()
        let call = HTTPCall(connection: HTTPConnection(pointer: connection), registry: registryObject)
        if exchange.isNew {
            return exchange.begin(
                call,
                method: String(cString: method),
                version: String(cString: version)
            ) ? .YES : .NO
        }
        let count = byteCount.pointee
        guard count > 0 else { return exchange.bodyEnded(call) ? .YES : .NO }
        byteCount.pointee = 0
        return exchange.received(UnsafeRawBufferPointer(start: bytes, count: count), call) ? .YES : .NO
    }

    /// The request is over, one way or another.
    static let ended: MHD_RequestCompletedCallback = { registry, _, context, _ in
        guard let registry, let held = context?.pointee else { return }
        context?.pointee = nil
        let exchange = Unmanaged<HTTPExchange>.fromOpaque(held).takeRetainedValue()
        exchange.ended()
        Unmanaged<HTTPExchangeRegistry>.fromOpaque(registry).takeUnretainedValue().remove(exchange)
    }
}
