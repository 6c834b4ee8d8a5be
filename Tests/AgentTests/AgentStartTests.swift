import Coordination
import DocumentFoundation
import Foundation
import LocalSockets
import Locks
import Testing

/// What becomes of accesses while an agent takes long to start.
@Suite("An agent that is slow to start", .serialized)
struct AgentStartTests {
    @Test(
        "An agent that has taken its place and does not listen yet is waited for longer than one that may not come"
    )
    func slow() throws {
        try withScene { scene in
            let lock = try ScriptedAgent.takePlace(in: scene.runtime)
            var patience = AgentPatience()
            patience.searchSeconds = 0.05
            let registry = try scene.registry(patience: patience)
            let done = DispatchSemaphore(value: 0)
            let url = try scene.file("note.txt")
            read(url, registry) { error in
                #expect(error == nil)
                done.signal()
            }
            // Long after the search would have ended another such agent has been given up.
            #expect(try failure(startSeconds: 0.3)?.isEmpty == false)
            #expect(done.wait(timeout: .now()) == .timedOut)
            let agent = try ScriptedAgent(in: scene.runtime, holding: lock)
            agent.send(.granted(try agent.nextRequest(), [], isObserved: false))
            #expect(done.wait(timeout: .now() + 20) == .success)
        }
    }

    @Test("Who waits too long for an agent that starts is told which process it is, and what to do")
    func tooSlow() throws {
        let text = try #require(try failure(startSeconds: 0.1))
        #expect(text.contains("(process \(getpid())) has begun and serves nobody yet"))
        #expect(text.contains("kill -CONT \(getpid())"))
    }

    @Test(
        "Where another process takes too long to start an agent, this one works alone, and joins the one that comes"
    )
    func stoppedStarter() throws {
        try withScene { scene in
            // Never let go, as by a process that is stopped.
            let startLock = try LockFile(waitingFor: scene.runtime.place(of: AgentPlace.startLockName))
            var patience = AgentPatience()
            patience.searchSeconds = 0.05
            let registry = try FileAccessRegistry(
                presenterTimeLimitSeconds: 5,
                runtimeFolder: scene.runtime.path,
                agentProgram: "/nothing/there",
                patience: patience
            )
            defer { registry.leaveAgent() }
            let done = DispatchSemaphore(value: 0)
            read(try scene.file("note.txt"), registry) { error in
                #expect(error == nil)
                done.signal()
            }
            #expect(done.wait(timeout: .now() + 20) == .success)
            #expect(!registry.isJoined)
            let agent = try ScriptedAgent(in: scene.runtime) {}
            while true { if case .caughtUp = try agent.next() { break } }
            #expect(registry.isJoined)
            withExtendedLifetime(startLock) {}
        }
    }

    // MARK: Steps

    /// What somebody is told who waits for an agent that never listens.
    private func failure(startSeconds: Double) throws -> String? {
        let text = Locked<String?>(nil)
        try withScene { scene in
            let lock = try ScriptedAgent.takePlace(in: scene.runtime)
            var patience = AgentPatience()
            (patience.searchSeconds, patience.startSeconds) = (0.05, startSeconds)
            let done = DispatchSemaphore(value: 0)
            read(try scene.file("note.txt"), try scene.registry(patience: patience)) { error in
                text.withLock { $0 = error?.localizedDescription }
                #expect(error.flatMap { FileCoordinationError($0) }?.code == .agentSilent)
                done.signal()
            }
            #expect(done.wait(timeout: .now() + 20) == .success)
            withExtendedLifetime(lock) {}
        }
        return text.withLock { $0 }
    }

    private func read(
        _ url: URL,
        _ registry: FileAccessRegistry,
        _ done: @escaping @Sendable ((any Error)?) -> Void
    ) {
        NSFileCoordinator(filePresenter: nil, registry: registry)
            .coordinate(with: [.readingIntent(with: url)], queue: OperationQueue(), byAccessor: done)
    }
}
