import DocumentFoundation
import FileSystem
import Foundation
import Testing

@testable import UIKit

/// Items in a browser whose contents are not on this device.
@Suite("Evicted items in a browser", .timeLimit(.minutes(3)))
@MainActor
struct EvictedItemsTests {
    let shelf: Shelf

    init() throws { shelf = try Shelf() }

    private func evict(_ id: String, isDirectory: Bool = false) throws {
        let path = FilePath(shelf.at(id).path)
        let placeholder = Placeholder(
            name: path.name,
            byteCount: 7,
            isDirectory: isDirectory,
            typeIdentifier: nil
        )
        let place = try #require(Placeholder.place(for: path))
        try placeholder.encoded().write(to: place.url(isDirectory: false))
    }

    private func items() throws -> [String: FolderItem] {
        var maker = ItemMaker(location: shelf.location, folderID: "", folder: FilePath(shelf.url.path))
        let found = try maker.allItems()
        return Dictionary(found.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
    }

    @Test("Placeholders are listed as what they stand for; where the item is there itself, that one counts")
    func listed() throws {
        try evict("a.txt")
        try evict("b.pack", isDirectory: true)
        try evict("c.txt")
        try shelf.write("c.txt", "here")
        try shelf.write(".d.icloud", "no placeholder")
        let found = try items()
        #expect(found.keys.sorted() == ["a.txt", "b.pack", "c.txt"])
        let file = try #require(found["a.txt"])
        #expect(file.isEvicted && file.kind == .document && file.byteCount == 7 && file.isReachable)
        #expect(found["b.pack"]?.isPackage == true && found["b.pack"]?.isEvicted == true)
        #expect(found["c.txt"]?.isEvicted == false && found["c.txt"]?.byteCount == 4)
    }

    @Test("One comes and goes under the item's name as a placeholder does")
    func followed() async throws {
        let browser = try await BrowserStage(shelf)
        try evict("a.txt")
        await browser.until { browser.browser.model.items["a.txt"]?.isEvicted == true }
        try shelf.write("a.txt", "text")
        try FileManager.default.removeItem(at: shelf.at(".a.txt.icloud"))
        await browser.until { browser.browser.model.items["a.txt"]?.isEvicted == false }
        #expect(browser.names == ["a.txt"])
    }

    @Test("Renamed and moved, its placeholder is; no name that a placeholder stands for is given away")
    func renamed() async throws {
        let operations = shelf.makeOperations()
        try evict("a.txt")
        try evict("taken.txt")
        try shelf.write("b.txt")
        try shelf.makeFolder("in")
        let outcome = try await operations.rename("a.txt", to: "c", showsExtension: false)
        #expect(outcome.items.map(\.name) == ["c.txt"] && outcome.items.first?.isEvicted == true)
        #expect(try shelf.names() == [".c.txt.icloud", ".taken.txt.icloud", "b.txt", "in"])
        for id in ["b.txt", "c.txt"] {
            let error = await #expect(throws: BrowserError.self) {
                try await operations.rename(id, to: "taken", showsExtension: false)
            }
            #expect(error?.code == .nameTaken)
        }
        let moved = try await operations.move(["c.txt"], into: "in")
        #expect(moved.items.map(\.id) == ["in/c.txt"])
        #expect(try shelf.names("in") == [".c.txt.icloud"])
        let back = await operations.perform(try #require(moved.inverse))
        #expect(back.items.map(\.id) == ["c.txt"] && back.failures.isEmpty)
        // One that comes to a name that a placeholder stands for gets the next one.
        try shelf.write("in/c.txt", "another")
        let next = try await operations.move(["in/c.txt"], into: "")
        #expect(next.items.map(\.name) == ["c 2.txt"])
    }

    @Test("A placeholder outside any container goes to no trash: nobody can fetch what it stands for")
    func trashed() async throws {
        try evict("a.txt")
        let outcome = await shelf.makeOperations().trash(["a.txt"])
        #expect(outcome.items.isEmpty && outcome.failures.map(\.item) == ["a.txt"])
        #expect(try shelf.names() == [".a.txt.icloud"])
    }
}
