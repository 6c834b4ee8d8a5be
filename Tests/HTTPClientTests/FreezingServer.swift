import Foundation
import Glibc
import Locks

/// Answers each request with which connection it came over, counted from 1. Its connections can freeze: they stay as they are, and
/// nothing that is sent over them arrives, nor does anybody say so, as on a network that is another one by now.
final class FreezingServer: Sendable {
    let port: UInt16
    private let listener: CInt
    private let state = Locked(State())
    private let news = NSCondition()

    private struct State {
        var connections: [CInt] = []
        var requestCount = 0
        var isHeld = false
    }

    init() throws {
        let listening = try LoopbackListener(backlog: 8)
        (listener, port) = (listening.descriptor, listening.port)
        Thread.detachNewThread { [listener, state, news] in
            while true {
                let connection = accept(listener, nil, nil)
                guard connection >= 0 else { return }
                let number = state.withLock { state in
                    state.connections.append(connection)
                    return state.connections.count
                }
                Thread.detachNewThread { Self.serve(connection, number, state, news) }
            }
        }
    }

    /// Ends all that it has.
    func stop() {
        shutdown(listener, CInt(SHUT_RDWR))
        close(listener)
        for connection in state.withLock({ $0.connections }) { shutdown(connection, CInt(SHUT_RDWR)) }
        letGo()
    }

    /// Has the connections that there are say and hear nothing more.
    func freeze() throws {
        // BPF_RET | BPF_K with 0: of each packet nothing is taken, so none is acknowledged either.
        var instruction: UInt64 = 6
        try withUnsafeMutablePointer(to: &instruction) { instruction in
            // As sock_fprog.
            var program = (count: UInt16(1), start: instruction)
            for connection in state.withLock({ $0.connections }) {
                let size = socklen_t(MemoryLayout.size(ofValue: program))
                guard setsockopt(connection, SOL_SOCKET, SO_ATTACH_FILTER, &program, size) == 0 else {
                    throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO)
                }
            }
        }
    }

    /// Takes no more of a request than its first bytes, and answers none, until it is let go.
    func hold() { state.withLock { $0.isHeld = true } }

    func letGo() {
        state.withLock { $0.isHeld = false }
        news.withLock { news.broadcast() }
    }

    /// Returns when so many requests have come.
    func wait(forRequests count: Int) async {
        await withCheckedContinuation { goOn in
            Thread.detachNewThread { [state, news] in
                news.withLock { while state.withLock({ $0.requestCount }) < count { news.wait() } }
                goOn.resume()
            }
        }
    }

    private static func serve(
        _ connection: CInt,
        _ number: Int,
        _ state: Locked<State>,
        _ news: NSCondition
    ) {
        var bytes = [UInt8](repeating: 0, count: 1024)
        var request = ""
        while true {
            let count = recv(connection, &bytes, bytes.count, 0)
            guard count > 0 else { break }
            request += String(decoding: bytes[..<count], as: UTF8.self)
            guard let end = request.range(of: "\r\n\r\n") else { continue }
            state.withLock { $0.requestCount += 1 }
            news.withLock {
                news.broadcast()
                while state.withLock({ $0.isHeld }) { news.wait() }
            }
            let length = request[..<end.lowerBound].split(separator: "\r\n")
                .first { $0.lowercased().hasPrefix("content-length:") }
                .flatMap { Int($0.split(separator: ":")[1].trimmingCharacters(in: .whitespaces)) }
            var missing = (length ?? 0) - request[end.upperBound...].utf8.count
            while missing > 0 {
                let count = recv(connection, &bytes, min(bytes.count, missing), 0)
                guard count > 0 else { return }
                missing -= count
            }
            request = ""
            let answer = "HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\n\(number)"
            guard send(connection, answer, answer.utf8.count, CInt(MSG_NOSIGNAL)) > 0 else { break }
        }
    }
}
