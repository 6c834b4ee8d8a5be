import Foundation
import Testing
import UniformTypeIdentifiers

@testable import UIKit

private final class OldDelegate: NSObject, UIDocumentBrowserViewControllerDelegate {
    var picked: [URL] = []

    func documentBrowser(
        _ controller: UIDocumentBrowserViewController,
        didPickDocumentURLs documentURLs: [URL]
    ) {
        picked = documentURLs
    }
}

private final class SilentDelegate: NSObject, UIDocumentBrowserViewControllerDelegate {}

@Suite("UIDocumentBrowserViewController")
@MainActor
struct UIDocumentBrowserViewControllerTests {
    private let shelf: Shelf
    private let delegate = NotingDelegate()

    init() throws {
        shelf = try Shelf()
    }

    private func begin() async throws -> BrowserStage {
        try shelf.write("a.txt")
        try shelf.write("b.txt")
        try shelf.write("c.bin")
        try shelf.write("sub/d.txt")
        let stage = try await BrowserStage(shelf)
        stage.browser.delegate = delegate
        return stage
    }

    // MARK: Picking

    @Test("A chosen document is picked, one unless several are allowed")
    func pick() async throws {
        let stage = try await begin()
        try await stage.perform("open", ["items": ["a.txt"]])
        try await stage.perform("open", ["items": ["b.txt", "a.txt"]])
        stage.browser.allowsPickingMultipleItems = true
        try await stage.perform("open", ["items": ["b.txt", "a.txt"]])
        #expect(delegate.journal.take() == ["pick a.txt", "pick b.txt", "pick b.txt a.txt"])
    }

    @Test("The older name of picking is called where the app has only that")
    func pickOld() async throws {
        let stage = try await begin()
        let old = OldDelegate()
        stage.browser.delegate = old
        try await stage.perform("open", ["items": ["a.txt"]])
        #expect(old.picked.map(\.path) == [shelf.at("a.txt").path])
    }

    @Test(
        "What is gone, a folder, and what the app does not open are not picked",
        arguments: [["gone.txt"], ["sub"], ["c.bin"], ["a.txt", "c.bin"], []]
    )
    func pickRefused(items: [String]) async throws {
        let stage = try await begin()
        stage.browser.allowsPickingMultipleItems = true
        let refusal = await #expect(throws: Acts.Refusal.self) {
            try await stage.perform("open", ["items": items])
        }
        #expect(refusal?.message.isEmpty == false)
        #expect(delegate.journal.take().isEmpty)
    }

    // MARK: Creating

    @Test("A new document is moved into the folder that is shown, under a free name, and told of")
    func createMoving() async throws {
        let stage = try await begin()
        let source = try shelf.write(shelf.outside.appendingPathComponent("a.txt"), "new")
        delegate.creation = (source, .move)
        #expect(try await stage.perform("create") == nil)
        #expect(delegate.journal.take() == ["create", "import a.txt to a 2.txt"])
        #expect(try shelf.text("a 2.txt") == "new")
        #expect(try shelf.text("a.txt") == "1")
        #expect(!FileManager.default.fileExists(atPath: source.path))
        #expect(stage.names.contains("a 2.txt"))
    }

    @Test("A new document that is copied stays where it was made")
    func createCopying() async throws {
        let stage = try await begin()
        try await stage.perform("enter", ["folder": "sub"])
        let source = try shelf.write(shelf.outside.appendingPathComponent("New.txt"), "new")
        delegate.creation = (source, .copy)
        try await stage.perform("create")
        #expect(delegate.journal.take() == ["create", "import New.txt to New.txt"])
        #expect(try shelf.text("sub/New.txt") == "new")
        #expect(FileManager.default.fileExists(atPath: source.path))
    }

    @Test("An app that makes none after all is no failure, whatever it says beside")
    func createNone() async throws {
        let stage = try await begin()
        let source = try shelf.write(shelf.outside.appendingPathComponent("New.txt"), "new")
        for (url, mode) in [
            (nil, UIDocumentBrowserViewController.ImportMode.none), (source, .none), (nil, .move),
        ] as [(URL?, UIDocumentBrowserViewController.ImportMode)] {
            delegate.creation = (url, mode)
            #expect(try await stage.perform("create") == nil)
        }
        #expect(delegate.journal.take() == ["create", "create", "create"])
        #expect(stage.names == ["a.txt", "b.txt", "c.bin", "sub"])
    }

    @Test("A document that is not there when it is handed over is a failure, and the app hears of it")
    func createMissing() async throws {
        let stage = try await begin()
        delegate.creation = (shelf.outside.appendingPathComponent("None.txt"), .move)
        let refusal = await #expect(throws: Acts.Refusal.self) { try await stage.perform("create") }
        #expect(refusal?.message.contains("None.txt") == true)
        #expect(delegate.journal.take() == ["create", "failed None.txt, with an error"])
    }

    @Test("Nothing is created where the app does not allow it, has no delegate, or one that says nothing")
    func createRefused() async throws {
        let stage = try await begin()
        stage.browser.allowsDocumentCreation = false
        #expect(stage.stage.description.browser?.canCreate == false)
        await #expect(throws: Acts.Refusal.self) { try await stage.perform("create") }
        stage.browser.allowsDocumentCreation = true
        #expect(stage.stage.description.browser?.canCreate == true)
        stage.browser.delegate = nil
        await #expect(throws: Acts.Refusal.self) { try await stage.perform("create") }
        let silent = SilentDelegate()
        stage.browser.delegate = silent
        #expect(try await stage.perform("create") == nil)
        #expect(delegate.journal.take().isEmpty)
    }

    // MARK: The app's own calls

    @Test("A document here is revealed in its folder")
    func reveal() async throws {
        let stage = try await begin()
        let (url, error) = await result {
            stage.browser.revealDocument(at: shelf.at("sub/d.txt"), importIfNeeded: false, completion: $0)
        }
        #expect(url?.path == shelf.at("sub/d.txt").path)
        #expect(error == nil)
        #expect(stage.browser.model.folder == "sub")
        #expect(try stage.stage.told("reveal").map { $0["item"] as? String } == ["sub/d.txt"])
    }

    @Test("A document elsewhere is imported first where that is wanted, and revealed then")
    func revealImporting() async throws {
        let stage = try await begin()
        let source = try shelf.write(shelf.outside.appendingPathComponent("e.txt"), "new")
        let refused = await result {
            stage.browser.revealDocument(at: source, importIfNeeded: false, completion: $0)
        }
        #expect(refused.0 == nil)
        #expect((refused.1 as? UIDocumentBrowserError)?.code == .noLocationAvailable)
        #expect((refused.1 as NSError?)?.domain == UIDocumentBrowserErrorDomain)
        #expect((refused.1 as NSError?)?.code == 2)
        let (url, error) = await result {
            stage.browser.revealDocument(at: source, importIfNeeded: true, completion: $0)
        }
        #expect(url?.path == shelf.at("e.txt").path)
        #expect(error == nil)
        #expect(delegate.journal.take() == ["import e.txt to e.txt"])
        #expect(try stage.stage.told("reveal").map { $0["item"] as? String } == ["e.txt"])
    }

    @Test("A document is imported next to another one; not next to one elsewhere, and not for nothing")
    func importNextTo() async throws {
        let stage = try await begin()
        let source = try shelf.write(shelf.outside.appendingPathComponent("d.txt"), "new")
        let (url, _) = await result {
            stage.browser.importDocument(
                at: source,
                nextToDocumentAt: shelf.at("sub/d.txt"),
                mode: .copy,
                completionHandler: $0
            )
        }
        #expect(url?.path == shelf.at("sub/d 2.txt").path)
        #expect(try shelf.text("sub/d 2.txt") == "new")
        let (none, error) = await result {
            stage.browser.importDocument(
                at: shelf.at("a.txt"),
                nextToDocumentAt: source,
                mode: .copy,
                completionHandler: $0
            )
        }
        #expect(none == nil)
        #expect((error as? UIDocumentBrowserError)?.code == .noLocationAvailable)
        let (nothing, refusal) = await result {
            stage.browser.importDocument(
                at: source,
                nextToDocumentAt: shelf.at("a.txt"),
                mode: .none,
                completionHandler: $0
            )
        }
        #expect(nothing == nil)
        #expect(refusal != nil)
        #expect(try shelf.names() == ["a.txt", "b.txt", "c.bin", "sub"])
    }

    @Test("A document is renamed by the app and keeps its extension; a taken name is an error")
    func rename() async throws {
        let stage = try await begin()
        let (url, error) = await result {
            stage.browser.renameDocument(at: shelf.at("a.txt"), proposedName: "z", completionHandler: $0)
        }
        #expect(url?.path == shelf.at("z.txt").path)
        #expect(error == nil)
        let taken = await result {
            stage.browser.renameDocument(at: shelf.at("z.txt"), proposedName: "b", completionHandler: $0)
        }
        #expect(taken.0 == nil)
        #expect(taken.1 != nil)
        let elsewhere = await result {
            stage.browser.renameDocument(
                at: shelf.outside.appendingPathComponent("x.txt"),
                proposedName: "y",
                completionHandler: $0
            )
        }
        #expect((elsewhere.1 as? UIDocumentBrowserError)?.code == .noLocationAvailable)
        #expect(try shelf.names() == ["b.txt", "c.bin", "sub", "z.txt"])
    }

    // MARK: What the page is told

    @Test("The page is told how the browser is set up")
    func description() async throws {
        let stage = try await begin()
        let browser = stage.browser
        browser.localizedCreateDocumentActionTitle = "New Text"
        browser.browserUserInterfaceStyle = .dark
        browser.view.tintColor = .systemPink
        let (left, right) = (UIBarButtonItem(title: "L"), UIBarButtonItem(title: "R"))
        browser.additionalLeadingNavigationBarButtonItems = [left]
        browser.additionalTrailingNavigationBarButtonItems = [right]
        try await stage.perform("enter", ["folder": "sub"])
        let told = try #require(stage.stage.description.browser)
        #expect(told.id == browser.pageIdentifier)
        #expect(told.createTitle == "New Text")
        #expect(told.style == "dark")
        #expect(told.tint == UIColor.systemPink.hexadecimal)
        #expect(told.folder == "sub")
        #expect(told.path == [.init(id: "", name: "here"), .init(id: "sub", name: "sub")])
        #expect(told.leading.map(\.id) == [left.pageIdentifier])
        #expect(told.trailing.map(\.id) == [right.pageIdentifier])
        #expect(told.undo == nil && told.redo == nil)
        #expect(stage.stage.description.stack.isEmpty)
    }

    @Test("Items have their kind, title, and whether they can be opened; titles have extensions where asked")
    func items() async throws {
        let stage = try await begin()
        func item(_ id: String) throws -> SceneDescription.Item {
            try #require(stage.stage.description.items.first { $0.id == id })
        }
        #expect(stage.stage.description.items.map(\.id) == ["a.txt", "b.txt", "c.bin", "sub"])
        #expect(try item("a.txt").title == "a")
        #expect(try item("a.txt").kind == "document")
        #expect(try item("a.txt").openable)
        #expect(try item("a.txt").size == 1)
        #expect(try !item("a.txt").open)
        #expect(try item("c.bin").kind == "file")
        #expect(try item("c.bin").title == "c.bin")
        #expect(try !item("c.bin").openable)
        #expect(try item("sub").kind == "folder")
        #expect(try item("sub").icon == "folder")
        stage.browser.shouldShowFileExtensions = true
        #expect(try item("a.txt").title == "a.txt")
    }

    @Test("A document that is open is marked so")
    func openItem() async throws {
        let stage = try await begin()
        let document = TextDocument(fileURL: shelf.at("a.txt"))
        #expect(await document.open())
        #expect(stage.stage.description.items.filter(\.open).map(\.id) == ["a.txt"])
        await document.close()
        #expect(stage.stage.description.items.filter(\.open).isEmpty)
    }

    @Test("A button of the browser is pressed")
    func bar() async throws {
        let stage = try await begin()
        let item = UIBarButtonItem(
            primaryAction: UIAction(title: "Press") { _ in delegate.journal.note("pressed") }
        )
        stage.browser.additionalTrailingNavigationBarButtonItems = [item]
        let arguments = ["of": stage.browser.pageIdentifier, "bar": item.pageIdentifier]
        #expect(try stage.stage.refusal("bar.tap", arguments) == nil)
        #expect(delegate.journal.take() == ["pressed"])
        stage.browser.additionalTrailingNavigationBarButtonItems = []
        #expect(try stage.stage.refusal("bar.tap", arguments) != nil)
    }

    // MARK: Custom actions

    private func action(_ types: [String]?) -> UIDocumentBrowserAction {
        let action = UIDocumentBrowserAction(
            identifier: "share",
            localizedTitle: "Share",
            availability: [.menu]
        ) { urls in delegate.journal.note(urls.map(\.lastPathComponent).joined(separator: " ")) }
        if let types { action.supportedContentTypes = types }
        return action
    }

    @Test("An action is done to the chosen items that are still there; one that is gone is refused")
    func customAction() async throws {
        let stage = try await begin()
        stage.browser.customActions = [action(nil)]
        try await stage.perform("action", ["action": "share", "items": ["b.txt", "gone.txt", "a.txt"]])
        #expect(delegate.journal.take() == ["b.txt a.txt"])
        stage.browser.customActions = []
        await #expect(throws: Acts.Refusal.self) {
            try await stage.perform("action", ["action": "share", "items": ["a.txt"]])
        }
    }

    @Test("An action's types are spelled out for the page, which compares them; every item's is told as none")
    func actionTypes() async throws {
        let stage = try await begin()
        stage.browser.customActions = [action(nil), action(["public.text"]), action(["public.image"])]
        let told = try #require(stage.stage.description.browser?.actions)
        #expect(told[0].types.isEmpty)
        #expect(told[1].types == ["public.plain-text", "public.text"])
        #expect(told[2].types == ["public.image"])
        #expect(told.map(\.menu) == [true, true, true])
        #expect(told.map(\.bar) == [false, false, false])
        #expect(told.map(\.multiple) == [true, true, true])
    }

    @Test("A browser for types by their identifiers leaves out those that are not known")
    func oldInit() {
        let make = Deprecated.self as any DeprecatedMaker.Type
        #expect(make.browser(["public.plain-text", "no such type"]).contentTypes == [.plainText])
    }

    @Test("A verb that browsers do not have is refused, and so is one without its arguments")
    func unknown() async throws {
        let stage = try await begin()
        for verb in ["explode", "", "enter", "folder", "rename", "import", "action"] as [Substring] {
            await #expect(throws: Acts.Refusal.self, "\(verb)") { try await stage.perform(verb) }
        }
    }

    /// What a call gives its completion.
    private func result(
        _ call: (@escaping (URL?, (any Error)?) -> Void) -> Void
    ) async -> (URL?, (any Error)?) {
        await withCheckedContinuation { continuation in
            call { continuation.resume(returning: Carried(value: ($0, $1))) }
        }.value
    }
}

/// Reaches what is deprecated without a warning.
@MainActor
private protocol DeprecatedMaker {
    static func browser(_ types: [String]) -> UIDocumentBrowserViewController
}

private enum Deprecated: DeprecatedMaker {
    @available(*, deprecated)
    static func browser(_ types: [String]) -> UIDocumentBrowserViewController {
        UIDocumentBrowserViewController(forOpeningFilesWithContentTypes: types)
    }
}
