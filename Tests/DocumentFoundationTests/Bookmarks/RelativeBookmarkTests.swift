import DocumentFoundation
import Foundation
import TestThreads
import Testing

@Suite("Relative bookmarks", .onOwnThreads)
struct RelativeBookmarkTests {
    private let stage: BookmarkStage

    init() throws { stage = try BookmarkStage() }

    private func code(_ body: () throws -> Void) -> CocoaError.Code? {
        do { try body() } catch { return (error as? CocoaError)?.code }
        return nil
    }

    private func folder(_ name: String) -> URL {
        stage.documents.appendingPathComponent(name, isDirectory: true)
    }

    private func bookmark(
        _ url: URL,
        _ base: URL,
        _ options: URL.BookmarkCreationOptions = []
    ) throws -> Data {
        try stage.run { try url.bookmarkData(options: options, relativeTo: base) }
    }

    @Test("A folder and its item copied together lead to the copy")
    func copiedTogether() throws {
        let url = try stage.write("Trip/pictures/Sea.png")
        let data = try bookmark(url, folder("Trip"))
        try FileManager.default.removeItem(at: url)
        try stage.write("Journey/pictures/Sea.png")
        let resolved = try stage.resolve(data, relativeTo: folder("Journey"))
        #expect(resolved.url == stage.place("Journey/pictures/Sea.png"))
    }

    @Test("Beside a document, an item is found on the way from there, also above it")
    func besideADocument() throws {
        let url = try stage.write("shared/Sea.png")
        let document = try stage.write("texts/Trip.txt")
        let data = try bookmark(url, document)
        #expect(try stage.resolve(data, relativeTo: document).url == url)
        #expect(try stage.resolve(data).url == url)
    }

    @Test("With a security scope it is good only with what it was made for")
    func needsBase() throws {
        let url = try stage.write("Trip/Sea.png")
        let data = try bookmark(url, folder("Trip"), .withSecurityScope)
        #expect(try stage.resolve(data, .withSecurityScope, relativeTo: folder("Trip")).url == url)
        #expect(code { _ = try stage.resolve(data, .withSecurityScope) } == .fileReadNoPermission)
    }

    @Test("With a security scope nothing outside of the folder is bookmarked or resolved")
    func staysInside() throws {
        let outside = try stage.write("secret.txt")
        try stage.write("Trip/Sea.txt")
        let trip = folder("Trip")
        #expect(code { _ = try bookmark(outside, trip, .withSecurityScope) } == .fileReadNoPermission)
        let url = try stage.write("Trip/in/Sea.txt")
        let data = try bookmark(url, trip, .withSecurityScope)
        // The item goes out, and a link leads to where it is.
        try stage.move(url, to: stage.place("out/Sea.txt"))
        try FileManager.default.removeItem(at: folder("Trip/in"))
        _ = try stage.link("Trip/in", to: "../out")
        #expect(
            code { _ = try stage.resolve(data, .withSecurityScope, relativeTo: trip) }
                == .fileReadNoPermission
        )
        try FileManager.default.removeItem(at: stage.place("Trip/in"))
        #expect(
            code { _ = try stage.resolve(data, .withSecurityScope, relativeTo: trip) }
                == .fileReadNoPermission
        )
        // Inside it may move as it likes.
        try stage.move(stage.place("out/Sea.txt"), to: stage.place("Trip/Ocean.txt"))
        #expect(
            try stage.resolve(data, .withSecurityScope, relativeTo: trip).url == stage.place("Trip/Ocean.txt")
        )
    }
}
