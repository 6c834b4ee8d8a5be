import Foundation
import Testing

@testable import WebHost

@Suite("WebHost files")
struct WebHostFilesTests {
    @Test("The page's files come with their type and a tag, and are not sent twice")
    func pageFiles() async throws {
        let host = try TestHost()
        let cookie = try await host.signIn()
        let script = try await host.request("GET", "/page/app.js", headers: ["Cookie": cookie])
        #expect(script.status == 200)
        #expect(script.header("content-type") == "text/javascript; charset=utf-8")
        let tag = try #require(script.header("etag"))
        let again = try await host.request(
            "GET",
            "/page/app.js",
            headers: ["Cookie": cookie, "If-None-Match": tag]
        )
        #expect(again.status == 304)
        let head = try await host.request("HEAD", "/page/styles/app.css", headers: ["Cookie": cookie])
        #expect(head.status == 200)
        #expect(head.header("content-length") == "7")
        await host.host.stop()
    }

    @Test("No address leads out of the page's folder")
    func traversal() async throws {
        let host = try TestHost()
        let cookie = try await host.signIn()
        try FileManager.default.createSymbolicLink(
            at: host.folder.url.appendingPathComponent("page/link.txt"),
            withDestinationURL: host.folder.url.appendingPathComponent("secret.txt")
        )
        let attempts = [
            "/page/../secret.txt", "/page/%2e%2e/secret.txt", "/page/..%2fsecret.txt",
            "/page/%2e%2e%2fsecret.txt",
            "/page//../secret.txt", "/page/./app.js", "/page/link.txt", "/page/", "/page", "/page/styles",
            "/page/styles/", "/page/app.js/", "/page/app.js%00.css", "/page/%c0%ae%c0%ae/secret.txt",
            "/page/..;/secret.txt", "/page/\\..\\secret.txt", "/../secret.txt", "//secret.txt", "/secret.txt",
            "/page/%252e%252e/secret.txt", "/page/app.js#", "/page/%", "/page/%2", "/page/%zz", "secret.txt",
            "http://127.0.0.1/secret.txt",
        ]
        for target in attempts {
            let response = try await host.request("GET", target, headers: ["Cookie": cookie])
            #expect([400, 404].contains(response.status), "\(target) gave \(response.status)")
            #expect(!response.text.contains("secret"), "\(target)")
        }
        await host.host.stop()
    }

    @Test("An editor's file needs its key and no cookie, runs in a sandbox, and reaches nothing")
    func editorFiles() async throws {
        let host = try TestHost()
        let key = RecordingDelegate.editorKey
        let response = try await host.request("GET", "/web/\(key)/index.html", headers: ["Origin": "null"])
        #expect(response.status == 200)
        #expect(response.text == "<p>editor")
        let policy = try #require(response.header("content-security-policy"))
        #expect(policy.contains("connect-src 'none'") && policy.contains("sandbox allow-scripts"))
        #expect(policy.contains("frame-ancestors 'self' http://\(host.authority)"))
        #expect(!policy.contains("allow-same-origin"))
        let wrong = String(key.reversed())
        #expect(try await host.request("GET", "/web/\(wrong)/index.html").status == 404)
        #expect(try await host.request("GET", "/web/short/index.html").status == 404)
        #expect(try await host.request("GET", "/web/\(key)/missing").status == 404)
        #expect(try await host.request("GET", "/web/\(key)/").status == 404)
        #expect(try await host.request("GET", "/web/\(key)/../secret.txt").status == 400)
        let evil = ["Origin": "http://evil.example"]
        #expect(try await host.request("GET", "/web/\(key)/index.html", headers: evil).status == 403)
        #expect(
            try await host.request("GET", "/web/\(key)/index.html", headers: ["Host": "evil.example"]).status
                == 421
        )
        await host.host.stop()
    }

    @Test("A range of a file is cut out of it")
    func ranges() async throws {
        let host = try TestHost()
        let target = "/web/\(RecordingDelegate.editorKey)/digits.txt"
        let cases: [(String, Int, String, String?)] = [
            ("bytes=2-4", 206, "234", "bytes 2-4/10"), ("bytes=7-", 206, "789", "bytes 7-9/10"),
            ("bytes=-2", 206, "89", "bytes 8-9/10"), ("bytes=8-99", 206, "89", "bytes 8-9/10"),
            ("bytes=10-", 416, "", "bytes */10"), ("bytes=-0", 416, "", "bytes */10"),
            ("bytes=1-2,4-5", 200, "0123456789", nil), ("lines=1-2", 200, "0123456789", nil),
            ("bytes=5-2", 200, "0123456789", nil), ("bytes=x-y", 200, "0123456789", nil),
        ]
        for (range, status, body, contentRange) in cases {
            let response = try await host.request("GET", target, headers: ["Range": range])
            #expect(response.status == status, "\(range)")
            #expect(response.text == body, "\(range)")
            #expect(response.header("content-range") == contentRange, "\(range)")
        }
        await host.host.stop()
    }
}

@Suite("WebHost uploads")
struct WebHostUploadTests {
    private func target(_ path: String, batch: String = "b1", tab: String = TestHost.tabID(1)) -> String {
        let encoded = path.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? ""
        return "/upload?tab=\(tab)&batch=\(batch)&path=\(encoded)"
    }

    @Test("An upload's bytes end in the file that the program named, and it is told")
    func uploads() async throws {
        let host = try TestHost()
        let headers = ["Cookie": try await host.signIn(), "Origin": host.origin]
        let body = (0..<5_000_000).map { UInt8(truncatingIfNeeded: $0 &* 31) }
        let response = try await host.request(
            "POST",
            target("folder/ü +%&.bin"),
            headers: headers,
            body: body
        )
        #expect(response.status == 204)
        let url = host.folder.url.appendingPathComponent("uploads/b1/folder/ü +%&.bin")
        #expect(try Data(contentsOf: url) == Data(body))
        let news = News.uploaded(batch: "b1", path: "folder/ü +%&.bin", byteCount: 5_000_000)
        #expect(try await host.delegate.waitFor { $0 == [news] })
        #expect(try await host.request("POST", target("empty"), headers: headers).status == 204)
        #expect(try await host.request("POST", target("empty"), headers: headers).status == 409)
        await host.host.stop()
    }

    @Test("A chunked upload without a length arrives")
    func chunked() async throws {
        let host = try TestHost()
        let head = """
            POST \(target("c")) HTTP/1.1\r
            Host: \(host.authority)\r
            Origin: \(host.origin)\r
            Cookie: \(try await host.signIn())\r
            Transfer-Encoding: chunked\r
            \r

            """
        // Connected when there is something to say: the host cuts off who says nothing for long.
        let client = try RawClient(port: host.port)
        try await client.write(Array((head + "5\r\nhello\r\n6\r\n world\r\n0\r\n\r\n").utf8))
        #expect(try await client.response().status == 204)
        let url = host.folder.url.appendingPathComponent("uploads/b1/c")
        #expect(try String(contentsOf: url, encoding: .utf8) == "hello world")
        await host.host.stop()
    }

    @Test("Paths that could lead elsewhere, and uploads that name nothing, are refused")
    func pathValidation() async throws {
        let host = try TestHost()
        let headers = ["Cookie": try await host.signIn(), "Origin": host.origin]
        let long = String(repeating: "n", count: 256)
        for path in ["", "/etc/x", "../x", "a/../x", "a/..", ".", "a//b", "a/", "a\0b", "./a", long] {
            let response = try await host.request("POST", target(path), headers: headers, body: [1])
            #expect(response.status == 400, "\(path)")
        }
        #expect(
            try await host.request("POST", target("x", batch: "../b"), headers: headers, body: [1]).status
                == 400
        )
        #expect(
            try await host.request("POST", target("x", tab: "1"), headers: headers, body: [1]).status == 400
        )
        #expect(try await host.request("POST", "/upload", headers: headers, body: [1]).status == 400)
        #expect(
            try await host.request("POST", target("x", batch: "refused"), headers: headers, body: [1]).status
                == 500
        )
        #expect(
            try await host.request("POST", target("x"), headers: ["Origin": host.origin], body: [1]).status
                == 401
        )
        var noOrigin = headers
        noOrigin["Origin"] = nil
        #expect(try await host.request("POST", target("x"), headers: noOrigin, body: [1]).status == 403)
        #expect(
            !FileManager.default.fileExists(atPath: host.folder.url.appendingPathComponent("uploads").path)
        )
        await host.host.stop()
    }

    @Test("An upload that breaks off or is too long leaves no file")
    func leavesNothing() async throws {
        let host = try TestHost { $0.uploadByteCountMax = 1000 }
        let cookie = try await host.signIn()
        let headers = ["Cookie": cookie, "Origin": host.origin]
        let long = try await host.request(
            "POST",
            target("long"),
            headers: headers,
            body: [UInt8](repeating: 1, count: 1001)
        )
        #expect(long.status == 413)
        let common = "Host: \(host.authority)\r\nOrigin: \(host.origin)\r\nCookie: \(cookie)\r\n"
        let chunked = try RawClient(port: host.port)
        let chunk = "400\r\n" + String(repeating: "x", count: 1024) + "\r\n0\r\n\r\n"
        try await chunked.write(
            Array(
                "POST \(target("chunked")) HTTP/1.1\r\n\(common)Transfer-Encoding: chunked\r\n\r\n\(chunk)"
                    .utf8
            )
        )
        #expect(try await chunked.readToEnd().isEmpty)
        do {
            let broken = try RawClient(port: host.port)
            try await broken.write(
                Array("POST \(target("broken")) HTTP/1.1\r\n\(common)Content-Length: 900\r\n\r\nabc".utf8)
            )
        }
        await host.host.stop()
        let folder = host.folder.url.appendingPathComponent("uploads/b1").path
        #expect((try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? [] == [])
        #expect(host.delegate.news.isEmpty)
    }
}
