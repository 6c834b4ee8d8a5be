import DocumentFoundation
import Foundation
import Locks
import TestThreads
import Testing

/// Who asks for access and does not wait for it.
@Suite("Pending access", .onOwnThreads, .serialized)
struct PendingAccessTests {
    /// What came of an access that was not waited for.
    private final class Later: Sendable {
        private let result = Locked<Result<HeldAccess, any Error>?>(nil)
        private let isTold = DispatchSemaphore(value: 0)

        func tell(_ news: Result<HeldAccess, any Error>) {
            result.withLock { $0 = news }
            isTold.signal()
        }

        var hasCome: Bool { result.withLock { $0 != nil } }

        func wait() throws -> HeldAccess {
            #expect(isTold.wait(timeout: .now() + 60) == .success)
            return try #require(result.withLock { $0.take() }).get()
        }
    }

    private func ask(
        _ registry: FileAccessRegistry,
        _ urls: [URL],
        seconds: Double = 0.01,
        _ later: Later = Later(),
        by coordinator: NSFileCoordinator? = nil,
        _ accessor: () throws -> Void = {}
    ) throws -> PendingAccess? {
        let coordinator = coordinator ?? NSFileCoordinator(filePresenter: nil, registry: registry)
        let outcome = try coordinator.coordinate(
            writing: urls.map { ($0, []) },
            until: .now() + seconds,
            later: { later.tell($0) },
            byAccessor: accessor
        )
        if case .waiting(let pending) = outcome { return pending }
        return nil
    }

    /// With two registries that are joined to an agent, and with one that decides for itself.
    private func withRegistries(
        _ body: (AgentScene, FileAccessRegistry, FileAccessRegistry) throws -> Void
    ) throws {
        try withScene { scene in
            try scene.begin()
            let (first, second) = (try scene.registry(), try scene.registry())
            for registry in [first, second] {
                NSFileCoordinator(filePresenter: nil, registry: registry)
                    .coordinate(readingItemAt: scene.root, error: nil) { _ in }
                #expect(registry.isJoined)
            }
            try body(scene, first, second)
            let alone = FileAccessRegistry(presenterTimeLimitSeconds: 5)
            try body(scene, alone, alone)
        }
    }

    @Test("What nobody uses is written at once")
    func free() throws {
        try withRegistries { scene, first, second in
            let (later, written) = (Later(), Locked(0))
            let pending = try ask(first, [try scene.file("note.txt")], seconds: 20, later) {
                written.withLock { $0 += 1 }
            }
            #expect(pending == nil && written.withLock { $0 } == 1 && !later.hasCome)
            let error = #expect(throws: CocoaError.self) {
                try ask(first, [try scene.file("note.txt")]) { throw CocoaError(.fileWriteNoPermission) }
            }
            #expect(error?.code == .fileWriteNoPermission)
        }
    }

    @Test(
        "The thread goes on while others use it; who that is is said, and then there is access, which excludes others"
    )
    func waiting() throws {
        try withRegistries { scene, first, second in
            let url = try scene.file("note.txt")
            let (later, writers) = (Later(), NSFileCoordinator(filePresenter: nil, registry: first))
            let readers = NSFileCoordinator(filePresenter: nil, registry: second)
            readers.coordinate(readingItemAt: url, error: nil) { _ in
                do {
                    let pending = try #require(
                        try ask(first, [url], later, by: writers) { Issue.record("it was written") }
                    )
                    let process = ProcessInfo.processInfo
                    #expect(
                        pending.holders(within: 20) == [
                            "\(process.processName) (process \(process.processIdentifier)) reads it"
                        ]
                    )
                    #expect(!later.hasCome)
                } catch { Issue.record(error) }
            }
            let access = try later.wait()
            let isBegun = DispatchSemaphore(value: 0)
            let order = Locked<[String]>([])
            Thread.detachNewThread {
                NSFileCoordinator(filePresenter: nil, registry: second)
                    .coordinate(readingItemAt: url, error: nil) { _ in order.withLock { $0.append("read") } }
                isBegun.signal()
            }
            #expect(isBegun.wait(timeout: .now() + 0.05) == .timedOut)
            try access.run {
                order.withLock { $0.append("written") }
                // Inside it the same item can be had again.
                do {
                    let inner = try ask(first, [url], seconds: 20, by: writers) {
                        order.withLock { $0.append("inside") }
                    }
                    #expect(inner == nil)
                } catch { Issue.record(error) }
            }
            #expect(isBegun.wait(timeout: .now() + 60) == .success)
            #expect(order.withLock { $0 } == ["written", "inside", "read"])
        }
    }

    @Test("What is cancelled fails, and what is dropped gives others way")
    func cancelled() throws {
        try withRegistries { scene, first, second in
            let url = try scene.file("note.txt")
            let (cancelled, dropped) = (Later(), Later())
            NSFileCoordinator(filePresenter: nil, registry: second).coordinate(readingItemAt: url, error: nil)
            { _ in
                do {
                    try #require(try ask(first, [url], cancelled)).cancel()
                    _ = try #require(try ask(first, [url], dropped))
                } catch { Issue.record(error) }
                let error = #expect(throws: CocoaError.self) { _ = try cancelled.wait() }
                #expect(error?.code == .userCancelled)
            }
            _ = try dropped.wait()
            var error: NSError?
            NSFileCoordinator(filePresenter: nil, registry: second).coordinate(
                writingItemAt: url,
                error: &error
            ) { _ in }
            #expect(error == nil)
        }
    }

    @Test("A presenter that says nothing is named, and then fails the access")
    func silence() throws {
        try withScene { scene in
            let registry = FileAccessRegistry(presenterTimeLimitSeconds: 2)
            let url = try scene.file("note.txt")
            let presenter = SilentPresenter(url)
            registry.add(presenter)
            let later = Later()
            let pending = try #require(try ask(registry, [url], later))
            #expect(
                pending.holders(within: 20).first?.contains(
                    "has not answered relinquishPresentedItem(toWriter:)"
                )
                    == true
            )
            let error = #expect(throws: FileCoordinationError.self) { _ = try later.wait() }
            #expect(error?.code == .presenterTimedOut)
            registry.remove(presenter)
        }
    }

    private final class SilentPresenter: NSObject, NSFilePresenter, @unchecked Sendable {
        // Sendable because nothing of it changes.
        let presentedItemURL: URL?
        let presentedItemOperationQueue = OperationQueue()
        init(_ url: URL) { presentedItemURL = url }
        func relinquishPresentedItem(toWriter writer: @escaping @Sendable ((@Sendable () -> Void)?) -> Void) {
        }
    }

    @Test("An access that is not waited for outlives the agent that was asked for it")
    func nextAgent() throws {
        try withScene { scene in
            try scene.begin()
            let (first, second) = (try scene.registry(), try scene.registry())
            let url = try scene.file("note.txt")
            let later = Later()
            NSFileCoordinator(filePresenter: nil, registry: second).coordinate(readingItemAt: url, error: nil)
            { _ in
                do {
                    let pending = try #require(try ask(first, [url], seconds: 0.5, later))
                    scene.end()
                    pending.findHolders { _ in }
                    try scene.begin()
                    #expect(!later.hasCome)
                } catch { Issue.record(error) }
            }
            let isWritten = Locked(false)
            try later.wait().run { isWritten.withLock { $0 = true } }
            #expect(isWritten.withLock { $0 })
        }
    }
}
