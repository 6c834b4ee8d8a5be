import Foundation
import HTTPClient
import Testing

@Suite("HTTP client", .timeLimit(.minutes(3)))
struct HTTPClientTests {
    private let server: EchoServer
    private let client: HTTPClient

    init() throws {
        server = try EchoServer()
        client = try HTTPClient(try #require(URL(string: "http://127.0.0.1:\(server.port)")))
    }

    /// Sends off the pool of threads that the server's tasks may need.
    private static func send(_ request: HTTPRequest, by client: HTTPClient) async throws -> HTTPAnswer {
        try await withCheckedThrowingContinuation { continuation in
            Thread.detachNewThread {
                continuation.resume(with: Result { try client.send(request) })
            }
        }
    }

    private func send(_ request: HTTPRequest) async throws -> HTTPAnswer {
        try await Self.send(request, by: client)
    }

    @Test(
        "A body goes and comes as it is, none of it too, over one connection after another request",
        arguments: [0, 1, 4096, 3 << 20]
    )
    func bodies(byteCount: Int) async throws {
        // A piece of something larger: it does not begin where its memory does.
        let body = Data((0..<byteCount + 7).map { UInt8(truncatingIfNeeded: $0 &* 31) }).dropFirst(7)
        for _ in 0..<2 {
            let answer = try await send(HTTPRequest("POST", "/", body: body))
            #expect(answer.status == 200 && answer.headers["x-length"] == "\(byteCount)")
            #expect(answer.body.elementsEqual(body))
            // What the request before had for a body is nothing to this one.
            #expect(try await send(HTTPRequest("GET", "/")).body == Data("GET".utf8))
        }
        await server.stop()
    }

    @Test("An answer over its limit is refused, whatever it says of its length; the next is had")
    func limit() async throws {
        let body = Data(count: 5000)
        let error = await #expect(throws: HTTPClientError.self) {
            try await send(HTTPRequest("POST", "/", body: body, answerByteCountMax: 4999))
        }
        #expect(error?.description.contains("too long") == true && error?.kind == .tooLong)
        #expect(try await send(HTTPRequest("POST", "/", body: body, answerByteCountMax: 5000)).body == body)
        await server.stop()
    }

    @Test("So is a long one over its limit")
    func longLimit() async throws {
        let body = Data(count: 400_000)
        let error = await #expect(throws: HTTPClientError.self) {
            try await send(HTTPRequest("POST", "/", body: body, answerByteCountMax: 399_999))
        }
        #expect(error?.description.contains("too long") == true)
        #expect(
            try await send(HTTPRequest("POST", "/", body: body, answerByteCountMax: 400_000)).body == body
        )
        await server.stop()
    }

    @Test(
        "Long answers that come at once, and one after another, are each what they are for as long as they are kept"
    )
    func longAnswers() async throws {
        @Sendable func body(_ number: Int) -> Data {
            Data((0..<400_000 + number * 77_777).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ number) })
        }
        var kept: [Int: Data] = [:]
        for first in stride(from: 0, to: 12, by: 4) {
            try await withThrowingTaskGroup(of: (Int, Data).self) { group in
                for number in first..<first + 4 {
                    group.addTask { [client] in
                        let request = HTTPRequest("POST", "/", body: body(number))
                        return (number, try await Self.send(request, by: client).body)
                    }
                }
                for try await (number, answer) in group where number % 3 != 0 { kept[number] = answer }
            }
        }
        #expect(kept.count == 8)
        for (number, answer) in kept {
            let isItself = answer == body(number)
            #expect(isItself, "answer \(number)")
        }
        await server.stop()
    }

    @Test("A proxy that the environment names hears nothing of what goes to this machine")
    func proxy() async {
        await #expect(processExitsWith: .success) {
            let (server, proxy) = (try EchoServer(), try TrickleServer(byteCount: nil))
            for name in ["http_proxy", "all_proxy", "ALL_PROXY"] {
                setenv(name, "http://127.0.0.1:\(proxy.port)", 1)
            }
            unsetenv("no_proxy")
            unsetenv("NO_PROXY")
            for host in ["127.0.0.1", "localhost"] {
                let client = try HTTPClient(try #require(URL(string: "http://\(host):\(server.port)")))
                let request = HTTPRequest("GET", "/", patience: .quiet(seconds: 20))
                #expect(try client.send(request).body == Data("GET".utf8))
            }
            await server.stop()
        }
    }

    @Test(
        "Only addresses of this machine alone are told to be that",
        arguments: [
            ("http://127.0.0.1:7433", true), ("http://127.8.9.1", true), ("http://LocalHost:1", true),
            ("http://[::1]:7433/path", true), ("http://127.example.org", false), ("http://10.0.0.1", false),
            ("http://localhost.example.org", false), ("http://[2001:db8::1]", false),
        ]
    )
    func thisMachine(address: String, isSo: Bool) throws {
        #expect(HTTPClient.isOnThisMachine(try #require(URL(string: address))) == isSo)
    }

    @Test("A closed client sends nothing")
    func closed() async throws {
        client.close()
        let error = await #expect(throws: HTTPClientError.self) { try await send(HTTPRequest("GET", "/")) }
        #expect(error?.kind == .closed)
        await server.stop()
    }

    @Test("An answer that comes slowly is waited for where only silence ends the patience")
    func slowAnswer() async throws {
        func outcome(_ byteCount: Int?, _ patience: HTTPRequest.Patience) async throws -> Data? {
            let slow = try TrickleServer(byteCount: byteCount)
            let client = try HTTPClient(try #require(URL(string: "http://127.0.0.1:\(slow.port)")))
            return await withCheckedContinuation { goOn in
                Thread.detachNewThread {
                    let answer = try? client.send(HTTPRequest("GET", "/", patience: patience))
                    goOn.resume(returning: withExtendedLifetime(slow) { answer?.body })
                }
            }
        }
        #expect(try await outcome(6, .quiet(seconds: 20)) == Data("xxxxxx".utf8))
        #expect(try await outcome(6, .whole(seconds: 1)) == nil)
        #expect(try await outcome(nil, .quiet(seconds: 1)) == nil)
        await server.stop()
    }
}
