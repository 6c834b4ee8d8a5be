import Foundation
import HTTPService
import SeededNumbers
import Testing

@testable import WebHost

@Suite("WebHost against malformed input")
struct WebHostFuzzTests {
    @Test("Malformed requests harm nobody else", arguments: [UInt64(0x5EAF_0001), 0x5EAF_0002])
    func requests(seed: UInt64) async throws {
        print("seed \(seed)")
        let host = try TestHost { $0.httpLimits.idleSeconds = 1 }
        let cookie = try await host.signIn()
        var random = SplitMix64(seed: seed)
        let valid = Array(
            """
            POST /upload?tab=\(TestHost.tabID(1))&batch=b&path=p HTTP/1.1\r
            Host: \(host.authority)\r
            Origin: \(host.origin)\r
            Cookie: \(cookie)\r
            Range: bytes=1-2\r
            If-None-Match: "x"\r
            Content-Length: 5\r
            \r
            hello
            """.utf8
        )
        // Side by side: a body that breaks off is waited for until the time-out.
        let inputs = (0..<150).map { _ in Self.mutated(valid, &random) }
        try await withThrowingTaskGroup(of: Void.self) { group in
            for input in inputs {
                group.addTask {
                    let client = try RawClient(port: host.port)
                    try await client.write(input)
                    shutdown(client.socket, CInt(SHUT_WR))
                    _ = try await client.readToEnd()
                }
            }
            try await group.waitForAll()
        }
        #expect(try await host.request("GET", "/", headers: ["Cookie": cookie]).status == 200)
        await host.host.stop()
    }

    @Test("Malformed heads are refused or closed, never served")
    func heads() async throws {
        let host = try TestHost()
        let cookie = try await host.signIn()
        let common = "Host: \(host.authority)\r\nCookie: \(cookie)\r\n"
        let long = String(repeating: "a", count: 70_000)
        let heads = [
            "GET\r\n\r\n", "GET / HTTP/9.9\r\n\(common)\r\n", "GET /\(long) HTTP/1.1\r\n\(common)\r\n",
            "GET / HTTP/1.1\r\n\(common)X: \(long)\r\n\r\n", "\0\0\0\0\r\n\r\n",
            "GET / HTTP/1.1\r\nHost \(host.authority)\r\n\r\n", "GET * HTTP/1.1\r\n\(common)\r\n",
            "POST / HTTP/1.1\r\n\(common)Content-Length: -1\r\n\r\n",
            "POST / HTTP/1.1\r\n\(common)Content-Length: 99999999999999999999999\r\n\r\n",
            "POST / HTTP/1.1\r\n\(common)Transfer-Encoding: chunked\r\n\r\nzz\r\n",
        ]
        for head in heads {
            let client = try RawClient(port: host.port)
            try await client.write(Array(head.utf8))
            shutdown(client.socket, CInt(SHUT_WR))
            let answer = String(decoding: try await client.readToEnd(), as: UTF8.self)
            #expect(!answer.hasPrefix("HTTP/1.1 2"), "\(head.prefix(60)) gave \(answer.prefix(40))")
        }
        await host.host.stop()
    }

    @Test("Malformed frames end their own connection only", arguments: [UInt64(0x5EAF_0003), 0x5EAF_0004])
    func frames(seed: UInt64) async throws {
        print("seed \(seed)")
        let host = try TestHost()
        let cookie = try await host.signIn()
        host.delegate.setOnMessage { tab, text in tab.send(text) }
        let steady = try await host.openTab(TestHost.tabID(1), cookie: cookie)
        var random = SplitMix64(seed: seed)
        for round in 0..<150 {
            let victim = try await host.openTab(TestHost.tabID(100 + round), cookie: cookie)
            var bytes: [UInt8] = []
            for _ in 0..<Int.random(in: 1...4, using: &random) {
                let payload = (0..<Int.random(in: 0...300, using: &random)).map { _ in
                    UInt8.random(in: 0...255, using: &random)
                }
                bytes += WebSocketClient.frame(
                    payload,
                    opcode: UInt8.random(in: 0...15, using: &random),
                    isFinal: Bool.random(using: &random),
                    isMasked: Int.random(in: 0...9, using: &random) > 0
                )
            }
            try await victim.raw.write(Self.mutated(bytes, &random))
            shutdown(victim.raw.socket, CInt(SHUT_WR))
            _ = try await victim.raw.readToEnd()
            // Who says nothing for long is taken for gone, and rounds take long on a busy machine.
            if round.isMultiple(of: 5) {
                try await steady.send("round \(round)")
                #expect(try await steady.readText() == "round \(round)")
            }
        }
        await host.host.stop()
    }

    private static func mutated(_ bytes: [UInt8], _ random: inout SplitMix64) -> [UInt8] {
        var result = bytes
        for _ in 0..<Int.random(in: 0...6, using: &random) where !result.isEmpty {
            let index = Int.random(in: 0..<result.count, using: &random)
            switch Int.random(in: 0...4, using: &random) {
            case 0: result[index] = UInt8.random(in: 0...255, using: &random)
            case 1: result.remove(at: index)
            case 2: result.insert(UInt8.random(in: 0...255, using: &random), at: index)
            case 3: result.insert(contentsOf: result[index...].prefix(40), at: index)
            default: result.removeSubrange(index...)
            }
        }
        return result
    }
}
