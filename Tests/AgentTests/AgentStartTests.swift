import Coordination
import DocumentFoundation
import Foundation
import LocalSockets
import Locks
import TestThreads
import Testing

/// What becomes of accesses while an agent takes long to start.
@Suite("An agent that is slow to start", .onOwnThreads, .serialized)
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
            #expect(done.wait(timeout: .now() + 60) == .success)
        }
    }

    @Test("Who waits too long for an agent that starts is told which process it is, and what to do")
    func tooSlow() throws {
        let text = try #require(try failure(startSeconds: 0.1))
        #expect(text.contains("(process \(getpid())) has begun and serves nobody yet"))
        #expect(text.contains("kill -CONT \(getpid())"))
    }

    @Test(
        "Where a process is stopped while it starts an agent, another starts one; alone is who finds none even then"
    )
    func stoppedStarter() throws {
        try withScene { scene in
            // Never let go, as by a process that is stopped.
            let startLock = try LockFile(waitingFor: scene.runtime.place(of: AgentPlace.startLockName))
            let program = try StartedProgram(in: scene)
            var patience = AgentPatience()
            patience.searchSeconds = 0.05
            let registry = try FileAccessRegistry(
                presenterTimeLimitSeconds: 5,
                runtimeFolder: scene.runtime.path,
                agentProgram: program.path,
                patience: patience
            )
            defer { registry.leaveAgent() }
            let done = DispatchSemaphore(value: 0)
            read(try scene.file("note.txt"), registry) { error in
                #expect(error == nil)
                done.signal()
            }
            #expect(program.waitForStart() == "agent --on-demand\n")
            #expect(done.wait(timeout: .now() + 60) == .success)
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
            #expect(done.wait(timeout: .now() + 60) == .success)
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

/// A program that says how it was started, and ends.
private final class StartedProgram {
    let path: String
    private let said: Int32

    init(in scene: AgentScene) throws {
        let fifo = scene.root.appendingPathComponent("said").path
        let url = scene.root.appendingPathComponent("program")
        try "#!/bin/sh\necho \"$@\" > '\(fifo)'\n".write(to: url, atomically: false, encoding: .utf8)
        try FileManager.default.setAttributes([.posixPermissions: 0o700], ofItemAtPath: url.path)
        path = url.path
        try #require(mkfifo(fifo, 0o600) == 0)
        // For writing too, so that it is open before the program opens it.
        said = open(fifo, O_RDWR | O_CLOEXEC)
        try #require(said >= 0)
    }

    deinit { close(said) }

    /// - Returns: What it was started with; nil when it has not been started in time.
    func waitForStart() -> String? {
        var wanted = pollfd(fd: said, events: Int16(POLLIN), revents: 0)
        guard poll(&wanted, 1, 20_000) > 0 else { return nil }
        var buffer = [UInt8](repeating: 0, count: 256)
        let count = read(said, &buffer, buffer.count)
        return String(decoding: buffer.prefix(max(count, 0)), as: UTF8.self)
    }
}
