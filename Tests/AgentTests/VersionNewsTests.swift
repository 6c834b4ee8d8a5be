import DocumentFoundation
import Foundation
import Locks
import TestThreads
import Testing

/// What presenters hear of versions that another process keeps and removes.
@Suite("News of versions from another process", .onOwnThreads, .serialized)
struct VersionNewsTests {
    @Test("A presenter hears of a version that another process gained, and that it lost it")
    func otherProcess() async throws {
        let scene = try AgentScene()
        defer { scene.finish() }
        try scene.begin()
        let (url, other) = (try scene.file("note.txt", "old"), try scene.file("other.txt", "old"))
        let registry = try scene.registry()
        let home = scene.root.path + "/home"
        let settings = VersionSettings(
            environment: [
                "SHEAF_VAULT": home + "/vault", "XDG_STATE_HOME": home + "/STATE",
                "XDG_CACHE_HOME": home + "/CACHE", "XDG_DATA_HOME": home + "/DATA",
            ],
            hostName: "here"
        )
        // What presenters are told of are versions of a store.
        let store = VersionStore(settings, now: { Date() }, report: { Issue.record("\($0)") })
        defer { withExtendedLifetime(store) {} }
        let (listener, bystander) = (VersionListener(url), VersionListener(other))
        registry.add(listener)
        registry.add(bystander)
        NSFileCoordinator(filePresenter: nil, registry: registry)
            .coordinate(readingItemAt: url, options: .withoutChanges, error: nil) { _ in }
        #expect(registry.isJoined)
        await #expect(processExitsWith: .success) {
            [
                runtime = scene.root.path + "/run" as String, home = scene.root.path + "/home" as String,
                path = url.path as String
            ] in
            // Before anything in this process has looked.
            setenv("SHEAF_AGENT", runtime + "/none is started", 1)
            setenv("SHEAF_RUNTIME_DIR", runtime, 1)
            setenv("SHEAF_VAULT", home + "/vault", 1)
            for name in ["DATA", "STATE", "CACHE"] { setenv("XDG_\(name)_HOME", home + "/" + name, 1) }
            let url = URL(fileURLWithPath: path)
            var error: NSError?
            NSFileCoordinator(filePresenter: nil)
                .coordinate(writingItemAt: url, error: &error) { url in
                    try? "new".write(to: url, atomically: false, encoding: .utf8)
                }
            if let error { throw error }
            #expect(FileAccessRegistry.shared.isJoined)
            try NSFileVersion.addOfItem(at: url, withContentsOf: url).remove()
        }
        #expect(listener.wait(for: 2))
        let news = listener.news
        #expect(news.map(\.change) == ["gained", "lost"])
        #expect(news.first?.version == news.last?.version)
        #expect(bystander.news.isEmpty)
    }

    /// Notes what it hears of versions.
    private final class VersionListener: NSObject, NSFilePresenter, @unchecked Sendable {
        // Sendable because all that changes is under a lock.
        let presentedItemURL: URL?
        let presentedItemOperationQueue = OperationQueue()
        private let heard = Locked<[(change: String, version: NSFileVersion)]>([])
        private let bell = DispatchSemaphore(value: 0)

        init(_ url: URL) {
            presentedItemURL = url
            presentedItemOperationQueue.maxConcurrentOperationCount = 1
        }

        var news: [(change: String, version: NSFileVersion)] { heard.withLock { $0 } }

        /// Waits until there are so many news.
        func wait(for count: Int) -> Bool {
            while news.count < count {
                if bell.wait(timeout: .now() + 60) == .timedOut { return false }
            }
            return true
        }

        func presentedItemDidGain(_ version: NSFileVersion) { note("gained", version) }
        func presentedItemDidLose(_ version: NSFileVersion) { note("lost", version) }
        func presentedItemDidResolveConflict(_ version: NSFileVersion) { note("resolved", version) }

        private func note(_ change: String, _ version: NSFileVersion) {
            heard.withLock { $0.append((change, version)) }
            bell.signal()
        }
    }
}
