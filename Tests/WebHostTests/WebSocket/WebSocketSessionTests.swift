import Foundation
import Testing

@testable import WebHost

@Suite("WebSocketSession")
struct WebSocketSessionTests {
    private typealias Client = WebSocketClient

    @Test("A message in fragments, with a ping between them, arrives as one")
    func fragments() async throws {
        let host = try TestHost()
        let id = TestHost.tabID(1)
        let tab = try await host.openTab(id, cookie: try await host.signIn())
        let text = Array("Grüße, 文書 🗂".utf8)
        // Cut in the middle of characters, too: UTF-8 is checked over the whole message.
        var bytes: [UInt8] = []
        for (index, byte) in text.enumerated() {
            bytes += Client.frame([byte], opcode: index == 0 ? 1 : 0, isFinal: index == text.count - 1)
            if index == 3 { bytes += Client.frame([1, 2, 3], opcode: 9) }
        }
        for byte in bytes { try await tab.raw.write([byte]) }
        #expect(try await tab.read() == Client.Frame(opcode: 10, payload: [1, 2, 3]))
        #expect(
            try await host.delegate.waitFor {
                $0.last == .received(id, String(decoding: text, as: UTF8.self))
            }
        )
        await host.host.stop()
    }

    @Test("Faults of the other side close with the code that RFC 6455 names")
    func closeCodes() async throws {
        let host = try TestHost { $0.messageByteCountMax = 1000 }
        let cookie = try await host.signIn()
        let cases: [(String, UInt16?, [UInt8])] = [
            // Below the messages, wslay gives up on a frame without naming a code.
            ("unmasked", 1002, Client.frame(Array("hello".utf8), isMasked: false)),
            ("reserved bit", 1002, [0xC1, 0x80, 0, 0, 0, 0]),
            ("unknown opcode", 1002, Client.frame([], opcode: 3)),
            ("fragmented ping", nil, Client.frame([], opcode: 9, isFinal: false)),
            ("long ping", nil, Client.frame([UInt8](repeating: 0, count: 126), opcode: 9)),
            ("continuation of nothing", 1002, Client.frame([], opcode: 0)),
            ("message in a message", 1002, Client.frame([65], isFinal: false) + Client.frame([65])),
            ("bad UTF-8", 1007, Client.frame([0xC3, 0x28])),
            ("surrogate", 1007, Client.frame([0xED, 0xA0, 0x80])),
            ("cut UTF-8", 1007, Client.frame([0xE2, 0x82])),
            ("binary", 1003, Client.frame([1, 2], opcode: 2)),
            ("too long", 1009, Client.frame([UInt8](repeating: 65, count: 1001))),
            (
                "too long in pieces", 1009,
                Client.frame([UInt8](repeating: 65, count: 600), isFinal: false)
                    + Client.frame([UInt8](repeating: 65, count: 600), opcode: 0)
            ),
        ]
        for (index, (name, code, bytes)) in cases.enumerated() {
            let id = TestHost.tabID(index + 1)
            let tab = try await host.openTab(id, cookie: cookie)
            try await tab.raw.write(bytes)
            let frame = try await tab.read()
            #expect(frame.opcode == 8 && frame.closeCode == code, "\(name)")
            #expect(try await host.delegate.waitFor { $0.last == .disconnected(id) }, "\(name)")
        }
        await host.host.stop()
    }

    @Test("What a tab has sent is heard, also when its connection is cut off in the same moment")
    func cutOff() async throws {
        let host = try TestHost()
        let cookie = try await host.signIn()
        for number in 1...50 {
            let id = TestHost.tabID(number)
            let tab = try await host.openTab(id, cookie: cookie)
            // Sent and reset before anybody can have read it.
            try await tab.raw.write(Client.frame(Array("last words".utf8)))
            var nowhere = sockaddr()
            nowhere.sa_family = sa_family_t(AF_UNSPEC)
            #expect(connect(tab.raw.socket, &nowhere, socklen_t(MemoryLayout<sockaddr>.size)) == 0)
            #expect(
                try await host.delegate.waitFor { $0.last == .disconnected(id) }
            )
            #expect(host.delegate.news.suffix(2).first == .received(id, "last words"), "\(number)")
        }
        await host.host.stop()
    }

    @Test("A close is answered with its code, and then the connection ends")
    func closing() async throws {
        let host = try TestHost()
        let id = TestHost.tabID(1)
        let tab = try await host.openTab(id, cookie: try await host.signIn())
        try await tab.raw.write(Client.frame([0x0F, 0xA1], opcode: 8))
        #expect(try await tab.read().closeCode == 4001)
        #expect(try await tab.raw.readToEnd().isEmpty)
        #expect(try await host.delegate.waitFor { $0 == [.connected(id), .disconnected(id)] })
        await host.host.stop()
    }

    @Test("Frames sent together with the request are not lost")
    func earlyFrames() async throws {
        let host = try TestHost()
        let id = TestHost.tabID(1)
        let head = """
            GET /live?tab=\(id) HTTP/1.1\r
            Host: \(host.authority)\r
            Origin: \(host.origin)\r
            Cookie: \(try await host.signIn())\r
            Connection: Upgrade\r
            Upgrade: websocket\r
            Sec-WebSocket-Version: 13\r
            Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r
            \r

            """
        // Connected when there is something to say: the host cuts off who says nothing for long.
        let raw = try RawClient(port: host.port)
        try await raw.write(Array(head.utf8) + Client.frame(Array("early".utf8)))
        #expect(try await host.delegate.waitFor { $0 == [.connected(id), .received(id, "early")] })
        withExtendedLifetime(raw) {}
        await host.host.stop()
    }
}
