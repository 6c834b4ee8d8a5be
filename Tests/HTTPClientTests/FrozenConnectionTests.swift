import Dispatch
import Foundation
import Testing

@testable import HTTPClient

/// Connections over which nothing comes any more, without anybody having said so.
@Suite("Frozen connections", .timeLimit(.minutes(3)))
struct FrozenConnectionTests {
    private let server: FreezingServer
    private let client: HTTPClient

    init() throws {
        server = try FreezingServer()
        client = try HTTPClient(
            try #require(URL(string: "http://127.0.0.1:\(server.port)")),
            liveness: Liveness(idleSeconds: 1, probeSeconds: 1, unheardSeconds: 1)
        )
    }

    /// Longer than a test may take: only the connection's end is one of the request.
    private static let patience = HTTPRequest.Patience.quiet(seconds: 3600)

    /// Sends off the pool of threads, which tests may need.
    private func send(_ request: HTTPRequest) async throws -> String {
        let answer = try await withCheckedThrowingContinuation { continuation in
            Thread.detachNewThread { [client] in
                continuation.resume(with: Result { try client.send(request) })
            }
        }
        return String(decoding: answer.body, as: UTF8.self)
    }

    private var get: HTTPRequest { HTTPRequest("GET", "/", patience: Self.patience) }

    private func post(_ byteCount: Int) -> HTTPRequest {
        HTTPRequest("POST", "/", body: Data(count: byteCount), patience: Self.patience)
    }

    /// Has the client keep so many connections.
    ///
    /// - Parameter count: How many requests have come before.
    /// - Returns: Over which ones the requests came.
    @discardableResult
    private func connect(_ number: Int, after count: Int = 0) async throws -> Set<String> {
        server.hold()
        async let answers = withThrowingTaskGroup(of: String.self) { group in
            for _ in 0..<number { group.addTask { try await send(get) } }
            return try await group.reduce(into: Set<String>()) { $0.insert($1) }
        }
        await server.wait(forRequests: count + number)
        server.letGo()
        let found = try await answers
        #expect(found.count == number)
        return found
    }

    @Test("Where one has said nothing for too long, none of those that were kept is used again")
    func others() async throws {
        try await connect(3)
        try server.freeze()
        let request = HTTPRequest("GET", "/", patience: .quiet(seconds: 1))
        let error = await #expect(throws: HTTPClientError.self) { try await send(request) }
        #expect(error?.kind == .broken)
        #expect(try await connect(3, after: 3) == ["4", "5", "6"])
        server.stop()
    }

    @Test("A request that waits on one ends, though nothing is sent over it")
    func waiting() async throws {
        server.hold()
        let answer = Task { try await send(get) }
        await server.wait(forRequests: 1)
        try server.freeze()
        let error = await #expect(throws: HTTPClientError.self) { try await answer.value }
        #expect(error?.kind == .broken)
        server.stop()
    }

    @Test("What is sent over one is given up soon, be it little or much", arguments: [1, 8 << 20])
    func sending(byteCount: Int) async throws {
        try await connect(1)
        try server.freeze()
        let error = await #expect(throws: HTTPClientError.self) { try await send(post(byteCount)) }
        #expect(error?.kind == .broken)
        #expect(try await send(post(byteCount)) == "2")
        server.stop()
    }

    @Test("A server that takes nothing for long is none: what is sent to it goes on once it does")
    func slowServer() async throws {
        server.hold()
        async let answer = send(post(32 << 20))
        await server.wait(forRequests: 1)
        // Several times what a connection may be without a word.
        _ = await withCheckedContinuation { goOn in
            DispatchQueue(label: "slow server").asyncAfter(deadline: .now() + 4) { goOn.resume() }
        }
        server.letGo()
        #expect(try await answer == "1")
        server.stop()
    }
}
