import Foundation
import HTTPService
import Testing

@testable import UIKit
@testable import WebHost
@testable import WebKit

@Suite("WKWebView")
@MainActor
struct WKWebViewTests {
    private final class Listener: NSObject, WKScriptMessageHandler, WKScriptMessageHandlerWithReply,
        WKNavigationDelegate
    {
        var heard: [String] = []
        var scriptWhenFinished: String?

        func userContentController(
            _ userContentController: WKUserContentController,
            didReceive message: WKScriptMessage
        ) {
            heard.append("\(message.name): \(message.body), \(message.webView == nil ? "no view" : "view")")
        }

        func userContentController(
            _ userContentController: WKUserContentController,
            didReceive message: WKScriptMessage,
            replyHandler: @escaping (Any?, String?) -> Void
        ) {
            heard.append("\(message.name)?: \(message.body)")
            if message.body is NSNull {
                replyHandler(nil, "nothing given")
            } else {
                replyHandler([message.body], nil)
            }
        }

        func webView(_ webView: WKWebView, didFinish navigation: WKNavigation!) {
            heard.append(navigation == nil ? "finished" : "finished a load")
            if let scriptWhenFinished { webView.evaluateJavaScript(scriptWhenFinished) }
        }
    }

    private let configuration = WKWebViewConfiguration()
    private let listener = Listener()
    private let root = UIViewController()
    private let webView: WKWebView
    private let stage: Stage

    init() throws {
        webView = WKWebView(frame: .zero, configuration: configuration)
        webView.navigationDelegate = listener
        root.view = webView
        stage = try Stage(root)
        _ = try stage.told()
    }

    private var frame: [String: Any] { ["type": "web", "web": webView.editorFrame?.identifier ?? ""] }

    private func send(_ members: [String: Any]) throws { try stage.send(frame.merging(members) { $1 }) }

    /// What the page's frame gets from an address below the editor's.
    private func get(_ path: String = "") throws -> (status: Int, text: String) {
        stage.tabSession.bringUpToDate()
        let address = try #require(webView.editorFrame?.address)
        let parts = address.split(separator: "/", maxSplits: 2, omittingEmptySubsequences: true).map(
            String.init
        )
        let own = parts.count > 2 ? parts[2].removingPercentEncoding ?? "" : ""
        let response = EditorFiles.response(key: parts[1], path: path.isEmpty ? own : path)
        switch response.body {
        case .bytes(let data): return (response.status, String(decoding: data, as: UTF8.self))
        case .file(let url):
            return (response.status, (try? String(contentsOf: url, encoding: .utf8)) ?? "missing")
        default: return (response.status, "")
        }
    }

    @Test("The page is told of the view's frame once it has something to show")
    func frameInScene() throws {
        #expect(stage.description.webs.isEmpty)
        webView.loadHTMLString("<p>Hi", baseURL: nil)
        #expect(stage.description.webs.map(\.id) == [try #require(webView.editorFrame?.identifier)])
        #expect(stage.description.stack.map(\.web) == [webView.editorFrame?.identifier])
    }

    @Test("A text of HTML is what the frame loads, behind the bridge")
    func loadHTML() throws {
        #expect(webView.loadHTMLString("<p>Hi", baseURL: URL(string: "https://example.org")) != nil)
        #expect(webView.url?.absoluteString == "https://example.org")
        let page = try get()
        #expect(page.status == 200)
        #expect(page.text.hasSuffix("<p>Hi"))
        #expect(page.text.contains("messageHandlers"))
        #expect(try get("other.html").status == 404)
    }

    @Test("A file is loaded with what else is in the folder that may be read, and nothing above it")
    func loadFile() throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent(
            "WebKitTests-\(UUID().uuidString)"
        )
        let inside = folder.appendingPathComponent("my editor/sub", isDirectory: true)
        try FileManager.default.createDirectory(at: inside, withIntermediateDirectories: true)
        defer { #expect(throws: Never.self) { try FileManager.default.removeItem(at: folder) } }
        let file = inside.appendingPathComponent("index.html")
        try Data("<p>page".utf8).write(to: file)
        try Data("own".utf8).write(to: inside.appendingPathComponent("own.js"))
        try Data("up".utf8).write(to: folder.appendingPathComponent("my editor/up.js"))

        webView.loadFileURL(file, allowingReadAccessTo: folder.appendingPathComponent("my editor"))
        #expect(webView.url == file)
        #expect(webView.editorFrame?.address?.hasSuffix("/sub/index.html") == true)
        #expect(try get().text.hasSuffix("<p>page"))
        #expect(try get("sub/own.js").text == "own")
        #expect(try get("up.js").text == "up")

        webView.loadFileURL(file, allowingReadAccessTo: inside)
        #expect(try get("own.js").text == "own")
        #expect(try get("../up.js").status == 404)
    }

    @Test("A file outside of what may be read ends the program")
    func loadOutside() async {
        await #expect(processExitsWith: .failure) { @MainActor in
            let folder = FileManager.default.temporaryDirectory
            WKWebView(frame: .zero).loadFileURL(
                folder.appendingPathComponent("a.html"),
                allowingReadAccessTo: folder.appendingPathComponent("b")
            )
        }
    }

    @Test("Scripts are put into what is loaded after they were added: at the start or deferred")
    func userScripts() throws {
        let controller = configuration.userContentController
        controller.addUserScript(
            WKUserScript(source: "a()", injectionTime: .atDocumentStart, forMainFrameOnly: true)
        )
        controller.addUserScript(
            WKUserScript(source: "b()", injectionTime: .atDocumentEnd, forMainFrameOnly: true)
        )
        webView.loadHTMLString("<p>", baseURL: nil)
        controller.removeAllUserScripts()
        let page = try get().text
        #expect(page.components(separatedBy: "<script").count == 4)
        #expect(page.components(separatedBy: "<script defer").count == 2)
        #expect(try get(".sheaf/script-0.js").text == "a()")
        #expect(try get(".sheaf/script-1.js").text == "b()")
        webView.loadHTMLString("<p>", baseURL: nil)
        #expect(try get().text.components(separatedBy: "<script").count == 2)
    }

    @Test("The delegate hears of each load")
    func navigation() throws {
        webView.loadHTMLString("<p>", baseURL: nil)
        try send(["event": "loaded"])
        try send(["event": "loaded"])
        #expect(listener.heard == ["finished a load", "finished a load"])
    }

    @Test("What the delegate says when it hears of a load comes behind what waited for it")
    func orderAtLoad() throws {
        listener.scriptWhenFinished = "2"
        webView.evaluateJavaScript("1")
        try send(["event": "loaded"])
        #expect(try stage.told("web").map { $0["script"] as? String } == ["1", "2"])
    }

    @Test("What the page posts reaches the handler of its name, with the view; it is answered with nothing")
    func handler() throws {
        configuration.userContentController.add(listener as any WKScriptMessageHandler, name: "color")
        try send(["handler": "color", "body": "red", "reply": 1])
        try send(["handler": "unknown", "body": "red", "reply": 2])
        #expect(listener.heard == ["color: red, view"])
        let replies = try stage.told("web")
        #expect(replies.map { $0["id"] as? Int } == [1, 2])
        #expect(replies[0]["value"] is NSNull)
        #expect((replies[1]["error"] as? String)?.contains("unknown") == true)
    }

    @Test("A handler with a reply answers with a value or an error")
    func replyingHandler() throws {
        configuration.userContentController.addScriptMessageHandler(
            listener as any WKScriptMessageHandlerWithReply,
            contentWorld: .page,
            name: "ask"
        )
        try send(["handler": "ask", "body": 5, "reply": 1])
        try send(["handler": "ask", "body": NSNull(), "reply": 2])
        #expect(listener.heard.count == 2)
        let replies = try stage.told("web")
        #expect(replies[0]["value"] as? [Int] == [5])
        #expect(replies[1]["error"] as? String == "nothing given")
    }

    @Test("A script waits for the load, and its handler takes the value or the error")
    func evaluate() throws {
        var answers: [String] = []
        for script in ["1", "2"] {
            webView.evaluateJavaScript(script) { value, error in
                MainActor.assertIsolated()
                answers.append(error?.localizedDescription ?? "\(value ?? "nothing")")
            }
        }
        webView.evaluateJavaScript("3")
        #expect(try stage.told("web").isEmpty)
        try send(["event": "loaded"])
        let calls = try stage.told("web")
        #expect(calls.map { $0["script"] as? String } == ["1", "2", "3"])
        try send(["call": try #require(calls[0]["call"] as? Int), "value": 11])
        try send(["call": try #require(calls[1]["call"] as? Int), "error": "no"])
        try send(["call": try #require(calls[2]["call"] as? Int), "value": NSNull()])
        #expect(answers == ["11", "no"])
    }

    @Test("An awaited script gives its value")
    func evaluateAwaited() async throws {
        try send(["event": "loaded"])
        async let value = text { try await webView.evaluateJavaScript("document.title") }
        let call = try await nextCall()
        #expect(call["script"] as? String == "document.title")
        try send(["call": try #require(call["call"] as? Int), "value": "Title"])
        #expect(await value == "Title")
    }

    @Test("An awaited function gets its arguments, and its error is thrown")
    func callAwaited() async throws {
        try send(["event": "loaded"])
        async let value = text {
            try await webView.callAsyncJavaScript("return a", arguments: ["a": [1]], contentWorld: .page)
        }
        let call = try await nextCall()
        #expect(call["do"] as? String == "callAsync")
        #expect(call["body"] as? String == "return a")
        #expect(call["arguments"] as? NSDictionary == ["a": [1]])
        try send(["call": try #require(call["call"] as? Int), "error": "a is odd"])
        #expect(await value == "error: a is odd")
    }

    @Test("A function with a handler gives NSNull for nothing, and a failure for arguments that are no JSON")
    func callWithHandler() throws {
        try send(["event": "loaded"])
        var answers: [String] = []
        func call(_ arguments: [String: Any]) {
            webView.callAsyncJavaScript("return", arguments: arguments, in: nil, in: .page) { result in
                switch result {
                case .success(let value): answers.append("\(value is NSNull)")
                case .failure: answers.append("failure")
                }
            }
        }
        call(["date": Date()])
        call([:])
        let sent = try stage.told("web")
        #expect(sent.count == 1)
        try send(["call": try #require(sent[0]["call"] as? Int), "value": NSNull()])
        #expect(answers == ["failure", "true"])
    }

    @Test("A view that goes answers the scripts that wait for it")
    func gone() throws {
        var answers: [String] = []
        do {
            let other = WKWebView(frame: .zero)
            other.evaluateJavaScript("1") { _, error in answers.append(error?.localizedDescription ?? "value")
            }
        }
        #expect(answers == ["The editor is gone."])
    }

    /// What a call comes to, as a text.
    private func text(_ body: @MainActor () async throws -> Any?) async -> String {
        do {
            return "\(try await body() ?? "nothing")"
        } catch {
            return "error: \(error.localizedDescription)"
        }
    }

    /// The call that a task makes which has been started just now.
    private func nextCall() async throws -> [String: Any] {
        while true {
            if let call = try stage.told("web").first { return call }
            await Task.yield()
        }
    }
}
