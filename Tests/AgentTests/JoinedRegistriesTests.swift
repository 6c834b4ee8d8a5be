import Agent
import Coordination
import DocumentFoundation
import Foundation
import Locks
import TestThreads
import Testing

/// Registries that are joined to one agent behave as one registry does, although each stands for a process.
@Suite("Joined registries", .onOwnThreads, .serialized)
struct JoinedRegistriesTests {
    @Test("A reader of one waits until the writer of another is done")
    func exclusion() throws {
        try withScene { scene in
            try scene.begin()
            let (first, second) = (try scene.registry(), try scene.registry())
            let url = try scene.file("note.txt", "old")
            let read = DispatchSemaphore(value: 0)
            let seen = Locked("")
            var error: NSError?
            NSFileCoordinator(filePresenter: nil, registry: first)
                .coordinate(writingItemAt: url, error: &error) { writeURL in
                    #expect(first.isJoined)
                    Thread.detachNewThread {
                        NSFileCoordinator(filePresenter: nil, registry: second)
                            .coordinate(readingItemAt: url, error: nil) { readURL in
                                let text = try? String(contentsOf: readURL, encoding: .utf8)
                                seen.withLock { $0 = text ?? "" }
                            }
                        read.signal()
                    }
                    #expect(read.wait(timeout: .now() + 0.2) == .timedOut)
                    try? "new".write(to: writeURL, atomically: false, encoding: .utf8)
                }
            #expect(error == nil)
            #expect(read.wait(timeout: .now() + 60) == .success)
            #expect(seen.withLock { $0 } == "new")
        }
    }

    @Test("A presenter of another process makes way, saves, hears of the change and reacquires")
    func presenters() throws {
        try withScene { scene in
            try scene.begin()
            let (first, second) = (try scene.registry(), try scene.registry())
            let url = try scene.file("note.txt", "old")
            let presenter = NotingPresenter(url)
            second.add(presenter)
            NSFileCoordinator(filePresenter: nil, registry: second)
                .coordinate(readingItemAt: url, options: .withoutChanges, error: nil) { _ in }
            #expect(presenter.noted.first == "reader")
            #expect(presenter.wait(for: "reacquired"))
            let before = presenter.noted.count
            var error: NSError?
            NSFileCoordinator(filePresenter: nil, registry: first)
                .coordinate(writingItemAt: url, options: .forMerging, error: &error) { url in
                    try? "new".write(to: url, atomically: false, encoding: .utf8)
                }
            #expect(error == nil)
            #expect(presenter.wait(for: "changed"))
            presenter.presentedItemOperationQueue.waitUntilAllOperationsAreFinished()
            while presenter.noted.count < before + 4 { #expect(presenter.wait(for: "reacquired")) }
            #expect(
                Array(presenter.noted.filter { $0 != "reader" }.suffix(4)) == [
                    "writer", "save", "changed", "reacquired",
                ]
            )
        }
    }

    @Test("A presenter's error reaches the process that asked, with domain, code and text")
    func errors() throws {
        try withScene { scene in
            try scene.begin()
            let (first, second) = (try scene.registry(), try scene.registry())
            let url = try scene.file("note.txt")
            let presenter = NotingPresenter(url) { CocoaError(.fileWriteOutOfSpace) }
            second.add(presenter)
            NSFileCoordinator(filePresenter: presenter, registry: second)
                .coordinate(readingItemAt: url, error: nil) { _ in }
            var error: NSError?
            NSFileCoordinator(filePresenter: nil, registry: first)
                .coordinate(readingItemAt: url, error: &error) { _ in Issue.record("it was read") }
            #expect(error?.domain == NSCocoaErrorDomain)
            #expect(error?.code == CocoaError.Code.fileWriteOutOfSpace.rawValue)
        }
    }

    @Test("A presenter of another process that says nothing is named when its time is over")
    func silence() throws {
        try withScene { scene in
            var options = AgentServer.Options()
            options.limits.presenter = 100_000_000
            try scene.begin(options)
            let (first, second) = (try scene.registry(), try scene.registry())
            let url = try scene.file("note.txt")
            let presenter = NotingPresenter(url, save: nil)
            second.add(presenter)
            NSFileCoordinator(filePresenter: presenter, registry: second)
                .coordinate(readingItemAt: url, error: nil) { _ in }
            var error: NSError?
            NSFileCoordinator(filePresenter: nil, registry: first)
                .coordinate(readingItemAt: url, error: &error) { _ in Issue.record("it was read") }
            let text = error?.localizedDescription ?? ""
            #expect(text.contains(") in \(ProcessInfo.processInfo.processName) "), "\(text)")
            #expect(text.hasPrefix("NotingPresenter "), "\(text)")
            #expect(text.contains("(process \(getpid()))"), "\(text)")
        }
    }

    @Test("One purpose named in two processes does not wait for itself")
    func purposes() throws {
        try withScene { scene in
            try scene.begin()
            let (first, second) = (try scene.registry(), try scene.registry())
            let url = try scene.file("note.txt")
            let outer = NSFileCoordinator(filePresenter: nil, registry: first)
            let inner = NSFileCoordinator(filePresenter: nil, registry: second)
            inner.purposeIdentifier = outer.purposeIdentifier
            var order: [String] = []
            outer.coordinate(writingItemAt: url, error: nil) { url in
                inner.coordinate(writingItemAt: url, error: nil) { _ in order.append("inner") }
                order.append("outer")
            }
            #expect(order == ["inner", "outer"])
        }
    }

    @Test("What waits in one process is cancelled there")
    func cancelling() throws {
        try withScene { scene in
            try scene.begin()
            let (first, second) = (try scene.registry(), try scene.registry())
            let url = try scene.file("note.txt")
            var code: Int?
            NSFileCoordinator(filePresenter: nil, registry: first)
                .coordinate(writingItemAt: url, error: nil) { url in
                    let waiting = NSFileCoordinator(filePresenter: nil, registry: second)
                    let cancelled = DispatchSemaphore(value: 0)
                    let heard = Locked<Int?>(nil)
                    waiting.coordinate(
                        with: [.readingIntent(with: url)],
                        queue: OperationQueue()
                    ) { error in
                        heard.withLock { $0 = (error as NSError?)?.code }
                        cancelled.signal()
                    }
                    waiting.cancel()
                    #expect(cancelled.wait(timeout: .now() + 60) == .success)
                    code = heard.withLock { $0 }
                }
            #expect(code == CocoaError.Code.userCancelled.rawValue)
        }
    }

    @Test("Who waits in another process gets the place that the item was moved to")
    func moves() throws {
        try withScene { scene in
            try scene.begin()
            let (first, second) = (try scene.registry(), try scene.registry())
            let (url, target) = (try scene.file("note.txt"), scene.root.appendingPathComponent("moved.txt"))
            let folder = NotingPresenter(scene.root)
            second.add(folder)
            // Once this was granted, the agent knows the presenter.
            NSFileCoordinator(filePresenter: folder, registry: second)
                .coordinate(readingItemAt: scene.root, error: nil) { _ in }
            let placed = DispatchSemaphore(value: 0)
            let place = Locked("")
            let coordinator = NSFileCoordinator(filePresenter: nil, registry: first)
            coordinator.coordinate(
                writingItemAt: url,
                options: .forMoving,
                writingItemAt: target,
                options: .forReplacing,
                error: nil
            ) { source, target in
                let intent = NSFileAccessIntent.readingIntent(with: url)
                NSFileCoordinator(filePresenter: nil, registry: second)
                    .coordinate(with: [intent], queue: OperationQueue()) { _ in
                        place.withLock { $0 = intent.url.lastPathComponent }
                        placed.signal()
                    }
                // An access follows moves that come after it: that it has come only the agent knows.
                while waitCount(at: scene) == 0 {}
                try? FileManager.default.moveItem(at: source, to: target)
                coordinator.item(at: source, didMoveTo: target)
            }
            #expect(placed.wait(timeout: .now() + 60) == .success)
            #expect(folder.wait(for: "subitem moved to moved.txt"))
            #expect(place.withLock { $0 } == "moved.txt")
        }
    }

    /// How many accesses wait at the agent.
    private func waitCount(at scene: AgentScene) -> Int {
        do {
            return try AgentQuery.report(in: scene.runtime)?.waits.count ?? 0
        } catch {
            Issue.record(error)
            return 1
        }
    }

    @Test("Threads of one process that wait at once are each let in, whichever of them reads what comes")
    func manyWaiting() throws {
        try withScene { scene in
            try scene.begin()
            let (first, second) = (try scene.registry(), try scene.registry())
            let urls = try (0..<4).map { try scene.file("note\($0).txt", "0") }
            let group = DispatchGroup()
            for number in 0..<8 {
                let registry = number % 3 == 0 ? first : second
                group.enter()
                Thread.detachNewThread {
                    for round in 0..<50 {
                        NSFileCoordinator(filePresenter: nil, registry: registry)
                            .coordinate(writingItemAt: urls[(number + round) % 4], error: nil) { url in
                                // A count that is read and written again: two at a time would lose one.
                                guard let text = try? String(contentsOf: url, encoding: .utf8) else { return }
                                let next = "\((Int(text) ?? 0) + 1)"
                                try? next.write(to: url, atomically: false, encoding: .utf8)
                            }
                    }
                    group.leave()
                }
            }
            #expect(group.wait(timeout: .now() + 60) == .success)
            let counts = try urls.map { Int(try String(contentsOf: $0, encoding: .utf8)) ?? 0 }
            #expect(counts.reduce(0, +) == 400)
        }
    }

    @Test("A thread that waits for access answers for the presenters of its queue, and waits on")
    func answersWhileWaiting() throws {
        try withScene { scene in
            try scene.begin()
            let (first, second) = (try scene.registry(), try scene.registry())
            let (url, other) = (try scene.file("note.txt"), try scene.file("other.txt"))
            let presenter = NotingPresenter(other)
            first.add(presenter)
            NSFileCoordinator(filePresenter: presenter, registry: first)
                .coordinate(readingItemAt: other, error: nil) { _ in }
            let (isHeld, isWritten) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
            let ended = DispatchSemaphore(value: 0)
            Thread.detachNewThread {
                NSFileCoordinator(filePresenter: nil, registry: second)
                    .coordinate(writingItemAt: url, error: nil) { _ in
                        isHeld.signal()
                        // The first process waits for this: meanwhile its presenter is asked, on the queue that waits.
                        while first.waitsAtAgent == 0 {}
                        NSFileCoordinator(filePresenter: nil, registry: second)
                            .coordinate(writingItemAt: other, error: nil) { _ in isWritten.signal() }
                    }
            }
            #expect(isHeld.wait(timeout: .now() + 60) == .success)
            presenter.presentedItemOperationQueue.addOperation {
                NSFileCoordinator(filePresenter: nil, registry: first)
                    .coordinate(writingItemAt: url, error: nil) { _ in ended.signal() }
            }
            #expect(isWritten.wait(timeout: .now() + 60) == .success)
            #expect(ended.wait(timeout: .now() + 60) == .success)
            #expect(presenter.noted.contains("writer"))
        }
    }

    @Test("A thread that reads what comes for itself loses its agent and is let in by the next")
    func losesAgentWhileWaiting() throws {
        try withScene { scene in
            try scene.begin()
            let (first, second) = (try scene.registry(), try scene.registry())
            let url = try scene.file("note.txt")
            let written = DispatchSemaphore(value: 0)
            NSFileCoordinator(filePresenter: nil, registry: first)
                .coordinate(writingItemAt: url, error: nil) { url in
                    Thread.detachNewThread {
                        NSFileCoordinator(filePresenter: nil, registry: second)
                            .coordinate(writingItemAt: url, error: nil) { _ in written.signal() }
                    }
                    while second.waitsAtAgent == 0 {}
                    scene.end()
                    do { try scene.begin() } catch { Issue.record(error) }
                    while !first.isJoined || !second.isJoined {}
                    #expect(written.wait(timeout: .now() + 0.2) == .timedOut)
                }
            #expect(written.wait(timeout: .now() + 60) == .success)
        }
    }

    @Test("An agent that ends and comes again lets no second writer in beside one that runs")
    func rejoining() throws {
        try withScene { scene in
            try scene.begin()
            let (first, second) = (try scene.registry(), try scene.registry())
            let url = try scene.file("note.txt")
            let presenter = NotingPresenter(url)
            second.add(presenter)
            NSFileCoordinator(filePresenter: presenter, registry: second)
                .coordinate(readingItemAt: url, error: nil) { _ in }
            let written = DispatchSemaphore(value: 0)
            var error: NSError?
            NSFileCoordinator(filePresenter: nil, registry: first)
                .coordinate(writingItemAt: url, error: &error) { url in
                    scene.end()
                    Thread.detachNewThread {
                        NSFileCoordinator(filePresenter: nil, registry: second)
                            .coordinate(writingItemAt: url, error: nil) { _ in written.signal() }
                    }
                    do { try scene.begin() } catch { Issue.record(error) }
                    #expect(written.wait(timeout: .now() + 0.3) == .timedOut)
                    #expect(!presenter.noted.contains("reacquired"))
                }
            #expect(error == nil)
            #expect(written.wait(timeout: .now() + 60) == .success)
            #expect(presenter.wait(for: "reacquired"))
            #expect(presenter.noted.prefix(1) == ["writer"])
        }
    }

    @Test(
        "Who presents an item looks at it again after an agent is gone that alone may have known what was done to it",
        arguments: [false, true]
    )
    func missedNews(watches: Bool) throws {
        try withScene { scene in
            try scene.begin()
            let (first, second) = (try scene.registry(), try scene.registry(hearsOutsiders: watches))
            let url = try scene.file("note.txt")
            let presenter = NotingPresenter(url)
            second.add(presenter)
            while !second.isJoined {}
            scene.end()
            while second.isJoined {}
            #expect(presenter.noted == [])
            try scene.begin()
            while !second.isJoined {}
            NSFileCoordinator(filePresenter: nil, registry: first)
                .coordinate(readingItemAt: url, options: .withoutChanges, error: nil) { _ in }
            #expect(presenter.wait(for: "reacquired"))
            // Who watches has seen it: nothing was done.
            #expect(presenter.noted == (watches ? [] : ["changed"]) + ["reader", "reacquired"])
        }
    }

    @Test(
        "Who presents an item looks at it once there is an agent, as nobody told what others have done before"
    )
    func missedAlone() throws {
        try withScene { scene in
            let (first, second) = (try scene.registry(), try scene.registry())
            let url = try scene.file("note.txt")
            let presenter = NotingPresenter(url)
            second.add(presenter)
            while !second.worksAlone {}
            NSFileCoordinator(filePresenter: nil, registry: first)
                .coordinate(writingItemAt: url, error: nil) { url in
                    #expect(!first.isJoined)
                    do { try Data("new".utf8).write(to: url) } catch { Issue.record(error) }
                }
            #expect(presenter.noted == [])
            try scene.begin()
            #expect(presenter.wait(for: "changed"))
            #expect(presenter.noted == ["changed"])
        }
    }

    @Test("A process that works alone joins the agent that appears, with what it holds")
    func joiningLater() throws {
        try withScene { scene in
            let (first, second) = (try scene.registry(), try scene.registry())
            let url = try scene.file("note.txt")
            let written = DispatchSemaphore(value: 0)
            NSFileCoordinator(filePresenter: nil, registry: first)
                .coordinate(writingItemAt: url, error: nil) { url in
                    #expect(!first.isJoined)
                    do { try scene.begin() } catch { Issue.record(error) }
                    while !first.isJoined {}
                    Thread.detachNewThread {
                        NSFileCoordinator(filePresenter: nil, registry: second)
                            .coordinate(writingItemAt: url, error: nil) { _ in written.signal() }
                    }
                    #expect(written.wait(timeout: .now() + 0.2) == .timedOut)
                }
            #expect(written.wait(timeout: .now() + 60) == .success)
        }
    }
}
