import Foundation
import Testing

@testable import UIKit

@Suite("OutgoingMessage")
struct OutgoingMessageTests {
    /// The message as the page parses it, to be compared with what the format's description says.
    private func parsed(_ message: OutgoingMessage) throws -> NSDictionary {
        try #require(JSONValues.object(try message.text())) as NSDictionary
    }

    private let app = OutgoingMessage.AppDescription(name: "Color", tint: "#007aff")
    private let item = SceneDescription.Item(
        id: "a.txt",
        name: "a.txt",
        title: "a",
        kind: "document",
        type: "public.plain-text",
        typeTitle: "Text",
        icon: "document",
        openable: true,
        size: 3,
        modified: 1_700_000_000_000,
        open: false
    )
    private let itemObject: NSDictionary = [
        "id": "a.txt", "name": "a.txt", "title": "a", "kind": "document", "type": "public.plain-text",
        "typeTitle": "Text", "icon": "document", "openable": true, "size": 3, "modified": 1_700_000_000_000,
        "open": false,
    ]

    @Test("hello has the app and the whole scene")
    func hello() throws {
        let layer = SceneDescription.Layer(
            id: "d",
            kind: "document",
            title: "a",
            web: "w",
            leading: [],
            trailing: [],
            state: .init(name: "saved", label: "Saved", detail: nil, acts: []),
            undo: .init(enabled: true, title: "Undo Typing"),
            redo: .init(enabled: false, title: "Redo"),
            rename: true,
            done: true
        )
        let scene = SceneDescription(
            browser: nil,
            items: [item],
            stack: [layer],
            webs: [.init(id: "w", url: "/web/k/")]
        )
        #expect(
            try parsed(.hello(revision: 1, app: app, scene: scene)) == [
                "type": "hello", "rev": 1, "app": ["name": "Color", "tint": "#007aff"],
                "scene": [
                    "items": [itemObject],
                    "stack": [
                        [
                            "id": "d", "kind": "document", "title": "a", "web": "w", "leading": [Any](),
                            "trailing": [Any](),
                            "state": ["name": "saved", "label": "Saved", "acts": [Any]()],
                            "undo": ["enabled": true, "title": "Undo Typing"],
                            "redo": ["enabled": false, "title": "Redo"], "rename": true, "done": true,
                        ] as [String: Any]
                    ],
                    "webs": [["id": "w", "url": "/web/k/"]],
                ],
            ]
        )
    }

    @Test("change has the named sections alone; a browser that is gone is null")
    func change() throws {
        var sections = OutgoingMessage.SceneSections()
        #expect(sections.isEmpty)
        sections.webs = []
        #expect(!sections.isEmpty)
        #expect(
            try parsed(.change(revision: 2, sections: sections)) == [
                "type": "change", "rev": 2, "scene": ["webs": [Any]()],
            ]
        )
        sections = OutgoingMessage.SceneSections()
        sections.browser = .some(nil)
        #expect(!sections.isEmpty)
        #expect(
            try parsed(.change(revision: 3, sections: sections)) == [
                "type": "change", "rev": 3, "scene": ["browser": NSNull()],
            ]
        )
    }

    @Test("items has what is to be put and dropped in a folder")
    func items() throws {
        #expect(
            try parsed(.items(revision: 4, folder: "sub", put: [item], drop: ["b.txt"])) == [
                "type": "items", "rev": 4, "folder": "sub", "put": [itemObject], "drop": ["b.txt"],
            ]
        )
    }

    @Test("A reply has the number, and a value or what went wrong")
    func reply() throws {
        #expect(try parsed(.reply(7, nil)) == ["type": "reply", "id": 7, "value": NSNull()])
        #expect(
            try parsed(.reply(7, ["item": "a"])) == ["type": "reply", "id": 7, "value": ["item": "a"]]
        )
        #expect(
            try parsed(.refusal(7, title: "No", message: "Because.")) == [
                "type": "reply", "id": 7, "error": ["title": "No", "message": "Because."],
            ]
        )
        // The page's numbers are past what 32 bits hold.
        #expect(try parsed(.reply(14_000_000_000_001, nil))["id"] as? Int == 14_000_000_000_001)
    }

    @Test("reveal, notice and moved")
    func small() throws {
        #expect(try parsed(.reveal("sub/a.txt")) == ["type": "reveal", "item": "sub/a.txt"])
        #expect(try parsed(.notice("Look", nil)) == ["type": "notice", "text": "Look"])
        let act = SceneDescription.Act(name: "browser.undo", arguments: [:], title: "Undo")
        #expect(
            try parsed(.notice("Look", act)) == [
                "type": "notice", "text": "Look",
                "act": ["name": "browser.undo", "arguments": [String: String](), "title": "Undo"]
                    as [String: Any],
            ]
        )
    }

    @Test("A message to an editor has its members, and none can take the place of the address")
    func web() throws {
        #expect(
            try parsed(
                .web("w", ["do": "evaluate", "call": 1, "script": "1+1", "web": "other", "type": "act"])
            ) == [
                "type": "web", "web": "w", "do": "evaluate", "call": 1, "script": "1+1",
            ]
        )
    }

    @Test("Any text goes through whole", arguments: ["\"\\/\u{0}\n", "\u{2028}😀", "</script>", "é"])
    func text(text: String) throws {
        #expect(try parsed(.notice(text, nil))["text"] as? String == text)
        #expect(try parsed(.reveal(text))["item"] as? String == text)
    }
}
