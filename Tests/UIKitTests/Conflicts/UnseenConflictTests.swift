import DocumentFoundation
import FileSystem
import Foundation
import Testing
import Vault

@testable import UIKit

/// Conflicts that come or go while a document, or its user, is busy with others.
@Suite("Conflicts that nobody has seen yet", .timeLimit(.minutes(2)))
@MainActor
struct UnseenConflictTests {
    private let user: VersionUser

    init() throws {
        user = try VersionUser()
    }

    /// A document that was saved over what another program wrote.
    private func conflicting(base: String, mine: String, theirs: String) async throws -> TextDocument {
        let url = try user.playground.put(base, at: "a.txt")
        let document = user.run { TextDocument(fileURL: url) }
        #expect(await document.open())
        await document.settle()
        document.isAutosaveOff = true
        document.type(mine)
        try Data(theirs.utf8).write(to: url)
        #expect(await document.save(to: url, for: .forOverwriting))
        document.isAutosaveOff = false
        #expect(document.documentState.contains(.inConflict))
        return document
    }

    /// A file whose state is kept.
    private func keptFile() throws -> URL {
        let url = try user.playground.put("won", at: "a.txt")
        try user.store.keep(url, VersionKeeping(.explicit))
        return url
    }

    /// Keeps what has lost against another device, as sync does.
    private func lose(_ text: String, against url: URL) throws {
        let mark = try #require(try FileIdentity.ifPresent(at: FilePath(url.path))?.mark)
        let loser = try user.home.put(text, at: UUID().uuidString)
        _ = try user.store.keepConflict(at: FilePath(loser.path), of: url, as: mark, .conflict)
    }

    private func unresolved(_ url: URL) throws -> [String] {
        try user.store.unresolvedConflicts(at: url).map {
            String(decoding: try Data(contentsOf: $0.url), as: UTF8.self)
        }
    }

    /// Has a document look for conflicts until it knows of them: one that reads its file anew just then looks after that.
    private func look(_ document: UIDocument, until isKnown: () -> Bool) async throws {
        repeat {
            try Task.checkCancellation()
            document.reviewConflictsInBackground()
            await document.settle()
        } while !isKnown()
    }

    // MARK: While one is settled

    @Test("What comes into conflict while a merge is saved is not settled with what was merged")
    func whileMerging() async throws {
        let document = try await conflicting(
            base: "one\ntwo\nthree\nfour\n",
            mine: "ONE\ntwo\nthree\nMINE\n",
            theirs: "one\nTWO\nthree\nTHEIRS\n"
        )
        let url = document.fileURL
        let (merged, newer) = ("ONE\nTWO\nthree\nTHEIRS\n", "ONE\ntwo\nthree\nNEWER\n")
        var hasWritten = false
        let observer = NotificationCenter.default.addObserver(
            forName: UIDocument.changeCountedNotification,
            object: document,
            queue: nil
        ) { _ in
            MainActor.assumeIsolated {
                guard document.text == merged, !hasWritten else { return }
                // It is in memory, and about to be saved.
                hasWritten = (try? Data(newer.utf8).write(to: url)) != nil
            }
        }
        defer { NotificationCenter.default.removeObserver(observer) }
        try await document.resolveConflict(.merged)
        #expect(hasWritten)
        #expect(try user.playground.text("a.txt") == merged)
        #expect(document.documentState.contains(.inConflict))
        #expect(document.conflictVersions.count == 1)
        #expect(try unresolved(url) == [newer])
        try await document.resolveConflict(.current)
        #expect(document.documentState == .normal)
        await document.close()
    }

    @Test("What comes into conflict while a version is chosen is not settled with it")
    func whileChoosing() async throws {
        let document = try await conflicting(base: "base\n", mine: "mine", theirs: "theirs")
        document.isAutosaveOff = true
        document.type("mine, later")
        document.isAutosaveOff = false
        let version = try #require(document.conflictVersions.first)
        try Data("newer".utf8).write(to: document.fileURL)
        try await document.resolveConflict(.version(version))
        #expect(document.text == "theirs")
        #expect(document.documentState.contains(.inConflict))
        #expect(try unresolved(document.fileURL) == ["newer"])
        await document.close()
    }

    @Test("A conflict settled while the main actor is busy is none for the document when it gets to it")
    func settledWhileBusy() async throws {
        let url = try keptFile()
        let document = user.run { HearingDocument(fileURL: url) }
        #expect(await document.open())
        await document.settle()
        try loseAndSettle(document)
        // What the main actor was to do comes before what the file queue says after it.
        await document.settle()
        #expect(try unresolved(url) == [])
        #expect(document.documentState == .normal)
        await document.close()
    }

    /// Does not let the main actor do anything else meanwhile.
    private func loseAndSettle(_ document: HearingDocument) throws {
        try lose("lost", against: document.fileURL)
        #expect(document.hearing.heard())
        document.fileAccess.queue.sync {}
        try user.store.settle(try user.store.unresolvedConflicts(at: document.fileURL))
        #expect(document.hearing.heard())
        document.fileAccess.queue.sync {}
    }

    @Test("What a person was not shown is not settled by the choice between the others")
    func chosenAmongShown() async throws {
        let url = try keptFile()
        try lose("first", against: url)
        let document = user.run { TextDocument(fileURL: url) }
        #expect(await document.open())
        let shown = document.conflictVersions.compactMap(\.name)
        try lose("second", against: url)
        try await look(document) { document.conflictVersions.count == 2 }
        try await document.resolveConflict(.current, among: Set(shown))
        #expect(document.documentState.contains(.inConflict))
        #expect(try unresolved(url) == ["second"])
        await document.close()
    }

    // MARK: Whose vault does not answer

    @Test("A document that could not ask the vault is in conflict once the vault can be asked")
    func askedLater() async throws {
        let url = try keptFile()
        try lose("lost", against: url)
        try setVaultPermissions(0o755)
        let store = user.anotherProcess(retrySeconds: 0.05)
        let document = VersionStore.$shared.withValue(store) {
            #expect(NSFileVersion.unresolvedConflictVersionsOfItem(at: url) == nil)
            return TextDocument(fileURL: url)
        }
        #expect(await document.open())
        #expect(document.documentState == .normal)
        try setVaultPermissions(0o700)
        await wait(for: document) { document.documentState.contains(.inConflict) }
        #expect(document.conflictVersions.count == 1)
        try await document.resolveConflict(.current)
        #expect(document.documentState == .normal)
        await document.close()
    }

    private func setVaultPermissions(_ permissions: Int) throws {
        let path = user.home["vault"].path
        try FileManager.default.setAttributes([.posixPermissions: permissions], ofItemAtPath: path)
    }

    @Test("A document stays in conflict, or out of it, where it cannot be found out")
    func unknown() async throws {
        let document = try await conflicting(base: "base\n", mine: "mine", theirs: "theirs")
        document.reviewConflicts(nil)
        #expect(document.documentState.contains(.inConflict) && document.conflictVersions.count == 1)
        document.knowConflicts(nil)
        #expect(document.conflictVersions.count == 1)
        try await document.resolveConflict(.current)
        document.reviewConflicts(nil)
        #expect(document.documentState == .normal)
        await document.close()
    }

    // MARK: Of whom nobody has asked

    @Test("A document whose class wants no versions is in conflict with what another device kept")
    func withoutVersions() async throws {
        let url = try keptFile()
        try lose("lost", against: url)
        let document = user.run { UnversionedDocument(fileURL: url) }
        #expect(await document.open())
        try #require(document.documentState.contains(.inConflict))
        try await document.resolveConflict(.current)
        #expect(document.documentState == .normal)
        try lose("lost, too", against: url)
        await wait(for: document) { document.documentState.contains(.inConflict) }
        try await document.resolveConflict(.version(try #require(document.conflictVersions.first)))
        #expect(document.text == "lost, too" && document.documentState == .normal)
        await document.close()
    }

    @Test("What a document has noticed and nobody has listed is not removed with the other versions")
    func noticed() async throws {
        let url = try keptFile()
        let document = user.run { TextDocument(fileURL: url) }
        #expect(await document.open())
        try lose("first", against: url)
        let listed = user.run { NSFileVersion.unresolvedConflictVersionsOfItem(at: url) }
        try lose("second", against: url)
        try await look(document) { document.documentState.contains(.inConflict) }
        try user.run {
            for version in try #require(listed) { version.isResolved = true }
            try NSFileVersion.removeOtherVersionsOfItem(at: url)
        }
        #expect(try unresolved(url) == ["second"])
        try await look(document) { document.conflictVersions.count == 1 }
        try user.run { try NSFileVersion.removeOtherVersionsOfItem(at: url) }
        #expect(try unresolved(url) == [])
        await document.close()
    }
}

/// A document that wants no versions.
private final class UnversionedDocument: UIDocument {
    var text = ""

    override class var keepsVersions: Bool { false }

    override func contents(forType typeName: String) throws -> Any { Data(text.utf8) }

    override func load(fromContents contents: Any, ofType typeName: String?) throws {
        text = String(decoding: try #require(contents as? Data), as: UTF8.self)
    }
}

/// A document that tells when it has heard of a version.
private final class HearingDocument: UIDocument {
    /// Counts news.
    final class Hearing: Sendable {
        private let news = DispatchSemaphore(value: 0)

        func hear() { news.signal() }

        /// Waits for the next news, on any thread.
        func heard() -> Bool { news.wait(timeout: .now() + 60) == .success }
    }

    nonisolated let hearing = Hearing()

    override func contents(forType typeName: String) throws -> Any { Data() }

    override func load(fromContents contents: Any, ofType typeName: String?) throws {}

    nonisolated override func presentedItemDidGain(_ version: NSFileVersion) {
        super.presentedItemDidGain(version)
        hearing.hear()
    }

    nonisolated override func presentedItemDidResolveConflict(_ version: NSFileVersion) {
        super.presentedItemDidResolveConflict(version)
        hearing.hear()
    }
}
