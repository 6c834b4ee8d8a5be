import DocumentFoundation
import Foundation
import Locks
import Merging
import Testing

@testable import UIKit

/// Documents that merge by themselves what a program wrote while they had unsaved edits.
@Suite("UIDocument merging by type", .timeLimit(.minutes(2)))
@MainActor
struct DocumentMergeTests {
    let playground: Playground

    init() throws {
        playground = try Playground()
    }

    /// A document whose text was edited here and by another program.
    private func meeting<Document: PlainDocument>(
        _ type: Document.Type,
        _ base: String,
        _ mine: String,
        _ theirs: String,
        name: String = "a.txt"
    ) async throws -> Document {
        let document = Document(fileURL: try playground.put(base, at: name))
        #expect(await document.open())
        document.type(mine)
        try Data(theirs.utf8).write(to: document.fileURL)
        return document
    }

    @Test("Two devices, each with the other's version in its file, come to the same bytes")
    func bothDevices() async throws {
        let (mine, theirs) = ("ONE\ntwo\nthree\n", "one\ntwo\nTHREE\n")
        for (name, own, other) in [("a.txt", mine, theirs), ("b.txt", theirs, mine)] {
            let document = try await meeting(
                PlainDocument.self,
                "one\ntwo\nthree\n",
                own,
                other,
                name: name
            )
            await wait(for: document) { document.text != own && !document.hasUnsavedChanges }
            #expect(try playground.text(name) == "ONE\ntwo\nTHREE\n")
            #expect(!document.documentState.contains(.inConflict))
            await document.close()
        }
        #expect(try playground.names == ["a.txt", "b.txt"])
    }

    /// A document that does nothing by itself, whose text was edited here and by another program.
    private func unnoticed<Document: PlainDocument>(_ type: Document.Type) async throws -> Document {
        let document = try await meeting(
            type,
            "one\ntwo\nthree\n",
            "ONE\ntwo\nthree\n",
            "one\ntwo\nTHREE\n"
        )
        return document
    }

    @Test("A save that was asked for merges what others wrote before it")
    func explicitSave() async throws {
        let document = try await unnoticed(PlainDocument.self)
        #expect(await document.save(to: document.fileURL, for: .forOverwriting))
        #expect(try playground.text("a.txt") == "ONE\ntwo\nTHREE\n")
        #expect(document.text == "ONE\ntwo\nTHREE\n")
        #expect(!document.hasUnsavedChanges && document.documentState == .normal)
        await document.close()
        #expect(try playground.names == ["a.txt"])
    }

    @Test("So does the save that closing makes")
    func closing() async throws {
        let document = try await unnoticed(PlainDocument.self)
        #expect(await document.close())
        #expect(try playground.text("a.txt") == "ONE\ntwo\nTHREE\n")
        #expect(try playground.names == ["a.txt"])
    }

    @Test("Whoever reads gets both: what others wrote and what was unsaved")
    func reader() async throws {
        let document = try await unnoticed(PlainDocument.self)
        document.updateChangeCount(.done)
        let url = document.fileURL
        let text = await withCheckedContinuation { continuation in
            DispatchQueue.global().async {
                var text: String?
                NSFileCoordinator().coordinate(readingItemAt: url, error: nil) { place in
                    text = (try? Data(contentsOf: place)).map { String(decoding: $0, as: UTF8.self) }
                }
                continuation.resume(returning: text)
            }
        }
        #expect(text == "ONE\ntwo\nTHREE\n")
        await document.close()
    }

    @Test("A save over what others wrote since a document without edits was read takes theirs")
    func nothingOfMine() async throws {
        let document = PlainDocument(fileURL: try playground.put("old\n", at: "a.txt"))
        #expect(await document.open())
        try Data("theirs\n".utf8).write(to: document.fileURL)
        #expect(await document.save(to: document.fileURL, for: .forOverwriting))
        #expect(try playground.text("a.txt") == "theirs\n")
        await wait(for: document) { document.text == "theirs\n" && document.documentState == .normal }
        await document.close()
        #expect(try playground.names == ["a.txt"])
    }

    @Test("Others who write at every merge do not keep a save from its end")
    func writtenAtEveryMerge() async throws {
        let document = try await unnoticed(OvertakenMerger.self)
        #expect(await document.save(to: document.fileURL, for: .forOverwriting))
        #expect(document.documentState.contains(.inConflict))
        document.isOver.withLock { $0 = true }
        await document.close()
        #expect(try playground.names.count >= 2)
    }

    @Test("What both changed is not merged: both are kept")
    func conflict() async throws {
        let document = try await meeting(PlainDocument.self, "one\n", "mine\n", "theirs\n")
        await wait(for: document) { document.documentState.contains(.inConflict) }
        #expect(try playground.text("a.txt") == "mine\n")
        let copy = try #require(document.conflictCopyURLs.first)
        #expect(try playground.text(copy.lastPathComponent) == "theirs\n")
        await document.close()
    }

    @Test("A merge is one step to undo, and to redo; either is saved")
    func undo() async throws {
        let document = try await meeting(PlainDocument.self, "one\ntwo\n", "ONE\ntwo\n", "one\nTWO\n")
        await wait(for: document) { document.text == "ONE\nTWO\n" && !document.hasUnsavedChanges }
        #expect(document.undoManager.undoActionName == "Merge")
        document.undoManager.undo()
        #expect(document.text == "ONE\ntwo\n" && document.hasUnsavedChanges)
        #expect(!document.undoManager.canUndo, "what came before leads to states without theirs")
        await wait(for: document) { !document.hasUnsavedChanges }
        #expect(try playground.text("a.txt") == "ONE\ntwo\n")
        document.undoManager.redo()
        #expect(document.text == "ONE\nTWO\n" && document.hasUnsavedChanges)
        await wait(for: document) { !document.hasUnsavedChanges }
        #expect(try playground.text("a.txt") == "ONE\nTWO\n")
        await document.close()
    }

    @Test("What is typed while a merge is under way is in the next one")
    func editedMeanwhile() async throws {
        let document = try await meeting(
            SlowMerger.self,
            "one\ntwo\nthree\n",
            "ONE\ntwo\nthree\n",
            "one\ntwo\nTHREE\n"
        )
        await document.gate.reached()
        document.type("ONE more\ntwo\nthree\n")
        document.gate.open()
        await wait(for: document) { !document.hasUnsavedChanges }
        #expect(try playground.text("a.txt") == "ONE more\ntwo\nTHREE\n")
        #expect(document.text == "ONE more\ntwo\nTHREE\n")
        #expect(try playground.names == ["a.txt"])
        await document.close()
    }

    @Test("One who edits in every merge is waited for at last")
    func editedAlways() async throws {
        let document = try await meeting(
            RestlessDocument.self,
            "one\ntwo\nthree\n",
            "ONE\ntwo\nthree\n",
            "one\ntwo\nTHREE\n"
        )
        await wait(for: document) { document.text.hasSuffix("THREE\n") && !document.hasUnsavedChanges }
        #expect(document.merges.withLock { $0 } == [false, false, false, true])
        #expect(try playground.text("a.txt") == document.text)
        #expect(document.text.hasPrefix("ONE 3\n"))
        await document.close()
    }

    @Test("An app can take the conflicts as they stand")
    func acceptedConflicts() async throws {
        let document = try await meeting(AcceptingDocument.self, "one\n", "mine\n", "theirs\n")
        await wait(for: document) { document.text == "theirs\n" && !document.hasUnsavedChanges }
        #expect(document.conflicts.withLock { $0 }.count == 1)
        #expect(try playground.names == ["a.txt"])
        document.undoManager.undo()
        #expect(document.text == "mine\n")
        await document.close()
    }

    // MARK: Packages

    @Test("A page's text edited here and by a shell is merged without asking, its picture let be")
    func package() async throws {
        let url = playground["Page.book"]
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
        try Data("one\ntwo\nthree\n".utf8).write(to: url.appendingPathComponent("text.txt"))
        try Data("picture".utf8).write(to: url.appendingPathComponent("image.png"))
        let document = PageDocument(fileURL: url)
        #expect(await document.open())
        #expect(document.text == "one\ntwo\nthree\n")
        document.setText("ONE\ntwo\nthree\n")
        try Data("one\ntwo\nTHREE\n".utf8).write(to: url.appendingPathComponent("text.txt"))
        await wait(for: document) { document.text == "ONE\ntwo\nTHREE\n" && !document.hasUnsavedChanges }
        #expect(try playground.text("Page.book/text.txt") == "ONE\ntwo\nTHREE\n")
        #expect(!document.documentState.contains(.inConflict))
        #expect(document.package.fileWrappers?["image.png"]?.bytesInMemory == nil)

        document.undoManager.undo()
        await wait(for: document) { !document.hasUnsavedChanges }
        #expect(try playground.text("Page.book/text.txt") == "ONE\ntwo\nthree\n")
        #expect(try playground.text("Page.book/image.png") == "picture")
        document.undoManager.redo()
        await wait(for: document) { !document.hasUnsavedChanges }
        #expect(try playground.text("Page.book/text.txt") == "ONE\ntwo\nTHREE\n")

        // The base is what was saved last: once more, with the places exchanged.
        document.setText("ONE\nTWO\nTHREE\n")
        try Data("ONE\ntwo\nTHREE\nfour\n".utf8).write(to: url.appendingPathComponent("text.txt"))
        await wait(for: document) {
            document.text?.hasSuffix("four\n") ?? false && !document.hasUnsavedChanges
        }
        #expect(try playground.text("Page.book/text.txt") == "ONE\nTWO\nTHREE\nfour\n")
        #expect(try playground.names == ["Page.book"])
        await document.close()
    }

    /// A package with a large text and a large picture, both of which have been read.
    private func largePage() async throws -> (document: PageDocument, lines: [String]) {
        let url = playground["Page.book"]
        let lines = (0..<3).map { "\($0)" + String(repeating: "x", count: 120_000) }
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
        try Data((lines.joined(separator: "\n") + "\n").utf8).write(
            to: url.appendingPathComponent("text.txt")
        )
        try Data(repeating: 1, count: 600_000).write(to: url.appendingPathComponent("image.png"))
        let document = PageDocument(fileURL: url)
        #expect(await document.open())
        #expect(document.text?.utf8.count == 360_006)
        #expect(document.package.fileWrappers?["image.png"]?.regularFileContents?.count == 600_000)
        return (document, lines)
    }

    @Test("What a program writes in place into a large member is merged: the base is what was read")
    func largeMember() async throws {
        let (document, lines) = try await largePage()
        let mine = ["MINE", lines[1], lines[2]].joined(separator: "\n") + "\n"
        document.setText(mine)
        let file = try FileHandle(forWritingTo: document.fileURL.appendingPathComponent("text.txt"))
        try file.seek(toOffset: UInt64(lines[0].utf8.count + 1))
        try file.write(contentsOf: Data("THEIRS".utf8))
        try file.close()
        await wait(for: document) { document.text != mine && !document.hasUnsavedChanges }
        let merged = ["MINE", "THEIRS" + lines[1].dropFirst(6), lines[2]].joined(separator: "\n") + "\n"
        let isMerged = try document.text == merged && playground.text("Page.book/text.txt") == merged
        #expect(isMerged)
        #expect(!document.documentState.contains(.inConflict))
        await document.close()
    }

    @Test("A large picture that a program cuts short in place comes back when the merge is undone")
    func largeMemberCutShort() async throws {
        let (document, lines) = try await largePage()
        document.setText(["MINE", lines[1], lines[2]].joined(separator: "\n") + "\n")
        let place = document.fileURL.appendingPathComponent("image.png")
        let file = try FileHandle(forWritingTo: place)
        try file.truncate(atOffset: 0)
        try file.write(contentsOf: Data("small".utf8))
        try file.close()
        await wait(for: document) {
            document.undoManager.undoActionName == "Merge" && !document.hasUnsavedChanges
        }
        #expect(try Data(contentsOf: place) == Data("small".utf8))
        document.undoManager.undo()
        await wait(for: document) { !document.hasUnsavedChanges }
        let isBack = try Data(contentsOf: place) == Data(repeating: 1, count: 600_000)
        #expect(isBack)
        await document.close()
    }

    @Test("A change that was seen before a save dealt with it is no reason to reload: undo stays")
    func seenBeforeTheSave() async throws {
        let document = PlainDocument(fileURL: try playground.put("old", at: "a.txt"))
        #expect(await document.open())
        document.undoManager.registerUndo(withTarget: document) { $0.text = "old" }
        document.text = "new"
        let seenAt = document.record.withLock { $0.stampCount }
        #expect(await document.save(to: document.fileURL, for: .forOverwriting))
        await wait(for: document) { !document.hasUnsavedChanges }
        document.takeOutsideChange(seenAt: seenAt)
        await withCheckedContinuation { continuation in
            document.performAsynchronousFileAccess { continuation.resume() }
        }
        #expect(document.documentState == .normal)
        #expect(document.undoManager.canUndo)
        await document.close()
    }

    @Test("A picture that others put in and a text edited here are both there; undoing takes the picture out")
    func newMember() async throws {
        let url = playground["Page.book"]
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
        try Data("text".utf8).write(to: url.appendingPathComponent("text.txt"))
        let document = PageDocument(fileURL: url)
        #expect(await document.open())
        document.setText("mine")
        try Data("picture".utf8).write(to: url.appendingPathComponent("image.png"))
        await wait(for: document) {
            document.package.fileWrappers?["image.png"] != nil && !document.hasUnsavedChanges
        }
        #expect(try playground.text("Page.book/text.txt") == "mine")
        document.undoManager.undo()
        await wait(for: document) { !document.hasUnsavedChanges }
        #expect(try playground.text("Page.book/text.txt") == "mine")
        let image = url.appendingPathComponent("image.png")
        #expect(!FileManager.default.fileExists(atPath: image.path))
        document.undoManager.redo()
        await wait(for: document) { !document.hasUnsavedChanges }
        #expect(try playground.text("Page.book/image.png") == "picture")
        await document.close()
    }
}

/// A text in a file.
@MainActor
private class PlainDocument: UIDocument {
    var text = ""

    override required init(fileURL url: URL) { super.init(fileURL: url) }

    override func contents(forType typeName: String) throws -> Any { Data(text.utf8) }

    override func load(fromContents contents: Any, ofType typeName: String?) throws {
        text = String(decoding: try #require(contents as? Data), as: UTF8.self)
    }

    func type(_ newText: String) {
        let old = text
        undoManager.registerUndo(withTarget: self) { $0.type(old) }
        text = newText
    }
}

/// Has its file written by others whenever it merges.
@MainActor
private final class OvertakenMerger: PlainDocument {
    nonisolated let isOver = Locked(false)
    nonisolated let count = Locked(0)

    nonisolated override func mergedContents(
        ofType type: String?,
        base: Any?,
        mine: Any,
        theirs: Any
    ) throws
        -> Any?
    {
        if !isOver.withLock({ $0 }) {
            let number = count.withLock { count in
                count += 1
                return count
            }
            try Data("one\ntwo\n\(number)\n".utf8).write(to: fileURL)
        }
        return try super.mergedContents(ofType: type, base: base, mine: mine, theirs: theirs)
    }
}

/// Holds its first merge until somebody has done something meanwhile.
@MainActor
private final class SlowMerger: PlainDocument {
    nonisolated let gate = Gate()

    nonisolated override func mergedContents(
        ofType type: String?,
        base: Any?,
        mine: Any,
        theirs: Any
    ) throws
        -> Any?
    {
        gate.pass()
        return try super.mergedContents(ofType: type, base: base, mine: mine, theirs: theirs)
    }
}

/// Is edited whenever it is merged in the background.
@MainActor
private final class RestlessDocument: PlainDocument {
    /// Of each merge: whether it was on the main actor.
    nonisolated let merges = Locked<[Bool]>([])

    nonisolated override func mergedContents(
        ofType type: String?,
        base: Any?,
        mine: Any,
        theirs: Any
    ) throws
        -> Any?
    {
        let isOnMain = MainQueue.isCurrent
        let count = merges.withLock { merges in
            merges.append(isOnMain)
            return merges.count
        }
        if !isOnMain {
            DispatchQueue.main.sync {
                MainActor.assumeIsolated { self.type("ONE \(count)\ntwo\nthree\n") }
            }
        }
        return try super.mergedContents(ofType: type, base: base, mine: mine, theirs: theirs)
    }
}

/// Takes what stands, and notes what was changed twice.
@MainActor
private final class AcceptingDocument: PlainDocument {
    nonisolated let conflicts = Locked<[MergeConflict]>([])

    nonisolated override func mergedContents(
        ofType type: String?,
        base: Any?,
        mine: Any,
        theirs: Any
    ) throws
        -> Any?
    {
        let merged = try DocumentMergers.merge(ofType: type, base: base, mine: mine, theirs: theirs)
        conflicts.withLock { $0 += merged?.conflicts ?? [] }
        return merged?.contents
    }
}

/// A picture and a text in a package, changed in the tree that was read.
@MainActor
private final class PageDocument: UIDocument {
    private(set) var package = FileWrapper(directoryWithFileWrappers: [:])

    override func contents(forType typeName: String) throws -> Any { package }

    override func load(fromContents contents: Any, ofType typeName: String?) throws {
        package = try #require(contents as? FileWrapper)
    }

    var text: String? {
        package.fileWrappers?["text.txt"]?.regularFileContents.map { String(decoding: $0, as: UTF8.self) }
    }

    func setText(_ newText: String) {
        let old = text
        undoManager.registerUndo(withTarget: self) { $0.setText(old ?? "") }
        if let member = package.fileWrappers?["text.txt"] { package.removeFileWrapper(member) }
        package.addRegularFile(withContents: Data(newText.utf8), preferredFilename: "text.txt")
    }
}

/// Somebody waits at a gate for somebody else, once.
private final class Gate: Sendable {
    private let isPassed = Locked(false)
    private let arrived = AsyncStream<Void>.makeStream()
    private let opened = DispatchSemaphore(value: 0)

    /// Any thread that may wait.
    func pass() {
        let isFirst = isPassed.withLock { isPassed in
            defer { isPassed = true }
            return !isPassed
        }
        guard isFirst else { return }
        arrived.continuation.yield()
        opened.wait()
    }

    func reached() async {
        for await _ in arrived.stream { return }
    }

    func open() { opened.signal() }
}
