import DocumentFoundation
import FileSystem
import Foundation
import Testing

@testable import UIKit

@Suite("FolderOperations")
struct FolderOperationsTests {
    let shelf: Shelf
    let operations: FolderOperations

    init() throws {
        shelf = try Shelf()
        operations = shelf.makeOperations()
    }

    private func code(_ body: () async throws -> BrowserOutcome) async -> BrowserError.Code? {
        do {
            _ = try await body()
            return nil
        } catch {
            let error = error as? BrowserError
            #expect(error?.errorDescription?.isEmpty == false)
            #expect(error?.recoverySuggestion?.isEmpty == false)
            return error?.code
        }
    }

    @Test("A folder is made, and under the next free name when that is taken")
    func createFolder() async throws {
        try shelf.makeFolder("v1.5")
        let outcome = try await operations.createFolder(named: " v1.5 ", in: "")
        #expect(outcome.items.map(\.id) == ["v1.5 2"])
        #expect(outcome.items.first?.kind == .folder)
        #expect(outcome.inverse == .trash(["v1.5 2"]))
        let inner = try await operations.createFolder(named: "in", in: "v1.5 2")
        #expect(inner.items.first?.id == "v1.5 2/in")
        #expect(await code { try await operations.createFolder(named: "a/b", in: "") } == .nameRefused)
        // A slash and an accent are one character: through a link it would lead out.
        try shelf.makeFolder("v1.5/deep")
        try shelf.link("out", to: "v1.5/deep")
        let outside = await code { try await operations.createFolder(named: "out/\u{301}x", in: "") }
        #expect(outside == .nameRefused)
        #expect(try shelf.names("v1.5/deep").isEmpty)
        #expect(await code { try await operations.createFolder(named: "x", in: "none") } == .vanished)
        #expect(
            await code { try await operations.createFolder(named: "x", in: "../outside") } == .notInLocation
        )
    }

    @Test("An item gets another name and keeps its extension")
    func rename() async throws {
        try shelf.write("a.txt", "contents")
        let outcome = try await operations.rename("a.txt", to: "b", showsExtension: false)
        #expect(outcome.items.map(\.id) == ["b.txt"])
        #expect(try shelf.text("b.txt") == "contents")
        #expect(outcome.inverse == .relocate([ItemRelocation(from: "b.txt", to: "a.txt")]))
        let same = try await operations.rename("b.txt", to: "b", showsExtension: false)
        #expect(same.inverse == nil)
    }

    @Test("A rename never takes another item's name")
    func renameTaken() async throws {
        try shelf.write("a.txt", "a")
        try shelf.write("b.txt", "b")
        let error = await #expect(throws: BrowserError.self) {
            try await operations.rename("a.txt", to: "b", showsExtension: false)
        }
        #expect(error?.code == .nameTaken)
        #expect(error?.item == "b.txt")
        #expect(try shelf.text("a.txt") == "a")
        #expect(try shelf.text("b.txt") == "b")
        #expect(
            await code { try await operations.rename("none", to: "x", showsExtension: true) } == .vanished
        )
        #expect(
            await code { try await operations.rename("", to: "x", showsExtension: true) } == .notInLocation
        )
    }

    @Test("Items move into a folder, under free names, and those that cannot are told one by one")
    func move() async throws {
        try shelf.write("a.txt", "new")
        try shelf.write("sub/a.txt", "old")
        try shelf.makeFolder("sub/deep")
        let outcome = try await operations.move(["a.txt", "none.txt", "sub", "sub/deep"], into: "sub")
        #expect(outcome.items.map(\.id) == ["sub/a 2.txt", "sub/deep"])
        #expect(outcome.failures.map(\.code) == [.vanished, .intoItself])
        #expect(outcome.failures.map(\.item) == ["none.txt", "sub"])
        #expect(outcome.inverse == .relocate([ItemRelocation(from: "sub/a 2.txt", to: "a.txt")]))
        #expect(try shelf.text("sub/a.txt") == "old")
        #expect(try shelf.text("sub/a 2.txt") == "new")
        #expect(await code { try await operations.move(["sub"], into: "sub/a.txt") } == .notFolder)
    }

    @Test("Nothing moves into a package, which is one document")
    func intoPackages() async throws {
        try shelf.write("Doc.pack/a.txt")
        try shelf.write("b.txt")
        #expect(await code { try await operations.move(["b.txt"], into: "Doc.pack") } == .notFolder)
        #expect(await operations.trash(["Doc.pack/a.txt"]).failures.map(\.code) == [.notFolder])
        #expect(try shelf.names() == ["Doc.pack", "b.txt"])
    }

    @Test("A duplicate is a whole copy of its own beside the original, with its date")
    func duplicate() async throws {
        try shelf.write("Doc.pack/deep/a.txt", "a")
        try shelf.write("b.txt", "b")
        let date = Date(timeIntervalSince1970: 1_000_000)
        try FileManager.default.setAttributes([.modificationDate: date], ofItemAtPath: shelf.at("b.txt").path)
        let outcome = await operations.duplicate(["Doc.pack", "b.txt", "none"])
        #expect(outcome.items.map(\.id) == ["Doc 2.pack", "b 2.txt"])
        #expect(outcome.failures.map(\.code) == [.vanished])
        #expect(outcome.inverse == .trash(["Doc 2.pack", "b 2.txt"]))
        #expect(outcome.items.last?.modificationDate == date)
        #expect(try shelf.text("Doc 2.pack/deep/a.txt") == "a")
        #expect(try shelf.names() == ["Doc 2.pack", "Doc.pack", "b 2.txt", "b.txt"])
        let original = try FileStamp(of: FilePath(shelf.at("b.txt").path))
        #expect(try FileStamp(of: FilePath(shelf.at("b 2.txt").path)).inode != original.inode)
        let again = await operations.duplicate(["b 2.txt"])
        #expect(again.items.map(\.id) == ["b 3.txt"])
    }

    @Test("What cannot be copied leaves nothing behind")
    func duplicateFails() async throws {
        try shelf.write("Doc.pack/a.txt", "a")
        #expect(mkfifo(shelf.at("Doc.pack/pipe").path, 0o600) == 0)
        let outcome = await operations.duplicate(["Doc.pack"])
        #expect(outcome.items.isEmpty)
        #expect(outcome.failures.map(\.code) == [.refused])
        #expect(outcome.inverse == nil)
        #expect(try shelf.names() == ["Doc.pack"])
    }

    @Test("Items go to the trash and come back, again and again")
    func trash() async throws {
        try shelf.write("a.txt", "a")
        try shelf.write("Doc.pack/b.txt", "b")
        let trashed = await operations.trash(["a.txt", "Doc.pack", "none"])
        #expect(trashed.failures.map(\.code) == [.vanished])
        #expect(try shelf.names() == [])
        let back = await operations.perform(try #require(trashed.inverse))
        #expect(Set(back.items.map(\.id)) == ["a.txt", "Doc.pack"])
        #expect(try shelf.text("Doc.pack/b.txt") == "b")
        let again = await operations.perform(try #require(back.inverse))
        #expect(again.failures.isEmpty)
        #expect(try shelf.names() == [])
        try shelf.write("a.txt", "new")
        let beside = await operations.perform(try #require(again.inverse))
        #expect(Set(beside.items.map(\.id)) == ["a 2.txt", "Doc.pack"])
    }

    @Test("The location itself can be neither moved nor thrown away")
    func locationStays() async throws {
        #expect(await operations.trash([""]).failures.map(\.code) == [.notInLocation])
        try shelf.makeFolder("sub")
        #expect(try await operations.move([""], into: "sub").failures.map(\.code) == [.notInLocation])
    }

    @Test("A link that leads out is thrown away itself")
    func trashLink() async throws {
        try shelf.write(shelf.outside.appendingPathComponent("b.txt"), "b")
        try shelf.link("out", to: "../outside")
        #expect(await operations.trash(["out"]).failures.isEmpty)
        #expect(try shelf.names() == [])
        #expect(FileManager.default.fileExists(atPath: shelf.outside.appendingPathComponent("b.txt").path))
    }

    @Test("Acts on a history are undone and done again to the last item")
    func history() async throws {
        try shelf.write("a.txt", "a")
        var history = BrowserHistory()
        history.record(
            .rename,
            inverse: try await operations.rename("a.txt", to: "b", showsExtension: false).inverse
        )
        history.record(.createFolder, inverse: try await operations.createFolder(named: "f", in: "").inverse)
        history.record(.move, inverse: try await operations.move(["b.txt"], into: "f").inverse)
        history.record(.duplicate, inverse: await operations.duplicate(["f/b.txt"]).inverse)
        #expect(try shelf.names("f") == ["b 2.txt", "b.txt"])
        while let command = history.beginUndo() {
            let outcome = await operations.perform(command)
            #expect(outcome.failures.isEmpty)
            history.end(inverse: outcome.inverse)
        }
        #expect(try shelf.names() == ["a.txt"])
        while let command = history.beginRedo() {
            let outcome = await operations.perform(command)
            #expect(outcome.failures.isEmpty)
            history.end(inverse: outcome.inverse)
        }
        #expect(try shelf.names() == ["f"])
        #expect(try shelf.names("f") == ["b 2.txt", "b.txt"])
        #expect(try shelf.text("f/b.txt") == "a")
    }

    @Test("Deeds asked for on the main actor are answered there")
    @MainActor func isolation() async throws {
        _ = try await operations.createFolder(named: "f", in: "")
        MainActor.assertIsolated()
    }
}
