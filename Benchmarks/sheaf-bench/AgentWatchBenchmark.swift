import Agent
import Coordination
import DocumentFoundation
import Foundation
import LocalSockets

/// What presenters cost an agent that nothing is asked of, how soon they hear of programs that coordinate nothing while
/// there is one, and how long one that does not answer holds others up.
@MainActor
enum AgentWatchBenchmark {
    static func run(in work: WorkFolder) async throws -> [Figure] {
        [try silent(work), try await change(work)] + (try await idle(work))
    }

    /// - Parameter limit: How long a presenter may take to answer, in seconds.
    private static func agent(
        _ work: WorkFolder,
        _ name: String,
        limit: Double = 5
    ) throws -> (process: OtherProcess, runtime: RuntimeFolder) {
        let runtime = try RuntimeFolder(path: work.item(name).path)
        let process = try OtherProcess(
            .agent(folder: runtime.path, presenterLimitSeconds: limit),
            core: nil
        )
        while try AgentQuery.report(in: runtime) == nil {
            guard process.isRunning else { throw BenchmarkFailure("the agent has ended") }
        }
        return (process, runtime)
    }

    private static func registry(_ runtime: RuntimeFolder) throws -> FileAccessRegistry {
        try FileAccessRegistry(
            presenterTimeLimitSeconds: 5,
            runtimeFolder: runtime.path,
            agentProgram: nil,
            hearsOutsiders: true
        )
    }

    /// - Returns: The error of a write; nil where it was let in.
    private static func write(_ item: URL, _ registry: FileAccessRegistry) -> NSError? {
        var error: NSError?
        NSFileCoordinator(filePresenter: nil, registry: registry)
            .coordinate(writingItemAt: item, error: &error) { _ in }
        return error
    }

    private static func silent(_ work: WorkFolder) throws -> Figure {
        let limit = 0.5
        let item = work.item("Silent.txt")
        try Data("Dear".utf8).write(to: item)
        let (agent, runtime) = try agent(work, "run-silent", limit: limit)
        defer { agent.end() }
        let presenter = try OtherProcess(.silent(folder: runtime.path, item: item.path), core: nil)
        defer { presenter.end() }
        try presenter.waitUntilReady()
        let registry = try registry(runtime)
        defer { registry.leaveAgent() }
        var own = Samples()
        for _ in 1...9 {
            var error: NSError?
            own.add(seconds { error = write(item, registry) } - limit)
            guard error != nil else { throw BenchmarkFailure("a write went past a presenter that is silent") }
        }
        return Figure(
            "agent-silent",
            "a write that a silent presenter of another process holds up, beyond the limit of 500 ms",
            own,
            .milliseconds,
            goal: .valueAtMost(50)
        )
    }

    private static func change(_ work: WorkFolder) async throws -> Figure {
        let (agent, runtime) = try agent(work, "run-change")
        defer { agent.end() }
        let registry = try registry(runtime)
        defer { registry.leaveAgent() }
        if let error = write(work.item("Joining.txt"), registry) { throw error }
        let (own, raw) = try await WatchBenchmark.changes(in: work, registry)
        guard registry.isJoined else { throw BenchmarkFailure("no agent was joined") }
        return WatchBenchmark.changeFigure(
            "watch-change-agent",
            "the same with an agent that the presenter's process has joined",
            own,
            raw
        )
    }

    private static func idle(_ work: WorkFolder) async throws -> [Figure] {
        let tree = try work.makeTree("Shelf", folders: 1000, filesInEach: 100)
        let (agent, runtime) = try agent(work, "run-idle")
        defer { agent.end() }
        let registry = try registry(runtime)
        defer { registry.leaveAgent() }
        let before = try agent.residentByteCount()
        let presenters = WatchBenchmark.presenters(of: tree)
        for presenter in presenters { registry.add(presenter) }
        if let error = write(work.item("Joining.txt"), registry) { throw error }
        guard registry.isJoined else { throw BenchmarkFailure("no agent was joined") }
        try agent.waitUntilIdle()
        var (memory, processor) = (Samples(), Samples())
        memory.add(Double(try agent.residentByteCount() - before))
        let start = try agent.processorSeconds()
        await WatchBenchmark.aMinute()
        processor.add(try agent.processorSeconds() - start)
        let report = try AgentQuery.report(in: runtime)
        guard report?.presenters.count == presenters.count else {
            throw BenchmarkFailure("the agent does not know all presenters")
        }
        withExtendedLifetime(presenters) {}
        return [
            Figure(
                "agent-idle",
                "processor time of the agent in a minute in which nothing happens to 100,000 presented items",
                processor,
                .milliseconds,
                goal: .valueAtMost(1)
            ),
            Figure("agent-idle-memory", "the agent's memory for 100,000 presenters", memory, .mebibytes),
        ]
    }
}
