import FileSystem
import Foundation
import Testing

@testable import UIKit

@Suite("BrowserLocation")
struct BrowserLocationTests {
    let shelf: Shelf

    init() throws { shelf = try Shelf() }

    @Test(
        "An id that could lead out, or to what is hidden, has no place",
        arguments: [
            "..", "../outside", "a/../..", "/etc", "/", "a//b", "a/", "./a", ".hidden", "a/.git/config",
            "a\u{0}b",
            ".sheaf-0123456789abcdef-a.txt",
        ]
    )
    func refuses(id: String) throws {
        try shelf.write("a/b")
        #expect(throws: BrowserError.self) { try shelf.location.place(of: id) }
        #expect(throws: BrowserError.self) { try shelf.location.folder(id) }
    }

    @Test("An id has its place below the location, also when nothing is there yet")
    func places() throws {
        try shelf.makeFolder("a")
        #expect(try shelf.location.place(of: "a/new.txt").string == shelf.at("a/new.txt").path)
        #expect(try shelf.location.place(of: "") == shelf.location.root)
        #expect(try shelf.location.folder("a").string == shelf.at("a").path)
    }

    @Test("No link leads out of the location, on the way or at the end")
    func links() throws {
        try shelf.write(shelf.outside.appendingPathComponent("secret.txt"), "s")
        try shelf.makeFolder("a")
        try shelf.link("out", to: shelf.outside.path)
        try shelf.link("in", to: "a")
        for id in ["out/secret.txt", "out/new"] {
            let error = #expect(throws: BrowserError.self) { try shelf.location.place(of: id) }
            #expect(error?.code == .notInLocation)
        }
        #expect(throws: BrowserError.self) { try shelf.location.folder("out") }
        // The link itself may be renamed or thrown away.
        #expect(try shelf.location.place(of: "out").string == shelf.at("out").path)
        #expect(try shelf.location.place(of: "in/x").string == shelf.at("a/x").path)
    }

    @Test("A location beside ours whose name begins alike is outside")
    func nearNames() throws {
        let near = URL(fileURLWithPath: shelf.url.path + "2", isDirectory: true)
        try shelf.write(near.appendingPathComponent("a.txt"), "1")
        try shelf.link("near", to: near.path)
        #expect(throws: BrowserError.self) { try shelf.location.folder("near") }
        #expect(shelf.location.id(of: near.appendingPathComponent("a.txt")) == nil)
    }

    @Test("The inside of a package has no ids")
    func packages() throws {
        try shelf.write("Doc.pack/a.txt")
        #expect(throws: BrowserError.self) { try shelf.location.folder("Doc.pack") }
        #expect(throws: BrowserError.self) { try shelf.location.place(of: "Doc.pack/a.txt") }
        #expect(shelf.location.id(of: shelf.at("Doc.pack/a.txt")) == nil)
        #expect(shelf.location.id(of: shelf.at("Doc.pack")) == "Doc.pack")
    }

    @Test("A file is no folder, and a missing folder is told from it")
    func notFolders() throws {
        try shelf.write("a.txt")
        #expect(#expect(throws: BrowserError.self) { try shelf.location.folder("a.txt") }?.code == .notFolder)
        #expect(#expect(throws: BrowserError.self) { try shelf.location.folder("b") }?.code == .vanished)
    }

    @Test("A location whose own name has letters of several bytes gives ids as others do")
    func wideNames() throws {
        let root = try shelf.makeFolder("Übungsbücher 写真")
        try shelf.write("Übungsbücher 写真/a/xyz.txt")
        let location = try BrowserLocation(root, kinds: Shelf.kinds)
        #expect(location.id(of: root.appendingPathComponent("a/xyz.txt")) == "a/xyz.txt")
        #expect(location.id(of: root.appendingPathComponent("a")) == "a")
        #expect(location.id(of: root) == "")
    }

    @Test("A slash with an accent after it is a slash, and what looks like the location is not it")
    func accents() throws {
        let folder = shelf.location.root.appending("a")
        try shelf.makeFolder("a")
        try ItemMoves.createFile(folder.appending("\u{301}b.txt"), contents: Data())
        #expect(try shelf.location.place(of: "a/\u{301}b.txt") == folder.appending("\u{301}b.txt"))
        #expect(BrowserLocation.split("a/\u{301}b.txt").folderID == "a")
        #expect(FilePath("/d/\u{301}b").isInside(FilePath("/d")))
        #expect(!FilePath("/d/cafe\u{301}/b").isInside(FilePath("/d/caf\u{E9}")))
    }

    @Test("URLs inside have ids, others none")
    func ids() throws {
        try shelf.write("a/b.txt")
        #expect(shelf.location.id(of: shelf.at("a/b.txt")) == "a/b.txt")
        #expect(shelf.location.id(of: shelf.url) == "")
        #expect(shelf.location.id(of: shelf.outside) == nil)
        #expect(shelf.location.id(of: shelf.at(".hidden")) == nil)
        #expect(shelf.location.id(of: URL(string: "https://example.org/a")!) == nil)
        // The location itself by way of a link.
        let link = shelf.url.deletingLastPathComponent().appendingPathComponent("link")
        try FileManager.default.createSymbolicLink(at: link, withDestinationURL: shelf.url)
        #expect(shelf.location.id(of: link.appendingPathComponent("a/b.txt")) == "a/b.txt")
    }
}

@Suite("ItemMaker")
struct ItemMakerTests {
    let shelf: Shelf

    init() throws { shelf = try Shelf() }

    private func item(_ name: String) throws -> FolderItem? {
        let root = shelf.location.root
        var maker = ItemMaker(location: shelf.location, folderID: "", folder: root)
        return try FolderScan.items([name], in: root).first?.item.flatMap { maker.item($0) }
    }

    @Test("Files, packages and folders are told apart")
    func kinds() throws {
        try shelf.write("a.txt", "12345")
        try shelf.write("b.bin")
        try shelf.write("c.pack/d")
        try shelf.makeFolder("e.txt")
        let (document, file) = (try #require(try item("a.txt")), try #require(try item("b.bin")))
        let (package, folder) = (try #require(try item("c.pack")), try #require(try item("e.txt")))
        #expect([document, file, package, folder].map(\.kind) == [.document, .file, .document, .folder])
        #expect([document, file, package, folder].map(\.byteCount) == [5, 1, nil, nil])
        #expect([document, package, folder].map(\.hasExtension) == [true, true, false])
        #expect(document.typeIdentifier == "test.file.txt")
        #expect(package.typeTitle == "pack package")
        #expect(package.isPackage)
        #expect(package.url.hasDirectoryPath)
        #expect(document.url == shelf.at("a.txt"))
    }

    @Test("A link that leads out, to nothing or in a circle is a file that cannot be opened")
    func links() throws {
        try shelf.write("a.txt", "12345")
        try shelf.write(shelf.outside.appendingPathComponent("b.txt"), "s")
        try shelf.link("in.txt", to: "a.txt")
        try shelf.link("out.txt", to: "../outside/b.txt")
        try shelf.link("outfolder", to: "../outside")
        try shelf.link("loose.txt", to: "nothing")
        try shelf.link("circle.txt", to: "circle.txt")
        let inside = try #require(try item("in.txt"))
        #expect(inside.kind == .document)
        #expect(inside.isReachable)
        #expect(inside.byteCount == 5)
        for name in ["out.txt", "outfolder", "loose.txt", "circle.txt"] {
            let link = try #require(try item(name))
            #expect(link.kind == .file, "\(name)")
            #expect(!link.isReachable, "\(name)")
            #expect(link.byteCount == nil, "\(name)")
        }
    }

    @Test("Hidden files and what a save keeps beside a document are no items")
    func hidden() throws {
        try shelf.write(".hidden.txt")
        try shelf.write(".sheaf-0123456789abcdef-a.txt")
        #expect(try item(".hidden.txt") == nil)
        #expect(try item(".sheaf-0123456789abcdef-a.txt") == nil)
    }

    @Test("A type is asked for once for each extension and form")
    func typesAreKept() throws {
        let asked = Counter()
        var kinds = Shelf.kinds
        let type = kinds.type
        kinds.type = { fileExtension, form in
            asked.add()
            return type(fileExtension, form)
        }
        let location = try BrowserLocation(shelf.url, kinds: kinds)
        for number in 0..<20 { try shelf.write("\(number).txt") }
        var maker = ItemMaker(location: location, folderID: "", folder: location.root)
        let items = try FolderScan.visibleItems(in: location.root).compactMap { maker.item($0) }
        #expect(items.count == 20)
        #expect(asked.count == 1)
    }
}

/// Counts on any thread.
final class Counter: @unchecked Sendable {
    // Sendable because the number is only touched under the lock.
    private let lock = NSLock()
    private var number = 0
    func add() { lock.withLock { number += 1 } }
    var count: Int { lock.withLock { number } }
}
