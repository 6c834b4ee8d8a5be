import DocumentFoundation
import FileSystem
import Foundation
import TestThreads
import Testing

/// Bookmarks of items of which only placeholders are here.
@Suite("Bookmarks of evicted items", .onOwnThreads)
struct EvictedBookmarkTests {
    private let stage: BookmarkStage
    private let files = FileManager.default

    init() throws { stage = try BookmarkStage() }

    private func bookmark(_ url: URL, relativeTo base: URL? = nil) throws -> Data {
        try stage.run { try url.bookmarkData(relativeTo: base) }
    }

    private func made(isPackage: Bool) throws -> URL {
        guard isPackage else { return try stage.write("Sea.txt") }
        try stage.write("Trip.scrapbook/text.txt")
        return stage.documents.appendingPathComponent("Trip.scrapbook", isDirectory: true)
    }

    /// Has a placeholder take an item's place, as an eviction does.
    ///
    /// - Returns: Where it is.
    @discardableResult
    private func evict(_ url: URL) throws -> URL {
        let path = try #require(FilePath(url))
        let mark = try #require(try FileIdentity.mark(at: path))
        try files.removeItem(at: url)
        let place = try #require(Placeholder.place(for: path))
        let placeholder = Placeholder(
            name: path.name,
            byteCount: 1,
            isDirectory: url.hasDirectoryPath,
            typeIdentifier: nil
        )
        try placeholder.encoded().write(to: place.url(isDirectory: false))
        #expect(try FileIdentity.give(mark, toItemAt: place, replacing: false))
        return place.url(isDirectory: false)
    }

    @Test(
        "A bookmark leads to an item while a placeholder stands for it; one made then, also afterwards",
        arguments: [false, true]
    )
    func evicted(isPackage: Bool) throws {
        let url = try made(isPackage: isPackage)
        let before = try bookmark(url)
        let place = try #require(FilePath(url))
        let mark = try #require(try FileIdentity.mark(at: place))
        let placeholder = try evict(url)
        // An app that lists a folder finds the placeholder's name alone.
        let all = [before, try bookmark(url), try bookmark(placeholder)]
        for data in all {
            let resolved = try stage.resolve(data)
            #expect(resolved.url == url && !resolved.isStale)
        }
        _ = try made(isPackage: isPackage)
        #expect(try FileIdentity.give(mark, toItemAt: place, replacing: false))
        try files.removeItem(at: placeholder)
        for data in all {
            let resolved = try stage.resolve(data)
            #expect(resolved.url == url && !resolved.isStale)
        }
    }

    @Test("A bookmark of an evicted item that was moved leads there, and is stale", arguments: [true, false])
    func moved(isPackage: Bool) throws {
        let url = try made(isPackage: isPackage)
        let data = try bookmark(url)
        let placeholder = try evict(url)
        let name = "Journey." + url.pathExtension
        try stage.move(placeholder, to: stage.place("in/.\(name).icloud"))
        let resolved = try stage.resolve(data)
        #expect(resolved.url == stage.documents.appendingPathComponent("in/\(name)", isDirectory: isPackage))
        #expect(resolved.isStale)
    }

    @Test("A placeholder bears its item's mark, and a bookmark leaves it that")
    func mark() throws {
        let url = try made(isPackage: false)
        _ = try bookmark(url)
        let mark = try FileIdentity.mark(at: try #require(FilePath(url)))
        let placeholder = try evict(url)
        // A copy would get a mark of its own when it is bookmarked.
        let copy = stage.place("copy.txt")
        try Data("1".utf8).write(to: copy)
        try FileIdentity.give(try #require(mark), toItemAt: try #require(FilePath(copy)), replacing: false)
        _ = try bookmark(url)
        #expect(try FileIdentity.mark(at: try #require(FilePath(placeholder))) == mark)
    }

    @Test("A bookmark may be relative to a document that is evicted")
    func relative() throws {
        let base = try made(isPackage: false)
        let url = try stage.write("Lake.txt")
        _ = try bookmark(base)
        let before = try bookmark(url, relativeTo: base)
        try evict(base)
        for data in [before, try bookmark(url, relativeTo: base)] {
            #expect(try stage.resolve(data, relativeTo: base).url == url)
        }
    }

    @Test("What is called as a placeholder and is none is bookmarked as any file")
    func otherFile() throws {
        let url = try stage.write(".Sea.txt.icloud", "no property list")
        let resolved = try stage.resolve(try bookmark(url))
        #expect(resolved.url == url && !resolved.isStale)
    }
}
