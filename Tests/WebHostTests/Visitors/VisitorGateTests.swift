import Foundation
import Testing

@testable import WebHost

@Suite("VisitorGate", .enabled(if: geteuid() == 0, "only root can be two users"))
struct VisitorGateTests {
    private static let nobody: UInt32 = 65_534

    /// What another user gets for a request; nothing where he is not served.
    private func othersAnswer(_ host: TestHost, _ target: String, cookie: String = "") async throws -> [UInt8]
    {
        let client = try RawClient(port: host.port, owner: Self.nobody)
        let head = "GET \(target) HTTP/1.1\r\nHost: \(host.authority)\r\nCookie: \(cookie)\r\n\r\n"
        try await client.write(Array(head.utf8))
        return try await client.readToEnd()
    }

    @Test("Another user gets no answer, not with a link that was seen nor with a cookie that was taken")
    func otherUser() async throws {
        let host = try TestHost()
        let cookie = try await host.signIn()
        let link = "/?" + (try #require(try host.host.linkForOne()?.query))
        for target in [link, "/?token=\(host.token)", "/"] {
            #expect(try await othersAnswer(host, target, cookie: cookie) == [], "\(target)")
        }
        // The link is not used up by who was not let in.
        #expect(try await host.request("GET", link).status == 303)
        await host.host.stop()
    }

    @Test("That a user was refused is told once")
    func told() async throws {
        let host = try TestHost()
        for _ in 1...2 { #expect(try await othersAnswer(host, "/") == []) }
        #expect(try await host.request("GET", "/").status == 401)
        #expect(try await host.delegate.waitFor { !$0.isEmpty })
        #expect(host.delegate.news == [.refused(Self.nobody)])
        await host.host.stop()
    }
}
