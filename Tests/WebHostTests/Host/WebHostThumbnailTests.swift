import Foundation
import Testing

@testable import WebHost

@Suite("WebHost thumbnails")
struct WebHostThumbnailTests {
    private let tab = TestHost.tabID(7)

    @Test("A picture comes with the type that the program says, and may do nothing but be looked at")
    func headers() async throws {
        let host = try TestHost()
        let cookie = try await host.signIn()
        let answer = try await host.request(
            "GET",
            "/thumbnail?tab=\(tab)&item=a%2F%C3%BC%20b.png&stamp=1",
            headers: ["Cookie": cookie]
        )
        #expect(answer.status == 200)
        #expect(String(decoding: answer.body, as: UTF8.self) == "\(tab) a/ü b.png")
        #expect(answer.header("content-type") == "image/png")
        #expect(answer.header("x-content-type-options") == "nosniff")
        #expect(answer.header("cache-control") == "private, no-cache")
        #expect(answer.header("cross-origin-resource-policy") == "same-origin")
        let policy = try #require(answer.header("content-security-policy"))
        #expect(policy == "default-src 'none'; sandbox; frame-ancestors 'none'")
        await host.host.stop()
    }

    @Test("Nobody else gets one")
    func refusals() async throws {
        let host = try TestHost()
        let cookie = try await host.signIn()
        let target = "/thumbnail?tab=\(tab)&item=a.png"
        #expect(try await host.request("GET", target).status == 401)
        let foreign = ["Cookie": cookie, "Origin": "http://example.com"]
        #expect(try await host.request("GET", target, headers: foreign).status == 403)
        #expect(try await host.request("POST", target, headers: ["Cookie": cookie]).status == 405)
        for address in [
            "/thumbnail", "/thumbnail?tab=\(tab)", "/thumbnail?tab=7&item=a",
            "/thumbnail/a?tab=\(tab)&item=a",
        ] {
            #expect(
                try await host.request("GET", address, headers: ["Cookie": cookie]).status == 400,
                "\(address)"
            )
        }
        await host.host.stop()
    }
}
