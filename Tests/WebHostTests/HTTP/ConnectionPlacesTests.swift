import Foundation
import Testing

@testable import HTTPService

/// Which connections a server takes, and how much memory each has.
@Suite(.timeLimit(.minutes(5)))
struct ConnectionPlacesTests {
    @Test("The first that come are roomy, and who comes when one of them has gone")
    func kinds() {
        var places = ConnectionPlaces(countMax: 4, roomyCountMax: 2)
        #expect((0..<3).map { _ in places.take() } == [.roomy, .roomy, .narrow])
        places.giveBack(.roomy)
        #expect(places.take() == .roomy)
        #expect(places.take() == .narrow && places.isFull && places.take() == nil)
        places.giveBack(.narrow)
        #expect(!places.isFull && places.take() == .narrow)
    }

    @Test("One has room for a long head, and the next that comes has little")
    func memory() async throws {
        var limits = HTTPLimits()
        limits.headByteCountMax = 4096
        limits.roomyConnectionCountMax = 1
        limits.roomyByteCount = 64 * 1024
        try await served(limits) { port in
            let long =
                "GET / HTTP/1.1\r\nHost: here\r\nX-Long: \(String(repeating: "a", count: 20_000))\r\n\r\n"
            let roomy = try RawClient(port: port)
            try await roomy.write(Array(long.utf8))
            #expect(try await roomy.response().status == 200)
            let narrow = try RawClient(port: port)
            try await narrow.write(Array(long.utf8))
            #expect(try await narrow.response().status == 431)
            try await roomy.write(Array(long.utf8))
            #expect(try await roomy.response().status == 200)
        }
    }

    @Test("Who comes when all places are taken waits until one is free", arguments: [0, 1, 8])
    func full(roomyCountMax: Int) async throws {
        var limits = HTTPLimits()
        limits.connectionCountMax = 2
        limits.roomyConnectionCountMax = roomyCountMax
        let ask = Array("GET / HTTP/1.1\r\nHost: here\r\n\r\n".utf8)
        try await served(limits) { port in
            var clients: [RawClient] = []
            for _ in 0..<2 {
                let client = try RawClient(port: port)
                try await client.write(ask)
                #expect(try await client.response().status == 200)
                clients.append(client)
            }
            let late = try RawClient(port: port)
            try await late.write(ask)
            // Those that have a place are still served, and one of them goes.
            try await clients[0].write(ask)
            #expect(try await clients[0].response().status == 200)
            #expect(late.hasNothingToRead)
            clients.removeFirst()
            #expect(try await late.response().status == 200)
            try await clients[0].write(ask)
            #expect(try await clients[0].response().status == 200)
        }
    }

    @Test("A server that has no place left ends, and refuses who comes then")
    func stopped() async throws {
        var limits = HTTPLimits()
        limits.connectionCountMax = 1
        let port = try await served(limits) { port in
            let client = try RawClient(port: port)
            try await client.write(Array("GET / HTTP/1.1\r\nHost: here\r\n\r\n".utf8))
            #expect(try await client.response().status == 200)
            // Waits to be taken, and is closed with the listener.
            let late = try RawClient(port: port)
            #expect(late.hasNothingToRead)
        }
        #expect(throws: RawClient.Ended.self) { try RawClient(port: port) }
    }

    /// Runs with the port of a server that says "Hello", and ends that.
    @discardableResult
    private func served(_ limits: HTTPLimits, _ body: (UInt16) async throws -> Void) async throws -> UInt16 {
        let listener = try TCPListener(on: .loopback(port: 0))
        let server = try HTTPServer(listener: listener.socket, limits: limits, handler: Hello())
        do { try await body(listener.port) } catch {
            await server.stop(drainSeconds: 1)
            throw error
        }
        await server.stop(drainSeconds: 1)
        return listener.port
    }
}

private final class Hello: HTTPRequestHandler {
    func answer(to request: WebRequest) -> HTTPAnswer { .respond(.text("Hello")) }
}
