import Foundation
import HTTPService
import Testing

@testable import UIKit
@testable import WebHost

@Suite("EditorFiles")
struct EditorFilesTests {
    private let playground: Playground
    private let key = EditorFiles.newKey()
    private let scripts = [
        EditorScript(source: "early()", runsAtEnd: false), EditorScript(source: "late()", runsAtEnd: true),
    ]

    init() throws {
        playground = try Playground()
    }

    private func get(_ path: String) -> WebResponse { EditorFiles.response(key: key, path: path) }

    private func text(_ response: WebResponse) throws -> String {
        switch response.body {
        case .bytes(let data): return String(decoding: data, as: UTF8.self)
        case .file(let url): return try String(contentsOf: url, encoding: .utf8)
        default: return ""
        }
    }

    /// What stands before and after the scripts that are put in.
    private func sides(_ html: String) throws -> [String] {
        let tags = """
            <script>\(try bridge())</script>\
            <script src="/web/\(key)/.sheaf/script-0.js"></script>\
            <script defer src="/web/\(key)/.sheaf/script-1.js"></script>
            """
        return html.components(separatedBy: tags)
    }

    private func bridge() throws -> String {
        try String(
            contentsOf: PageFiles.directory.appendingPathComponent("bridge/bridge.js"),
            encoding: .utf8
        )
    }

    private func folder() throws -> URL {
        let folder = playground["inside"]
        try FileManager.default.createDirectory(
            at: folder.appendingPathComponent("sub"),
            withIntermediateDirectories: true
        )
        try Data("<!DOCTYPE html>\n<html lang=en><p>Hello".utf8).write(
            to: folder.appendingPathComponent("index.html")
        )
        try Data("own()".utf8).write(to: folder.appendingPathComponent("sub/own script.js"))
        _ = try playground.put("secret", at: "secret.txt")
        EditorFiles.set(.folder(folder, scripts), for: key)
        return folder
    }

    @Test("Keys are 128 bits in hexadecimal, each another")
    func keys() {
        let keys = (0..<100).map { _ in EditorFiles.newKey() }
        #expect(Set(keys).count == 100)
        #expect(keys.allSatisfy { $0.count == 32 && $0.allSatisfy("0123456789abcdef".contains) })
    }

    @Test("An unknown key, and one whose editor is gone, get 404")
    func unknownKey() throws {
        _ = try folder()
        #expect(get("index.html").status == 200)
        #expect(EditorFiles.response(key: EditorFiles.newKey(), path: "index.html").status == 404)
        #expect(EditorFiles.response(key: EditorFiles.newKey(), path: ".sheaf/script-0.js").status == 404)
        EditorFiles.remove(key)
        #expect(get("index.html").status == 404)
        #expect(get(".sheaf/script-0.js").status == 404)
    }

    @Test("A folder's documents get the bridge and the scripts; its other files are given as they are")
    func folderFiles() throws {
        let folder = try folder()
        let page = get("index.html")
        #expect(page.header("Content-Type") == "text/html; charset=utf-8")
        #expect(try sides(text(page)) == ["<!DOCTYPE html>", "\n<html lang=en><p>Hello"])
        let script = get("sub/own script.js")
        #expect(script.status == 200)
        guard case .file(let url) = script.body else {
            Issue.record("a file is sent from the disk")
            return
        }
        #expect(url.path == folder.resolvingSymlinksInPath().appendingPathComponent("sub/own script.js").path)
        #expect(try text(script) == "own()")
    }

    @Test(
        "Nothing outside of the folder is given",
        arguments: [
            "../secret.txt", "sub/../../secret.txt", "..", ".", "", "/", "//etc/passwd", "/etc/passwd",
            "sub/",
            "sub//own script.js", "./index.html", "%2e%2e/secret.txt", "..%2fsecret.txt", "link.txt",
            "up/secret.txt",
            "index.html\0.txt", "\0", ".sheaf/nothing.js", "inside/index.html", "../inside/index.html",
        ]
    )
    func escapes(path: String) throws {
        let folder = try folder()
        for (name, target) in [("link.txt", "../secret.txt"), ("up", "..")] {
            try FileManager.default.createSymbolicLink(
                atPath: folder.appendingPathComponent(name).path,
                withDestinationPath: target
            )
        }
        let response = get(path)
        if case .file(let url) = response.body {
            // A name that is nobody's is answered by the host, which finds no file there.
            #expect(url.path.hasPrefix(folder.resolvingSymlinksInPath().path + "/"))
            #expect(!FileManager.default.fileExists(atPath: url.path))
        } else {
            #expect(response.status == 404)
        }
    }

    @Test("A folder whose name begins like the one allowed is another one")
    func sibling() throws {
        let folder = try folder()
        let sibling = playground["inside-too"]
        try FileManager.default.createDirectory(at: sibling, withIntermediateDirectories: true)
        try Data("other".utf8).write(to: sibling.appendingPathComponent("x.txt"))
        try FileManager.default.createSymbolicLink(
            at: folder.appendingPathComponent("x.txt"),
            withDestinationURL: sibling.appendingPathComponent("x.txt")
        )
        #expect(get("x.txt").status == 404)
    }

    @Test("A link that stays inside is followed")
    func innerLink() throws {
        let folder = try folder()
        try FileManager.default.createSymbolicLink(
            atPath: folder.appendingPathComponent("again.js").path,
            withDestinationPath: "sub/own script.js"
        )
        #expect(try text(get("again.js")) == "own()")
    }

    @Test("The user's scripts have addresses of their own, and no others do")
    func userScripts() throws {
        _ = try folder()
        #expect(try text(get(".sheaf/script-0.js")) == "early()")
        #expect(try text(get(".sheaf/script-1.js")) == "late()")
        #expect(get(".sheaf/script-0.js").header("Content-Type") == "text/javascript; charset=utf-8")
        EditorFiles.set(.document("x", scripts), for: key)
        for path in [".sheaf/script-2.js", ".sheaf/script--1.js", ".sheaf/script-.js", ".sheaf/script-0"] {
            #expect(get(path).status == 404, "\(path)")
        }
    }

    @Test("The bridge stands in the document, whole, and does not end its script early")
    func bridgeInDocument() throws {
        _ = try folder()
        let own = try bridge()
        #expect(own.contains("messageHandlers"))
        #expect(!own.lowercased().contains("</script") && !own.contains("<!--"))
        #expect(try text(get("index.html")).contains("<script>\(own)</script>"))
    }

    @Test("A text of HTML is the only document of its editor")
    func document() throws {
        EditorFiles.set(.document("<p>Hi", scripts), for: key)
        #expect(try sides(text(get(""))) == ["", "<p>Hi"])
        #expect(get("index.html").status == 404)
    }

    @Test(
        "The bridge comes before whatever runs, wherever the document's tags are",
        arguments: [
            ("", ""), ("", "<p>x"), ("", "<script>own()</script>"),
            ("<!doctype html>", "<html><head></head>"),
            ("<!DOCTYPE html>", "<script>const page = '<html><head>'</script>"),
            ("\u{FEFF} \n<!-- <head> --><!doctype html>", "<head lang=en><title>x</title>"),
            ("<?xml version='1.0'?><!DOCTYPE html PUBLIC \"-//W3C//DTD XHTML 1.0//EN\">", "<html/>"),
            ("", "<!-- never closed <head>"), ("", "<!doctyp"), ("<!doctype html>", "<!-- <html><head>"),
            ("", "  <HTML><HEAD>"),
        ]
    )
    func place(before: String, after: String) throws {
        EditorFiles.set(.document(before + after, scripts), for: key)
        #expect(try sides(text(get(""))) == [before, after])
    }

    @Test("A path is escaped for an address")
    func escaping() {
        #expect(EditorFiles.escaped("a b/ü?#.html") == "a%20b/%C3%BC%3F%23.html")
        #expect(EditorFiles.escaped("100%.html") == "100%25.html")
    }
}
