import DocumentFoundation
import Foundation
import Testing

@testable import UIKit

/// What becomes of an open document whose item goes into the home trash and back.
///
/// Where the home trash is, a process has from its environment: each of these has one of its own.
@Suite("UIDocument and the home trash", .timeLimit(.minutes(2)))
@MainActor
struct TrashedDocumentTests {
    private static func begin() throws -> Playground {
        let playground = try Playground()
        setenv("XDG_DATA_HOME", playground["data"].path, 1)
        return playground
    }

    private static func putBook(_ text: String, in playground: Playground) throws {
        let folder = playground["Book.book"]
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
        _ = try playground.put(text, at: "Book.book/a.txt")
    }

    private static func trash(_ url: URL) throws -> URL {
        var resulting: NSURL?
        try FileManager.default.trashItem(at: url, resultingItemURL: &resulting)
        return try #require(resulting as URL?)
    }

    @Test("A document follows its file into the home trash, is edited there, and comes back with it")
    func file() async {
        await #expect(processExitsWith: .success) { @MainActor in
            let playground = try Self.begin()
            let document = TextDocument(fileURL: try playground.put("old", at: "a.txt"))
            #expect(await document.open())
            document.type("unsaved")
            let url = document.fileURL
            let trashed = try Self.trash(url)
            #expect(trashed.path == playground["data/Trash/files/a.txt"].path)
            await wait(for: document) { document.fileURL.path == trashed.path }
            #expect(document.isFileInTrash && !document.isFileDeleted)
            #expect(document.text == "unsaved")
            document.type("edited in the trash")
            #expect(await document.save(to: document.fileURL, for: .forOverwriting))
            #expect(try String(contentsOf: trashed, encoding: .utf8) == "edited in the trash")
            #expect(try Trash().restore(trashed).path == url.path)
            await wait(for: document) { document.fileURL.path == url.path }
            #expect(!document.isFileInTrash)
            document.type("after")
            #expect(await document.close())
            #expect(try playground.text("a.txt") == "after")
            #expect(document.loads == 1)
        }
    }

    @Test("A package document follows into the home trash, under another name where its own is taken there")
    func package() async {
        await #expect(processExitsWith: .success) { @MainActor in
            let playground = try Self.begin()
            try Self.putBook("earlier", in: playground)
            _ = try Self.trash(playground["Book.book"])
            try Self.putBook("one", in: playground)
            let document = MemberDocument(fileURL: playground["Book.book"])
            #expect(await document.open())
            let trashed = try Self.trash(document.fileURL)
            #expect(trashed.lastPathComponent != "Book.book")
            await wait(for: document) { document.fileURL.path == trashed.path }
            #expect(document.isFileInTrash)
            document.write("in the trash", to: "b.txt")
            #expect(await document.save(to: document.fileURL, for: .forOverwriting))
            let back = try Trash().restore(trashed)
            #expect(back.path == playground["Book.book"].path)
            await wait(for: document) { document.fileURL.path == back.path }
            #expect(await document.close())
            #expect(try playground.text("Book.book/a.txt") == "one")
            #expect(try playground.text("Book.book/b.txt") == "in the trash")
        }
    }

    @Test("A document that is closed while its file is in the home trash has saved it there")
    func closed() async {
        await #expect(processExitsWith: .success) { @MainActor in
            let playground = try Self.begin()
            let document = TextDocument(fileURL: try playground.put("old", at: "a.txt"))
            #expect(await document.open())
            let trashed = try Self.trash(document.fileURL)
            await wait(for: document) { document.isFileInTrash }
            document.type("last words")
            #expect(await document.close())
            #expect(try String(contentsOf: trashed, encoding: .utf8) == "last words")
            #expect(try playground.names.filter { $0 != "data" } == [])
        }
    }
}
