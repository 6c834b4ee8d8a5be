import DocumentFoundation
import FileSystem
import Foundation
import Testing
import Vault

@testable import UIKit

/// Documents in conflict with versions of theirs, and how they come out of it.
@Suite("UIDocument in conflict", .timeLimit(.minutes(2)))
@MainActor
struct DocumentConflictTests {
    private let user: VersionUser

    init() throws {
        user = try VersionUser()
    }

    private func open(_ text: String) async throws -> TextDocument {
        let url = try user.playground.put(text, at: "a.txt")
        let document = user.run { TextDocument(fileURL: url) }
        #expect(await document.open())
        return document
    }

    /// A document that was saved over what another program wrote.
    private func conflicting(
        _ mine: String = "mine",
        _ theirs: String = "theirs"
    ) async throws -> TextDocument {
        let document = try await open("base\n")
        await document.settle()
        document.isAutosaveOff = true
        document.type(mine)
        try Data(theirs.utf8).write(to: document.fileURL)
        #expect(await document.save(to: document.fileURL, for: .forOverwriting))
        document.isAutosaveOff = false
        #expect(document.documentState.contains(.inConflict))
        return document
    }

    private func unresolved(_ url: URL) throws -> [String] {
        try user.run { try #require(NSFileVersion.unresolvedConflictVersionsOfItem(at: url)) }.map {
            String(decoding: try Data(contentsOf: $0.url), as: UTF8.self)
        }
    }

    private var names: [String] { get throws { try user.playground.names } }

    // MARK: Into it

    @Test("What others wrote is an unresolved version, and nothing lies beside the document")
    func kept() async throws {
        let document = try await conflicting()
        #expect(try user.playground.text("a.txt") == "mine")
        #expect(try unresolved(document.fileURL) == ["theirs"])
        let version = try #require(document.conflictVersions.first)
        #expect(version.isConflict && !version.isResolved)
        #expect(version.localizedNameOfSavingComputer == "desk")
        #expect(document.conflictCopyURLs.isEmpty)
        await document.close()
        #expect(try names == ["a.txt"])
        #expect(user.reports.all == [])
    }

    @Test("A document opened later is in conflict when the handler is called")
    func reopened() async throws {
        let url = try await closedInConflict()
        let document = user.run { TextDocument(fileURL: url) }
        let state = await withCheckedContinuation { continuation in
            document.open { _ in continuation.resume(returning: document.documentState) }
        }
        #expect(state == .inConflict)
        #expect(document.conflictVersions.count == 1)
        await document.close()
        #expect(document.documentState == .closed)
    }

    private func closedInConflict() async throws -> URL {
        let document = try await conflicting()
        await document.close()
        return document.fileURL
    }

    @Test("A package's others are a version of the whole package")
    func package() async throws {
        let url = user.playground["p.rtfd"]
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
        for name in ["one.txt", "two.txt"] {
            try Data("base".utf8).write(to: url.appendingPathComponent(name))
        }
        let document = user.run { MemberDocument(fileURL: url) }
        #expect(await document.open())
        await document.settle()
        document.write("mine", to: "one.txt")
        try Data("theirs".utf8).write(to: url.appendingPathComponent("one.txt"), options: .atomic)
        #expect(await document.save(to: url, for: .forOverwriting))
        #expect(document.documentState.contains(.inConflict))
        let version = try #require(document.conflictVersions.first)
        let texts = try ["one.txt", "two.txt"].map {
            String(decoding: try Data(contentsOf: version.url.appendingPathComponent($0)), as: UTF8.self)
        }
        #expect(texts == ["theirs", "base"])
        // What a save that was put off had taken is not taken for what the next one is to write.
        document.write("mine, later", to: "one.txt")
        #expect(await document.save(to: url, for: .forOverwriting))
        #expect(try user.playground.text("p.rtfd/one.txt") == "mine, later")
        try await document.resolveConflict(.version(version))
        #expect(try user.playground.text("p.rtfd/one.txt") == "theirs")
        #expect(!document.documentState.contains(.inConflict))
        await document.close()
        #expect(try names == ["p.rtfd"])
    }

    @Test("Where the vault fails, what others wrote is kept beside the document")
    func withoutVault() async throws {
        let document = try await open("base\n")
        await document.settle()
        document.isAutosaveOff = true
        document.type("mine")
        try Data("theirs".utf8).write(to: document.fileURL)
        try FileManager.default.removeItem(at: user.home["vault"])
        try Data().write(to: user.home["vault"])
        #expect(await document.save(to: document.fileURL, for: .forOverwriting))
        document.isAutosaveOff = false
        // The saved file's staging is removed after the save.
        await document.settle()
        let texts = try names.map { try user.playground.text($0) }
        #expect(texts.sorted() == ["mine", "theirs"])
        #expect(document.documentState.contains(.inConflict))
        // It is merged with nothing, so that is not settled.
        let error = await #expect(throws: DocumentError.self) {
            try await document.resolveConflict(.merged)
        }
        #expect(error?.code == .notMerged)
        #expect(document.documentState == .inConflict && document.conflictCopyURLs.count == 1)
        #expect(document.text == "mine")
        try await document.resolveConflict(.current)
        #expect(document.documentState == .normal)
        #expect(try names.count == 2)
        await document.close()
    }

    @Test("A version is chosen in a document that was renamed since, and that stays what it is called")
    func renamed() async throws {
        let former = try await closedInConflict()
        let url = user.playground["a.md"]
        try FileManager.default.moveItem(at: former, to: url)
        let document = user.run { TextDocument(fileURL: url) }
        #expect(await document.open())
        try await document.resolveConflict(.version(try #require(document.conflictVersions.first)))
        #expect(document.text == "theirs" && document.documentState == .normal)
        #expect(try user.playground.text("a.md") == "theirs")
        #expect(try unresolved(url) == [])
        await document.close()
        #expect(try names == ["a.md"])
        #expect(document.errors.isEmpty)
    }

    @Test("A save that comes to nothing leaves no conflict of a document with itself")
    func failedSave() async throws {
        let document = user.run { FailingDocument(fileURL: user.playground["a.txt"]) }
        _ = try user.playground.put("base", at: "a.txt")
        #expect(await document.open())
        await document.settle()
        document.text = "mine"
        document.updateChangeCount(.done)
        document.fails.set(true)
        try Data("theirs".utf8).write(to: document.fileURL)
        #expect(await !document.save(to: document.fileURL, for: .forOverwriting))
        #expect(try unresolved(document.fileURL) == [])
        // It gives up: theirs is the document.
        #expect(await document.revert(toContentsOf: document.fileURL))
        #expect(document.text == "theirs")
        document.fails.set(false)
        document.text = "after all"
        document.updateChangeCount(.done)
        #expect(await document.save(to: document.fileURL, for: .forOverwriting))
        await document.settle()
        #expect(try unresolved(document.fileURL) == [])
        #expect(document.documentState == .normal)
        await document.close()
    }

    @Test("What lost and was put back is in conflict with nothing once the document is read")
    func putBack() async throws {
        let first = try await conflicting()
        first.type("theirs")
        #expect(await first.save(to: first.fileURL, for: .forOverwriting))
        await first.settle()
        #expect(await first.close())
        #expect(try unresolved(first.fileURL) == ["theirs"])
        let second = user.run { TextDocument(fileURL: first.fileURL) }
        #expect(await second.open())
        await second.settle()
        #expect(try unresolved(second.fileURL) == [])
        await wait(for: second) { second.documentState == .normal }
        #expect(second.text == "theirs")
        await second.close()
    }

    @Test("Two documents on one file are both in conflict, and both out of it")
    func twoDocuments() async throws {
        let first = try await conflicting()
        let second = user.run { TextDocument(fileURL: first.fileURL) }
        #expect(await second.open())
        #expect(second.documentState.contains(.inConflict))
        try await first.resolveConflict(.current)
        await wait(for: second) { !second.documentState.contains(.inConflict) }
        await first.close()
        await second.close()
    }

    /// A package of one text, open, whose state is kept.
    private func openedPackage(_ text: String = "one\ntwo\nthree\n") async throws -> MemberDocument {
        let url = user.playground["p.rtfd"]
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
        try Data(text.utf8).write(to: url.appendingPathComponent("one.txt"))
        let document = user.run { MemberDocument(fileURL: url) }
        #expect(await document.open())
        await document.settle()
        return document
    }

    @Test("What the document has not in memory of the state that both started from, its versions have")
    func mergedFromVersion() async throws {
        let document = try await openedPackage()
        let (url, member) = (document.fileURL, document.fileURL.appendingPathComponent("one.txt"))
        // It was never read: a writer in place leaves nothing of it.
        document.write("ONE\ntwo\nthree\n", to: "one.txt")
        try Data("one\ntwo\nTHREE\n".utf8).write(to: member)
        #expect(await document.save(to: url, for: .forOverwriting))
        #expect(document.documentState == .normal)
        let text = try user.playground.text("p.rtfd/one.txt")
        #expect(text == "ONE\ntwo\nTHREE\n")
        await document.close()
        #expect(
            try FileManager.default.contentsOfDirectory(atPath: user.playground.folder.path) == ["p.rtfd"]
        )
    }

    @Test("What others wrote is not taken for what both started from, though it is kept before the merge")
    func mergedFromVersionAfterNews() async throws {
        let document = try await openedPackage()
        let (url, member) = (document.fileURL, document.fileURL.appendingPathComponent("one.txt"))
        document.write("ONE\ntwo\nthree\n", to: "one.txt")
        let versions = document.fileAccess.versions
        let newsCount = versions.othersCount
        try Data("one\ntwo\nTHREE\n".utf8).write(to: member)
        // The news comes while the main actor is busy: the save that begins then is the first to act on it.
        while versions.othersCount == newsCount { sched_yield() }
        #expect(await document.save(to: url, for: .forOverwriting))
        let text = try user.playground.text("p.rtfd/one.txt")
        #expect(text == "ONE\ntwo\nTHREE\n")
        await document.close()
    }

    // MARK: Out of it

    @Test("The recipe that iOS apps use: the other one is chosen")
    func recipe() async throws {
        let document = try await conflicting()
        let url = document.fileURL
        try user.run {
            let versions = try #require(NSFileVersion.unresolvedConflictVersionsOfItem(at: url))
            try versions[0].replaceItem(at: url, options: [])
            for version in versions { version.isResolved = true }
            try NSFileVersion.removeOtherVersionsOfItem(at: url)
        }
        #expect(await document.revert(toContentsOf: url))
        #expect(document.text == "theirs")
        #expect(document.documentState == .normal)
        #expect(try unresolved(url) == [])
        await document.close()
        #expect(try user.texts(url) == [])
    }

    @Test("The recipe that iOS apps use: the current one is kept")
    func recipeForCurrent() async throws {
        let document = try await conflicting()
        let url = document.fileURL
        try user.run {
            try NSFileVersion.removeOtherVersionsOfItem(at: url)
            for version in NSFileVersion.unresolvedConflictVersionsOfItem(at: url) ?? [] {
                version.isResolved = true
            }
        }
        await wait(for: document) { !document.documentState.contains(.inConflict) }
        #expect(document.text == "mine")
        await document.close()
    }

    @Test("The document stays as it is, and what lost is a version like any other")
    func keepsMine() async throws {
        let document = try await conflicting()
        try await document.resolveConflict(.current)
        #expect(document.documentState == .normal)
        #expect(try user.playground.text("a.txt") == "mine")
        await document.settle()
        #expect(try unresolved(document.fileURL) == [])
        #expect(try user.texts(document.fileURL) == ["base\n", "theirs"])
        await document.close()
    }

    @Test("The other one is chosen: what was unsaved is a version, too")
    func choosesOther() async throws {
        let document = try await conflicting()
        document.isAutosaveOff = true
        document.type("mine, later")
        document.isAutosaveOff = false
        let version = try #require(document.conflictVersions.first)
        try await document.resolveConflict(.version(version))
        #expect(document.text == "theirs" && !document.hasUnsavedChanges)
        #expect(document.documentState == .normal)
        #expect(try user.playground.text("a.txt") == "theirs")
        await document.settle()
        #expect(try user.texts(document.fileURL).contains("mine, later"))
        document.type("goes on")
        await document.close()
        #expect(try user.playground.text("a.txt") == "goes on")
    }

    @Test("Both are kept: the other one is a document beside this one")
    func keepsBoth() async throws {
        let document = try await conflicting()
        try await document.resolveConflict(.both)
        #expect(document.documentState == .normal)
        await document.close()
        let found = try names
        #expect(found.count == 2)
        let other = try #require(found.first { $0 != "a.txt" })
        #expect(other.hasPrefix("a (other version ") && other.hasSuffix(".txt"))
        #expect(try user.playground.text(other) == "theirs")
        // A document of its own: it can be written, and has no versions yet.
        #expect(FileManager.default.isWritableFile(atPath: user.playground[other].path))
        #expect(try user.texts(user.playground[other]) == [])
    }

    @Test("All become one, with the state before them as base; undo brings mine back")
    func merges() async throws {
        let document = try await open("one\ntwo\nthree\nfour\n")
        await document.settle()
        document.isAutosaveOff = true
        document.type("ONE\ntwo\nthree\nMINE\n")
        try Data("one\nTWO\nthree\nTHEIRS\n".utf8).write(to: document.fileURL)
        #expect(await document.save(to: document.fileURL, for: .forOverwriting))
        document.isAutosaveOff = false
        #expect(document.documentState.contains(.inConflict))
        try await document.resolveConflict(.merged)
        #expect(document.documentState == .normal)
        #expect(try user.playground.text("a.txt") == "ONE\nTWO\nthree\nTHEIRS\n")
        document.undoManager.undo()
        #expect(document.text == "ONE\ntwo\nthree\nMINE\n")
        await document.close()
        let others = try user.texts(document.fileURL)
        #expect(others.contains("one\nTWO\nthree\nTHEIRS\n"))
        #expect(others.last == "ONE\nTWO\nthree\nTHEIRS\n", "what was merged is a version of its own")
    }

    @Test("The notification of a state says when a conflict begins, and when it is over")
    func notifications() async throws {
        let document = try await open("base\n")
        await document.settle()
        var states: [Bool] = []
        let observer = NotificationCenter.default.addObserver(
            forName: UIDocument.stateChangedNotification,
            object: document,
            queue: nil
        ) { _ in
            MainActor.assumeIsolated { states.append(document.documentState.contains(.inConflict)) }
        }
        defer { NotificationCenter.default.removeObserver(observer) }
        document.isAutosaveOff = true
        document.type("mine")
        try Data("theirs".utf8).write(to: document.fileURL)
        #expect(await document.save(to: document.fileURL, for: .forOverwriting))
        document.isAutosaveOff = false
        #expect(states.last == true)
        try await document.resolveConflict(.current)
        #expect(states.last == false)
        await document.close()
    }

    @Test("Of a package, too, what only the other side changed is in the merge")
    func mergesPackage() async throws {
        let document = try await openedPackage("one\n-\ntwo\n-\nthree\n")
        let url = document.fileURL
        document.write("ONE\n-\nmine\n-\nthree\n", to: "one.txt")
        try Data("one\n-\ntheirs\n-\nTHREE\n".utf8).write(to: url.appendingPathComponent("one.txt"))
        #expect(await document.save(to: url, for: .forOverwriting))
        #expect(document.documentState.contains(.inConflict))
        try await document.resolveConflict(.merged)
        let text = try #require(document.text(of: "one.txt"))
        #expect(text.hasPrefix("ONE\n-\n") && text.hasSuffix("-\nTHREE\n"), "\(text)")
        #expect(try user.playground.text("p.rtfd/one.txt") == text)
        #expect(document.documentState == .normal)
        await document.close()
    }

    @Test("A version that is gone settles nothing")
    func gone() async throws {
        let document = try await conflicting()
        let version = try #require(document.conflictVersions.first)
        try version.remove()
        await #expect(throws: CocoaError.self) {
            try await document.resolveConflict(.version(version))
        }
        #expect(document.text == "mine" && !document.documentState.contains(.editingDisabled))
        await wait(for: document) { document.documentState == .normal }
        await document.close()
    }
}

/// Fails after it has been found what others wrote.
private final class FailingDocument: UIDocument {
    final class Switch: @unchecked Sendable {
        // Sendable because the value is only touched under the lock.
        private let lock = NSLock()
        private var value = false
        func set(_ value: Bool) { lock.withLock { self.value = value } }
        var isOn: Bool { lock.withLock { value } }
    }

    var text = ""
    nonisolated let fails = Switch()

    override func contents(forType typeName: String) throws -> Any { Data(text.utf8) }

    override func load(fromContents contents: Any, ofType typeName: String?) throws {
        text = String(decoding: try #require(contents as? Data), as: UTF8.self)
    }

    override func autosave(completionHandler: ((Bool) -> Void)? = nil) { completionHandler?(true) }

    nonisolated override func writeContents(
        _ contents: Any,
        to url: URL,
        for saveOperation: SaveOperation,
        originalContentsURL: URL?
    ) throws {
        if fails.isOn { throw CocoaError(.fileWriteOutOfSpace) }
        try super.writeContents(
            contents,
            to: url,
            for: saveOperation,
            originalContentsURL: originalContentsURL
        )
    }
}
