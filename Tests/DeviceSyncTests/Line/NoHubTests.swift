import Foundation
import HTTPService
import HubProtocol
import Locks
import TestThreads
import Testing

@testable import DeviceSync

/// What answers in a hub's place, such as a proxy that has lost its hub for a moment, has done nothing of what it was asked.
@Suite("What is no hub", .onOwnThreads, .timeLimit(.minutes(3)))
struct NoHubTests {
    /// Answers all that it is asked in one way, whatever comes with it.
    struct Answer: Sendable, CustomTestStringConvertible {
        var status = 200
        var type: String?
        var body = ""
        var testDescription: String { "\(status) \(type ?? "") \(body)" }
    }

    private final class Impostor: HTTPRequestHandler {
        private let response: WebResponse

        init(_ answer: Answer) {
            let headers = answer.type.map { [WebHeader("Content-Type", $0)] } ?? []
            response = WebResponse(
                status: answer.status,
                headers: headers,
                body: .bytes(Data(answer.body.utf8))
            )
        }

        func answer(to request: WebRequest) -> HTTPAnswer {
            guard request.method == "POST" || request.method == "PUT" else { return .respond(response) }
            return .receive(Deaf(response), byteCountMax: 1 << 20)
        }

        private final class Deaf: HTTPBodyReceiver {
            private let response: WebResponse
            init(_ response: WebResponse) { self.response = response }
            func receive(_ bytes: UnsafeRawBufferPointer) {}
            func finish() -> HTTPOutcome { .respond(response) }
            func abandon() {}
        }
    }

    private static let container = ContainerName(unchecked: Array(0..<16))
    private static let device = DeviceName(unchecked: Array(0..<8))
    private static let blob = BlobName(unchecked: Array(0..<32))
    private static let hash = LogHash(unchecked: [UInt8](repeating: 1, count: LogHash.byteCount))

    /// What a device asks of its hub, less what is about registering.
    private static let questions: [(name: String, ask: @Sendable (HubClient, HubContainer) throws -> Void)] =
        [
            ("health", { client, _ in _ = try client.health() }),
            ("containers", { client, _ in _ = try client.containers() }),
            ("make a container", { client, _ in try client.makeContainer(container) }),
            ("invite", { client, _ in _ = try client.invite() }),
            ("pair", { client, _ in _ = try client.beginPairing() }),
            ("devices", { _, hub in _ = try hub.registrations() }),
            ("keys", { _, hub in _ = try hub.keys(for: device) }),
            ("offer", { _, hub in _ = try hub.offer([]) }),
            ("log", { _, hub in _ = try hub.log(after: 0, waitSeconds: 0) }),
            ("missing", { _, hub in _ = try hub.missing([blob]) }),
            ("store", { _, hub in try hub.store(Data("frames".utf8)) }),
            ("read", { _, hub in _ = try hub.read([blob]) }),
            (
                "release",
                { _, hub in _ = try hub.release([blob], asOf: LogHead(position: 1, hash: hash)) }
            ),
            ("refuse", { _, hub in try hub.refuse(device) }),
            (
                "keep",
                { _, hub in
                    let keys = HubProtocol.WrappedKeys(generation: 1, keys: Data("k".utf8))
                    try hub.keep(keys, for: device)
                }
            ),
        ]

    /// - Returns: What was taken for done, by name, and all that was said of the rest.
    private func believed(_ answer: Answer) async throws -> (names: [String], words: Set<String>) {
        let outcome = try await outcome(answer)
        return (outcome.names, Set(outcome.failures.map(\.description)))
    }

    private func failures(_ answer: Answer) async throws -> [LineFailure] {
        try await outcome(answer).failures
    }

    /// - Returns: What was taken for done, by name, and what was thrown for the rest.
    private func outcome(_ answer: Answer) async throws -> (names: [String], failures: [LineFailure]) {
        let listener = try TCPListener(on: .loopback(port: 0))
        let server = try HTTPServer(
            listener: listener.socket,
            limits: HTTPLimits(),
            handler: Impostor(answer)
        )
        let address = try #require(URL(string: "http://127.0.0.1:\(listener.port)"))
        let outcome = try await withCheckedThrowingContinuation { continuation in
            // Off the pool of threads that the server's tasks may need.
            Thread.detachNewThread {
                continuation.resume(
                    with: Result {
                        let client = try HubClient(address, token: "token")
                        defer { client.close() }
                        let hub = HubContainer(Self.container, at: client)
                        var (names, failures) = ([String](), [LineFailure]())
                        for (name, ask) in Self.questions {
                            do {
                                try ask(client, hub)
                                names.append(name)
                            } catch let failure as LineFailure {
                                failures.append(failure)
                            }
                        }
                        return (names: names, failures: failures)
                    }
                )
            }
        }
        await server.stop(drainSeconds: 1)
        return outcome
    }

    @Test(
        "Whatever it answers, nothing is stored, read or done by that, and it is said what it is",
        arguments: [
            Answer(), Answer(type: BlobFrames.mediaType),
            Answer(type: "text/html", body: "<p>Sign in</p>"), Answer(type: "application/json", body: "{}"),
            Answer(type: "application/json", body: "[]"), Answer(status: 202),
            Answer(status: 302, type: "text/html"), Answer(status: 502, type: "text/html", body: "<p>"),
        ]
    )
    func impostors(answer: Answer) async throws {
        let (names, words) = try await believed(answer)
        #expect(names == [])
        for said in words { #expect(said.contains("Something between this device and the hub answers")) }
    }

    @Test(
        "What refuses a request in the hub's place is told by its status, and may mean that request alone",
        arguments: [(403, true), (413, true), (404, false), (407, false), (429, false), (502, false)]
    )
    func refusals(status: Int, isOfRequest: Bool) async throws {
        let failures = try await failures(Answer(status: status, type: "text/html", body: "<p>"))
        #expect(Set(failures.map(\.status)) == [status])
        #expect(failures.allSatisfy { $0.isOfRequest == isOfRequest })
        let words = failures.compactMap(\.remedy)
        #expect(words.allSatisfy { $0.contains("client_max_body_size 64m") } || status != 413)
        #expect(words.count == (isOfRequest ? failures.count : 0))
    }

    @Test("More than a hub ever says is not read")
    func endless() async throws {
        let endless = "{\"entries\":[" + String(repeating: "0,", count: 9 << 20)
        let (names, words) = try await believed(Answer(type: "application/json", body: endless))
        #expect(names == [])
        #expect(words.contains { $0.contains("the answer is too long") }, "\(words)")
    }

    @Test("An answer without a word says that it is done only where a hub's has none")
    func wordless() async throws {
        #expect(try await believed(Answer(status: 204)).names == ["refuse", "keep"])
    }

    @Test("A container is made by who says which")
    func otherContainer() async throws {
        let other = ContainerName(unchecked: Array(1..<17))
        let listing = ContainerListing(other, head: LogHead(position: 0, hash: Self.hash))
        let body = String(decoding: try HubMessage.encoded(listing), as: UTF8.self)
        let answer = Answer(status: 201, type: "application/json", body: body)
        #expect(try await believed(answer).names == [])
    }

    @Test("What is said of it can be told to those who mend this program")
    func redacted() {
        let failure = LineFailure(notOfHub: 200, to: .health)
        let start = "Something between this device and the hub answers in its … such as a proxy, or a network"
        #expect(RedactedText.of("\(failure)").hasPrefix(start))
    }
}
