import FileSystem
import Foundation
import Testing
import UIKit

/// What becomes of a document whose file others change.
@Suite("UIDocument and others", .timeLimit(.minutes(2)))
@MainActor
struct OutsideChangeTests {
    let playground: Playground

    init() throws {
        playground = try Playground()
    }

    @Test("A clean document reloads quietly when an editor writes its file in place")
    func writtenInPlace() async throws {
        let document = TextDocument(fileURL: try playground.put("old", at: "a.txt"))
        #expect(await document.open())
        try Data("new from outside".utf8).write(to: document.fileURL)
        await wait(for: document) { document.text == "new from outside" && document.documentState == .normal }
        #expect(!document.hasUnsavedChanges)
        #expect(try playground.names == ["a.txt"])
        await document.close()
    }

    @Test("A clean document reloads quietly when an editor renames a new file over its own")
    func renamedOver() async throws {
        let document = TextDocument(fileURL: try playground.put("old", at: "a.txt"))
        #expect(await document.open())
        try Data("new".utf8).write(to: document.fileURL, options: .atomic)
        await wait(for: document) { document.text == "new" && document.documentState == .normal }
        await document.close()
    }

    @Test("A clean document does not read the empty file that a program leaves before it writes")
    func truncatedAndWritten() async throws {
        for attempt in 1... {
            let document = TextDocument(fileURL: try playground.put("old", at: "a\(attempt).txt"))
            #expect(await document.open())
            let start = DispatchTime.now().uptimeNanoseconds
            let program = Process()
            program.executableURL = URL(fileURLWithPath: "/bin/sh")
            program.arguments = ["-c", ": > \"$0\"; sleep .01; printf new >> \"$0\"", document.fileURL.path]
            try program.run()
            program.waitUntilExit()
            let seconds = Double(DispatchTime.now().uptimeNanoseconds - start) / 1e9
            await wait(for: document) { document.text == "new" && document.documentState == .normal }
            let loads = document.loads
            await document.close()
            // A program that comes to a halt in between has emptied the file.
            guard seconds >= EventFolding.settleSeconds else {
                #expect(loads == 2)
                break
            }
        }
    }

    @Test("The document's own saves are not taken for others'")
    func ownSaves() async throws {
        let document = TextDocument(fileURL: try playground.put("old", at: "a.txt"))
        #expect(await document.open())
        for number in 1...20 {
            document.type("\(number)")
            #expect(await document.save(to: document.fileURL, for: .forOverwriting))
        }
        #expect(document.loads == 1)
        await document.close()
        #expect(try playground.names == ["a.txt"])
    }

    @Test("A dirty document keeps both: its own contents in the file, the other's beside it, and says so")
    func dirty() async throws {
        let document = TextDocument(fileURL: try playground.put("old", at: "a.txt"))
        #expect(await document.open())
        document.type("mine")
        try Data("theirs".utf8).write(to: document.fileURL)
        #expect(await document.save(to: document.fileURL, for: .forOverwriting))
        #expect(document.documentState.contains(.inConflict))
        #expect(try playground.text("a.txt") == "mine")
        let copy = try #require(document.conflictCopyURLs.first)
        #expect(try playground.text(copy.lastPathComponent) == "theirs")
        #expect(copy.pathExtension == "txt")
        // What a save has staged is removed after its handler was called, and before a close is over.
        await document.close()
        #expect(try playground.names == [copy.lastPathComponent, "a.txt"].sorted())
    }

    @Test("The conflict is over when the other version has been removed")
    func conflictDealtWith() async throws {
        let document = TextDocument(fileURL: try playground.put("old", at: "a.txt"))
        #expect(await document.open())
        document.type("mine")
        try Data("theirs".utf8).write(to: document.fileURL)
        #expect(await document.save(to: document.fileURL, for: .forOverwriting))
        let copy = try #require(document.conflictCopyURLs.first)
        try FileManager.default.removeItem(at: copy)
        await wait(for: document) { !document.documentState.contains(.inConflict) }
        #expect(document.conflictCopyURLs.isEmpty)
        await document.close()
    }

    @Test("The conflict is over, too, when the other version was removed before anybody watched it")
    func conflictDealtWithAtOnce() async throws {
        let document = HeldUpDocument(fileURL: try playground.put("old", at: "a.txt"))
        #expect(await document.open())
        document.text = "mine"
        document.updateChangeCount(.done)
        try Data("theirs".utf8).write(to: document.fileURL)
        #expect(await document.save(to: document.fileURL, for: .forOverwriting))
        let copy = try #require(document.conflictCopyURLs.first)
        // Once a watch that begins now is told of nothing that has happened until here, the document begins its own.
        let (removals, continuation) = AsyncStream.makeStream(of: Void.self)
        let folder = try #require(FilePath(copy.deletingLastPathComponent()))
        let watch = try DirectoryWatch(folder, on: DispatchQueue(label: "removals")) { events in
            for event in events where event.kind == .deleted && event.name == copy.lastPathComponent {
                continuation.yield()
            }
        }
        try FileManager.default.removeItem(at: copy)
        for await _ in removals { break }
        watch.cancel()
        document.isHeldUp.signal()
        await wait(for: document) { !document.documentState.contains(.inConflict) }
        #expect(document.conflictCopyURLs.isEmpty)
        await document.close()
    }

    @Test("Saving over an item that the document never read keeps that item beside it")
    func neverRead() async throws {
        let document = TextDocument(fileURL: try playground.put("precious", at: "a.txt"))
        document.text = "mine"
        #expect(await document.save(to: document.fileURL, for: .forCreating))
        #expect(try playground.text("a.txt") == "mine")
        let copy = try #require(document.conflictCopyURLs.first)
        #expect(try playground.text(copy.lastPathComponent) == "precious")
        await document.close()
    }

    @Test("A file that was removed is written again by the next save: nothing in memory is lost")
    func removed() async throws {
        let document = TextDocument(fileURL: try playground.put("old", at: "a.txt"))
        #expect(await document.open())
        try FileManager.default.removeItem(at: document.fileURL)
        document.type("still here")
        #expect(await document.save(to: document.fileURL, for: .forOverwriting))
        #expect(try playground.text("a.txt") == "still here")
        await document.close()
    }

    @Test("Two documents on one file: the one that is clean follows the other's save")
    func twoDocuments() async throws {
        let url = try playground.put("old", at: "a.txt")
        let first = TextDocument(fileURL: url)
        let second = TextDocument(fileURL: url)
        #expect(await first.open())
        #expect(await second.open())
        first.type("from the first")
        #expect(await first.save(to: url, for: .forOverwriting))
        await wait(for: second) { second.text == "from the first" && second.documentState == .normal }
        second.type("from the second")
        #expect(await second.save(to: url, for: .forOverwriting))
        await wait(for: first) { first.text == "from the second" && first.documentState == .normal }
        await first.close()
        await second.close()
        #expect(try playground.names == ["a.txt"])
    }

    @Test("Two documents on one file, both edited: neither overwrites the other unseen")
    func twoDirtyDocuments() async throws {
        let url = try playground.put("old", at: "a.txt")
        let first = TextDocument(fileURL: url)
        let second = TextDocument(fileURL: url)
        #expect(await first.open())
        #expect(await second.open())
        first.type("one")
        second.type("two")
        // Neither saves by itself in the middle of it.
        first.isAutosaveOff = true
        second.isAutosaveOff = true
        #expect(await first.save(to: url, for: .forOverwriting))
        #expect(await second.save(to: url, for: .forOverwriting))
        first.isAutosaveOff = false
        second.isAutosaveOff = false
        let texts = try playground.names.filter { !$0.hasPrefix(".") }.map { try playground.text($0) }
        #expect(Set(texts) == ["one", "two"])
        await first.close()
        await second.close()
        let rest = try playground.names.map { try playground.text($0) }
        #expect(Set(rest) == ["one", "two"])
    }

    @Test("A coordinated reader gets what is in memory: the document saves first")
    func saveBeforeRead() async throws {
        let document = TextDocument(fileURL: try playground.put("old", at: "a.txt"))
        #expect(await document.open())
        document.type("fresh")
        let url = document.fileURL
        let read = await withCheckedContinuation { continuation in
            DispatchQueue.global().async {
                var error: NSError?
                var text: String?
                NSFileCoordinator(filePresenter: nil).coordinate(readingItemAt: url, error: &error) { place in
                    text = (try? Data(contentsOf: place)).map { String(decoding: $0, as: UTF8.self) }
                }
                continuation.resume(returning: error.map { "\($0)" } ?? text)
            }
        }
        #expect(read == "fresh")
        await document.close()
    }

    @Test("A coordinated move is followed; a later save goes to the new place")
    func moved() async throws {
        let document = TextDocument(fileURL: try playground.put("old", at: "a.txt"))
        #expect(await document.open())
        let (source, target) = (document.fileURL, playground["b.txt"])
        await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
            DispatchQueue.global().async {
                let coordinator = NSFileCoordinator(filePresenter: nil)
                coordinator.coordinate(
                    writingItemAt: source,
                    options: .forMoving,
                    writingItemAt: target,
                    options: .forReplacing,
                    error: nil
                ) { from, to in
                    try? FileManager.default.moveItem(at: from, to: to)
                    coordinator.item(at: from, didMoveTo: to)
                }
                continuation.resume()
            }
        }
        await wait(for: document) { document.fileURL.lastPathComponent == "b.txt" }
        document.type("moved on")
        #expect(await document.save(to: document.fileURL, for: .forOverwriting))
        #expect(try playground.text("b.txt") == "moved on")
        await document.close()
        #expect(try playground.names == ["b.txt"])
    }

    @Test("A coordinated deletion closes the document, after what was unsaved has been written")
    func deleted() async throws {
        let document = TextDocument(fileURL: try playground.put("old", at: "a.txt"))
        #expect(await document.open())
        document.type("last words")
        let (url, kept) = (document.fileURL, playground["kept.txt"])
        await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
            DispatchQueue.global().async {
                NSFileCoordinator(filePresenter: nil).coordinate(
                    writingItemAt: url,
                    options: .forDeleting,
                    error: nil
                ) { try? FileManager.default.moveItem(at: $0, to: kept) }
                continuation.resume()
            }
        }
        // It presents nothing any more once the deletion goes on; the main actor hears of it a moment later.
        await wait(for: document) { document.documentState == .closed }
        #expect(try playground.text("kept.txt") == "last words")
    }
}

/// A document whose file access comes to a halt after its first save, until a test lets it go on.
private final class HeldUpDocument: UIDocument {
    var text = ""
    nonisolated let isHeldUp = DispatchSemaphore(value: 0)

    override func contents(forType typeName: String) throws -> Any { Data(text.utf8) }

    override func load(fromContents contents: Any, ofType typeName: String?) throws {}

    override func updateChangeCount(withToken changeCountToken: Any, for saveOperation: SaveOperation) {
        super.updateChangeCount(withToken: changeCountToken, for: saveOperation)
        performAsynchronousFileAccess { [isHeldUp] in
            isHeldUp.wait()
            isHeldUp.signal()
        }
    }
}
