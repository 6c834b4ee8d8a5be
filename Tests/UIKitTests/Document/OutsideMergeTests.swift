import Foundation
import Locks
import Testing
import UIKit

/// A document that takes both sides where both have changed.
@Suite("UIDocument merging", .timeLimit(.minutes(2)))
@MainActor
struct OutsideMergeTests {
    let playground: Playground

    init() throws {
        playground = try Playground()
    }

    @Test("A merged version is loaded and saved over the other's; base, mine and theirs are what they say")
    func merged() async throws {
        let document = MergingDocument(fileURL: try playground.put("base", at: "a.txt"))
        #expect(await document.open())
        document.type("base+mine")
        try Data("base+theirs".utf8).write(to: document.fileURL)
        await wait(for: document) {
            document.text == "base|base+mine|base+theirs" && !document.hasUnsavedChanges
        }
        #expect(try playground.text("a.txt") == "base|base+mine|base+theirs")
        #expect(!document.documentState.contains(.inConflict))
        await document.close()
        #expect(try playground.names == ["a.txt"])
    }

    @Test("After a save the saved bytes are the base")
    func baseAfterSave() async throws {
        let document = MergingDocument(fileURL: try playground.put("old", at: "a.txt"))
        #expect(await document.open())
        document.type("saved")
        #expect(await document.save(to: document.fileURL, for: .forOverwriting))
        document.type("mine")
        try Data("theirs".utf8).write(to: document.fileURL)
        await wait(for: document) { document.text == "saved|mine|theirs" && !document.hasUnsavedChanges }
        await document.close()
    }

    @Test("A save that fails leaves as the base what is in place, and not what it had staged")
    func baseAfterFailure() async throws {
        let document = FailingDocument(fileURL: try playground.put("base", at: "a.txt"))
        #expect(await document.open())
        document.type("mine")
        document.fails.withLock { $0 = true }
        #expect(await document.save(to: document.fileURL, for: .forOverwriting) == false)
        document.fails.withLock { $0 = false }
        try Data("theirs".utf8).write(to: document.fileURL)
        await wait(for: document) { document.text == "base|mine|theirs" && !document.hasUnsavedChanges }
        #expect(try playground.text("a.txt") == "base|mine|theirs")
        await document.close()
    }

    @Test(
        "After a save that a class writes by itself the base is what it wrote, or nothing: never what was read"
    )
    func baseAfterOwnWriting() async throws {
        let document = WritingDocument(fileURL: try playground.put("old", at: "a.txt"))
        #expect(await document.open())
        document.type("saved")
        #expect(await document.save(to: document.fileURL, for: .forOverwriting))
        document.type("old")
        try Data("theirs".utf8).write(to: document.fileURL)
        await wait(for: document) {
            document.text == "saved|old|theirs" && !document.hasUnsavedChanges
                || document.documentState.contains(.inConflict)
        }
        let base = document.bases.withLock { $0.last ?? nil }
        #expect(base == nil || base == "saved")
        #expect(document.text != "theirs")
        await document.close()
    }

    @Test("What an app has refused to read is no base: what it saves then takes the place of nothing")
    func refusedReading() async throws {
        let document = PickyDocument(fileURL: try playground.put("old", at: "a.txt"))
        #expect(await document.open())
        try Data("broken".utf8).write(to: document.fileURL)
        await wait(for: document) { document.documentState.contains(.savingError) }
        document.type("mine")
        _ = await document.save(to: document.fileURL, for: .forOverwriting)
        await wait(for: document) { !document.hasUnsavedChanges }
        #expect(document.text == "old|mine|broken" || document.documentState.contains(.inConflict))
        await document.close()
    }

    @Test("A merger that throws keeps both")
    func refused() async throws {
        let document = RefusingDocument(fileURL: try playground.put("base", at: "a.txt"))
        #expect(await document.open())
        document.type("mine")
        try Data("theirs".utf8).write(to: document.fileURL)
        await wait(for: document) { document.documentState.contains(.inConflict) }
        #expect(try playground.text("a.txt") == "mine")
        let copy = try #require(document.conflictCopyURLs.first)
        #expect(try playground.text(copy.lastPathComponent) == "theirs")
        await document.close()
    }

    @Test("A quiet reload is announced before and after, so that an editor keeps its caret")
    func reloadNotifications() async throws {
        let document = MergingDocument(fileURL: try playground.put("old", at: "a.txt"))
        #expect(await document.open())
        var texts: [String] = []
        let names = [UIDocument.willReloadNotification, UIDocument.didReloadNotification]
        let observers = names.map { name in
            NotificationCenter.default.addObserver(forName: name, object: document, queue: nil) { _ in
                MainActor.assumeIsolated { texts.append(document.text) }
            }
        }
        try Data("new".utf8).write(to: document.fileURL)
        await wait(for: document) { texts.count == 2 }
        #expect(texts == ["old", "new"])
        observers.forEach(NotificationCenter.default.removeObserver)
        await document.close()
    }
}

@MainActor
private final class RefusingDocument: MergingDocument {
    nonisolated override func mergedContents(
        ofType typeName: String?,
        base: Any?,
        mine: Any,
        theirs: Any
    ) throws -> Any? {
        throw CocoaError(.fileReadCorruptFile)
    }
}

@MainActor
private class MergingDocument: UIDocument {
    var text = ""

    override func contents(forType typeName: String) throws -> Any { Data(text.utf8) }

    override func load(fromContents contents: Any, ofType typeName: String?) throws {
        text = String(decoding: try #require(contents as? Data), as: UTF8.self)
    }

    nonisolated override func mergedContents(
        ofType typeName: String?,
        base: Any?,
        mine: Any,
        theirs: Any
    ) throws -> Any? {
        let sides = try [#require(base), mine, theirs].map { try #require($0 as? Data) }
        return Data(sides.joined(separator: Data("|".utf8)))
    }

    func type(_ newText: String) {
        let old = text
        undoManager.registerUndo(withTarget: self) { $0.type(old) }
        text = newText
    }
}

/// Its saves fail when all is staged.
@MainActor
private final class FailingDocument: MergingDocument {
    let fails = Locked(false)

    nonisolated override func writeContents(
        _ contents: Any,
        to url: URL,
        for saveOperation: SaveOperation,
        originalContentsURL: URL?
    ) throws {
        try super.writeContents(
            contents,
            to: url,
            for: saveOperation,
            originalContentsURL: originalContentsURL
        )
        if fails.withLock({ $0 }) { throw CocoaError(.fileWriteUnknown) }
    }
}

/// Writes by itself, as apps do that have a format of their own, and notes the bases of its merges.
@MainActor
private final class WritingDocument: MergingDocument {
    let bases = Locked<[String?]>([])

    nonisolated override func writeContents(
        _ contents: Any,
        to url: URL,
        for saveOperation: SaveOperation,
        originalContentsURL: URL?
    ) throws {
        try (contents as? Data)?.write(to: url)
    }

    nonisolated override func mergedContents(
        ofType typeName: String?,
        base: Any?,
        mine: Any,
        theirs: Any
    ) throws -> Any? {
        bases.withLock { $0.append((base as? Data).map { String(decoding: $0, as: UTF8.self) }) }
        guard base != nil else { return nil }
        return try super.mergedContents(ofType: typeName, base: base, mine: mine, theirs: theirs)
    }
}

/// Does not take everything.
@MainActor
private final class PickyDocument: MergingDocument {
    override func load(fromContents contents: Any, ofType typeName: String?) throws {
        if contents as? Data == Data("broken".utf8) { throw CocoaError(.fileReadCorruptFile) }
        try super.load(fromContents: contents, ofType: typeName)
    }
}
