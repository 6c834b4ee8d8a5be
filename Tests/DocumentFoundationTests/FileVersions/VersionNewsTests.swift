import Coordination
import FileSystem
import Foundation
import TestThreads
import Testing
import Vault

@testable import DocumentFoundation

/// What presenters hear of versions of their item.
@Suite("News of versions", .onOwnThreads, .timeLimit(.minutes(3)))
struct VersionNewsTests {
    private let stage: VersionStage

    init() throws {
        stage = try VersionStage()
    }

    @Test("News go over the wire as text, and other texts are none")
    func wire() throws {
        for change in [VersionNews.Change.gained, .lost, .resolved] {
            let news = VersionNews(
                change,
                VersionID(UUID()),
                of: "/some item",
                vaultFolder: "/a folder/vault"
            )
            #expect(VersionNews(news.text) == news)
        }
        for text in ["", "sheaf-version", "sheaf-version gained 00 /v", "NSURLIsUbiquitousItemKey a b c"] {
            #expect(VersionNews(text) == nil)
        }
    }

    @Test("An item's presenters hear of versions that are gained, lost and resolved; others' do not")
    func presenters() async throws {
        let url = try stage.save("one", at: "a.txt")
        let (own, other) = (Listener(url), Listener(stage.place("b.txt")))
        NSFileCoordinator.addFilePresenter(own)
        NSFileCoordinator.addFilePresenter(other)
        defer {
            NSFileCoordinator.removeFilePresenter(own)
            NSFileCoordinator.removeFilePresenter(other)
        }
        try stage.save("two", at: "a.txt")
        await own.heard(1)
        let version = try #require(try stage.others(url).first)
        try version.remove()
        let news = await own.heard(2)
        #expect(news.map(\.change) == ["gained", "lost"])
        #expect(news[1].version == version)
        #expect(news[1].version.modificationDate == nil)
        try stage.save("other", at: "b.txt")
        #expect(await other.heard(1).map(\.change) == ["gained"])
        #expect(await own.heard(2).count == 2)
    }

    @Test("Presenters of the folders that an item is in hear of its versions; others' do not")
    func folders() async throws {
        let url = try stage.save("one", at: "a.txt")
        let (folder, sibling) = (Listener(url.deletingLastPathComponent()), Listener(stage.place("b.txt")))
        NSFileCoordinator.addFilePresenter(folder)
        NSFileCoordinator.addFilePresenter(sibling)
        defer {
            NSFileCoordinator.removeFilePresenter(folder)
            NSFileCoordinator.removeFilePresenter(sibling)
        }
        try stage.save("two", at: "a.txt")
        try #require(try stage.others(url).first).remove()
        let news = await folder.heard(2)
        #expect(news.map(\.change) == ["gained in a.txt", "lost in a.txt"])
        #expect(await sibling.heard(0).isEmpty)
    }

    @Test("A state that is the newest version already is no news")
    func noNews() async throws {
        let url = try stage.save("one", at: "a.txt")
        let listener = Listener(url)
        NSFileCoordinator.addFilePresenter(listener)
        defer { NSFileCoordinator.removeFilePresenter(listener) }
        try stage.keep(url)
        try stage.save("two", at: "a.txt")
        try stage.save("three", at: "a.txt")
        let versions = await listener.heard(2).map(\.version)
        #expect(try stage.others(url).last == versions[0])
        #expect(versions.count == 2)
    }

    @Test("A process whose presenters have not asked for versions hears of them, but not of another vault's")
    func firstNews() async throws {
        await #expect(processExitsWith: .success) { [root = stage.root.path as String] in
            // Before anything in this process has looked.
            setenv("SHEAF_VAULT", root + "/vault", 1)
            let url = URL(fileURLWithPath: root + "/a.txt")
            let listener = Listener(url)
            NSFileCoordinator.addFilePresenter(listener)
            let item = try #require(ItemPath(fileURL: url))
            for (change, vault) in [(VersionNews.Change.lost, "/elsewhere"), (.gained, root + "/vault")] {
                let news = VersionNews(change, VersionID(UUID()), of: item.string, vaultFolder: vault)
                FileAccessRegistry.shared.versionChanged(news, of: item)
            }
            #expect(await listener.heard(1).map(\.change) == ["gained"])
        }
    }

    /// Notes what it hears.
    private final class Listener: NSObject, NSFilePresenter, @unchecked Sendable {
        // Sendable because what is variable is only touched under the lock.
        let presentedItemURL: URL?
        let presentedItemOperationQueue = OperationQueue()
        private let lock = NSLock()
        private var news: [(change: String, version: NSFileVersion)] = []
        private var waiting: (count: Int, continuation: CheckedContinuation<Void, Never>)?

        init(_ url: URL) {
            presentedItemURL = url
            presentedItemOperationQueue.maxConcurrentOperationCount = 1
        }

        func presentedItemDidGain(_ version: NSFileVersion) { note("gained", version) }
        func presentedItemDidLose(_ version: NSFileVersion) { note("lost", version) }
        func presentedItemDidResolveConflict(_ version: NSFileVersion) { note("resolved", version) }
        func presentedSubitem(at url: URL, didGain version: NSFileVersion) {
            note("gained in \(url.lastPathComponent)", version)
        }
        func presentedSubitem(at url: URL, didLose version: NSFileVersion) {
            note("lost in \(url.lastPathComponent)", version)
        }

        private func note(_ change: String, _ version: NSFileVersion) {
            let ready = lock.withLock { () -> CheckedContinuation<Void, Never>? in
                news.append((change, version))
                guard let waiting, news.count >= waiting.count else { return nil }
                self.waiting = nil
                return waiting.continuation
            }
            ready?.resume()
        }

        /// Waits until there are so many news, and gives all.
        @discardableResult
        func heard(_ count: Int) async -> [(change: String, version: NSFileVersion)] {
            await withCheckedContinuation { continuation in
                let isThere = lock.withLock {
                    if news.count < count { waiting = (count, continuation) }
                    return news.count >= count
                }
                if isThere { continuation.resume() }
            }
            return lock.withLock { news }
        }
    }
}
