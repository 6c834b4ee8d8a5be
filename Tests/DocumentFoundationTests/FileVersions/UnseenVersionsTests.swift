import DocumentFoundation
import FileSystem
import Foundation
import TestThreads
import Testing
import Vault

/// Nothing that lost a conflict goes before somebody could look at it.
@Suite("Versions in conflict that nobody has seen", .onOwnThreads, .timeLimit(.minutes(3)))
struct UnseenVersionsTests {
    private let stage: VersionStage
    private let url: URL

    init() throws {
        stage = try VersionStage()
        try stage.save("one", at: "a.txt")
        url = try stage.save("two", at: "a.txt")
    }

    /// Keeps what has lost against another device, as sync does.
    private func lose(_ text: String) throws {
        let loser = try stage.write(text, at: "elsewhere.txt")
        let mark = try #require(try FileIdentity.ifPresent(at: FilePath(url.path))?.mark)
        _ = try stage.store.keepConflict(at: FilePath(loser.path), of: url, as: mark, .conflict)
    }

    private func listed() throws -> [NSFileVersion] {
        try stage.run { try #require(NSFileVersion.unresolvedConflictVersionsOfItem(at: url)) }
    }

    private func removeOthers() throws {
        try stage.run { try NSFileVersion.removeOtherVersionsOfItem(at: url) }
    }

    @Test("Removing the other versions spares what has come into conflict since they were listed")
    func afterListing() throws {
        try lose("first")
        let versions = try listed()
        try lose("second")
        for version in versions { version.isResolved = true }
        try removeOthers()
        #expect(try listed().map { try stage.text($0.url) } == ["second"])
        #expect(try stage.texts(url) == ["second"])
        // It has been listed now.
        try removeOthers()
        #expect(try stage.texts(url) == [])
    }

    @Test("Who has listed nothing removes what is not in conflict, and what is settled")
    func withoutListing() throws {
        try lose("settled")
        let settled = try stage.store.unresolvedConflicts(at: url)
        try lose("open")
        try stage.store.settle(settled)
        try removeOthers()
        #expect(try stage.texts(url) == ["open"])
    }

    @Test("What was listed in conflict is removed, settled or not")
    func listedAlone() throws {
        try lose("lost")
        #expect(try stage.texts(url).last == "lost")
        try removeOthers()
        #expect(try stage.texts(url) == [])
    }

    @Test("A version found by its identifier has been seen")
    func byIdentifier() throws {
        try lose("lost")
        let identifier = try #require(try stage.store.unresolvedConflicts(at: url).first).persistentIdentifier
        let found = stage.run { NSFileVersion.version(itemAt: url, forPersistentIdentifier: identifier) }
        #expect(found?.isConflict == true)
        try removeOthers()
        #expect(try stage.texts(url) == [])
    }

    @Test("Settling waits for access, and settles nothing that has come meanwhile")
    func settling() throws {
        try lose("first")
        let presenter = Presenter(url) { try? lose("second") }
        NSFileCoordinator.addFilePresenter(presenter)
        defer { NSFileCoordinator.removeFilePresenter(presenter) }
        #expect(try stage.store.settleConflicts(of: url, markedAt: url) == 1)
        #expect(try listed().map { try stage.text($0.url) } == ["second"])
    }

    @Test("A vault that cannot be asked is not taken for one without conflicts")
    func unavailable() throws {
        try lose("lost")
        let vault = stage.root.appendingPathComponent("data/sheaf/vault")
        try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: vault.path)
        let later = try VersionStage(root: stage.root)
        #expect(later.run { NSFileVersion.unresolvedConflictVersionsOfItem(at: url) } == nil)
        #expect(throws: CocoaError.self) { try later.store.settleConflicts(of: url, markedAt: url) }
        try FileManager.default.setAttributes([.posixPermissions: 0o700], ofItemAtPath: vault.path)
        later.store.tryAgain()
        #expect(try later.store.settleConflicts(of: url, markedAt: url) == 1)
        #expect(try later.store.settleConflicts(of: url, markedAt: url) == 0)
    }

    /// Does something before it lets a writer at its item.
    private final class Presenter: NSObject, NSFilePresenter, @unchecked Sendable {
        // Sendable because nothing in it changes, and what it does is done while the test waits.
        let presentedItemURL: URL?
        let presentedItemOperationQueue = OperationQueue()
        private let beforeWriting: () -> Void

        init(_ url: URL, _ beforeWriting: @escaping () -> Void) {
            (presentedItemURL, self.beforeWriting) = (url, beforeWriting)
        }

        func relinquishPresentedItem(
            toWriter writer: @escaping @Sendable ((@Sendable () -> Void)?) -> Void
        ) {
            beforeWriting()
            writer(nil)
        }
    }

    // MARK: Keeping

    /// Writes into a file when it is asked for the time, once.
    private final class BusyClock: @unchecked Sendable {
        // Sendable because what is variable is only touched under the lock.
        private let lock = NSLock()
        private let file: URL
        private var countdown: Int?

        init(_ file: URL) { self.file = file }

        func write(atCall number: Int) { lock.withLock { countdown = number } }

        var now: Date {
            lock.withLock {
                countdown = countdown.map { $0 - 1 }
                if countdown == 0 { try? Data("two!".utf8).write(to: file) }
                return Date()
            }
        }
    }

    @Test(
        "Keeping a package that is written to meanwhile removes no version that was there before",
        arguments: 1...5
    )
    func writtenMeanwhile(call: Int) throws {
        let member = try stage.write("one", at: "p.rtfd/text.txt")
        let package = stage.place("p.rtfd")
        let clock = BusyClock(member)
        let store = VersionStore(VersionStage.settings(stage.root), now: { clock.now })
        let former = try store.keep(package, VersionKeeping(.explicit)).version
        clock.write(atCall: call)
        let lost = try store.keepConflict(
            package,
            VersionKeeping(.outsideWriter(process: ""), mayBeWritten: true)
        )
        #expect(lost.isConflict && !lost.isResolved)
        // The former one may be the state that the package is in.
        #expect(former.modificationDate != nil, "it has been removed")
        let isWritten = try stage.text(member) == "two!"
        let kept = try stage.text(lost.url.appendingPathComponent("text.txt"))
        #expect(kept == (isWritten ? "two!" : "one"))
    }
}
