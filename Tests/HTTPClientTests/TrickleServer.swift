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
        let listener = socket(AF_INET, CInt(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = in_addr_t(0x7F00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isBound = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { place in
                bind(listener, place, length) == 0 && listen(listener, 1) == 0
                    && getsockname(listener, place, &length) == 0
            }
        }
        guard isBound else { throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO) }
        (self.listener, port) = (listener, UInt16(bigEndian: address.sin_port))
        Thread.detachNewThread {
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
