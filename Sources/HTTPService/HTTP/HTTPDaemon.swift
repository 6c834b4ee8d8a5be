internal import CMicroHTTPD
internal import Foundation

/// Threads of the library that serve connections which they are given, all with the same memory.
///
/// It runs from `init` to the end of `stop`; nothing calls into it after that.
final class HTTPDaemon: @unchecked Sendable {
    // Sendable: the library's functions that are called with it lock what they touch, and all else is constant.
    private let pointer: OpaquePointer
    private let served: Unmanaged<Served>

    /// What the library's calls are about.
    fileprivate final class Served: Sendable {
        let registry: HTTPExchangeRegistry
        let hasEnded: @Sendable () -> Void

        init(_ registry: HTTPExchangeRegistry, _ hasEnded: @escaping @Sendable () -> Void) {
            (self.registry, self.hasEnded) = (registry, hasEnded)
        }

        static func of(_ pointer: UnsafeMutableRawPointer) -> Served {
            Unmanaged<Served>.fromOpaque(pointer).takeUnretainedValue()
        }
    }

    /// Starts its threads.
    ///
    /// - Parameter headByteCountMax: Memory for one connection's head and buffers, in bytes.
    /// - Parameter hasEnded: Called when a connection that was added is closed, on a thread of the library, which may hold
    ///   locks: MUST NOT call back into it.
    init(
        _ registry: HTTPExchangeRegistry,
        limits: HTTPLimits,
        headByteCountMax: Int,
        hasEnded: @escaping @Sendable () -> Void
    ) throws(HTTPServerRefused) {
        let served = Unmanaged.passRetained(Served(registry, hasEnded))
        let flags =
            MHD_USE_EPOLL.rawValue | MHD_USE_INTERNAL_POLLING_THREAD.rawValue
            | MHD_USE_NO_LISTEN_SOCKET.rawValue
            | MHD_ALLOW_SUSPEND_RESUME.rawValue | MHD_ALLOW_UPGRADE.rawValue
        var options = [
            Self.option(.THREAD_POOL_SIZE, limits.threadCount),
            // Each thread has its share of this, and closes what is beyond; how many there are is for the acceptor to say.
            Self.option(.CONNECTION_LIMIT, limits.connectionCountMax * limits.threadCount),
            Self.option(.CONNECTION_MEMORY_LIMIT, headByteCountMax),
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
            HTTPCallbacks.connected,
            served.toOpaque(),
            &options
        )
        guard let pointer else {
            served.release()
            throw HTTPServerRefused()
        }
        (self.pointer, self.served) = (pointer, served)
    }

    /// Serves a connection.
    ///
    /// - Parameter socket: Not blocking; the library's from here on, which closes it also where the result is false.
    /// - Returns: Whether `hasEnded` will be called for it; not where it is not admitted.
    func add(_ socket: CInt, from address: SocketAddress) -> Bool {
        address.withConstantPointer { MHD_add_connection(pointer, socket, $0, $1) } == .YES
    }

    /// Closes all connections and joins its threads. No request may wait.
    func stop() {
        MHD_stop_daemon(pointer)
        served.release()
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
    static let admit: MHD_AcceptPolicyCallback = { served, address, byteCount in
        guard let served, let address else { return .NO }
        // Only where it has come over IPv4 is asked.
        guard let peer = IPv4Endpoint(address, byteCount: byteCount) else { return .YES }
        return HTTPDaemon.Served.of(served).registry.admits(peer) ? .YES : .NO
    }

    /// A connection is served from now on, or no longer there.
    static let connected: MHD_NotifyConnectionCallback = { served, _, _, what in
        guard let served, what == .CONNECTION_NOTIFY_CLOSED else { return }
        HTTPDaemon.Served.of(served).hasEnded()
    }

    /// A request line is there: makes the exchange that the later calls carry.
    static let began:
        @convention(c) (UnsafeMutableRawPointer?, UnsafePointer<CChar>?, OpaquePointer?)
            -> UnsafeMutableRawPointer? = { _, target, _ in
                let exchange = HTTPExchange(target: target.flatMap { String(validatingCString: $0) })
                return Unmanaged.passRetained(exchange).toOpaque()
            }

    /// A head, a piece of a body, its end, or the turn after a pause.
    static let handle: MHD_AccessHandlerCallback = {
        served,
        connection,
        _,
        method,
        version,
        bytes,
        byteCount,
        context in
        guard let served, let connection, let method, let version, let byteCount,
            let held = context?.pointee
        else { return .NO }
        let exchange = Unmanaged<HTTPExchange>.fromOpaque(held).takeUnretainedValue()
        let call = HTTPCall(
            connection: HTTPConnection(pointer: connection),
            registry: HTTPDaemon.Served.of(served).registry
        )
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
    static let ended: MHD_RequestCompletedCallback = { served, _, context, _ in
        guard let served, let held = context?.pointee else { return }
        context?.pointee = nil
        let exchange = Unmanaged<HTTPExchange>.fromOpaque(held).takeRetainedValue()
        exchange.ended()
        HTTPDaemon.Served.of(served).registry.remove(exchange)
    }
}
