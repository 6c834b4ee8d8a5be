import Foundation
import HTTPService
import Locks

/// Answers with the body of each request, and says how long it was; with the method of one that has none.
final class EchoServer {
    let port: UInt16
    private let server: HTTPServer

    init() throws {
        let listener = try TCPListener(on: .loopback(port: 0))
        port = listener.port
        server = try HTTPServer(listener: listener.socket, limits: HTTPLimits(), handler: Echo())
    }

    func stop() async { await server.stop(drainSeconds: 1) }
}

private final class Echo: HTTPRequestHandler {
    func answer(to request: WebRequest) -> HTTPAnswer {
        guard request.method == "POST" else { return .respond(.text(request.method)) }
        return .receive(Receiver(), byteCountMax: 64 << 20)
    }

    private final class Receiver: HTTPBodyReceiver {
        private let body = Locked(Data())

        func receive(_ bytes: UnsafeRawBufferPointer) { body.withLock { $0.append(contentsOf: bytes) } }

        func finish() -> HTTPOutcome {
            let body = body.withLock { $0 }
            let length = [WebHeader("X-Length", "\(body.count)")]
            return .respond(WebResponse(status: 200, headers: length, body: .bytes(body)))
        }

        func abandon() {}
    }
}
