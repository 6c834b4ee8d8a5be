import Dispatch
import Foundation
import Glibc

/// Takes one request, and answers it byte by byte, slowly, or says nothing at all.
final class TrickleServer: Sendable {
    let port: UInt16
    private let listener: CInt

    /// - Parameters:
    ///   - byteCount: Of the body; nil for no answer.
    ///   - interval: Between two bytes.
    init(byteCount: Int?, interval: DispatchTimeInterval = .milliseconds(500)) throws {
        let listening = try LoopbackListener(backlog: 1)
        (listener, port) = (listening.descriptor, listening.port)
        Thread.detachNewThread { [listener] in
            let connection = accept(listener, nil, nil)
            guard connection >= 0 else { return }
            var request = [UInt8](repeating: 0, count: 4096)
            _ = recv(connection, &request, request.count, 0)
            Self.answer(on: connection, byteCount, interval)
            // Until the other side has enough.
            while recv(connection, &request, request.count, 0) > 0 {}
            close(connection)
        }
    }

    deinit { close(listener) }

    private static func answer(on connection: CInt, _ byteCount: Int?, _ interval: DispatchTimeInterval) {
        guard let byteCount else { return }
        let head = "HTTP/1.1 200 OK\r\nContent-Length: \(byteCount)\r\n\r\n"
        guard send(connection, head, head.utf8.count, CInt(MSG_NOSIGNAL)) > 0 else { return }
        let timer = DispatchSemaphore(value: 0)
        for _ in 0..<byteCount {
            _ = timer.wait(timeout: .now() + interval)
            guard send(connection, "x", 1, CInt(MSG_NOSIGNAL)) > 0 else { return }
        }
    }
}
