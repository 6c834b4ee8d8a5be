import Foundation
import Testing

@testable import UIKit

@Suite("TabSession")
@MainActor
struct TabSessionTests {
    private let root = UIViewController()
    private let stage: Stage

    init() throws {
        root.title = "Root"
        stage = try Stage(root)
    }

    private func stack(_ message: [String: Any]) throws -> [String?] {
        let scene = try #require(message["scene"] as? [String: Any])
        return try #require(scene["stack"] as? [[String: Any]]).map { $0["title"] as? String }
    }

    /// A button that counts how often it was pressed.
    private func addButton(_ journal: Journal) -> [String: Any] {
        let item = UIBarButtonItem(primaryAction: UIAction(title: "Count") { _ in journal.note("pressed") })
        root.navigationItem.rightBarButtonItem = item
        return ["of": root.pageIdentifier, "bar": item.pageIdentifier]
    }

    @Test("A tab that connects is told the whole scene")
    func hello() throws {
        let told = try stage.told()
        #expect(told.count == 1)
        #expect(told[0]["type"] as? String == "hello")
        #expect(told[0]["rev"] as? Int == 1)
        #expect(try stack(told[0]) == ["Root"])
    }

    @Test("Only the section that differs is told, and nothing where nothing does")
    func change() throws {
        _ = try stage.told()
        stage.tabSession.bringUpToDate()
        #expect(try stage.told().isEmpty)
        root.title = "Changed"
        stage.tabSession.bringUpToDate()
        let told = try stage.told()
        #expect(told.count == 1)
        #expect(told[0]["type"] as? String == "change")
        #expect(told[0]["rev"] as? Int == 2)
        #expect((told[0]["scene"] as? [String: Any])?.keys.sorted() == ["stack"])
        #expect(try stack(told[0]) == ["Changed"])
    }

    @Test("Asked again, and on a new connection, the whole scene is told under the next number")
    func again() throws {
        _ = try stage.told()
        root.title = "Changed"
        try stage.send(["type": "again"])
        let told = try stage.told()
        #expect(told.map { $0["type"] as? String } == ["hello"])
        #expect(told[0]["rev"] as? Int == 2)
        #expect(try stack(told[0]) == ["Changed"])

        stage.tabSession.disconnect()
        root.title = "Unseen"
        stage.tabSession.bringUpToDate()
        #expect(try stage.told().isEmpty)
        let reloaded = try FakeTab(id: stage.tab.id)
        stage.tabSession.connect(reloaded.tab)
        let greeting = try reloaded.take()
        #expect(greeting.map { $0["rev"] as? Int } == [3])
        #expect(try stack(greeting[0]) == ["Unseen"])
    }

    @Test("What is presented is told in order, and webs where they are shown")
    func stackAndWebs() throws {
        let sheet = UIViewController()
        sheet.title = "Sheet"
        let frame = EditorFrame()
        frame.show(html: "<p>", scripts: [])
        sheet.view.editorFrame = frame
        root.present(UINavigationController(rootViewController: sheet), animated: false)
        sheet.present(
            UIAlertController(title: "Alert", message: nil, preferredStyle: .alert),
            animated: false
        )
        _ = try stage.told()
        stage.tabSession.bringUpToDate()
        let told = try #require(try stage.told().first)
        #expect(try stack(told) == ["Root", "Sheet", "Alert"])
        let webs = (told["scene"] as? [String: Any])?["webs"] as? [[String: String]]
        #expect(webs == [["id": frame.identifier, "url": try #require(frame.address)]])
        #expect(stage.description.stack[1].web == frame.identifier)
    }

    @Test("A number that was answered is answered again, and not done again")
    func repeated() throws {
        let journal = Journal()
        let press: [String: Any] = [
            "type": "act", "id": 41, "name": "bar.tap", "arguments": addButton(journal),
        ]
        _ = try stage.told()
        try stage.send(press)
        try stage.send(press)
        #expect(journal.take() == ["pressed"])
        #expect(try stage.told().map { $0["id"] as? Int } == [41, 41])

        let reloaded = try FakeTab(id: stage.tab.id)
        stage.tabSession.connect(reloaded.tab)
        _ = try reloaded.take()
        try stage.send(press)
        #expect(journal.take().isEmpty)
        #expect(try reloaded.take().map { $0["id"] as? Int } == [41])
    }

    @Test("A number that is being carried out is answered once, where the tab is then")
    func repeatedUnderWay() throws {
        let frame = EditorFrame()
        root.view.editorFrame = frame
        var answers: [(EditorFrame.Answer) -> Void] = []
        frame.onMessage = { _, _, answer in answers.append(answer) }
        stage.tabSession.bringUpToDate()
        let post: [String: Any] = [
            "type": "web", "web": frame.identifier, "handler": "h", "body": 1, "reply": 5,
        ]
        try stage.send(post)
        try stage.send(post)
        #expect(answers.count == 1)
        let reloaded = try FakeTab(id: stage.tab.id)
        stage.tabSession.connect(reloaded.tab)
        try stage.send(post)
        _ = try reloaded.take()
        _ = try stage.told()
        answers[0](.success("done"))
        #expect(try reloaded.take().map { $0["value"] as? String } == ["done"])
        #expect(try stage.told().isEmpty)
        #expect(answers.count == 1)
    }

    @Test(
        "What is no message, or none that is known, is passed over",
        arguments: [
            "", "x", "[]", "1", "null", "{}", "{\"type\":7}", "{\"type\":\"unknown\"}", "{\"type\":\"act\"}",
            "{\"type\":\"web\"}", "{\"type\":\"web\",\"web\":\"none\",\"event\":\"loaded\"}",
            "{\"type\":\"again\"",
        ]
    )
    func junk(text: String) throws {
        _ = try stage.told()
        stage.tabSession.received(text)
        #expect(try stage.told().isEmpty)
    }

    @Test("An editor that is gone is answered for")
    func goneEditor() throws {
        _ = try stage.told()
        try stage.send(["type": "web", "web": "gone", "handler": "h", "body": 1, "reply": 9])
        let told = try stage.told()
        #expect(told.count == 1)
        #expect(told[0]["do"] as? String == "reply")
        #expect(told[0]["id"] as? Int == 9)
        #expect((told[0]["error"] as? String)?.isEmpty == false)
    }

    @Test("An act without a name is answered")
    func nameless() throws {
        _ = try stage.told()
        try stage.send(["type": "act", "id": 3])
        #expect(try stage.told("reply").map { $0["id"] as? Int } == [3])
    }

    @Test("A passing line of text is told as it is")
    func notify() throws {
        _ = try stage.told()
        stage.tabSession.notify("Look", act: .init(name: "browser.undo", arguments: [:], title: "Undo"))
        let told = try stage.told("notice")
        #expect(told.map { $0["text"] as? String } == ["Look"])
    }
}
