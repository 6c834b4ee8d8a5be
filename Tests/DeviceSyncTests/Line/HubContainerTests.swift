import Foundation
import HTTPService
import HubProtocol
import Locks
import TestThreads
import Testing

@testable import DeviceSync

/// What is told of requests for a log to who asks a hub over HTTP.
@Suite("Container at a hub", .onOwnThreads, .timeLimit(.minutes(3)))
struct HubContainerTests {
    /// Answers all that it is asked with one page, at once.
    private final class PageServer: HTTPRequestHandler {
        private let page: Data

        init(_ page: Data) { self.page = page }

        func answer(to request: WebRequest) -> HTTPAnswer {
            .respond(WebResponse(status: 200, headers: [], body: .bytes(page)))
        }
    }

    private let hash = LogHash(unchecked: [UInt8](repeating: 1, count: LogHash.byteCount))

    /// - Returns: After which requests it was told that nothing has come, of those that wait so many seconds.
    private func told(_ entries: [LogRecord], waitingFor seconds: [Int]) async throws -> [Int] {
        let page = try HubMessage.encoded(
            LogPage(entries, head: LogHead(position: 1, hash: hash)),
            isSteady: true
        )
        let listener = try TCPListener(on: .loopback(port: 0))
        let server = try HTTPServer(
            listener: listener.socket,
            limits: HTTPLimits(),
            handler: PageServer(page)
        )
        let address = try #require(URL(string: "http://127.0.0.1:\(listener.port)"))
        let told = try await withCheckedThrowingContinuation { continuation in
            // Off the pool of threads that the server's tasks may need.
            Thread.detachNewThread { [container = ContainerName(unchecked: Array(0..<16))] in
                continuation.resume(
                    with: Result {
                        let (asked, told) = (Locked(0), Locked<[Int]>([]))
                        let hub = HubContainer(container, at: try HubClient(address)) {
                            told.withLock { $0.append(asked.withLock { $0 }) }
                        }
                        for (number, seconds) in seconds.enumerated() {
                            asked.withLock { $0 = number }
                            _ = try hub.log(after: 1, waitSeconds: seconds)
                        }
                        return told.withLock { $0 }
                    }
                )
            }
        }
        await server.stop(drainSeconds: 1)
        return told
    }

    @Test("It is told of each request that has waited and brought nothing, and of no other")
    func waits() async throws {
        #expect(try await told([], waitingFor: [0, 50, 0, 50, 50]) == [1, 3, 4])
        let entry = try LogRecord(sampleAt: 2, hash)
        #expect(try await told([entry], waitingFor: [0, 50, 50]).isEmpty)
    }
}
