import FileSystem
import Foundation
import Testing

@testable import UIKit

@Suite("BrowserModel")
@MainActor
struct BrowserModelTests {
    private let shelf: Shelf

    init() throws {
        shelf = try Shelf()
    }

    private func begin() async throws -> BrowserStage {
        try shelf.write("a.txt")
        try shelf.write("sub/b.txt")
        return try await BrowserStage(shelf)
    }

    @Test("A folder is listed when it is entered, and the way to it is known")
    func enter() async throws {
        let stage = try await begin()
        #expect(stage.names == ["a.txt", "sub"])
        try await stage.perform("enter", ["folder": "sub"])
        #expect(stage.names.isEmpty)
        await stage.browser.model.whenListed()
        #expect(stage.names == ["sub/b.txt"])
        #expect(stage.browser.model.path.map(\.id) == ["", "sub"])
        try await stage.perform("enter", ["folder": ""])
        await stage.browser.model.whenListed()
        #expect(stage.names == ["a.txt", "sub"])
    }

    @Test(
        "A folder that is not there or is elsewhere leads back to one that is",
        arguments: ["none", "..", "/etc", "a.txt", ".hidden"]
    )
    func enterNowhere(folder: String) async throws {
        let stage = try await begin()
        try await stage.perform("enter", ["folder": folder])
        await stage.browser.model.whenListed()
        #expect(stage.browser.model.folder.isEmpty)
        #expect(stage.names == ["a.txt", "sub"])
    }

    @Test("What other programs do is seen, and told as a difference")
    func watch() async throws {
        let stage = try await begin()
        try shelf.write("new.txt")
        await stage.until { stage.names.contains("new.txt") }
        try FileManager.default.removeItem(at: shelf.at("a.txt"))
        await stage.until { !stage.names.contains("a.txt") }
        stage.stage.tabSession.bringUpToDate()
        let told = try stage.stage.told()
        #expect(told.map { $0["type"] as? String } == ["items"])
        #expect(told[0]["folder"] as? String == "")
        #expect((told[0]["put"] as? [[String: Any]])?.map { $0["id"] as? String } == ["new.txt"])
        #expect(told[0]["drop"] as? [String] == ["a.txt"])
    }

    @Test("A folder that is taken away leads to the one above")
    func folderGone() async throws {
        let stage = try await begin()
        try await stage.perform("enter", ["folder": "sub"])
        await stage.browser.model.whenListed()
        try FileManager.default.removeItem(at: shelf.at("sub"))
        await stage.until { stage.browser.model.folder.isEmpty && stage.names == ["a.txt"] }
        #expect(stage.names == ["a.txt"])
    }

    @Test("Names that only look alike are two items, each of which comes and goes, and is told to the page")
    func lookAlikes() async throws {
        let (letter, mark, root) = ("\u{E9}.txt", "e\u{301}.txt", shelf.location.root)
        try ItemMoves.createFile(root.appending(mark), contents: Data("1".utf8))
        let stage = try await begin()
        let model = stage.browser.model
        try ItemMoves.createFile(root.appending(letter), contents: Data("22".utf8))
        await stage.until { model.items[letter]?.byteCount == 2 }
        #expect(model.items[mark]?.byteCount == 1)
        try ItemMoves.removeFile(root.appending(letter))
        await stage.until { model.items[letter] == nil }
        #expect(model.items[mark]?.byteCount == 1)
        stage.stage.tabSession.bringUpToDate()
        _ = try stage.stage.told()
        try ItemMoves.move(root.appending(mark), toFree: root.appending(letter))
        await stage.until { model.items[letter] != nil && model.items[mark] == nil }
        stage.stage.tabSession.bringUpToDate()
        let told = try stage.stage.told()
        let put = told.last?["put"] as? [[String: Any]]
        #expect((put?.first?["id"] as? String)?.isSameInBytes(letter) == true)
        #expect((told.last?["drop"] as? [String])?.first?.isSameInBytes(mark) == true)
    }

    @Test("A location that is taken away shows nothing, and then what is in the one that comes to its place")
    func locationGone() async throws {
        let stage = try await begin()
        let aside = shelf.url.deletingLastPathComponent().appendingPathComponent("aside")
        try FileManager.default.moveItem(at: shelf.url, to: aside)
        await stage.until { stage.names.isEmpty }
        #expect(stage.told.count == 1)
        try shelf.write("new.txt")
        await stage.until { stage.names == ["new.txt"] }
        try FileManager.default.removeItem(at: shelf.url)
        try FileManager.default.moveItem(at: aside, to: shelf.url)
        await stage.until { stage.names == ["a.txt", "sub"] }
        #expect(stage.browser.model.folder.isEmpty)
    }

    @Test("What is done is in the list before it is answered, and can be taken back and done again")
    func undo() async throws {
        let stage = try await begin()
        #expect(try await stage.items("folder", ["name": "New"]) == ["New"])
        #expect(stage.names.contains("New"))
        #expect(try await stage.items("rename", ["item": "a.txt", "name": "z"]) == ["z.txt"])
        #expect(stage.names == ["New", "sub", "z.txt"])
        #expect(stage.stage.description.browser?.undo == "Rename")
        #expect(try await stage.items("undo") == ["a.txt"])
        #expect(stage.names == ["New", "a.txt", "sub"])
        #expect(try shelf.names().contains("a.txt"))
        #expect(stage.stage.description.browser?.redo == "Rename")
        #expect(try await stage.items("redo") == ["z.txt"])
        #expect(try shelf.names() == ["New", "sub", "z.txt"])
    }

    @Test("An undo that names a deed takes back that one and no other")
    func undoNamed() async throws {
        let stage = try await begin()
        let answer = try await stage.perform("duplicate", ["items": ["a.txt"]]) as? [String: Any]
        let deed = try #require(answer?["deed"] as? Int)
        #expect(try await stage.items("rename", ["item": "a.txt", "name": "z"]) == ["z.txt"])
        #expect(await refusal(stage, "undo", ["deed": deed]) == "Something else has been done since.")
        #expect(try shelf.names() == ["a 2.txt", "sub", "z.txt"])
        #expect(try await stage.items("undo") == ["a.txt"])
        #expect(await refusal(stage, "undo", ["deed": deed]) == nil)
        #expect(try shelf.names() == ["a.txt", "sub"])
    }

    @Test("With nothing to take back, nothing happens")
    func undoNothing() async throws {
        let stage = try await begin()
        #expect(try await stage.items("undo") == [])
        #expect(try await stage.items("redo") == [])
    }

    @Test("Copies and moves are made, and what cannot be is refused in words")
    func duplicateAndMove() async throws {
        let stage = try await begin()
        #expect(try await stage.items("duplicate", ["items": ["a.txt"]]).count == 1)
        #expect(try await stage.items("move", ["items": ["a.txt"], "folder": "sub"]) == ["sub/a.txt"])
        #expect(try shelf.text("sub/a.txt") == "1")
        for (verb, values) in [
            ("move", ["items": ["sub"], "folder": "sub"]), ("duplicate", ["items": ["gone.txt"]]),
            ("rename", ["item": "sub", "name": ""]), ("rename", ["item": "../x", "name": "y"]),
        ] as [(Substring, [String: Any])] {
            #expect(await refusal(stage, verb, values)?.isEmpty == false, "\(verb)")
        }
    }

    /// Why it is not done; nil where it is.
    private func refusal(_ stage: BrowserStage, _ verb: Substring, _ values: [String: Any]) async -> String? {
        do {
            try await stage.perform(verb, values)
            return nil
        } catch {
            return (error as? Acts.Refusal)?.message
        }
    }

    @Test("A renamed file shows its extension, so that can be changed; a document's stays")
    func renameExtension() async throws {
        try shelf.write("c.bin")
        let stage = try await begin()
        #expect(try await stage.items("rename", ["item": "c.bin", "name": "c.dat"]) == ["c.dat"])
        #expect(try await stage.items("rename", ["item": "a.txt", "name": "a.v2"]) == ["a.v2.txt"])
        stage.browser.shouldShowFileExtensions = true
        #expect(try await stage.items("rename", ["item": "a.v2.txt", "name": "a.md"]) == ["a.md"])
    }

    @Test("A browser whose location cannot be read refuses, and lists nothing")
    func noLocation() async throws {
        let model = BrowserModel(
            contentTypes: [],
            documents: shelf.at("none"),
            changed: {},
            told: { _ in }
        )
        model.show(folder: "")
        await model.whenListed()
        #expect(model.items.isEmpty)
        let made: Bool = await withCheckedContinuation { continuation in
            model.createFolder(named: "x") { result in
                continuation.resume(returning: (try? result.get()) != nil)
            }
        }
        #expect(!made)
    }

    @Test("A browser that goes stops listing, and lists again when it is shown again")
    func stop() async throws {
        let stage = try await begin()
        stage.stage.window.rootViewController = UIViewController()
        try shelf.write("later.txt")
        #expect(stage.names == ["a.txt", "sub"])
        stage.stage.window.rootViewController = stage.browser
        await stage.browser.model.whenListed()
        #expect(stage.names == ["a.txt", "later.txt", "sub"])
    }
}
