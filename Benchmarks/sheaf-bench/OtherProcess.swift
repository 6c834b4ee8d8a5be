import Agent
import CPeers
import Coordination
import DocumentFoundation
import Foundation

/// This program again, in a role of its own.
struct OtherProcess {
    /// What the other process does.
    enum Role {
        /// - Parameter presenterLimitSeconds: How long a presenter may take to answer; nil for as long as it usually may.
        case agent(folder: String, presenterLimitSeconds: Double?)
        /// Presents an item so many times over, and makes way whenever asked; on a serial queue as a document does, or not.
        case presenters(folder: String, item: String, count: Int, isSerial: Bool)
        /// Presents an item, and answers nothing.
        case silent(folder: String, item: String)
        /// Presents all files of a tree, without an agent.
        case watcher(tree: String)
        /// Writes an item until it is killed.
        case holder(folder: String, item: String)
        /// Sends back what it gets on its standard input.
        case echo
        /// The same, from another thread than the one that gets it.
        case answer
        /// Passes on what it gets on its standard input to its standard output, and what comes back from there.
        case relay
        /// A hub over a folder, which says in a file there how it is reached.
        case hub(folder: String)

        fileprivate var arguments: [String] {
            switch self {
            case .agent(let folder, let limit): ["--agent", folder, limit.map { "\($0)" } ?? "usual"]
            case .watcher(let tree): ["--watch", tree]
            case .silent(let folder, let item): ["--present-silently", folder, item]
            case .presenters(let folder, let item, let count, let isSerial):
                [isSerial ? "--present-in-turn" : "--present", folder, item, "\(count)"]
            case .holder(let folder, let item): ["--hold", folder, item]
            case .echo: ["--echo"]
            case .answer: ["--answer"]
            case .relay: ["--relay"]
            case .hub(let folder): ["--hub", folder]
            }
        }
    }

    private let id: pid_t
    private let output: FileHandle

    /// - Parameters:
    ///   - core: The only one that it runs on; nil for any.
    ///   - input: Its standard input.
    ///   - socket: Its standard output; nil for one that `waitUntilReady` reads.
    init(_ role: Role, core: Int?, input: CInt = 0, output socket: CInt? = nil) throws {
        let pipe = Pipe()
        var words: [UnsafeMutablePointer<CChar>?] =
            (["sheaf-bench", "--core", "\(core ?? -1)"] + role.arguments).map { strdup($0) } + [nil]
        defer { for word in words { free(word) } }
        id = peer_start(&words, input, socket ?? pipe.fileHandleForWriting.fileDescriptor)
        guard id > 0 else { throw BenchmarkFailure.call("posix_spawn", "sheaf-bench") }
        output = pipe.fileHandleForReading
    }

    /// How many bytes of memory it has now.
    func residentByteCount() throws -> Int {
        let status = try String(contentsOfFile: "/proc/\(id)/statm", encoding: .utf8)
        guard let pages = status.split(separator: " ").dropFirst().first.flatMap({ Int($0) }) else {
            throw BenchmarkFailure("/proc does not tell the memory of a process")
        }
        return pages * Int(sysconf(CInt(_SC_PAGESIZE)))
    }

    /// The same in the kernel's ticks: what `ps` and `top` go by.
    func processorTicks() throws -> Int {
        let fields = try String(contentsOfFile: "/proc/\(id)/stat", encoding: .utf8).split(separator: " ")
        // Of proc(5): the time in user mode and in the kernel. The program's name has no space in it.
        guard fields.count > 14, let user = Int(fields[13]), let kernel = Int(fields[14]) else {
            throw BenchmarkFailure("/proc does not tell the processor time of a process")
        }
        return user + kernel
    }

    /// How long all its threads, also those that have ended, have been on a processor, in seconds, by the scheduler's clock.
    func processorSeconds() throws -> Double {
        var (clock, time) = (clockid_t(), timespec())
        guard clock_getcpuclockid(id, &clock) == 0, clock_gettime(clock, &time) == 0 else {
            throw BenchmarkFailure("the processor time of process \(id) is not told")
        }
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }

    /// Waits until it does nothing for a while.
    func waitUntilIdle() throws {
        var (before, now) = (-1, 0)
        while before != now {
            before = now
            poll(nil, 0, 300)
            now = try processorTicks()
        }
    }

    var isRunning: Bool { waitpid(id, nil, WNOHANG) == 0 }

    /// Waits until it says that it does what it is there for.
    func waitUntilReady() throws {
        guard try output.read(upToCount: 1) == Data("+".utf8) else {
            throw BenchmarkFailure("another process did not begin")
        }
    }

    func kill() { _ = Foundation.kill(id, SIGKILL) }

    func end() {
        kill()
        // An error means that somebody has waited for it already.
        _ = waitpid(id, nil, 0)
    }

    // MARK: In the other process

    /// Does what the arguments say, if they name a role; returns when it is over.
    ///
    /// - Returns: Whether they do.
    static func run(_ arguments: [String]) async throws -> Bool {
        guard arguments.count > 2, arguments[0] == "--core", let core = CInt(arguments[1]) else {
            return false
        }
        if core >= 0, peer_pin(core) != 0 { throw BenchmarkFailure.call("sched_setaffinity", arguments[1]) }
        switch (arguments[2], arguments.dropFirst(3).map(\.self)) {
        case ("--echo", _): peer_echo()
        case ("--answer", _):
            if peer_answer_on_other_thread() != 0 {
                throw BenchmarkFailure.call("pthread_create", "a thread")
            }
        case ("--relay", _): peer_relay()
        case ("--agent", let rest):
            var options = AgentProcess.Options()
            options.folder = rest[0]
            options.presenterLimitSeconds = Double(rest[1]) ?? options.presenterLimitSeconds
            try AgentProcess.run(options)
        case ("--present", let rest): try present(rest[0], rest[1], count: Int(rest[2]) ?? 1, isSerial: false)
        case ("--present-in-turn", let rest):
            try present(rest[0], rest[1], count: Int(rest[2]) ?? 1, isSerial: true)
        case ("--present-silently", let rest): try presentSilently(rest[0], rest[1])
        case ("--watch", let rest): watch(rest[0])
        case ("--hub", let rest): try await HubBenchmark.serve(rest[0])
        case ("--hold", let rest): try hold(rest[0], rest[1])
        default: return false
        }
        return true
    }

    private static func registry(_ folder: String) throws -> FileAccessRegistry {
        try FileAccessRegistry(
            presenterTimeLimitSeconds: PresenterLimit.usualSeconds,
            runtimeFolder: folder,
            agentProgram: nil
        )
    }

    private static func ready() -> Never {
        FileHandle.standardOutput.write(Data("+".utf8))
        while true { pause() }
    }

    private static func present(_ folder: String, _ item: String, count: Int, isSerial: Bool) throws {
        let (registry, url) = (try registry(folder), URL(fileURLWithPath: item))
        let sitters = (0..<count).map { _ in Sitter(url, isSerial: isSerial) }
        for sitter in sitters { registry.add(sitter) }
        NSFileCoordinator(filePresenter: sitters[0], registry: registry)
            .coordinate(readingItemAt: url, options: .withoutChanges, error: nil) { _ in }
        guard registry.isJoined else { throw BenchmarkFailure("a presenter found no agent") }
        ready()
    }

    private static func presentSilently(_ folder: String, _ item: String) throws {
        let (registry, sitter) = (try registry(folder), Sitter(URL(fileURLWithPath: item), isSerial: true))
        sitter.presentedItemOperationQueue.isSuspended = true
        registry.add(sitter)
        NSFileCoordinator(filePresenter: sitter, registry: registry)
            .coordinate(readingItemAt: URL(fileURLWithPath: item), options: .withoutChanges, error: nil) {
                _ in
            }
        guard registry.isJoined else { throw BenchmarkFailure("a presenter found no agent") }
        ready()
    }

    private static func watch(_ tree: String) {
        let presenters = WatchBenchmark.presenters(of: URL(fileURLWithPath: tree, isDirectory: true))
        for presenter in presenters { NSFileCoordinator.addFilePresenter(presenter) }
        withExtendedLifetime(presenters) { ready() }
    }

    private static func hold(_ folder: String, _ item: String) throws {
        NSFileCoordinator(filePresenter: nil, registry: try registry(folder))
            .coordinate(writingItemAt: URL(fileURLWithPath: item), error: nil) { _ in ready() }
    }
}

/// A presenter that makes way when it can.
private final class Sitter: NSObject, NSFilePresenter {
    let presentedItemURL: URL?
    let presentedItemOperationQueue = OperationQueue()

    init(_ url: URL, isSerial: Bool) {
        presentedItemURL = url
        if isSerial { presentedItemOperationQueue.maxConcurrentOperationCount = 1 }
    }
}

/// The peer: a process that sends back what it gets over a Unix socket, or has another one do so.
struct Echo {
    private let socket: CInt
    private let processes: [OtherProcess]

    /// - Parameters:
    ///   - core: The only one that the processes run on; nil for any.
    ///   - isRelayed: Whether the process passes all on to another, and that to a thread of its own.
    init(core: Int?, isRelayed: Bool = false) throws {
        let near = try Self.socketPair()
        defer { close(near.theirs) }
        socket = near.ours
        guard isRelayed else {
            processes = [try OtherProcess(.echo, core: core, input: near.theirs)]
            return
        }
        let far = try Self.socketPair()
        defer {
            close(far.ours)
            close(far.theirs)
        }
        processes = [
            try OtherProcess(.relay, core: core, input: near.theirs, output: far.ours),
            try OtherProcess(.answer, core: core, input: far.theirs),
        ]
    }

    private static func socketPair() throws -> (ours: CInt, theirs: CInt) {
        var ends: [CInt] = [0, 0]
        guard peer_socketpair(&ends) == 0 else { throw BenchmarkFailure.call("socketpair", "the echo") }
        return (ends[0], ends[1])
    }

    func roundTrip(_ byteCount: Int) throws {
        guard peer_round_trip(socket, byteCount) == 0 else { throw BenchmarkFailure("the echo has ended") }
    }

    func end() {
        close(socket)
        for process in processes { process.end() }
    }
}
