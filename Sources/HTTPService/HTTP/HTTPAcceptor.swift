internal import CLinux
internal import Dispatch
internal import Foundation
internal import Locks

/// Takes the connections that come to a listening socket, and says of each which kind it is.
///
/// The library would take them by itself, but gives all connections of a daemon the same memory.
///
/// 1. Sockets are taken, and the source is suspended, resumed and cancelled, on `queue` only.
/// 2. Places are given back on the library's threads; `state` is under one lock.
final class HTTPAcceptor: Sendable {
    /// Serves a connection; whether `hasEnded` will be called for it.
    typealias Serve = @Sendable (ConnectionPlaces.Kind, _ socket: CInt, SocketAddress) -> Bool

    private struct State {
        var places: ConnectionPlaces
        var source: (any DispatchSourceRead)?
        var isPaused = false
    }

    /// How long it does not try, where the system has no room for another connection, unless one ends before.
    private static let pauseMilliseconds = 100

    private let listener: Descriptor
    private let queue = DispatchQueue(label: "http-accept")
    private let state: Locked<State>

    /// Takes nothing yet.
    ///
    /// - Parameter listener: Not blocking.
    init(_ listener: Descriptor, limits: HTTPLimits) {
        self.listener = listener
        let places = ConnectionPlaces(
            countMax: limits.connectionCountMax,
            roomyCountMax: limits.roomyConnectionCountMax
        )
        state = Locked(State(places: places))
    }

    /// Takes connections from now on, until `stop`.
    func start(_ serve: @escaping Serve) {
        let source = DispatchSource.makeReadSource(fileDescriptor: listener.number, queue: queue)
        source.setEventHandler { self.takeAll(serve) }
        source.setCancelHandler { [listener] in _ = shutdown(listener.number, CInt(SHUT_RDWR)) }
        // It may be paused as soon as it runs.
        state.withLock { state in
            state.source = source
            source.resume()
        }
    }

    /// Takes none any longer, and refuses who comes: returns when `serve` will not be called again.
    func stop() async {
        await withCheckedContinuation { continuation in
            queue.async {
                self.resume()
                self.state.withLock { state in
                    state.source?.cancel()
                    state.source = nil
                }
                continuation.resume()
            }
        }
    }

    /// A connection that is served is no longer there.
    ///
    /// - Isolation: any.
    func hasEnded(_ kind: ConnectionPlaces.Kind) {
        let isPaused = state.withLock { state in
            state.places.giveBack(kind)
            return state.isPaused
        }
        if isPaused { queue.async { self.resume() } }
    }

    private func takeAll(_ serve: Serve) {
        while let kind = state.withLock({ $0.places.take() }) {
            do {
                let taken = try Self.accept(listener)
                if let taken, serve(kind, taken.socket, taken.address) { continue }
                state.withLock { $0.places.giveBack(kind) }
                if taken == nil { return }
            } catch {
                // Most often there are too many open files. Who waits to be taken goes on waiting.
                state.withLock { $0.places.giveBack(kind) }
                pause()
                return queue.asyncAfter(deadline: .now() + .milliseconds(Self.pauseMilliseconds)) {
                    self.resume()
                }
            }
        }
        pause()
        // One may have ended between the two.
        if !state.withLock({ $0.places.isFull }) { resume() }
    }

    private func pause() {
        state.withLock { state in
            state.isPaused = true
            state.source?.suspend()
        }
    }

    private func resume() {
        state.withLock { state in
            if state.isPaused { state.source?.resume() }
            state.isPaused = false
        }
    }

    /// accept4(2); nil when no connection waits.
    private static func accept(
        _ listener: Descriptor
    ) throws(SystemCallFailure) -> (socket: CInt, address: SocketAddress)? {
        while true {
            var address = SocketAddress()
            do {
                let socket = try SystemCalls.check("accept4") {
                    address.withPointer { cdoc_accept(listener.number, $0, $1) }
                }
                return (socket, address)
            } catch {
                switch error.errno {
                case EAGAIN: return nil
                // Gone before it was taken: accept(2) has these among its errors.
                case ECONNABORTED, EPROTO: continue
                default: throw error
                }
            }
        }
    }
}
