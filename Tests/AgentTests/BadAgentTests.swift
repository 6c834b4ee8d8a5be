import Coordination
import DocumentFoundation
import Foundation
import Locks
import TestThreads
import Testing

/// What becomes of accesses when the agent says that a claim is lost, or says nothing.
@Suite("An agent that fails its clients", .onOwnThreads, .serialized)
struct BadAgentTests {
    @Test(
        "A claim that is lost while the accessor runs is an error at the end, and the presenter looks again"
    )
    func lostWhileBlocking() throws {
        try withAgent { scene, registry, agent, url in
            let presenter = NotingPresenter(url)
            registry.add(presenter)
            let (error, done) = (Locked<NSError?>(nil), DispatchSemaphore(value: 0))
            let (isRunning, goesOn) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
            Thread.detachNewThread {
                var failure: NSError?
                NSFileCoordinator(filePresenter: presenter, registry: registry)
                    .coordinate(writingItemAt: url, error: &failure) { _ in
                        isRunning.signal()
                        goesOn.wait()
                    }
                error.withLock { [failure] in $0 = failure }
                done.signal()
            }
            let id = try agent.nextRequest()
            agent.send(.granted(id, [], isObserved: false))
            #expect(isRunning.wait(timeout: .now() + 60) == .success)
            try lose(id, agent, registry)
            goesOn.signal()
            #expect(done.wait(timeout: .now() + 60) == .success)
            #expect(isClaimLost(error.withLock { $0 }))
            #expect(presenter.wait(for: "changed"))
        }
    }

    @Test("A claim that is lost while the accessor of intents runs is told to presenters")
    func lostWhileRunning() throws {
        try withAgent { scene, registry, agent, url in
            let (presenter, other) = (NotingPresenter(url), NotingPresenter(scene.root))
            registry.add(presenter)
            registry.add(other)
            let (isRunning, goesOn) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
            let errors = Locked<[NSError?]>([])
            NSFileCoordinator(filePresenter: nil, registry: registry)
                .coordinate(with: [.writingIntent(with: url)], queue: OperationQueue()) { error in
                    errors.withLock { $0.append(error as NSError?) }
                    isRunning.signal()
                    goesOn.wait()
                }
            let id = try agent.nextRequest()
            agent.send(.granted(id, [], isObserved: false))
            #expect(isRunning.wait(timeout: .now() + 60) == .success)
            try lose(id, agent, registry)
            goesOn.signal()
            #expect(presenter.wait(for: "changed"))
            #expect(errors.withLock { $0 } == [nil])
            #expect(!other.noted.contains("changed"))
        }
    }

    @Test("An accessor that has not begun when its claim is lost gets the error, and nothing is done")
    func lostBeforeRunning() throws {
        try withAgent { scene, registry, agent, url in
            let (queue, done) = (OperationQueue(), DispatchSemaphore(value: 0))
            let error = Locked<NSError?>(nil)
            queue.isSuspended = true
            NSFileCoordinator(filePresenter: nil, registry: registry)
                .coordinate(with: [.writingIntent(with: url)], queue: queue) { failure in
                    error.withLock { $0 = failure as NSError? }
                    done.signal()
                }
            let background = DispatchQueue(label: "background")
            background.suspend()
            let result = Locked<Result<URL, any Error>?>(nil)
            NSFileCoordinator(filePresenter: nil, registry: registry)
                .coordinate(.readingIntent(with: url), on: background) { found in
                    result.withLock { $0 = found }
                    done.signal()
                }
            let ids = [try agent.nextRequest(), try agent.nextRequest()]
            for id in ids { agent.send(.granted(id, [], isObserved: false)) }
            for id in ids { try lose(id, agent, registry) }
            queue.isSuspended = false
            background.resume()
            for _ in 0..<2 { #expect(done.wait(timeout: .now() + 60) == .success) }
            #expect(isClaimLost(error.withLock { $0 }))
            #expect(throws: FileCoordinationError.self) { try result.withLock { $0 }?.get() }
        }
    }

    @Test("What was copied for uploading while the claim was lost is not handed out")
    func lostUpload() throws {
        try withAgent { scene, registry, agent, url in
            let (error, done) = (Locked<NSError?>(nil), DispatchSemaphore(value: 0))
            Thread.detachNewThread {
                var failure: NSError?
                NSFileCoordinator(filePresenter: nil, registry: registry)
                    .coordinate(readingItemAt: url, options: .forUploading, error: &failure) { _ in
                        Issue.record("a copy was handed out")
                    }
                error.withLock { [failure] in $0 = failure }
                done.signal()
            }
            let id = try agent.nextRequest()
            agent.send(.granted(id, [], isObserved: false), .claimLost(id))
            #expect(done.wait(timeout: .now() + 60) == .success)
            #expect(isClaimLost(error.withLock { $0 }))
        }
    }

    @Test("A preparation whose claim is lost says so at its end")
    func lostPreparation() throws {
        try withAgent { scene, registry, agent, url in
            let (error, done) = (Locked<NSError?>(nil), DispatchSemaphore(value: 0))
            let (isRunning, goesOn) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
            Thread.detachNewThread {
                var failure: NSError?
                NSFileCoordinator(filePresenter: nil, registry: registry)
                    .prepare(forReadingItemsAt: [url], writingItemsAt: [], error: &failure) { finish in
                        isRunning.signal()
                        goesOn.wait()
                        finish()
                    }
                error.withLock { [failure] in $0 = failure }
                done.signal()
            }
            let id = try agent.nextRequest()
            agent.send(.granted(id, [], isObserved: false))
            #expect(isRunning.wait(timeout: .now() + 60) == .success)
            try lose(id, agent, registry)
            goesOn.signal()
            #expect(done.wait(timeout: .now() + 60) == .success)
            #expect(isClaimLost(error.withLock { $0 }))
        }
    }

    @Test(
        "Who waits for an agent that says nothing fails with its name, and what it grants later is given back"
    )
    func silence() throws {
        // Both are to ask before the agent is given up, for which there are two intervals at least.
        try withAgent(pulseSeconds: 1) { scene, registry, agent, url in
            let (errors, done) = (Locked<[NSError?]>([]), DispatchSemaphore(value: 0))
            let hear: @Sendable (NSError?) -> Void = { error in
                errors.withLock { $0.append(error) }
                done.signal()
            }
            Thread.detachNewThread {
                var error: NSError?
                NSFileCoordinator(filePresenter: nil, registry: registry)
                    .coordinate(writingItemAt: url, error: &error) { _ in Issue.record("it was written") }
                hear(error)
            }
            NSFileCoordinator(filePresenter: nil, registry: registry)
                .coordinate(with: [.readingIntent(with: url)], queue: OperationQueue()) {
                    hear($0 as NSError?)
                }
            let ids = [try agent.nextRequest(), try agent.nextRequest()]
            for _ in 0..<2 { #expect(done.wait(timeout: .now() + 60) == .success) }
            for error in errors.withLock({ $0 }) {
                #expect(isAgentSilent(error))
                #expect(error?.localizedDescription.contains("kill -CONT \(getpid())") == true)
            }
            #expect(Set([try agent.next { $0.cancelled }, try agent.next { $0.cancelled }]) == Set(ids))
            // The agent goes on, and had decided before it read that nobody waits any longer.
            agent.send(.granted(ids[0], [], isObserved: false))
            #expect(try agent.next { $0.ended } == ids[0])
        }
    }

    @Test(
        "An agent that says nothing is sent no more, however many accesses fail, and all that still stands when it goes on"
    )
    func heldBack() throws {
        // Twice this is what the test has to speak for the agent once it has begun to ask for something.
        try withAgent(pulseSeconds: 1.5) { scene, registry, agent, url in
            let (results, done) = (Locked<[NSError?]>([]), DispatchSemaphore(value: 0))
            let read: @Sendable () -> Void = {
                NSFileCoordinator(filePresenter: nil, registry: registry)
                    .coordinate(with: [.readingIntent(with: url)], queue: OperationQueue()) { error in
                        results.withLock { $0.append(error as NSError?) }
                        done.signal()
                    }
            }
            read()
            let first = try agent.nextRequest()
            #expect(done.wait(timeout: .now() + 60) == .success)
            #expect(try agent.next { $0.cancelled } == first)
            let guests = (0..<2).map { _ in NotingPresenter(url) }
            for guest in guests {
                registry.add(guest)
                read()
            }
            for _ in guests { #expect(done.wait(timeout: .now() + 60) == .success) }
            for guest in guests { registry.remove(guest) }
            #expect(results.withLock { $0.count(where: isAgentSilent) } == 3)
            let presenter = NotingPresenter(url)
            registry.add(presenter)
            read()
            agent.send(.quiet(0))
            // All that was sent since the first access was taken back, in order.
            let item = try #require(ItemPath(fileURL: url))
            let added = try agent.next()
            guard case .event(.presenterAdded(let id, item, _, _)) = added else {
                Issue.record("it was told \(added)")
                return
            }
            let asked = try agent.next()
            guard case .event(.requested(let request)) = asked else {
                Issue.record("it was told \(asked)")
                return
            }
            agent.send(.told(id, .itemDidChange), .granted(request.id, [], isObserved: false))
            #expect(done.wait(timeout: .now() + 60) == .success)
            #expect(results.withLock { $0.last } == .some(nil))
            #expect(presenter.wait(for: "changed"))
        }
    }

    @Test(
        "An agent that says nothing is sent no moves; when it goes on it hears of all, or where presenters are if they were many",
        arguments: [3, 1001]
    )
    func movesInSilence(moveCount: Int) throws {
        try withAgent(pulseSeconds: 0.5) { scene, registry, agent, url in
            let presenter = NotingPresenter(url)
            registry.add(presenter)
            let item = try #require(ItemPath(fileURL: url))
            let id = try agent.next { $0.presenterAdded(at: item) }
            try loseVoice(agent, registry, url)
            let late = NotingPresenter(url)
            registry.add(late)
            let otherURL = url.deletingLastPathComponent().appendingPathComponent("other.txt")
            let other = try #require(ItemPath(fileURL: otherURL))
            let coordinator = NSFileCoordinator(filePresenter: nil, registry: registry)
            for number in 0..<moveCount {
                let urls = number.isMultiple(of: 2) ? (url, otherURL) : (otherURL, url)
                coordinator.item(at: urls.0, didMoveTo: urls.1)
            }
            #expect(!agent.hasNews)
            agent.send(.quiet(0))
            // Who came meanwhile is said to be where it was, and moves with the item.
            let added = try agent.next()
            guard case .event(.presenterAdded(_, at: item, _, _)) = added else {
                Issue.record("it was told \(added)")
                return
            }
            guard moveCount > 3 else {
                let moves = try (0..<moveCount).map { _ in try agent.next { $0.move } }
                #expect(moves.map(\.source) == [item, other, item])
                return
            }
            let told = try agent.next()
            guard case .event(.presenterMoved(id, to: other)) = told else {
                Issue.record("it was told \(told)")
                return
            }
            #expect(presenter.wait(for: "moved to other.txt"))
            #expect(late.wait(for: "moved to other.txt"))
            #expect(presenter.wait(for: "changed"))
        }
    }

    @Test("What moved while the agent said nothing is told to its presenters when the agent is gone")
    func movesBeforeTheEnd() throws {
        try withAgent(pulseSeconds: 0.5) { scene, registry, agent, url in
            let presenter = NotingPresenter(url)
            registry.add(presenter)
            try loseVoice(agent, registry, url)
            NSFileCoordinator(filePresenter: nil, registry: registry)
                .item(at: url, didMoveTo: url.deletingLastPathComponent().appendingPathComponent("other.txt"))
            agent.end()
            #expect(presenter.wait(for: "moved to other.txt"))
        }
    }

    @Test(
        "Who made way for a writer that fails as the agent says nothing reacquires, whether it answers before or after",
        arguments: [false, true]
    )
    func reacquiringInSilence(answersLate: Bool) throws {
        // The test has two intervals to speak for the agent before that is given up.
        try withAgent(pulseSeconds: 3) { scene, registry, agent, url in
            let presenter = NotingPresenter(url)
            presenter.presentedItemOperationQueue.isSuspended = answersLate
            registry.add(presenter)
            let item = try #require(ItemPath(fileURL: url))
            let id = try agent.next { $0.presenterAdded(at: item) }
            let (error, done) = (Locked<NSError?>(nil), DispatchSemaphore(value: 0))
            NSFileCoordinator(filePresenter: nil, registry: registry)
                .coordinate(with: [.writingIntent(with: url)], queue: OperationQueue()) { failure in
                    error.withLock { $0 = failure as NSError? }
                    done.signal()
                }
            let access = try agent.nextRequest()
            agent.send(.asked(.relinquishToWriter, id, for: access, Ticket(number: 7)))
            #expect(done.wait(timeout: .now() + 60) == .success)
            #expect(isAgentSilent(error.withLock { $0 }))
            presenter.presentedItemOperationQueue.isSuspended = false
            #expect(presenter.wait(for: "reacquired"))
            // The agent goes on: to say it again is nothing to who has heard it.
            agent.send(.reacquire(Ticket(number: 7)), .told(id, .itemDidChange))
            #expect(presenter.wait(for: "changed"))
            #expect(presenter.noted == ["writer", "reacquired", "changed"])
        }
    }

    @Test(
        "Who made way for another process reacquires when the agent goes on, and when it is gone",
        arguments: [false, true]
    )
    func reacquiringAfterSilence(isGone: Bool) throws {
        try withAgent(pulseSeconds: 0.05) { scene, registry, agent, url in
            let presenter = NotingPresenter(url)
            registry.add(presenter)
            let item = try #require(ItemPath(fileURL: url))
            let id = try agent.next { $0.presenterAdded(at: item) }
            let writer = AccessID(client: ClientID(1), number: 1)
            agent.send(.asked(.relinquishToWriter, id, for: writer, Ticket(number: 7)))
            #expect(presenter.wait(for: "writer"))
            // An access of this process finds out that the agent says nothing.
            let done = DispatchSemaphore(value: 0)
            NSFileCoordinator(filePresenter: nil, registry: registry)
                .coordinate(with: [.readingIntent(with: url)], queue: OperationQueue()) { error in
                    #expect(isAgentSilent(error as NSError?))
                    done.signal()
                }
            #expect(done.wait(timeout: .now() + 60) == .success)
            // The other one may be writing.
            #expect(presenter.noted == ["writer"])
            if isGone { agent.end() } else { agent.send(.reacquire(Ticket(number: 7))) }
            #expect(presenter.wait(for: "reacquired"))
        }
    }

    @Test(
        "The end of an access that nobody hears of comes before the next request, and by itself when none follows"
    )
    func keptEnd() throws {
        try withAgent { scene, registry, agent, url in
            for presenter in registry.presenters { registry.remove(presenter) }
            let done = DispatchSemaphore(value: 0)
            Thread.detachNewThread {
                for _ in 0..<3 {
                    NSFileCoordinator(filePresenter: nil, registry: registry)
                        .coordinate(readingItemAt: url, error: nil) { _ in }
                }
                done.signal()
            }
            for _ in 0..<3 {
                let id = try agent.nextRequest()
                agent.send(.granted(id, [], isObserved: false))
                #expect(try agent.next { $0.ended } == id)
            }
            #expect(done.wait(timeout: .now() + 60) == .success)
        }
    }

    @Test("Who waits for an agent that lives waits as long as it takes")
    func patience() throws {
        // The test itself answers for the agent. Where the machine keeps it from that it has longer intervals; who gives up on an
        // agent that lives does so in all of them.
        let isWaitedFor = try [0.25, 1, 2.5].contains { try waitsAsLongAsItTakes(pulseSeconds: $0) }
        #expect(isWaitedFor)
    }

    /// Has an access wait for an agent that says several times that it lives, and lets it in then.
    ///
    /// - Returns: False when the agent was given up before.
    private func waitsAsLongAsItTakes(pulseSeconds: Double) throws -> Bool {
        var isGranted = false
        try withAgent(pulseSeconds: pulseSeconds) { scene, registry, agent, url in
            let (error, done) = (Locked<NSError?>(nil), DispatchSemaphore(value: 0))
            NSFileCoordinator(filePresenter: nil, registry: registry)
                .coordinate(with: [.readingIntent(with: url)], queue: OperationQueue()) { failure in
                    error.withLock { $0 = failure as NSError? }
                    done.signal()
                }
            let id = try agent.nextRequest()
            var isAsked = true
            for _ in 0..<3 where isAsked {
                isAsked = try isAskedForLife(agent)
                if isAsked { agent.send(.quiet(0)) }
            }
            // Nobody is let in before the agent says so.
            let isOver = done.wait(timeout: .now()) == .success
            #expect(!isOver || isAgentSilent(error.withLock { $0 }))
            if isAsked, !isOver { agent.send(.granted(id, [], isObserved: false)) }
            let hasEnded = isOver || done.wait(timeout: .now() + 60) == .success
            #expect(hasEnded)
            let failure = error.withLock { $0 }
            #expect(failure == nil || isAgentSilent(failure))
            isGranted = hasEnded && failure == nil
        }
        return isGranted
    }

    /// Waits until the agent is asked for a sign of life.
    ///
    /// - Returns: False when the access that waits for it is taken back instead.
    private func isAskedForLife(_ agent: ScriptedAgent) throws -> Bool {
        while true {
            switch try agent.next() {
            case .quietWanted(0, []): return true
            case .event(.cancelled): return false
            default: continue
            }
        }
    }

    @Test(
        "What others do who coordinate nothing is told although the agent says nothing, and once more when it does",
        arguments: [1, 3]
    )
    func newsInSilence(changeCount: Int) throws {
        try withAgent(pulseSeconds: 0.05, hearsOutsiders: true) { scene, registry, agent, url in
            let presenter = NotingPresenter(url)
            registry.add(presenter)
            let item = try #require(ItemPath(fileURL: url))
            let id = try agent.next { $0.presenterAdded(at: item) }
            var numbers: [UInt64] = []
            for count in 1...changeCount {
                try writeOutside(url)
                // Once it has said nothing, it is not asked again.
                if count == 1 { numbers.append(try agent.nextQuietWanted()) }
                try presenter.wait(for: count, "changed")
            }
            // Who was told could not read it. The agent goes on, and answers all that it was asked.
            for number in numbers { agent.send(.quiet(number)) }
            try presenter.wait(for: changeCount + 1, "changed")
            agent.send(.told(id, .subitemDidAppear(item)))
            #expect(presenter.wait(for: "appeared note.txt"))
            #expect(
                presenter.noted == Array(repeating: "changed", count: changeCount + 1) + ["appeared note.txt"]
            )
        }
    }

    // MARK: Steps

    /// Has an access find out that the agent says nothing; all that it is sent for that has been read then.
    private func loseVoice(_ agent: ScriptedAgent, _ registry: FileAccessRegistry, _ url: URL) throws {
        let done = DispatchSemaphore(value: 0)
        NSFileCoordinator(filePresenter: nil, registry: registry)
            .coordinate(with: [.readingIntent(with: url)], queue: OperationQueue()) { error in
                #expect(isAgentSilent(error as NSError?))
                done.signal()
            }
        let access = try agent.nextRequest()
        #expect(done.wait(timeout: .now() + 60) == .success)
        #expect(try agent.next { $0.cancelled } == access)
    }

    /// Writes as a program that coordinates nothing, in one step: to empty the file first could be a change of its own.
    private func writeOutside(_ url: URL) throws {
        let file = try FileHandle(forWritingTo: url)
        try file.write(contentsOf: Data("outside".utf8))
        try file.close()
    }

    private func withAgent(
        pulseSeconds: Double? = nil,
        hearsOutsiders: Bool = false,
        _ body: (AgentScene, FileAccessRegistry, ScriptedAgent, URL) throws -> Void
    ) throws {
        try withScene { scene in
            var patience = AgentPatience()
            if let pulseSeconds { patience.pulseSeconds = pulseSeconds }
            let registry = try scene.registry(hearsOutsiders: hearsOutsiders, patience: patience)
            let joiner = NotingPresenter(scene.root.appendingPathComponent("nothing"))
            let agent = try ScriptedAgent(in: scene.runtime) { registry.add(joiner) }
            while !registry.isJoined {}
            try body(scene, registry, agent, try scene.file("note.txt"))
        }
    }

    /// Returns once the client has taken it.
    private func lose(_ id: AccessID, _ agent: ScriptedAgent, _ registry: FileAccessRegistry) throws {
        agent.send(.claimLost(id))
        while !registry.hasLost(id.number) {}
    }

    // An `NSError` is no `FileCoordinationError` any more on Linux; its domain and number are the same.
    private func isClaimLost(_ error: NSError?) -> Bool {
        error?.isFrom(FileCoordinationError.self, 3) == true
    }
    private func isAgentSilent(_ error: NSError?) -> Bool {
        error?.isFrom(FileCoordinationError.self, 4) == true
    }
}

extension NotingPresenter {
    /// Waits until something has been noted so often.
    fileprivate func wait(for count: Int, _ text: String) throws {
        while noted.count(where: { $0 == text }) < count { try #require(waitForNote()) }
    }
}

extension ArbiterEvent {
    fileprivate var move: ItemMove? { if case .itemMoved(let move) = self { move } else { nil } }

    fileprivate func presenterAdded(at item: ItemPath) -> PresenterID? {
        if case .presenterAdded(let id, item, _, _) = self { id } else { nil }
    }
}

extension NSError {
    fileprivate func isFrom(_ type: (some CustomNSError).Type, _ number: Int) -> Bool {
        domain == type.errorDomain && code == number
    }
}
