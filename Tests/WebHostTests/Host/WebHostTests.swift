import Foundation
import HTTPService
import Testing

@testable import WebHost

@Suite("WebHost")
struct WebHostTests {
    @Test("The token of the printed link becomes a cookie, and the cookie opens the page")
    func signsIn() async throws {
        let host = try TestHost()
        #expect(try await host.request("GET", "/").status == 401)
        let entry = try await host.request("GET", "/?token=\(host.token)")
        #expect(entry.status == 303)
        #expect(entry.header("location") == "/")
        let cookie = try #require(entry.header("set-cookie"))
        #expect(
            cookie.contains("HttpOnly") && cookie.contains("SameSite=Strict") && cookie.contains("Path=/")
        )
        let page = try await host.request(
            "GET",
            "/",
            headers: ["Cookie": "other=1; " + (try await host.signIn())]
        )
        #expect(page.status == 200)
        #expect(page.text == "<!doctype html><p>The page")
        await host.host.stop()
    }

    @Test("Without a cookie, the page says to open the printed link, and runs no script")
    func closedDoor() async throws {
        let host = try TestHost()
        let wrong = String(repeating: "0", count: 32)
        for target in ["/", "/?token=\(wrong)", "/?token=", "/?token=\(host.token)0"] {
            let response = try await host.request("GET", target)
            #expect(response.status == 401, "\(target)")
            #expect(response.text.contains("link that the program printed"), "\(target)")
            #expect(!response.text.contains("<script"))
            #expect(response.header("set-cookie") == nil)
        }
        #expect(try await host.request("GET", "/page/app.js").status == 401)
        await host.host.stop()
    }

    @Test("A link for one lets one browser in, and leaves the door closed behind it")
    func linkForOne() async throws {
        let host = try TestHost()
        let links = try [1, 2].map { _ in try #require(try host.host.linkForOne()) }
        #expect(Set(links).count == 2 && links[0].port == Int(host.port) && !links.contains(host.link))
        for link in links {
            let target = "/?" + (link.query ?? "")
            // Who looks what is there uses nothing up.
            #expect(try await host.request("HEAD", target).status == 401)
            #expect(try await host.request("GET", target).header("set-cookie") != nil)
            #expect(try await host.request("GET", target).status == 401)
        }
        // Whoever is in already may take it once more.
        let cookie = try await host.signIn()
        let target = "/?" + (links[0].query ?? "")
        #expect(try await host.request("GET", target, headers: ["Cookie": cookie]).status == 303)
        await host.host.stop()
    }

    @Test(
        "A link in another site's page or in a file leads to the page by one of ours, as a redirect has no cookie"
    )
    func linkFromElsewhere() async throws {
        let host = try TestHost()
        let target = "/?token=\(host.token)"
        for site in ["cross-site", "same-site"] {
            let entry = try await host.request("GET", target, headers: ["Sec-Fetch-Site": site])
            #expect(entry.status == 200 && entry.header("set-cookie") != nil, "\(site)")
            #expect(entry.text.contains(#"http-equiv="refresh" content="0; url=/""#), "\(site)")
        }
        let typed = try await host.request("GET", target, headers: ["Sec-Fetch-Site": "none"])
        #expect(typed.status == 303)
        await host.host.stop()
    }

    @Test("A link for one that a browser opened which was in already lets nobody in after it")
    func linkForOneWhoIsIn() async throws {
        let host = try TestHost()
        let cookie = try await host.signIn()
        let link = try #require(try host.host.linkForOne())
        let target = "/?" + (link.query ?? "")
        #expect(try await host.request("GET", target, headers: ["Cookie": cookie]).status == 303)
        #expect(try await host.request("GET", target).status == 401)
        await host.host.stop()
    }

    @Test("A cookie outlives a restart with the same state directory, and the port stays")
    func restart() async throws {
        let folder = try TemporaryFolder()
        let first = try TestHost(folder: folder)
        let cookie = try await first.signIn()
        await first.host.stop()
        let second = try TestHost(folder: folder)
        #expect(second.port == first.port)
        #expect(second.token != first.token)
        #expect(try await second.request("GET", "/", headers: ["Cookie": cookie]).status == 200)
        let key = folder.url.appendingPathComponent("state/session-key").path
        let mode = try FileManager.default.attributesOfItem(atPath: key)[.posixPermissions] as? NSNumber
        #expect(mode?.intValue == 0o600)
        await second.host.stop()
    }

    @Test("A session key that others may read is refused")
    func readableKey() async throws {
        let folder = try TemporaryFolder()
        let first = try TestHost(folder: folder)
        await first.host.stop()
        let key = folder.url.appendingPathComponent("state/session-key").path
        try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: key)
        let error = #expect(throws: WebHostError.self) { try TestHost(folder: folder) }
        #expect(error?.code == .stateUnusable)
    }

    @Test("A port that is taken gives way to a free one")
    func takenPort() async throws {
        let first = try TestHost()
        let second = try TestHost { $0.port = first.port }
        #expect(second.port != first.port)
        #expect(try await second.request("GET", "/").status == 401)
        await first.host.stop()
        await second.host.stop()
    }

    @Test("A host starts once")
    func startsOnce() async throws {
        let host = try TestHost()
        let error = #expect(throws: WebHostError.self) { try host.host.start() }
        #expect(error?.code == .alreadyStarted)
        await host.host.stop()
    }

    @Test("Only names of this machine's loopback are answered to")
    func hostHeader() async throws {
        let host = try TestHost()
        let cookie = try await host.signIn()
        let port = host.port
        for name in ["127.0.0.1:\(port)", "localhost:\(port)", "[::1]:\(port)", "LOCALHOST:\(port)"] {
            #expect(
                try await host.request("GET", "/", headers: ["Host": name, "Cookie": cookie]).status == 200,
                "\(name)"
            )
        }
        let others = [
            "evil.example:\(port)", "127.0.0.1", "127.0.0.1:1", "127.0.0.1:\(port).evil.example",
            "127.0.0.1.evil.example:\(port)", "localhost:\(port)@evil.example", "127.1:\(port)",
        ]
        for name in others {
            #expect(
                try await host.request("GET", "/", headers: ["Host": name, "Cookie": cookie]).status == 421,
                "\(name)"
            )
        }
        let client = try RawClient(port: port)
        try await client.write(Array("GET / HTTP/1.0\r\nCookie: \(cookie)\r\n\r\n".utf8))
        #expect(try await client.response().status == 421)
        let twice = try RawClient(port: port)
        try await twice.write(
            Array("GET / HTTP/1.1\r\nHost: \(host.authority)\r\nHost: evil.example\r\n\r\n".utf8)
        )
        #expect([400, 421].contains(try await twice.response().status))
        await host.host.stop()
    }

    @Test("A request of another site's page is refused")
    func originHeader() async throws {
        let host = try TestHost()
        let cookie = try await host.signIn()
        for origin in [
            "http://evil.example", "null", "https://\(host.authority)", "http://localhost:\(host.port)",
        ] {
            let headers = ["Origin": origin, "Cookie": cookie]
            #expect(try await host.request("GET", "/", headers: headers).status == 403, "\(origin)")
            #expect(
                try await host.request("GET", "/page/app.js", headers: headers).status == 403,
                "\(origin)"
            )
            let upload = "/upload?tab=\(TestHost.tabID(1))&batch=b&path=x"
            #expect(
                try await host.request("POST", upload, headers: headers, body: [1]).status == 403,
                "\(origin)"
            )
        }
        #expect(
            try await host.request("GET", "/", headers: ["Origin": host.origin, "Cookie": cookie]).status
                == 200
        )
        await host.host.stop()
    }

    @Test("No answer may be framed, sniffed, cached or sent to other sites")
    func securityHeaders() async throws {
        let host = try TestHost()
        let cookie = try await host.signIn()
        for target in ["/", "/page/app.js", "/nothing", "/?token=1"] {
            let response = try await host.request("GET", target, headers: ["Cookie": cookie])
            let policy = try #require(response.header("content-security-policy"), "\(target)")
            #expect(policy.contains("default-src 'none'") && policy.contains("frame-ancestors 'none'"))
            #expect(policy.contains("connect-src 'self' ws://\(host.authority)"))
            #expect(!policy.contains("unsafe"))
            #expect(response.header("x-content-type-options") == "nosniff")
            #expect(response.header("referrer-policy") == "no-referrer")
            #expect(response.header("cross-origin-opener-policy") == "same-origin")
            #expect(response.header("access-control-allow-origin") == nil)
            #expect(response.header("cache-control") == (target == "/page/app.js" ? "no-cache" : "no-store"))
        }
        await host.host.stop()
    }

    @Test("Methods that an address does not take are refused, and named")
    func methods() async throws {
        let host = try TestHost()
        for (method, target) in [
            ("POST", "/"), ("PUT", "/page/app.js"), ("GET", "/upload"), ("DELETE", "/live"),
        ] {
            let response = try await host.request(method, target)
            #expect(response.status == 405)
            #expect(response.header("allow") != nil)
        }
        await host.host.stop()
    }

    @Test("Many requests in parallel are all answered, each with its own answer")
    func parallelRequests() async throws {
        let host = try TestHost()
        let cookie = try await host.signIn()
        host.delegate.setPage {
            await Task.yield()
            return .html("page")
        }
        try await withThrowingTaskGroup(of: Void.self) { group in
            for worker in 0..<8 {
                group.addTask {
                    for round in 0..<25 {
                        let script = (worker + round).isMultiple(of: 2)
                        let response = try await host.request(
                            "GET",
                            script ? "/page/app.js" : "/",
                            headers: ["Cookie": cookie]
                        )
                        #expect(response.text == (script ? "console.log('page')" : "page"))
                    }
                }
            }
            try await group.waitForAll()
        }
        await host.host.stop()
    }

    @Test("Requests on one connection are answered in their order")
    func keepAlive() async throws {
        let host = try TestHost()
        let cookie = try await host.signIn()
        let client = try RawClient(port: host.port)
        let head = "Host: \(host.authority)\r\nCookie: \(cookie)\r\n\r\n"
        try await client.write(Array("GET /page/app.js HTTP/1.1\r\n\(head)GET / HTTP/1.1\r\n\(head)".utf8))
        #expect(try await client.response().text == "console.log('page')")
        #expect(try await client.response().text == "<!doctype html><p>The page")
        await host.host.stop()
    }
}
