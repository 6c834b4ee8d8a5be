import Foundation
import Testing
import UIKit

/// A document that keeps a tree of members.
@MainActor
private final class BookDocument: UIDocument {
    var book = FileWrapper(directoryWithFileWrappers: [:])
    private(set) var loads = 0

    override func contents(forType typeName: String) throws -> Any { book }

    override func load(fromContents contents: Any, ofType typeName: String?) throws {
        book = try #require(contents as? FileWrapper)
        loads += 1
    }

    func put(_ text: String, at name: String, in folder: String? = nil) {
        let home = folder.flatMap { book.fileWrappers?[$0] } ?? book
        if let old = home.fileWrappers?[name] { home.removeFileWrapper(old) }
        home.addRegularFile(withContents: Data(text.utf8), preferredFilename: name)
        updateChangeCount(.done)
    }

    func text(_ name: String, in folder: String? = nil) -> String? {
        let home = folder.flatMap { book.fileWrappers?[$0] } ?? book
        return home.fileWrappers?[name]?.regularFileContents.map { String(decoding: $0, as: UTF8.self) }
    }
}

@Suite("UIDocument of a package", .timeLimit(.minutes(2)))
@MainActor
struct PackageDocumentTests {
    let playground: Playground

    init() throws {
        playground = try Playground()
    }

    /// A package with two members and a folder of three.
    private func makeBook() throws -> URL {
        let url = playground["Book.book"]
        let folder = url.appendingPathComponent("pages")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        try Data("cover".utf8).write(to: url.appendingPathComponent("cover.txt"))
        try Data("index".utf8).write(to: url.appendingPathComponent("index.txt"))
        for page in 1...3 {
            try Data("page \(page)".utf8).write(to: folder.appendingPathComponent("\(page).txt"))
        }
        return url
    }

    private func inode(_ name: String) throws -> UInt64 {
        let attributes = try FileManager.default.attributesOfItem(atPath: playground[name].path)
        return try #require(attributes[.systemFileNumber] as? NSNumber).uint64Value
    }

    @Test("A package opens as a tree, is saved as one, and leaves nothing beside it")
    func roundTrip() async throws {
        let document = BookDocument(fileURL: try makeBook())
        #expect(await document.open())
        #expect(document.text("2.txt", in: "pages") == "page 2")
        document.put("new cover", at: "cover.txt")
        document.put("page four", at: "4.txt", in: "pages")
        #expect(await document.close())
        #expect(try playground.text("Book.book/cover.txt") == "new cover")
        #expect(try playground.text("Book.book/pages/4.txt") == "page four")
        #expect(try playground.text("Book.book/pages/1.txt") == "page 1")
        let left = try playground.names
        #expect(left == ["Book.book"])
    }

    @Test("Members that did not change stay the same files")
    func incremental() async throws {
        let document = BookDocument(fileURL: try makeBook())
        #expect(await document.open())
        let before = (try inode("Book.book/index.txt"), try inode("Book.book/pages/3.txt"))
        document.put("changed", at: "cover.txt")
        #expect(await document.save(to: document.fileURL, for: .forOverwriting))
        document.put("changed too", at: "1.txt", in: "pages")
        document.put("again", at: "cover.txt")
        #expect(await document.save(to: document.fileURL, for: .forOverwriting))
        #expect(try inode("Book.book/index.txt") == before.0)
        #expect(try inode("Book.book/pages/3.txt") == before.1)
        await document.close()
    }

    @Test("A link to a package opens as the package, and what is saved through it is in the package")
    func link() async throws {
        let link = playground["Link.book"]
        try FileManager.default.createSymbolicLink(at: link, withDestinationURL: try makeBook())
        let kept = try inode("Book.book/index.txt")
        let document = BookDocument(fileURL: link)
        #expect(await document.open())
        #expect(document.text("cover.txt") == "cover" && document.text("2.txt", in: "pages") == "page 2")
        for text in ["new", "newer"] {
            document.put(text, at: "cover.txt")
            #expect(await document.save(to: link, for: .forOverwriting))
            #expect(try playground.text("Book.book/cover.txt") == text)
        }
        #expect(document.documentState == .normal)
        #expect(document.loads == 1)
        #expect(await document.close())
        #expect(try inode("Book.book/index.txt") == kept)
        let destination = try FileManager.default.destinationOfSymbolicLink(atPath: link.path)
        #expect(destination.hasSuffix("Book.book"))
    }

    @Test("A tree that changes while it is being written is written as it was")
    func snapshot() async throws {
        let document = BookDocument(fileURL: try makeBook())
        #expect(await document.open())
        document.put("one", at: "cover.txt")
        await withCheckedContinuation { continuation in
            document.save(to: document.fileURL, for: .forOverwriting) { saved in
                #expect(saved)
                #expect(document.hasUnsavedChanges)
                #expect((try? playground.text("Book.book/cover.txt")) == "one")
                #expect(!FileManager.default.fileExists(atPath: playground["Book.book/late.txt"].path))
                continuation.resume()
            }
            document.put("two", at: "cover.txt")
            document.put("late", at: "late.txt")
        }
        await document.close()
        #expect(try playground.text("Book.book/cover.txt") == "two")
        #expect(try playground.text("Book.book/late.txt") == "late")
    }

    @Test("A clean document reloads when a member deep inside is changed from outside")
    func memberChangedOutside() async throws {
        let document = BookDocument(fileURL: try makeBook())
        #expect(await document.open())
        _ = document.text("2.txt", in: "pages")
        try Data("page two, revised".utf8).write(to: playground["Book.book/pages/2.txt"])
        await wait(for: document) { document.loads == 2 && document.documentState == .normal }
        #expect(document.text("2.txt", in: "pages") == "page two, revised")
        await document.close()
    }

    @Test("A member that both have changed: ours is in the package, theirs in a copy of it")
    func memberChangedByBoth() async throws {
        let document = BookDocument(fileURL: try makeBook())
        #expect(await document.open())
        #expect(document.text("1.txt", in: "pages") == "page 1")
        document.put("mine", at: "1.txt", in: "pages")
        try Data("theirs".utf8).write(to: playground["Book.book/pages/1.txt"])
        #expect(await document.save(to: document.fileURL, for: .forOverwriting))
        #expect(try playground.text("Book.book/pages/1.txt") == "mine")
        #expect(document.documentState.contains(.inConflict))
        let copy = try #require(document.conflictCopyURLs.first).lastPathComponent
        #expect(try playground.text("\(copy)/pages/1.txt") == "theirs")
        #expect(try playground.text("\(copy)/cover.txt") == "cover")
        await document.close()
    }

    @Test("A member that only others have changed is theirs, without a conflict")
    func memberChangedByOthersOnly() async throws {
        let document = BookDocument(fileURL: try makeBook())
        #expect(await document.open())
        document.put("mine", at: "1.txt", in: "pages")
        try Data("their cover".utf8).write(to: playground["Book.book/cover.txt"])
        #expect(await document.save(to: document.fileURL, for: .forOverwriting))
        #expect(try playground.text("Book.book/cover.txt") == "their cover")
        #expect(try playground.text("Book.book/pages/1.txt") == "mine")
        let left = try playground.names
        #expect(left == ["Book.book"])
        await document.close()
    }

    @Test("A document that hands over a new tree at each save writes only what differs")
    func freshTrees() async throws {
        final class Fresh: UIDocument {
            var texts = ["a.txt": "a", "b.txt": "b"]
            override func contents(forType typeName: String) throws -> Any {
                FileWrapper(
                    directoryWithFileWrappers: texts.mapValues {
                        FileWrapper(regularFileWithContents: Data($0.utf8))
                    }
                )
            }
        }
        let document = Fresh(fileURL: playground["Fresh.bundle"])
        #expect(await document.save(to: document.fileURL, for: .forCreating))
        let kept = try inode("Fresh.bundle/b.txt")
        document.texts["a.txt"] = "changed"
        #expect(await document.save(to: document.fileURL, for: .forOverwriting))
        #expect(try playground.text("Fresh.bundle/a.txt") == "changed")
        #expect(try inode("Fresh.bundle/b.txt") == kept)
        document.texts["b.txt"] = nil
        #expect(await document.save(to: document.fileURL, for: .forOverwriting))
        #expect(!FileManager.default.fileExists(atPath: playground["Fresh.bundle/b.txt"].path))
        await document.close()
    }

    @Test("Saving a package that did not change writes nothing and succeeds")
    func unchanged() async throws {
        let document = BookDocument(fileURL: try makeBook())
        #expect(await document.open())
        let before = try inode("Book.book")
        #expect(await document.save(to: document.fileURL, for: .forOverwriting))
        #expect(try inode("Book.book") == before)
        let left = try playground.names
        #expect(left == ["Book.book"])
        await document.close()
    }
}
