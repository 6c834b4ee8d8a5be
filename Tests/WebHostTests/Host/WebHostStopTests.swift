import Foundation
import HTTPService
import Locks
import Testing

@testable import WebHost

@Suite("WebHost stopping")
struct WebHostStopTests {
    /// An answer that comes when the test says so.
    final class Gate: Sendable {
        private let waiting = Locked((isOpen: false, continuations: [CheckedContinuation<Void, Never>]()))
        private let arrivals = DispatchSemaphore(value: 0)

        func pass() async {
            await withCheckedContinuation { continuation in
                let isOpen = waiting.withLock { waiting in
                    if !waiting.isOpen { waiting.continuations.append(continuation) }
                    return waiting.isOpen
                }
                if isOpen { continuation.resume() }
                arrivals.signal()
            }
        }

        func open() {
            let all = waiting.withLock { waiting in
                waiting.isOpen = true
                defer { waiting.continuations = [] }
                return waiting.continuations
            }
            for continuation in all { continuation.resume() }
        }

        func waitForArrival() async throws { try await offPool { self.arrivals.wait() } }
    }

    @Test("A request in progress is answered before the host has stopped")
    func drains() async throws {
        let host = try TestHost { $0.drainSeconds = 30 }
        let cookie = try await host.signIn()
        let gate = Gate()
        host.delegate.setPage {
            await gate.pass()
            return .html("late")
        }
        let answer = Task { try await host.request("GET", "/", headers: ["Cookie": cookie]) }
        try await gate.waitForArrival()
        let stopping = Task { await host.host.stop() }
        gate.open()
        #expect(try await answer.value.text == "late")
        await stopping.value
        #expect(throws: RawClient.Ended.self) { try RawClient(port: host.port) }
    }

    @Test("A request that takes too long is answered with 503, and its late answer does no harm")
    func givesUp() async throws {
        let host = try TestHost { $0.drainSeconds = 0.2 }
        let cookie = try await host.signIn()
        let gate = Gate()
        host.delegate.setPage {
            await gate.pass()
            return .html("late")
        }
        let answer = Task { try await host.request("GET", "/", headers: ["Cookie": cookie]) }
        try await gate.waitForArrival()
        await host.host.stop()
        #expect(try await answer.value.status == 503)
        gate.open()
    }

    @Test("Stopping under load ends every connection and returns")
    func stopsWhileBusy() async throws {
        for round in 0..<5 {
            let host = try TestHost { $0.drainSeconds = 1 }
            let cookie = try await host.signIn()
            host.delegate.setOnMessage { tab, text in tab.send(text) }
            let tab = try await host.openTab(TestHost.tabID(round), cookie: cookie)
            let chatter = Task { while try await tab.send("hello") { _ = try await tab.readText() } }
            let clients = (0..<6).map { number in
                Task {
                    var count = 0
                    while true {
                        let target = number.isMultiple(of: 2) ? "/" : "/page/app.js"
                        _ = try await host.request("GET", target, headers: ["Cookie": cookie])
                        count += 1
                        if count == 100_000 { break }
                    }
                }
            }
            let upload = Task {
                let headers = ["Cookie": cookie, "Origin": host.origin]
                var number = 0
                while true {
                    number += 1
                    _ = try await host.request(
                        "POST",
                        "/upload?tab=\(TestHost.tabID(1))&batch=b&path=f\(number)",
                        headers: headers,
                        body: [UInt8](repeating: 7, count: 300_000)
                    )
                }
            }
            #expect(try await host.delegate.waitFor { $0.count > 20 })
            await host.host.stop()
            await #expect(throws: (any Error).self) { try await upload.value }
            for client in clients { await #expect(throws: (any Error).self) { try await client.value } }
            await #expect(throws: (any Error).self) { try await chatter.value }
            let id = TestHost.tabID(round)
            #expect(try await host.delegate.waitFor { $0.contains(.disconnected(id)) })
        }
    }

    @Test("A host can be stopped twice, and without ever having started")
    func stopsTwice() async throws {
        let host = try TestHost()
        await host.host.stop()
        await host.host.stop()
        let folder = try TemporaryFolder()
        try folder.write("", to: "page/x")
        let delegate = RecordingDelegate(uploads: folder.url, editor: folder.url)
        let idle = try WebHost(
            configuration: WebHostConfiguration(
                pageDirectory: folder.url.appendingPathComponent("page"),
                stateDirectory: folder.url.appendingPathComponent("state")
            ),
            delegate: delegate
        )
        await idle.stop()
    }
}
