import DocumentFoundation
import FileSystem
import Foundation
import Testing

@testable import UIKit

/// What becomes of an open document whose item goes to another volume, or into the trash and back.
///
/// Another volume gives another inode: what follows is the document, not the file.
@Suite(
    "UIDocument across volumes",
    .timeLimit(.minutes(2)),
    .enabled(if: FolderImportingTests.hasOtherVolume, "needs /dev/shm on a volume of its own")
)
@MainActor
struct VolumeMoveTests {
    private let playground: Playground
    private let other: VolumeFolder
    /// What no other test's file holds: a lone file of the same bytes on another volume may be taken for a copy.
    private let old = "old \(UUID().uuidString)"
    private var after: String { "after " + old }
    private var unsaved: String { "unsaved " + old }

    init() throws {
        playground = try Playground()
        other = try VolumeFolder()
    }

    private func openedAway(_ name: String = "a.txt") async throws -> TextDocument {
        let document = TextDocument(fileURL: try other.put(old, at: name))
        #expect(await document.open())
        return document
    }

    private func openedBook() async throws -> MemberDocument {
        _ = try other.put(old, at: "Book.book/a.txt")
        let document = MemberDocument(
            fileURL: other.url.appendingPathComponent("Book.book", isDirectory: true)
        )
        #expect(await document.open())
        return document
    }

    /// Moves as a program does that knows coordination and that a rename cannot cross volumes.
    private nonisolated static func copyAndDelete(_ source: URL, to target: URL) throws {
        let coordinator = NSFileCoordinator()
        var failure: NSError?
        var thrown: (any Error)?
        coordinator.coordinate(
            writingItemAt: source,
            options: .forMoving,
            writingItemAt: target,
            options: .forReplacing,
            error: &failure
        ) { source, target in
            do {
                coordinator.item(at: source, willMoveTo: target)
                try FileManager.default.copyItem(at: source, to: target)
                try FileManager.default.removeItem(at: source)
                coordinator.item(at: source, didMoveTo: target)
            } catch { thrown = error }
        }
        if let error = failure ?? thrown { throw error }
    }

    @Test("A document that is imported by a move follows into the location, with what was unsaved in it")
    func imported() async throws {
        let shelf = try Shelf()
        let document = try await openedAway()
        document.type(unsaved)
        let outcome = try await shelf.makeOperations().importItems(
            at: [document.fileURL],
            into: "",
            mode: .move
        )
        #expect(outcome.failures.isEmpty)
        await wait(for: document) { document.fileURL.path == shelf.at("a.txt").path }
        #expect(document.text == unsaved)
        #expect(!document.isFileDeleted)
        document.type(after)
        #expect(await document.close())
        #expect(try shelf.text("a.txt") == after)
        #expect(try other.names.isEmpty)
        #expect(document.loads == 1)
    }

    @Test("An open package that is imported by a move follows as one, and is saved where it is then")
    func importedPackage() async throws {
        let shelf = try Shelf()
        let document = try await openedAway("Doc.pack/a.txt")
        let package = other.url.appendingPathComponent("Doc.pack", isDirectory: true)
        let outcome = try await shelf.makeOperations().importItems(at: [package], into: "", mode: .move)
        #expect(outcome.failures.isEmpty)
        await wait(for: document) { document.fileURL.path == shelf.at("Doc.pack/a.txt").path }
        document.type(after)
        #expect(await document.close())
        #expect(try shelf.text("Doc.pack/a.txt") == after)
        #expect(try other.names.isEmpty)
    }

    @Test("A document follows a coordinated copy after which the original is deleted")
    func copiedAndDeleted() async throws {
        let document = try await openedAway()
        document.type(unsaved)
        let (source, target) = (document.fileURL, playground["b.txt"])
        try await Task.detached { try Self.copyAndDelete(source, to: target) }.value
        await wait(for: document) { document.fileURL.path == target.path }
        #expect(!document.isFileDeleted)
        #expect(document.text == unsaved)
        document.type(after)
        #expect(await document.close())
        #expect(try playground.names == ["b.txt"])
        #expect(try playground.text("b.txt") == after)
        #expect(try other.names.isEmpty)
    }

    private nonisolated static func run(_ program: String, _ arguments: String...) throws {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: program)
        process.arguments = arguments
        try process.run()
        process.waitUntilExit()
        #expect(process.terminationStatus == 0)
    }

    private nonisolated static func mv(_ source: URL, _ target: URL) throws {
        try run("/bin/mv", source.path, target.path)
    }

    /// Tries up to three times, with folders and bytes of their own, until documents follow their files.
    ///
    /// A file that has gone is looked for on other volumes for a second at most: on a machine that needs longer it is deleted.
    private static func untilFollowed(
        _ attempt: @MainActor (VolumeMoveTests) async throws -> Bool
    ) async throws {
        for _ in 0..<3 {
            if try await attempt(VolumeMoveTests()) { return }
        }
        Issue.record("Three times a document has not followed its file.")
    }

    /// Waits until a document has followed its file, or takes it for deleted; that one is closed.
    private func follows(_ document: UIDocument, to target: URL) async -> Bool {
        await wait(for: document) { document.fileURL.path == target.path || document.isFileDeleted }
        if document.fileURL.path == target.path { return true }
        await document.close()
        return false
    }

    @Test(
        "A document follows its file when a shell moves it to another volume, under another name too, and back"
    )
    func movedByShell() async throws {
        try await Self.untilFollowed { try await $0.moveByShell() }
    }

    private func moveByShell() async throws -> Bool {
        let document = TextDocument(fileURL: try playground.put(old, at: "a.txt"))
        let other = other.url
        #expect(await document.open())
        try Self.mv(document.fileURL, other.appendingPathComponent("b.txt"))
        guard await follows(document, to: other.appendingPathComponent("b.txt")) else { return false }
        #expect(!document.isFileDeleted)
        document.type(after)
        #expect(await document.save(to: document.fileURL, for: .forOverwriting))
        #expect(try playground.names.isEmpty)
        // Back it goes beside another presented item.
        let neighbour = TextDocument(fileURL: try playground.put("neighbour", at: "neighbour.txt"))
        #expect(await neighbour.open())
        try Self.mv(document.fileURL, playground["c.txt"])
        guard await follows(document, to: playground["c.txt"]) else {
            await neighbour.close()
            return false
        }
        document.type("last")
        #expect(await document.close())
        #expect(await neighbour.close())
        #expect(try playground.text("c.txt") == "last")
        #expect(document.loads == 1)
        return true
    }

    @Test(
        "A document follows its file deep into the large volume, where nothing else is presented",
        arguments: ["mv", "cp && rm"]
    )
    func movedDeep(_ program: String) async throws {
        try await Self.untilFollowed { try await $0.moveDeep(program) }
    }

    private func moveDeep(_ program: String) async throws -> Bool {
        let document = try await openedAway()
        let folder = playground["p/q/r"]
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let target = folder.appendingPathComponent("a.txt")
        let line = program == "mv" ? "mv \"$0\" \"$1\"" : "cp \"$0\" \"$1\" && rm \"$0\""
        try Self.run("/bin/sh", "-c", line, document.fileURL.path, target.path)
        guard await follows(document, to: target) else { return false }
        #expect(!document.isFileDeleted)
        document.type(after)
        #expect(await document.close())
        #expect(try playground.text("p/q/r/a.txt") == after)
        #expect(document.loads == 1)
        return true
    }

    @Test(
        "A document follows a plain copy after which a shell removes the original, under its name and another",
        arguments: ["a.txt", "b.txt"]
    )
    func copiedByShell(_ name: String) async throws {
        try await Self.untilFollowed { try await $0.copyByShell(to: name) }
    }

    private func copyByShell(to name: String) async throws -> Bool {
        let document = TextDocument(fileURL: try playground.put(old, at: "a.txt"))
        #expect(await document.open())
        let target = other.url.appendingPathComponent(name)
        try Self.run("/bin/sh", "-c", "cp \"$0\" \"$1\" && rm \"$0\"", document.fileURL.path, target.path)
        guard await follows(document, to: target) else { return false }
        #expect(!document.isFileDeleted)
        document.type(after)
        #expect(await document.close())
        #expect(try String(contentsOf: target, encoding: .utf8) == after)
        #expect(try playground.names.isEmpty)
        #expect(document.loads == 1)
        return true
    }

    @Test("Open documents follow when a shell moves a folder above them to another volume")
    func parentMovedByShell() async throws {
        try await Self.untilFollowed { try await $0.moveParentByShell() }
    }

    private func moveParentByShell() async throws -> Bool {
        let folder = playground["x/y"]
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let first = TextDocument(fileURL: try playground.put(old, at: "x/y/a.txt"))
        let second = TextDocument(fileURL: try playground.put(old + " too", at: "x/b.txt"))
        for document in [first, second] { #expect(await document.open()) }
        second.type(unsaved)
        try Self.mv(playground["x"], other.url.appendingPathComponent("z"))
        for (document, name) in [(first, "z/y/a.txt"), (second, "z/b.txt")] {
            let target = other.url.appendingPathComponent(name)
            guard await follows(document, to: target) else {
                if document === first { await second.close() }
                return false
            }
            #expect(!document.isFileDeleted)
            if document === first { document.type(after) }
            #expect(await document.close())
            let text = try String(contentsOf: target, encoding: .utf8)
            #expect(text == (document === first ? after : unsaved))
            #expect(document.loads == 1)
        }
        #expect(try playground.names.isEmpty)
        return true
    }

    @Test("A package document follows when a shell moves it to another volume")
    func packageMovedByShell() async throws {
        try await Self.untilFollowed { try await $0.movePackageByShell() }
    }

    private func movePackageByShell() async throws -> Bool {
        try FileManager.default.createDirectory(
            at: playground["Book.book"],
            withIntermediateDirectories: true
        )
        _ = try playground.put(old, at: "Book.book/a.txt")
        let document = MemberDocument(fileURL: playground["Book.book"])
        #expect(await document.open())
        #expect(document.text(of: "a.txt") == old)
        let target = other.url.appendingPathComponent("Book.book", isDirectory: true)
        try Self.mv(document.fileURL, target)
        guard await follows(document, to: target) else { return false }
        document.write(after, to: "b.txt")
        #expect(await document.close())
        #expect(try String(contentsOf: target.appendingPathComponent("b.txt"), encoding: .utf8) == after)
        #expect(try String(contentsOf: target.appendingPathComponent("a.txt"), encoding: .utf8) == old)
        return true
    }

    @Test(
        "A file of other contents on another volume is not followed, whatever its date: the document's own is gone"
    )
    func notACopy() async throws {
        let document = TextDocument(fileURL: try playground.put(old, at: "a.txt"))
        #expect(await document.open())
        let stranger = try other.put(String(old.reversed()), at: "a.txt")
        try Self.run("/bin/touch", "-r", document.fileURL.path, stranger.path)
        try FileManager.default.removeItem(at: document.fileURL)
        await wait(for: document) { document.isFileDeleted }
        #expect(document.fileURL == playground["a.txt"])
        await document.close()
    }

    @Test("A document follows its file into the trash of its volume, is edited there, and comes back with it")
    func trashed() async throws {
        let document = try await openedAway()
        let url = document.fileURL
        var resulting: NSURL?
        try FileManager.default.trashItem(at: url, resultingItemURL: &resulting)
        let trashed = try #require(resulting as URL?)
        defer { try? FileManager.default.removeItem(at: trashed) }
        await wait(for: document) { document.fileURL.path == trashed.path }
        #expect(document.isFileInTrash)
        #expect(!document.isFileDeleted)
        document.type("edited " + old)
        #expect(await document.save(to: document.fileURL, for: .forOverwriting))
        #expect(try Trash().restore(trashed).path == url.path)
        await wait(for: document) { document.fileURL.path == url.path }
        #expect(!document.isFileInTrash)
        document.type(after)
        #expect(await document.close())
        #expect(try String(contentsOf: url, encoding: .utf8) == after)
        #expect(document.loads == 1)
    }

    @Test(
        "A package document follows a coordinated copy after which the original is deleted, with all members"
    )
    func copiedAndDeletedPackage() async throws {
        let document = try await openedBook()
        document.write(unsaved, to: "b.txt")
        let (source, target) = (document.fileURL, playground["Moved.book"])
        try await Task.detached { try Self.copyAndDelete(source, to: target) }.value
        await wait(for: document) { document.fileURL.path == target.path }
        #expect(document.text(of: "a.txt") == old)
        document.write(after, to: "c.txt")
        #expect(await document.close())
        let saved = try ["a.txt", "b.txt", "c.txt"].map { try playground.text("Moved.book/" + $0) }
        #expect(saved == [old, unsaved, after])
        #expect(try playground.names == ["Moved.book"])
        #expect(try other.names.isEmpty)
    }
}

/// A folder on the volume of shared memory.
private final class VolumeFolder {
    let url = URL(fileURLWithPath: "/dev/shm/sheaf-\(UUID().uuidString)", isDirectory: true)

    init() throws { try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true) }

    deinit {
        // What a test has not moved away goes with it; a folder that stays harms nobody.
        try? FileManager.default.removeItem(at: url)
    }

    var names: [String] { get throws { try FileManager.default.contentsOfDirectory(atPath: url.path) } }

    func put(_ text: String, at name: String) throws -> URL {
        let place = url.appendingPathComponent(name)
        let folder = place.deletingLastPathComponent()
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        try Data(text.utf8).write(to: place)
        return place
    }
}
