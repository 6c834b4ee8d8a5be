import Foundation
import Testing

@testable import WebHost

@Suite("WebTab")
struct WebHostTabTests {
    @Test("Messages go both ways, in order")
    func echo() async throws {
        let host = try TestHost()
        host.delegate.setOnMessage { tab, text in tab.send("got \(text)") }
        let tab = try await host.openTab(TestHost.tabID(1), cookie: try await host.signIn())
        for number in 0..<200 { try await tab.send("\(number)") }
        for number in 0..<200 { #expect(try await tab.readText() == "got \(number)") }
        await host.host.stop()
        let id = TestHost.tabID(1)
        #expect(try await host.delegate.waitFor { $0.last == .disconnected(id) })
        #expect(host.delegate.news.first == .connected(id))
        #expect(host.delegate.news.count == 202)
    }

    @Test("A tab needs the cookie, our origin, its id and version 13")
    func refusals() async throws {
        let host = try TestHost()
        let cookie = try await host.signIn()
        let good = "/live?tab=\(TestHost.tabID(1))"
        let cases: [(Int, String, [String: String])] = [
            (401, good, ["Cookie": ""]), (401, good, ["Cookie": "sheaf=1"]),
            (403, good, ["Origin": ""]), (403, good, ["Origin": "http://evil.example"]),
            (403, good, ["Origin": "null"]),
            (421, good, ["Host": "evil.example"]),
            (400, "/live", [:]), (400, "/live?tab=12", [:]),
            (400, "/live?tab=\(TestHost.tabID(1))&tab=x", [:]),
            (426, good, ["Sec-WebSocket-Version": "8"]), (426, good, ["Upgrade": ""]),
            (426, good, ["Upgrade": "h2c"]),
            (400, good, ["Sec-WebSocket-Key": "c2hvcnQ="]), (400, good, ["Sec-WebSocket-Key": ""]),
        ]
        for (status, target, changes) in cases {
            let headers = ["Cookie": cookie, "Origin": host.origin].merging(changes) { $1 }
            let error = await #expect(throws: WebSocketClient.Refused.self, "\(target) \(changes)") {
                try await WebSocketClient(port: host.port, target: target, headers: headers)
            }
            #expect(error?.response.status == status, "\(target) \(changes)")
        }
        #expect(host.delegate.news.isEmpty)
        await host.host.stop()
    }

    @Test("A tab that comes back under its id replaces its earlier connection")
    func replaces() async throws {
        let host = try TestHost()
        let cookie = try await host.signIn()
        let id = TestHost.tabID(7)
        let first = try await host.openTab(id, cookie: cookie)
        #expect(try await host.delegate.waitFor { $0 == [.connected(id)] })
        let second = try await host.openTab(id, cookie: cookie)
        #expect(
            try await host.delegate.waitFor { $0 == [.connected(id), .disconnected(id), .connected(id)] }
        )
        #expect(try await first.raw.readToEnd().isEmpty)
        host.delegate.tab(id)?.send("to the second")
        #expect(try await second.readText() == "to the second")
        await host.host.stop()
    }

    @Test("A message of 64 MiB arrives in both directions; one byte more closes with 1009")
    func bigMessages() async throws {
        let host = try TestHost()
        let id = TestHost.tabID(1)
        let tab = try await host.openTab(id, cookie: try await host.signIn())
        host.delegate.setOnMessage { tab, text in tab.send(text) }
        let payload = [UInt8](repeating: UInt8(ascii: "x"), count: 64 << 20)
        try await tab.raw.write(WebSocketClient.frame(payload))
        #expect(try await tab.read().payload == payload)
        try await tab.raw.write(WebSocketClient.frame(payload + [0]))
        #expect(try await tab.read().closeCode == 1009)
        #expect(try await host.delegate.waitFor { $0.last == .disconnected(id) })
        await host.host.stop()
    }

    @Test("A tab that does not read is cut, and the others go on")
    func slowReader() async throws {
        let host = try TestHost { $0.unsentByteCountMax = 8 << 20 }
        let cookie = try await host.signIn()
        let (slow, quick) = (TestHost.tabID(1), TestHost.tabID(2))
        let deaf = try await WebSocketClient(
            port: host.port,
            target: "/live?tab=\(slow)",
            headers: ["Cookie": cookie, "Origin": host.origin],
            receiveBufferByteCount: 4096
        )
        let other = try await host.openTab(quick, cookie: cookie)
        #expect(try await host.delegate.waitFor { $0.count == 2 })
        let line = String(repeating: "y", count: 1 << 20)
        for _ in 0..<32 { host.delegate.tab(slow)?.send(line) }
        #expect(try await host.delegate.waitFor { $0.contains(.disconnected(slow)) })
        host.delegate.tab(quick)?.send("still here")
        #expect(try await other.readText() == "still here")
        withExtendedLifetime(deaf) {}
        await host.host.stop()
    }

    @Test("A tab that takes nothing for too long is cut")
    func stalledReader() async throws {
        let host = try TestHost {
            $0.pingSeconds = 0.1
            $0.silenceSeconds = 2
        }
        let id = TestHost.tabID(1)
        let deaf = try await WebSocketClient(
            port: host.port,
            target: "/live?tab=\(id)",
            headers: ["Cookie": try await host.signIn(), "Origin": host.origin],
            receiveBufferByteCount: 4096
        )
        #expect(try await host.delegate.waitFor { $0.first == .connected(id) })
        host.delegate.tab(id)?.send(String(repeating: "z", count: 32 << 20))
        #expect(try await host.delegate.waitFor { $0.last == .disconnected(id) })
        withExtendedLifetime(deaf) {}
        await host.host.stop()
    }

    @Test("A tab that answers pings stays")
    func answersPings() async throws {
        let host = try TestHost { $0.pingSeconds = 0.05 }
        let id = TestHost.tabID(1)
        let tab = try await host.openTab(id, cookie: try await host.signIn())
        // A ping follows only when the one before was answered.
        for _ in 0..<20 {
            let frame = try await tab.readAny()
            #expect(frame.opcode == 9)
            try await tab.raw.write(WebSocketClient.frame(frame.payload, opcode: 10))
        }
        #expect(host.delegate.news == [.connected(id)])
        await host.host.stop()
    }

    @Test("A tab that does not answer pings is taken to be gone")
    func silence() async throws {
        let host = try TestHost {
            $0.pingSeconds = 0.05
            $0.silenceSeconds = 0.3
        }
        let id = TestHost.tabID(1)
        let tab = try await host.openTab(id, cookie: try await host.signIn())
        #expect(try await host.delegate.waitFor { $0 == [.connected(id), .disconnected(id)] })
        withExtendedLifetime(tab) {}
        await host.host.stop()
    }

    @Test("Closing a tab sends what waits, then the code and the reason")
    func closes() async throws {
        let host = try TestHost()
        let id = TestHost.tabID(1)
        let tab = try await host.openTab(id, cookie: try await host.signIn())
        #expect(try await host.delegate.waitFor { $0.count == 1 })
        let serverSide = try #require(host.delegate.tab(id))
        serverSide.send("last words")
        serverSide.close(code: 4000, reason: String(repeating: "é", count: 200))
        serverSide.send("too late")
        #expect(try await tab.readText() == "last words")
        let frame = try await tab.read()
        #expect(frame.closeCode == 4000)
        #expect(
            String(decoding: frame.payload.dropFirst(2), as: UTF8.self) == String(repeating: "é", count: 61)
        )
        try await tab.raw.write(WebSocketClient.frame(Array(frame.payload), opcode: 8))
        #expect(try await tab.raw.readToEnd().isEmpty)
        #expect(try await host.delegate.waitFor { $0.last == .disconnected(id) })
        await host.host.stop()
    }

    @Test("A delegate that is behind is not flooded, and gets everything in order")
    func readingPauses() async throws {
        let host = try TestHost()
        let gate = DispatchSemaphore(value: 0)
        host.delegate.setOnMessage { _, text in if text == "0" { gate.wait() } }
        let id = TestHost.tabID(1)
        let tab = try await host.openTab(id, cookie: try await host.signIn())
        let count = 20_000
        let sending = Task { for number in 0..<count { try await tab.send("\(number)") } }
        #expect(try await host.delegate.waitFor { $0 == [.connected(id)] })
        gate.signal()
        try await sending.value
        #expect(try await host.delegate.waitFor { $0.count == count + 1 })
        #expect(host.delegate.news.dropFirst() == (0..<count).map { .received(id, "\($0)") }[...])
        await host.host.stop()
    }
}
