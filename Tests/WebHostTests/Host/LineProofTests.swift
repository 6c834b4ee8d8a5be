import Cryptography
import Foundation
import Testing

@testable import WebHost

@Suite("LineProof")
struct LineProofTests {
    private static let challenge = "00112233445566778899aabbccddeeff"

    /// What a page makes of its key.
    private func expected(_ host: TestHost, _ challenge: String = challenge) throws -> String {
        let digits = Array(host.delegate.proofKey)
        let bytes = stride(from: 0, to: digits.count, by: 2).compactMap {
            UInt8(String(digits[$0...($0 + 1)]), radix: 16)
        }
        let asked = Data("\(challenge) \(host.authority)".utf8)
        let code = try MessageAuthentication.code(of: asked, key: Data(bytes))
        let text = code.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
        return #"{"type":"proof","proof":"\#(text)"}"#
    }

    @Test("A tab that asks for it first gets the proof that it is the page's own host, for its own challenge")
    func proof() async throws {
        let host = try TestHost()
        let cookie = try await host.signIn()
        #expect(try await host.request("GET", "/", headers: ["Cookie": cookie]).status == 200)
        #expect(host.delegate.proofKey.count == 64)
        for challenge in [Self.challenge, String(Self.challenge.reversed())] {
            let tab = try await host.openTab(TestHost.tabID(1), cookie: cookie, challenge: challenge)
            #expect(try await tab.readText() == expected(host, challenge))
        }
        #expect(try expected(host) != expected(host, String(Self.challenge.reversed())))
        await host.host.stop()
    }

    @Test("The proof of a host that was started again is that of the page before")
    func restart() async throws {
        let folder = try TemporaryFolder()
        let first = try TestHost(folder: folder)
        let cookie = try await first.signIn()
        _ = try await first.request("GET", "/", headers: ["Cookie": cookie])
        await first.host.stop()
        let second = try TestHost(folder: folder)
        let tab = try await second.openTab(TestHost.tabID(1), cookie: cookie, challenge: Self.challenge)
        let proof = try await tab.readText()
        _ = try await second.request("GET", "/", headers: ["Cookie": cookie])
        #expect(first.delegate.proofKey == second.delegate.proofKey)
        #expect(try proof == expected(second))
        await second.host.stop()
    }

    @Test(
        "Nothing that a browser sends says what the proof is made with, and no part of the kept key is sent"
    )
    func secrets() async throws {
        let host = try TestHost()
        let cookie = try await host.signIn()
        _ = try await host.request("GET", "/", headers: ["Cookie": cookie])
        let file = host.folder.url.appendingPathComponent("state/session-key")
        let kept = try String(contentsOf: file, encoding: .utf8).split(whereSeparator: \.isWhitespace)
        let value = try #require(cookie.split(separator: "=").last)
        #expect(kept.count == 2 && value.count == 64)
        #expect(Set([kept[1], value, Substring(host.delegate.proofKey)]).count == 3)
        await host.host.stop()
    }

    @Test("A challenge that is none is refused", arguments: ["", "1", "zz112233445566778899aabbccddeeff"])
    func malformed(challenge: String) async throws {
        let host = try TestHost()
        let cookie = try await host.signIn()
        let refused = await #expect(throws: WebSocketClient.Refused.self) {
            _ = try await host.openTab(TestHost.tabID(1), cookie: cookie, challenge: challenge)
        }
        #expect(refused?.response.status == 400)
        await host.host.stop()
    }
}
