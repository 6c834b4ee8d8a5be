import Foundation
import HTTPService
import Testing

@testable import UIKit
@testable import WebHost

@Suite("EditorFrame")
@MainActor
struct EditorFrameTests {
    private let root = UIViewController()
    private let frame = EditorFrame()
    private let stage: Stage
    private let journal = Journal()

    init() throws {
        root.view.editorFrame = frame
        stage = try Stage(root)
        _ = try stage.told()
    }

    private func loaded() throws {
        try stage.send(["type": "web", "web": frame.identifier, "event": "loaded"])
    }

    private func note(_ name: String) -> (EditorFrame.Answer) -> Void {
        { [journal] answer in
            switch answer {
            case .success(let value): journal.note("\(name): \(value ?? "nothing")")
            case .failure(let error): journal.note("\(name) failed: \(error.message)")
            }
        }
    }

    @Test("Calls wait for the document, and go out in order when it has loaded")
    func waiting() throws {
        frame.onLoad = { [journal] in journal.note("loaded") }
        frame.evaluate("1", note("one"))
        frame.callAsync("return a", arguments: ["a": [1, "x"]], note("two"))
        #expect(try stage.told("web").isEmpty)
        try loaded()
        #expect(journal.take() == ["loaded"])
        let calls = try stage.told("web")
        #expect(calls.map { $0["do"] as? String } == ["evaluate", "callAsync"])
        #expect(calls.allSatisfy { $0["web"] as? String == frame.identifier })
        #expect(calls[0]["script"] as? String == "1")
        #expect(calls[1]["body"] as? String == "return a")
        #expect((calls[1]["arguments"] as? NSDictionary) == ["a": [1, "x"]])
    }

    @Test("An answer goes to its call, a value, null or an error, and only once")
    func answers() throws {
        try loaded()
        for name in ["one", "two", "three"] { frame.evaluate(name, note(name)) }
        let numbers = try stage.told("web").map { try #require($0["call"] as? Int) }
        let web: [String: Any] = ["type": "web", "web": frame.identifier]
        try stage.send(web.merging(["call": numbers[1], "value": "second"]) { $1 })
        try stage.send(web.merging(["call": numbers[0], "error": "no such thing"]) { $1 })
        try stage.send(web.merging(["call": numbers[2], "value": NSNull()]) { $1 })
        try stage.send(web.merging(["call": numbers[1], "value": "again"]) { $1 })
        try stage.send(web.merging(["call": 999, "value": "unasked"]) { $1 })
        #expect(journal.take() == ["two: second", "one failed: no such thing", "three: <null>"])
    }

    @Test("Arguments that are no JSON are an error, and nothing is sent")
    func badArguments() throws {
        try loaded()
        frame.callAsync("", arguments: ["date": Date()], note("date"))
        frame.callAsync("", arguments: ["number": Double.nan], note("number"))
        #expect(try stage.told("web").isEmpty)
        #expect(journal.take().count == 2)
    }

    @Test("What is too long for a tab fails and leaves it connected, a call as well as a reply")
    func tooLong() throws {
        var limits = WebSocketLimits()
        limits.unsentByteCountMax = 4000
        let narrow = try FakeTab(id: stage.tab.id, limits: limits)
        stage.tabSession.connect(narrow.tab)
        try loaded()
        _ = try narrow.take()
        let long = String(repeating: "x", count: 3000)
        frame.evaluate(long, note("long"))
        #expect(journal.take() == ["long failed: A script and its arguments are too long for a tab."])
        frame.onMessage = { _, _, answer in answer(.success(long)) }
        try stage.send(["type": "web", "web": frame.identifier, "handler": "h", "body": 1, "reply": 7])
        let replies = try narrow.take()
        #expect(replies.map { $0["error"] as? String } == ["The reply is too long for a tab."])
        frame.evaluate("1", note("short"))
        #expect(try narrow.take().map { $0["script"] as? String } == ["1"])
    }

    @Test("When the tab is lost, what was asked of it fails, and later calls wait for the next load")
    func tabLost() throws {
        try loaded()
        frame.evaluate("1", note("asked"))
        stage.tabSession.disconnect()
        #expect(journal.take() == ["asked failed: The tab that showed the editor is gone."])
        frame.evaluate("2", note("later"))
        let reloaded = try FakeTab(id: stage.tab.id)
        stage.tabSession.connect(reloaded.tab)
        #expect(try reloaded.take().map { $0["type"] as? String } == ["hello"])
        try loaded()
        #expect(try reloaded.take().map { $0["script"] as? String } == ["2"])
    }

    @Test("What was asked of a document fails when another one is loaded in its place")
    func loadAnother() throws {
        frame.show(html: "<p>1", scripts: [])
        try loaded()
        frame.evaluate("1", note("asked"))
        _ = try stage.told()
        let address = frame.address
        frame.show(html: "<p>2", scripts: [])
        #expect(journal.take() == ["asked failed: The editor was loaded anew."])
        // The address is the same, so the page has to be told.
        #expect(frame.address == address)
        #expect(try stage.told("web").map { $0["do"] as? String } == ["load"])
        frame.evaluate("2", note("later"))
        #expect(try stage.told("web").isEmpty)
        try loaded()
        #expect(try stage.told("web").map { $0["script"] as? String } == ["2"])
    }

    @Test("An editor that goes answers who still waits, and its files go with it")
    func gone() throws {
        let address: String
        do {
            let other = EditorFrame()
            other.show(html: "<p>", scripts: [])
            address = try #require(other.address)
            other.evaluate("1", note("waiting"))
        }
        #expect(journal.take() == ["waiting failed: The editor is gone."])
        let key = address.split(separator: "/")[1]
        #expect(EditorFiles.response(key: String(key), path: "").status == 404)
    }

    @Test("An editor that is being called when it goes answers that call")
    func goneWhileCalled() throws {
        var other: EditorFrame? = EditorFrame()
        root.view.editorFrame = other
        stage.tabSession.bringUpToDate()
        let identifier = try #require(other?.identifier)
        try stage.send(["type": "web", "web": identifier, "event": "loaded"])
        other?.evaluate("1", note("asked"))
        root.view.editorFrame = nil
        other = nil
        #expect(journal.take() == ["asked failed: The editor is gone."])
        #expect(EditorFrames.frame(identifier) == nil)
    }

    @Test("A message goes to who listens, and the answer back to who asked")
    func messages() throws {
        var bodies: [Any] = []
        frame.onMessage = { handler, body, answer in
            bodies.append([handler, body])
            answer(handler == "bad" ? .failure(EditorFrameError(message: "refused")) : .success(body))
        }
        let web: [String: Any] = ["type": "web", "web": frame.identifier]
        try stage.send(web.merging(["handler": "good", "body": ["a": 1], "reply": 1]) { $1 })
        try stage.send(web.merging(["handler": "bad", "body": "x", "reply": 2]) { $1 })
        try stage.send(web.merging(["handler": "good", "body": NSNull()]) { $1 })
        try stage.send(web.merging(["handler": "good", "reply": 3]) { $1 })
        let replies = try stage.told("web")
        #expect(replies.map { $0["id"] as? Int } == [1, 2, 3])
        #expect(replies.allSatisfy { $0["do"] as? String == "reply" })
        #expect(replies[0]["value"] as? NSDictionary == ["a": 1])
        #expect(replies[1]["error"] as? String == "refused")
        #expect(replies[2]["value"] is NSNull)
        #expect(bodies.count == 4)
    }

    @Test("An answer that is no JSON, and a message that nobody wants, are errors to who asked")
    func badAnswers() throws {
        let post: [String: Any] = ["type": "web", "web": frame.identifier, "handler": "h", "body": 1]
        try stage.send(post.merging(["reply": 1]) { $1 })
        frame.onMessage = { _, _, answer in answer(.success(Date())) }
        try stage.send(post.merging(["reply": 2]) { $1 })
        let replies = try stage.told("web")
        #expect(replies.map { ($0["error"] as? String)?.isEmpty } == [false, false])
    }

    @Test("A file's address is escaped, below a key of its own")
    func address() throws {
        let folder = FileManager.default.temporaryDirectory
        frame.show(folder: folder, path: "my editor/index #1.html", scripts: [])
        let address = try #require(frame.address)
        #expect(address.hasPrefix("/web/"))
        #expect(address.hasSuffix("/my%20editor/index%20%231.html"))
        let other = EditorFrame()
        other.show(folder: folder, path: "my editor/index #1.html", scripts: [])
        #expect(other.address != address)
    }

    // MARK: The spare frame

    /// Where the page was told last to hold a frame ready; the outer nil where it was not told.
    private func spareTold() throws -> String?? {
        let scenes = try stage.told("change", "hello").compactMap { $0["scene"] as? [String: Any] }
        return scenes.last { $0["spare"] != nil }.map { $0["spare"] as? String }
    }

    private func show(_ frame: EditorFrame, _ path: String) {
        frame.show(folder: FileManager.default.temporaryDirectory, path: path, scripts: [])
        root.view.editorFrame = frame
        stage.tabSession.bringUpToDate()
    }

    private func text(at address: String) throws -> String {
        let parts = address.split(separator: "/", maxSplits: 2)
        let response = EditorFiles.response(key: String(parts[1]), path: String(parts[2]))
        guard case .bytes(let data) = response.body else { return "" }
        return String(decoding: data, as: UTF8.self)
    }

    @Test("When an editor has loaded, a frame is held ready, and the next one of that path gets its address")
    func spare() throws {
        let playground = try Playground()
        let file = try playground.put("<p>second", at: "index.html")
        show(frame, "index.html")
        #expect(try spareTold() == nil)
        try loaded()
        stage.tabSession.bringUpToDate()
        let spare = try #require(try spareTold() ?? nil)
        #expect(try text(at: spare).contains("sheaf: 'spare'"))
        let next = EditorFrame()
        next.show(folder: file.deletingLastPathComponent(), path: "index.html", scripts: [])
        let former = try #require(next.address)
        root.view.editorFrame = next
        stage.tabSession.bringUpToDate()
        #expect(next.address == spare)
        #expect(try spareTold() == .some(nil))
        #expect(try text(at: spare).contains("<p>second"))
        #expect(try !text(at: former).contains("<p>"))
        try stage.send(["type": "web", "web": next.identifier, "event": "loaded"])
        stage.tabSession.bringUpToDate()
        #expect(try spareTold() ?? nil != spare)
    }

    @Test(
        "An editor of another path does not get the frame held ready; when it has loaded, one of its own is held"
    )
    func spareOfAnotherPath() throws {
        show(frame, "index.html")
        try loaded()
        stage.tabSession.bringUpToDate()
        let spare = try #require(try spareTold() ?? nil)
        let next = EditorFrame()
        show(next, "other.html")
        #expect(next.address != spare)
        try stage.send(["type": "web", "web": next.identifier, "event": "loaded"])
        stage.tabSession.bringUpToDate()
        #expect(try (spareTold() ?? nil)?.hasSuffix("/other.html") == true)
        #expect(EditorFiles.response(key: String(spare.split(separator: "/")[1]), path: "").status == 404)
    }

    @Test("A frame that nobody took goes with its tab")
    func spareGone() throws {
        let address: String
        do {
            let root = UIViewController()
            let editor = EditorFrame()
            editor.show(html: "<p>", scripts: [])
            root.view.editorFrame = editor
            let stage = try Stage(root)
            try stage.send(["type": "web", "web": editor.identifier, "event": "loaded"])
            _ = try stage.told()
            stage.tabSession.bringUpToDate()
            address = try #require(stage.tabSession.spareAddress)
            stage.session.tabSession = nil
        }
        #expect(EditorFiles.response(key: String(address.split(separator: "/")[1]), path: "").status == 404)
    }
}
