import FileSystem
import Foundation
import Glibc
import HTTPService
import Locks

/// Stands before a hub and passes all on, but cuts one connection when the answer to one kind of request would go over it: the
/// request was done, and who asked does not hear of it.
final class CuttingRelay: Sendable {
    let port: UInt16
    private let listener: TCPListener
    private let hub: UInt16
    private let state: Locked<State>

    private struct State {
        var cut: Data
        var count = 0
        var sockets: [CInt] = []
    }

    /// - Parameters:
    ///   - hub: The port of this machine at which the hub is.
    ///   - request: How the request begins whose answer is lost, the first time.
    init(before hub: UInt16, cutting request: String) throws {
        listener = try TCPListener(on: .loopback(port: 0))
        (port, self.hub, state) = (listener.port, hub, Locked(State(cut: Data(request.utf8))))
        let flags = fcntl(listener.socket.number, F_GETFL)
        _ = fcntl(listener.socket.number, F_SETFL, flags & ~O_NONBLOCK)
        Thread.detachNewThread { [self] in
            while true {
                let client = accept(listener.socket.number, nil, nil)
                guard client >= 0 else { return }
                Thread.detachNewThread { [self] in serve(client) }
            }
        }
    }

    /// How many answers were lost.
    var cutCount: Int { state.withLock { $0.count } }

    /// Ends all that it has.
    func stop() {
        shutdown(listener.socket.number, CInt(SHUT_RDWR))
        state.withLock { state in for socket in state.sockets { shutdown(socket, CInt(SHUT_RDWR)) } }
    }

    private func serve(_ client: CInt) {
        let end = IPv4Endpoint.loopback(port: hub)
        guard let hub = try? end.connect().socket else {
            close(client)
            return
        }
        state.withLock { $0.sockets += [client, hub.number] }
        let (isCut, ended) = (Locked(false), DispatchSemaphore(value: 0))
        Thread.detachNewThread {
            Self.copy(from: hub.number, to: client) { _ in !isCut.withLock { $0 } }
            shutdown(client, CInt(SHUT_RDWR))
            ended.signal()
        }
        Self.copy(from: client, to: hub.number) { [state] bytes in
            state.withLock { state in
                guard !state.cut.isEmpty, bytes.starts(with: state.cut) else { return }
                isCut.withLock { $0 = true }
                (state.cut, state.count) = (Data(), 1)
            }
            return true
        }
        shutdown(hub.number, CInt(SHUT_RDWR))
        ended.wait()
        state.withLock { $0.sockets.removeAll { [client, hub.number].contains($0) } }
        close(client)
    }

    /// - Parameter passes: Whether these bytes go on; ends where they do not.
    private static func copy(from source: CInt, to target: CInt, passes: (Data) -> Bool) {
        var bytes = [UInt8](repeating: 0, count: 64 << 10)
        while true {
            let count = read(source, &bytes, bytes.count)
            guard count > 0, passes(Data(bytes[..<count])) else { return }
            var sent = 0
            while sent < count {
                let part = bytes[sent..<count].withUnsafeBytes {
                    send(target, $0.baseAddress, $0.count, CInt(MSG_NOSIGNAL))
                }
                guard part > 0 else { return }
                sent += part
            }
        }
    }
}
