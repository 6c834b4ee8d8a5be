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
        let silent = [
            try silent(work, "agent-silent", limit: 0.5, times: 9),
            // As long as it is when nobody says anything. Each takes its time, so there is one.
            try silent(work, "agent-silent-usual", limit: nil, times: 1),
        ]
        return silent + [try await change(work)] + (try await idle(work))
    }

    /// - Parameter limit: How long a presenter may take to answer, in seconds; nil for as long as it usually may.
    private static func agent(
        _ work: WorkFolder,
        _ name: String,
        limit: Double? = nil
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
            presenterTimeLimitSeconds: PresenterLimit.usualSeconds,
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

    private static func silent(
        _ work: WorkFolder,
        _ id: String,
        limit: Double?,
        times: Int
    ) throws -> Figure {
        let item = work.item("Silent.txt")
        try Data("Dear".utf8).write(to: item)
        let (agent, runtime) = try agent(work, "run-\(id)", limit: limit)
        defer { agent.end() }
        let presenter = try OtherProcess(.silent(folder: runtime.path, item: item.path), core: nil)
        defer { presenter.end() }
        try presenter.waitUntilReady()
        let registry = try registry(runtime)
        defer { registry.leaveAgent() }
        var own = Samples()
        let limit = limit ?? PresenterLimit.usualSeconds
        for _ in 1...times {
            var error: NSError?
            own.add(seconds { error = write(item, registry) } - limit)
            guard error != nil else { throw BenchmarkFailure("a write went past a presenter that is silent") }
        }
        return Figure(
            id,
            "a write that a silent presenter of another process holds up, beyond the limit of \(Int(limit * 1000)) ms",
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
        let presenters = WatchBenchmark.presenters(of: tree)
        // What the first need of the program's own code is no presenter's.
        _ = try grow(agent, registry, presenters.prefix(100), work)
        let before = try agent.residentByteCount()
        let each = try grow(agent, registry, presenters.dropFirst(100).prefix(10_000), work) / 10_000
        _ = try grow(agent, registry, presenters.dropFirst(10_100), work)
        var (memory, ticks, first) = (Samples(), Samples(), Samples())
        memory.add(Double(try agent.residentByteCount() - before))
        first.add(each)
        let start = (ticks: try agent.processorTicks(), seconds: try agent.processorSeconds())
        await WatchBenchmark.aMinute()
        ticks.add(Double(try agent.processorTicks() - start.ticks))
        let milliseconds = (try agent.processorSeconds() - start.seconds) * 1000
        let report = try AgentQuery.report(in: runtime)
        guard report?.presenters.count == presenters.count else {
            throw BenchmarkFailure("the agent does not know all presenters")
        }
        withExtendedLifetime(presenters) {}
        return [
            Figure(
                "agent-idle",
                "processor time of the agent in a minute in which nothing happens to 100,000 presented items; "
                    + "by the scheduler's clock \(String(format: "%.3f", milliseconds)) ms",
                ticks,
                .ticks,
                goal: .valueAtMost(0)
            ),
            Figure(
                "agent-presenter-memory",
                "the agent's memory for a presenter, of 10,000",
                first,
                .bytes,
                goal: .valueAtMost(1024)
            ),
            Figure(
                "agent-idle-memory",
                "the agent's memory for 100,000 presenters, a KiB each at most",
                memory,
                .mebibytes,
                goal: .valueAtMost((100_000 * 1024 / 1_048_576 * 10).rounded() / 10)
            ),
        ]
    }

    /// Adds presenters, and waits until the agent knows them and is at rest.
    ///
    /// - Returns: How many bytes the agent has grown by.
    private static func grow(
        _ agent: OtherProcess,
        _ registry: FileAccessRegistry,
        _ presenters: ArraySlice<BenchmarkPresenter>,
        _ work: WorkFolder
    ) throws -> Double {
        let before = try agent.residentByteCount()
        for presenter in presenters { registry.add(presenter) }
        if let error = write(work.item("Joining.txt"), registry) { throw error }
        guard registry.isJoined else { throw BenchmarkFailure("no agent was joined") }
        try agent.waitUntilIdle()
        return Double(try agent.residentByteCount() - before)
    }
}
