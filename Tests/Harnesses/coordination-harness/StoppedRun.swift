import Agent
import Coordination
import DocumentFoundation
import Foundation
import LocalSockets

/// A presenter or an agent whose process has been stopped: who waits for it is told which one it is, in bounded time.
enum StoppedRun {
    static func run() throws {
        let folder = FileManager.default.temporaryDirectory
            .appendingPathComponent("stopped-\(UUID().uuidString.prefix(8))", isDirectory: true)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        // A leftover in the temporary directory fails nothing.
        defer { try? FileManager.default.removeItem(at: folder) }
        let (runtime, item) = (folder.appendingPathComponent("run"), folder.appendingPathComponent("item"))
        try "x".write(to: item, atomically: false, encoding: .utf8)
        setenv("SHEAF_RUNTIME_DIR", runtime.path, 1)
        let pipe = try LinePipe()
        let agent = try ChildProcess.agent(["--impatient"], in: runtime.path, output: pipe.output)
        let child = try ChildProcess(["presenter", runtime.path, item.path], output: pipe.output)
        defer {
            for process in [child, agent] {
                process.kill()
                process.wait()
            }
        }
        guard pipe.lines() == ["presents"] else { throw HarnessFailure("the presenter did not begin") }
        try ChildProcess.stop(child.id)
        try expectNamed(child.id, item, runtime)
        try expectFreed(child, item, runtime)
        try expectOver(item, runtime, pipe)
        try expectAgentNamed(agent.id, item, runtime)
        try expectStarted(item, folder.appendingPathComponent("starter"), pipe)
    }

    /// What a process wrote is over although it is stopped before it could tell, also for who hears of it.
    private static func expectOver(_ item: URL, _ runtime: URL, _ pipe: LinePipe) throws {
        let (watcher, listener) = (try registry(runtime.path), Listener(item))
        try read(item, watcher)
        for isObserved in [false, true] {
            if isObserved { watcher.add(listener) }
            let writer = try ChildProcess(["writer", runtime.path, item.path], output: pipe.output)
            defer {
                writer.kill()
                writer.wait()
            }
            guard waitpid(writer.id, nil, WUNTRACED) == writer.id else { throw HarnessFailure("no writer") }
            let began = Date()
            try write(item, try registry(runtime.path))
            let seconds = Date().timeIntervalSince(began)
            guard seconds < PresenterLimit.usualSeconds else {
                throw HarnessFailure("a stopped writer held one up for \(seconds) s")
            }
            print("coordination: states 1, who writes after a stopped writer waits \(Int(seconds * 1000)) ms")
        }
        for _ in 0..<2 {
            guard listener.changed.wait(timeout: .now() + 60) == .success else {
                throw HarnessFailure("a presenter was not told of what a stopped writer wrote")
            }
        }
    }

    /// The other process: writes the item and stops, which is seldom late enough for the end to have been told.
    static func writeAndStop(_ runtime: String, _ path: String) throws {
        let (registry, url) = (try registry(runtime), URL(fileURLWithPath: path))
        for _ in 0..<2 { try write(url, registry) }
        _ = kill(getpid(), SIGSTOP)
    }

    /// Where a process is stopped that was to start the agent, all others meet at one agent all the same.
    private static func expectStarted(_ item: URL, _ runtime: URL, _ pipe: LinePipe) throws {
        let starter = try ChildProcess(["starter", runtime.path], output: pipe.output)
        defer {
            starter.kill()
            starter.wait()
        }
        guard pipe.lines() == ["starts"] else { throw HarnessFailure("the starter did not begin") }
        try ChildProcess.stop(starter.id)
        let program = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
        let began = Date()
        for _ in 0..<2 {
            let registry = try registry(runtime.path, agentProgram: program)
            try write(item, registry)
            guard registry.isJoined else { throw HarnessFailure("one works alone beside a stopped starter") }
        }
        let seconds = Date().timeIntervalSince(began)
        try endAgent(try RuntimeFolder(path: runtime.path))
        print(
            "coordination: states 1, an agent is started beside a stopped starter after \(String(format: "%.1f", seconds)) s"
        )
    }

    private static func endAgent(_ runtime: RuntimeFolder) throws {
        let lock = runtime.place(of: AgentPlace.lockName)
        let text = try String(contentsOfFile: lock, encoding: .utf8)
        guard let agent = pid_t(text.trimmingCharacters(in: .whitespacesAndNewlines)),
            kill(agent, SIGTERM) == 0
        else { throw HarnessFailure("the agent cannot be ended") }
        // Its lock is free once it is gone.
        withExtendedLifetime(try LockFile(waitingFor: lock)) {}
    }

    /// The other process: is about to start an agent, until it is killed.
    static func start(_ runtime: String) throws {
        let folder = try RuntimeFolder(path: runtime)
        let lock = try LockFile(waitingFor: folder.place(of: AgentPlace.startLockName))
        print("starts")
        fflush(nil)
        withExtendedLifetime(lock) { while true { pause() } }
    }

    /// A stopped agent holds up nobody for long, neither who has joined it nor who comes later; and when it goes on,
    /// nothing is left of what it was asked for.
    private static func expectAgentNamed(_ agent: pid_t, _ item: URL, _ runtime: URL) throws {
        let joined = try registry(runtime.path)
        try write(item, joined)
        let (watcher, listener) = (try registry(runtime.path, hearsOutsiders: true), Listener(item))
        watcher.add(listener)
        // No write: of that it would be told.
        try read(item, watcher)
        try ChildProcess.stop(agent)
        let began = Date()
        // In one step: to empty the file first could be a change of its own.
        let file = try FileHandle(forWritingTo: item)
        try file.write(contentsOf: Data("outside".utf8))
        try file.close()
        for registry in [joined, try registry(runtime.path)] {
            do {
                try write(item, registry)
                throw HarnessFailure("access was given while the agent was stopped")
            } catch let error as NSError where error.domain == FileCoordinationError.errorDomain {
                guard error.localizedDescription.contains("kill -CONT \(agent)") else { throw error }
            }
        }
        let seconds = Date().timeIntervalSince(began)
        guard seconds < 60 else { throw HarnessFailure("a stopped agent held two up for \(seconds) s") }
        guard listener.changed.wait(timeout: .now() + 60) == .success else {
            throw HarnessFailure("a presenter was not told of a change while the agent was stopped")
        }
        while listener.changed.wait(timeout: .now()) == .success {}
        _ = kill(agent, SIGCONT)
        guard listener.changed.wait(timeout: .now() + 60) == .success else {
            throw HarnessFailure("a presenter was not told again when the agent went on")
        }
        try write(item, joined)
        try write(item, try registry(runtime.path))
        print(
            "coordination: states 1, a stopped agent is named after \(String(format: "%.1f", seconds / 2)) s"
        )
    }

    private static func write(_ item: URL, _ registry: FileAccessRegistry) throws {
        var (error, isWritten): (NSError?, Bool) = (nil, false)
        NSFileCoordinator(filePresenter: nil, registry: registry)
            .coordinate(writingItemAt: item, error: &error) { _ in isWritten = true }
        if let error { throw error }
        guard isWritten else { throw HarnessFailure("neither access nor an error") }
    }

    private static func read(_ item: URL, _ registry: FileAccessRegistry) throws {
        var error: NSError?
        NSFileCoordinator(filePresenter: nil, registry: registry)
            .coordinate(readingItemAt: item, options: .withoutChanges, error: &error) { _ in }
        if let error { throw error }
    }

    private static func registry(
        _ runtime: String,
        agentProgram: String? = nil,
        hearsOutsiders: Bool = false
    ) throws -> FileAccessRegistry {
        try FileAccessRegistry(
            presenterTimeLimitSeconds: PresenterLimit.usualSeconds,
            runtimeFolder: runtime,
            agentProgram: agentProgram,
            hearsOutsiders: hearsOutsiders
        )
    }

    private static func expectNamed(_ child: pid_t, _ item: URL, _ runtime: URL) throws {
        let began = Date()
        var error: NSError?
        NSFileCoordinator(filePresenter: nil, registry: try registry(runtime.path))
            .coordinate(writingItemAt: item, error: &error) { _ in }
        let seconds = Date().timeIntervalSince(began)
        let text = error?.localizedDescription ?? "there was no error"
        let isNamed = text.contains(
            /Sitter \(registered at [^ ]*:\d+\) in coordination-harness \(process \d+\)/
        )
        guard isNamed, text.contains("(process \(child))"), seconds < PresenterLimit.usualSeconds else {
            throw HarnessFailure("after \(seconds) s: \(text)")
        }
        print(
            "coordination: states 1, a stopped presenter is named after \(String(format: "%.2f", seconds)) s"
        )
    }

    /// What a process holds is free once it is dead.
    private static func expectFreed(_ child: ChildProcess, _ item: URL, _ runtime: URL) throws {
        child.kill()
        var (error, isWritten): (NSError?, Bool) = (nil, false)
        NSFileCoordinator(filePresenter: nil, registry: try registry(runtime.path))
            .coordinate(writingItemAt: item, error: &error) { _ in isWritten = true }
        guard isWritten else { throw HarnessFailure("a dead presenter: \(String(describing: error))") }
    }

    /// The other process: presents the item until it is killed.
    static func present(_ runtime: String, _ path: String) throws {
        let (registry, url) = (try registry(runtime), URL(fileURLWithPath: path))
        let sitter = Sitter(url)
        registry.add(sitter)
        NSFileCoordinator(filePresenter: sitter, registry: registry)
            .coordinate(readingItemAt: url, options: .withoutChanges, error: nil) { _ in }
        guard registry.isJoined else { throw HarnessFailure("the presenter found no agent") }
        print("presents")
        fflush(nil)
        while true { pause() }
    }
}

/// A presenter that makes way when it can.
private final class Sitter: NSObject, NSFilePresenter {
    let presentedItemURL: URL?
    let presentedItemOperationQueue = OperationQueue()

    init(_ url: URL) { presentedItemURL = url }
}

/// A presenter that says when it has been told of a change.
private final class Listener: NSObject, NSFilePresenter {
    let presentedItemURL: URL?
    let presentedItemOperationQueue = OperationQueue()
    let changed = DispatchSemaphore(value: 0)

    init(_ url: URL) { presentedItemURL = url }

    func presentedItemDidChange() { changed.signal() }
}
