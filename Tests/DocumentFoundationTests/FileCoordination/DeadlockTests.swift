import Coordination
import DocumentFoundation
import Foundation
import Locks
import TestThreads
import Testing

@Suite("Deadlocks between threads", .onOwnThreads)
struct DeadlockTests {
    /// Starts a thread, since a queue may have none left for who waits for another.
    private func start(_ body: @escaping @Sendable () -> Void) -> DispatchSemaphore {
        let ended = DispatchSemaphore(value: 0)
        Thread.detachNewThread {
            body()
            ended.signal()
        }
        return ended
    }

    @Test("Two threads that each hold an item and ask for the other's: one gets an error that names both")
    func crossed() throws {
        let scene = try CoordinationScene()
        let (first, second) = (try scene.write("a.txt"), try scene.write("b.txt"))
        let presenter = scene.presenter("page", of: try scene.write("c.txt"))
        let (haveBoth, errors) = (Meeting(), Locked<[NSError]>([]))
        let threads = [(first, second, nil), (second, first, presenter)].map { mine, other, owner in
            start {
                var error: NSError?
                scene.coordinator(for: owner).coordinate(writingItemAt: mine, error: &error) { _ in
                    haveBoth.arrive()
                    var inner: NSError?
                    scene.coordinator().coordinate(writingItemAt: other, error: &inner) { url in
                        scene.note("wrote \(url.lastPathComponent)")
                    }
                    if let inner { errors.withLock { $0.append(inner) } }
                }
                if let error { errors.withLock { $0.append(error) } }
            }
        }
        for thread in threads { thread.wait() }
        let found = errors.withLock { $0 }
        #expect(found.count == 1 && scene.story.count == 1)
        let error = try #require(found.first)
        #expect(error.domain == "FileCoordinationErrorDomain" && error.code == 2)
        let parties = try #require(
            error.userInfo[FileCoordinationError.deadlockPartiesKey] as? [String]
        )
        let process = "\(ProcessInfo.processInfo.processName) (process \(getpid()))"
        let place = "DocumentFoundationTests/CoordinationScene.swift:"
        #expect(parties.count == 2 && parties.contains(process))
        #expect(
            parties.contains {
                $0.hasPrefix("ScenePresenter (registered at \(place)") && $0.hasSuffix(" in \(process)")
            }
        )
        for party in parties { #expect(error.localizedDescription.contains(party)) }
        #expect(scene.registry.waits.isEmpty)
        let report = scene.registry.report
        #expect(report.brokenCycles.count == 1 && report.claims.isEmpty && report.waits.isEmpty)
        scene.registry.remove(presenter)
    }

    @Test("Inside an access another coordinator passes those that wait, but cannot have what the access has")
    func nested() throws {
        let scene = try CoordinationScene()
        let (first, second) = (try scene.write("a.txt"), try scene.write("b.txt"))
        let waiting = Locked<DispatchSemaphore?>(nil)
        scene.coordinator().coordinate(writingItemAt: first, error: nil) { _ in
            let thread = start {
                scene.coordinator().coordinate(
                    writingItemAt: first,
                    writingItemAt: second,
                    error: nil
                ) { _, _ in scene.note("stranger") }
            }
            waiting.withLock { $0 = thread }
            #expect(scene.untilWaiting())
            scene.coordinator().coordinate(writingItemAt: second, error: nil) { _ in scene.note("inner") }
            var error: NSError?
            scene.coordinator().coordinate(readingItemAt: first, error: &error) { _ in scene.note("never") }
            scene.note("error \(error?.code ?? 0)")
        }
        waiting.withLock { $0 }?.wait()
        #expect(scene.story == ["inner", "error 2", "stranger"])
    }

    @Test("What a queue does later, or another thread does, is not taken for nested")
    func notNested() throws {
        let scene = try CoordinationScene()
        let url = try scene.write("a.txt")
        let queue = OperationQueue()
        let ended = DispatchSemaphore(value: 0)
        let thread = Locked<DispatchSemaphore?>(nil)
        scene.coordinator().coordinate(writingItemAt: url, error: nil) { _ in
            scene.coordinator().coordinate(with: [.readingIntent(with: url)], queue: queue) { error in
                scene.note("later \(error == nil)")
                ended.signal()
            }
            let other = start {
                var error: NSError?
                scene.coordinator().coordinate(readingItemAt: url, error: &error) { _ in }
                scene.note("other \(error == nil)")
            }
            thread.withLock { $0 = other }
            #expect(scene.untilWaiting(2))
            scene.note("end")
        }
        ended.wait()
        thread.withLock { $0 }?.wait()
        #expect(scene.story.first == "end" && Set(scene.story) == ["end", "later true", "other true"])
    }

    @Test("A presenter that in its answer asks for what the asker keeps gets an error at once and can answer")
    func answering() throws {
        let scene = try CoordinationScene()
        let url = try scene.write("a.txt")
        let presenter = SelfishPresenter(url, scene)
        scene.registry.add(presenter)
        scene.read(url) { _ in scene.note("read") }
        #expect(scene.story == ["refused 2", "read"])
        scene.registry.remove(presenter)
    }
}

/// Where two threads wait for each other.
private final class Meeting: Sendable {
    private let count = Locked(0)
    private let both = DispatchSemaphore(value: 0)

    func arrive() {
        let isSecond = count.withLock { count in
            count += 1
            return count == 2
        }
        if isSecond { both.signal() } else { both.wait() }
    }
}

/// Writes, through a coordinator of no presenter, before it lets a reader in.
private final class SelfishPresenter: NSObject, NSFilePresenter, @unchecked Sendable {
    // Sendable because every property is constant.
    let presentedItemURL: URL?
    let presentedItemOperationQueue = OperationQueue()
    private let scene: CoordinationScene

    init(_ url: URL, _ scene: CoordinationScene) {
        presentedItemURL = url
        self.scene = scene
    }

    func relinquishPresentedItem(toReader reader: @escaping @Sendable ((@Sendable () -> Void)?) -> Void) {
        var error: NSError?
        if let presentedItemURL {
            scene.coordinator().coordinate(writingItemAt: presentedItemURL, error: &error) { _ in }
        }
        scene.note("refused \(error?.code ?? 0)")
        reader(nil)
    }
}
