import Foundation
import Testing

@testable import UIKit

@MainActor
private final class EditorController: UIDocumentViewController {
    private(set) var opens: [String] = []
    private(set) var itemUpdates = 0

    override func documentDidOpen() {
        super.documentDidOpen()
        opens.append(document?.localizedName ?? "none")
    }

    override func navigationItemDidUpdate() {
        super.navigationItemDidUpdate()
        itemUpdates += 1
    }
}

@Suite("UIDocumentViewController")
@MainActor
struct UIDocumentViewControllerTests {
    private let playground: Playground
    private let root = UIViewController()
    private let stage: Stage

    init() throws {
        playground = try Playground()
        stage = try Stage(root)
    }

    private func document(_ name: String = "Notes.txt", _ text: String = "hello") throws -> TextDocument {
        TextDocument(fileURL: try playground.put(text, at: name))
    }

    /// A controller for a document, shown over the root and open.
    private func shown(_ document: TextDocument) async -> EditorController {
        let controller = EditorController(document: document)
        root.present(controller, animated: false)
        #expect(await controller.openDocument())
        return controller
    }

    private func closed(_ document: UIDocument) async {
        await wait(for: document) { document.documentState.contains(.closed) }
    }

    private func layer(_ controller: UIViewController) throws -> SceneDescription.Layer {
        try #require(stage.description.stack.first { $0.id == controller.pageIdentifier })
    }

    @discardableResult
    private func perform(
        _ verb: Substring,
        _ controller: UIDocumentViewController,
        _ values: [String: Any] = [:]
    ) async throws -> Any? {
        try await answer { try controller.perform(verb, Acts.Arguments(values: values), $0) }
    }

    // MARK: Opening and closing

    @Test("The document is opened when the view is shown, and its name stands in the bar")
    func opens() async throws {
        let document = try document()
        let controller = EditorController(document: document)
        #expect(document.documentState == .closed)
        root.present(controller, animated: false)
        #expect(await controller.openDocument())
        #expect(document.documentState == .normal)
        #expect(controller.opens == ["Notes"])
        #expect(controller.itemUpdates == 1)
        #expect(controller.navigationItem.title == "Notes")
        #expect(controller.undoManager === document.undoManager)
        root.dismiss(animated: false)
        await closed(document)
    }

    @Test("Without a document there is nothing to open, and nothing is shown but a page")
    func noDocument() async throws {
        let controller = EditorController(document: nil)
        root.present(controller, animated: false)
        #expect(await controller.openDocument() == false)
        #expect(controller.opens.isEmpty)
        #expect(try layer(controller).kind == "page")
        await #expect(throws: Acts.Refusal.self) { try await perform("undo", controller) }
    }

    @Test("A document that is open already is told of at once")
    func openAlready() async throws {
        let document = try document()
        await document.open()
        let controller = EditorController(document: document)
        root.present(controller, animated: false)
        #expect(controller.opens == ["Notes"])
        root.dismiss(animated: false)
        await closed(document)
    }

    @Test("A document given to a controller that is shown is opened; the one before is closed")
    func exchange() async throws {
        let first = try document()
        let second = try document("Second.txt", "two")
        let controller = await shown(first)
        controller.document = second
        #expect(await controller.openDocument())
        #expect(controller.opens == ["Notes", "Second"])
        #expect(second.text == "two")
        await closed(first)
        controller.document = nil
        await closed(second)
    }

    @Test("A document exchanged while it is being opened: who waited hears no, and the other one is opened")
    func exchangeWhileOpening() async throws {
        let first = try document()
        let second = try document("Second.txt", "two")
        let controller = EditorController(document: first)
        var answers: [Bool] = []
        root.present(controller, animated: false)
        controller.openDocument { answers.append($0) }
        controller.document = second
        #expect(answers == [false])
        #expect(await controller.openDocument())
        #expect(controller.opens == ["Second"])
        #expect(second.text == "two")
        await closed(first)
        root.dismiss(animated: false)
        await closed(second)
    }

    @Test("A document taken away and given back while it is being opened is told of once")
    func backWhileOpening() async throws {
        let document = try document()
        let controller = EditorController(document: document)
        root.present(controller, animated: false)
        controller.document = nil
        controller.document = document
        #expect(await controller.openDocument())
        #expect(controller.opens == ["Notes"])
        #expect(document.documentState == .normal)
        root.dismiss(animated: false)
        await closed(document)
    }

    @Test("A document in two controllers is closed when the last one goes")
    func shared() async throws {
        let document = try document()
        let below = await shown(document)
        let above = EditorController(document: document)
        below.present(above, animated: false)
        #expect(await above.openDocument())
        #expect(document.loads == 1)
        below.dismiss(animated: false)
        #expect(document.documentState == .normal)
        #expect(document.viewControllerCount == 1)
        root.dismiss(animated: false)
        await closed(document)
    }

    @Test("A controller that was made and never shown does not keep a document open")
    func neverShown() async throws {
        let document = try document()
        _ = await shown(document)
        do {
            let late = EditorController(document: document)
            root.present(late, animated: false)
            #expect(late.presentingViewController == nil)
            #expect(document.viewControllerCount == 2)
        }
        #expect(document.viewControllerCount == 1)
        root.dismiss(animated: false)
        await closed(document)
    }

    @Test("What is unsaved when the controller goes is saved")
    func unsaved() async throws {
        let document = try document()
        _ = await shown(document)
        document.type("typed")
        root.dismiss(animated: false)
        await closed(document)
        #expect(try playground.text("Notes.txt") == "typed")
    }

    @Test("A document that cannot be opened is said so; OK takes the controller away")
    func failure() async throws {
        let document = try document("Bad.txt", "broken")
        let controller = EditorController(document: document)
        root.present(UINavigationController(rootViewController: controller), animated: false)
        #expect(await controller.openDocument() == false)
        #expect(controller.opens.isEmpty)
        let alert = try #require(controller.presentedViewController as? UIAlertController)
        #expect(alert.title?.contains("Bad") == true)
        #expect(alert.message?.isEmpty == false)
        #expect(try stage.refusal("alert.choose", ["alert": alert.pageIdentifier, "action": "0"]) == nil)
        #expect(root.presentedViewController == nil)
    }

    // MARK: In the page

    @Test("The page is told the document's name and state")
    func description() async throws {
        let document = try document()
        let controller = EditorController(document: document)
        root.present(controller, animated: false)
        var layer = try layer(controller)
        #expect(layer.kind == "document")
        #expect(layer.title == "Notes")
        #expect(layer.state?.name == "opening")
        #expect(layer.rename == false)
        #expect(layer.done == true)
        #expect(await controller.openDocument())
        layer = try self.layer(controller)
        #expect(layer.state == .init(name: "saved", label: "Saved", detail: nil, acts: []))
        #expect(layer.rename == true)
        document.type("x")
        #expect(try self.layer(controller).state?.name == "edited")
        root.dismiss(animated: false)
        await closed(document)
    }

    @Test("Undo and redo are told by their titles, and done")
    func undo() async throws {
        let document = try document()
        let controller = await shown(document)
        #expect(try layer(controller).undo == .init(enabled: false, title: "Undo"))
        try await perform("undo", controller)
        document.type("typed")
        document.undoManager.setActionName("Typing")
        await wait(for: document) { document.hasUnsavedChanges }
        #expect(try layer(controller).undo == .init(enabled: true, title: "Undo Typing"))
        #expect(try layer(controller).redo?.enabled == false)
        try await perform("undo", controller)
        #expect(document.text == "hello")
        #expect(try layer(controller).undo?.enabled == false)
        #expect(try layer(controller).redo == .init(enabled: true, title: "Redo Typing"))
        try await perform("redo", controller)
        #expect(document.text == "typed")
        root.dismiss(animated: false)
        await closed(document)
    }

    @Test("Done saves first, then goes", arguments: [false, true])
    func done(isInContainer: Bool) async throws {
        let document = try document()
        let controller = EditorController(document: document)
        let over = isInContainer ? UINavigationController(rootViewController: controller) : controller
        root.present(over, animated: false)
        #expect(await controller.openDocument())
        document.type("typed")
        try await perform("done", controller)
        #expect(try playground.text("Notes.txt") == "typed")
        #expect(root.presentedViewController == nil)
        await closed(document)
    }

    @Test("Done that cannot save stays, says why, and offers to try again")
    func doneFails() async throws {
        let document = try document()
        let controller = await shown(document)
        document.type("typed")
        document.contentsError = CocoaError(.fileWriteOutOfSpace)
        let refusal = await #expect(throws: Acts.Refusal.self) { try await perform("done", controller) }
        #expect(refusal?.title.contains("Notes") == true)
        #expect(refusal?.message.isEmpty == false)
        #expect(root.presentedViewController === controller)
        let state = try #require(try layer(controller).state)
        #expect(state.name == "error")
        #expect(state.acts.map(\.name) == ["document.save"])
        #expect(state.acts[0].arguments == ["document": controller.pageIdentifier])
        await #expect(throws: Acts.Refusal.self) { try await perform("save", controller) }
        document.contentsError = nil
        try await perform("save", controller)
        #expect(try playground.text("Notes.txt") == "typed")
        #expect(try layer(controller).state?.name == "saved")
        root.dismiss(animated: false)
        await closed(document)
    }

    @Test("Done before the document is open goes at once")
    func doneEarly() async throws {
        let document = try document()
        let controller = EditorController(document: document)
        root.present(controller, animated: false)
        try await perform("done", controller)
        #expect(root.presentedViewController == nil)
        await closed(document)
    }

    /// Deletes a document's file as an app does that coordinates.
    private func delete(_ document: UIDocument) async {
        let url = document.fileURL
        await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
            DispatchQueue.global().async {
                NSFileCoordinator().coordinate(writingItemAt: url, options: .forDeleting, error: nil) {
                    try? FileManager.default.removeItem(at: $0)
                }
                continuation.resume()
            }
        }
        await closed(document)
    }

    @Test("A document that somebody's deletion has closed says so, saves nothing, and can be saved again")
    func deletedByOthers() async throws {
        let document = try document()
        let controller = await shown(document)
        await delete(document)
        let state = try #require(try layer(controller).state)
        #expect(state.name == "deleted" && state.label == "Deleted")
        #expect(state.detail?.contains("not kept") == true)
        #expect(state.acts.map(\.name) == ["document.saveAgain"])
        let refusal = await #expect(throws: Acts.Refusal.self) { try await perform("save", controller) }
        #expect(refusal?.title.contains("Notes") == true)
        #expect(refusal?.message.isEmpty == false)
        #expect(try playground.names == [])
        try await perform("saveAgain", controller)
        #expect(try playground.text("Notes.txt") == "hello")
        #expect(document.documentState == .normal)
        #expect(try layer(controller).state?.name == "saved")
        document.type("typed")
        await wait(for: document) { !document.hasUnsavedChanges }
        #expect(try playground.text("Notes.txt") == "typed")
        root.dismiss(animated: false)
        await closed(document)
        #expect(DocumentStateText.describe(document, in: root).name == "closed")
    }

    @Test("What was never open is not written over its file")
    func nothingToSaveAgain() async throws {
        let document = try document("Bad.txt", "broken")
        let controller = EditorController(document: document)
        root.present(UINavigationController(rootViewController: controller), animated: false)
        #expect(await controller.openDocument() == false)
        for verb in ["save", "saveAgain"] {
            await #expect(throws: Acts.Refusal.self) { try await perform(Substring(verb), controller) }
        }
        #expect(try playground.text("Bad.txt") == "broken")
        #expect(document.documentState == .closed)
        root.dismiss(animated: false)
    }

    @Test("Renaming moves the file, and the document follows it")
    func rename() async throws {
        let document = try document()
        let controller = await shown(document)
        let value = try #require(
            try await perform("rename", controller, ["name": "Letters"]) as? [String: Any]
        )
        #expect(value["title"] as? String == "Letters")
        await wait(for: document) { document.fileURL.lastPathComponent == "Letters.txt" }
        #expect(try playground.names == ["Letters.txt"])
        #expect(try layer(controller).title == "Letters")
        root.dismiss(animated: false)
        await closed(document)
    }

    @Test(
        "A name that is taken or cannot be is refused, and the document keeps its own",
        arguments: ["Other", "", "a/b"]
    )
    func renameRefused(name: String) async throws {
        _ = try playground.put("other", at: "Other.txt")
        let document = try document()
        let controller = await shown(document)
        let refusal = await #expect(throws: Acts.Refusal.self) {
            try await perform("rename", controller, ["name": name])
        }
        #expect(refusal?.title.contains("Notes") == true)
        #expect(try playground.names == ["Notes.txt", "Other.txt"])
        #expect(try playground.text("Other.txt") == "other")
        root.dismiss(animated: false)
        await closed(document)
    }

    @Test("A verb that documents do not have, and one without its argument, are refused")
    func unknown() async throws {
        let document = try document()
        let controller = await shown(document)
        await #expect(throws: Acts.Refusal.self) { try await perform("explode", controller) }
        await #expect(throws: Acts.Refusal.self) { try await perform("rename", controller) }
        root.dismiss(animated: false)
        await closed(document)
    }
}
