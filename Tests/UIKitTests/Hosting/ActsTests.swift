import Foundation
import Testing

@testable import UIKit

@Suite("Acts")
@MainActor
struct ActsTests {
    private let root = UIViewController()
    private let journal = Journal()
    private let stage: Stage

    init() throws {
        stage = try Stage(root)
    }

    private func button(_ title: String) -> UIBarButtonItem {
        UIBarButtonItem(primaryAction: UIAction(title: title) { action in journal.note(action.title) })
    }

    @Test(
        "What the process does not know is refused in words",
        arguments: [
            "", "x", ".", "unknown.verb", "browser.enter", "document.explode", "alert.choose", "bar.tap",
        ]
    )
    func refusals(name: String) throws {
        #expect(try stage.refusal(name)?.isEmpty == false)
    }

    @Test("Taking a scene that is here already is done at once")
    func take() throws {
        #expect(try stage.act("scene.take")["value"] is NSNull)
    }

    @Test("A button of the page is pressed, on either side")
    func tap() throws {
        let (left, right) = (button("left"), button("right"))
        root.navigationItem.leftBarButtonItem = left
        root.navigationItem.rightBarButtonItems = [button("other"), right]
        for item in [left, right] {
            #expect(
                try stage.refusal("bar.tap", ["of": root.pageIdentifier, "bar": item.pageIdentifier]) == nil
            )
        }
        #expect(journal.take() == ["left", "right"])
    }

    @Test("A button without an action does nothing; one that is off, gone or of another page is refused")
    func tapRefused() throws {
        let item = UIBarButtonItem(title: "Nothing")
        root.navigationItem.rightBarButtonItem = item
        let arguments = ["of": root.pageIdentifier, "bar": item.pageIdentifier]
        #expect(try stage.refusal("bar.tap", arguments) == nil)
        let off = button("off")
        off.isEnabled = false
        root.navigationItem.rightBarButtonItem = off
        #expect(try stage.refusal("bar.tap", ["of": root.pageIdentifier, "bar": off.pageIdentifier]) != nil)
        #expect(try stage.refusal("bar.tap", arguments) != nil)
        #expect(try stage.refusal("bar.tap", ["of": "other", "bar": off.pageIdentifier]) != nil)
        #expect(try stage.refusal("bar.tap", ["of": root.pageIdentifier]) != nil)
        #expect(try stage.refusal("bar.tap", ["of": 1, "bar": 2]) != nil)
        #expect(journal.take().isEmpty)
    }

    @Test("A presented page inside a container is found by its own name and by the container's")
    func tapInContainer() throws {
        let page = UIViewController()
        let item = button("inner")
        page.navigationItem.rightBarButtonItem = item
        let container = UINavigationController(rootViewController: page)
        root.present(container, animated: false)
        for owner in [page, container] {
            #expect(
                try stage.refusal("bar.tap", ["of": owner.pageIdentifier, "bar": item.pageIdentifier]) == nil
            )
        }
        #expect(journal.take() == ["inner", "inner"])
    }

    @Test("Done takes a presented page away; nothing else can be done to a page")
    func donePage() throws {
        let page = UIViewController()
        root.present(page, animated: false)
        for verb in ["undo", "redo", "save", "rename"] {
            #expect(
                try stage.refusal("document.\(verb)", ["document": page.pageIdentifier, "name": "x"]) != nil
            )
        }
        #expect(root.presentedViewController === page)
        #expect(try stage.refusal("document.done", ["document": page.pageIdentifier]) == nil)
        #expect(root.presentedViewController == nil)
        #expect(try stage.refusal("document.done", ["document": page.pageIdentifier]) != nil)
    }

    @Test("An answer that was left out is refused by its name")
    func missing() throws {
        #expect(try stage.refusal("document.done")?.contains("document") == true)
        #expect(try stage.refusal("alert.choose")?.contains("alert") == true)
    }
}
