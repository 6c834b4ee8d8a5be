import DocumentFoundation
import FileSystem
import Foundation
import Testing
import UIKit

/// An open document whose file is bookmarked.
@Suite("UIDocument and bookmarks", .timeLimit(.minutes(2)))
@MainActor
struct BookmarkedDocumentTests {
    let playground: Playground
    let keeper: BookmarkKeeper

    init() throws {
        playground = try Playground()
        keeper = BookmarkKeeper(
            BookmarkSettings(
                environment: ["XDG_STATE_HOME": playground.folder.appendingPathComponent(".state").path],
                userID: geteuid()
            )
        )
    }

    private func bookmark(_ url: URL) throws -> Data {
        try BookmarkKeeper.$shared.withValue(keeper) { try url.bookmarkData() }
    }

    private func resolve(_ data: Data) throws -> (url: URL, isStale: Bool) {
        try BookmarkKeeper.$shared.withValue(keeper) {
            var isStale = false
            let url = try URL(resolvingBookmarkData: data, bookmarkDataIsStale: &isStale)
            return (url, isStale)
        }
    }

    @Test("The first bookmark of an open document's file is no change by others, clean or with edits")
    func isNoChange() async throws {
        let document = TextDocument(fileURL: try playground.put("old", at: "a.txt"))
        #expect(await document.open())
        document.type("mine")
        _ = try bookmark(document.fileURL)
        #expect(await document.save(to: document.fileURL, for: .forOverwriting))
        #expect(!document.documentState.contains(.inConflict))
        #expect(document.loads == 1)
        let other = TextDocument(fileURL: try playground.put("old", at: "b.txt"))
        #expect(await other.open())
        _ = try bookmark(other.fileURL)
        // What the watch saw of the mark came before this change, which it does take for one.
        try Data("new".utf8).write(to: other.fileURL)
        await wait(for: other) { other.text == "new" && other.documentState == .normal }
        #expect(other.loads == 2)
        await document.close()
        await other.close()
    }

    @Test("A document's saves keep its bookmark good, and so do its renames")
    func staysGood() async throws {
        let document = TextDocument(fileURL: try playground.put("old", at: "a.txt"))
        #expect(await document.open())
        let data = try bookmark(document.fileURL)
        for number in 1...3 {
            document.type("\(number)")
            #expect(await document.save(to: document.fileURL, for: .forOverwriting))
        }
        #expect(try resolve(data).url.path == document.fileURL.path)
        #expect(try !resolve(data).isStale)
        await document.close()
        let target = document.fileURL.deletingLastPathComponent().appendingPathComponent("b.txt")
        try FileManager.default.moveItem(at: document.fileURL, to: target)
        #expect(try resolve(data).url.path == target.path)
        #expect(try resolve(data).isStale)
    }
}
