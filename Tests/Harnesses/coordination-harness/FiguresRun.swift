import Agent
import Coordination
import DocumentFoundation
import Foundation

/// What coordination through the agent costs, beside a bare round trip of the same size in the same run.
enum FiguresRun {
    private static let runCount = 4000
    private static let messageByteCount = 48

    static func run() throws {
        let folder = FileManager.default.temporaryDirectory
            .appendingPathComponent("figures-\(UUID().uuidString.prefix(8))", isDirectory: true)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        // A leftover in the temporary directory fails nothing.
        defer { try? FileManager.default.removeItem(at: folder) }
        let (runtime, item) = (
            folder.appendingPathComponent("run").path, folder.appendingPathComponent("item")
        )
        try "x".write(to: item, atomically: false, encoding: .utf8)
        setenv("SHEAF_RUNTIME_DIR", runtime, 1)
        let pipe = try LinePipe()
        let agent = try ChildProcess.agent([], in: runtime, output: pipe.output)
        defer {
            agent.kill()
            agent.wait()
        }
        let registry = try FileAccessRegistry(
            presenterTimeLimitSeconds: 5,
            runtimeFolder: runtime,
            agentProgram: nil
        )
        try access(item, registry, isWriting: false)
        guard registry.isJoined else { throw HarnessFailure("no agent was joined") }
        try compare(item, registry)
        try withPresenters(1, runtime, item, pipe) {
            show("write, 1 presenter elsewhere", try times(400, item, registry))
        }
        try withPresenters(100, runtime, item, pipe) {
            show("write, 100 presenters elsewhere", try times(100, item, registry))
        }
        try deadHolder(runtime, item, pipe, registry)
        registry.leaveAgent()
        try presentersMemory()
    }

    private static func compare(_ item: URL, _ registry: FileAccessRegistry) throws {
        let echo = try Echo()
        defer { echo.end() }
        var (reads, writes, trips) = ([Double](), [Double](), [Double]())
        for _ in 0..<runCount {
            reads.append(try seconds { try access(item, registry, isWriting: false) })
            writes.append(try seconds { try access(item, registry, isWriting: true) })
        }
        for _ in 0..<runCount { trips.append(try seconds { try echo.roundTrip(messageByteCount) }) }
        show("bare round trip of \(messageByteCount) bytes", trips)
        show("read", reads, beside: trips)
        show("write", writes, beside: trips)
    }

    private static func times(_ count: Int, _ item: URL, _ registry: FileAccessRegistry) throws -> [Double] {
        try (0..<count).map { _ in try seconds { try access(item, registry, isWriting: true) } }
    }

    private static func access(_ item: URL, _ registry: FileAccessRegistry, isWriting: Bool) throws {
        var error: NSError?
        let coordinator = NSFileCoordinator(filePresenter: nil, registry: registry)
        if isWriting {
            coordinator.coordinate(writingItemAt: item, error: &error) { _ in }
        } else {
            coordinator.coordinate(readingItemAt: item, error: &error) { _ in }
        }
        if let error { throw error }
    }

    private static func withPresenters(
        _ count: Int,
        _ runtime: String,
        _ item: URL,
        _ pipe: LinePipe,
        _ body: () throws -> Void
    ) throws {
        let child = try ChildProcess(["presenter", runtime, item.path, "\(count)"], output: pipe.output)
        defer {
            child.kill()
            child.wait()
        }
        guard pipe.lines() == ["presents"] else { throw HarnessFailure("the presenters did not begin") }
        try body()
    }

    /// From the death of a holder until who waits for it is let in.
    private static func deadHolder(
        _ runtime: String,
        _ item: URL,
        _ pipe: LinePipe,
        _ registry: FileAccessRegistry
    ) throws {
        var times: [Double] = []
        for _ in 0..<20 {
            let child = try ChildProcess(["holder", runtime, item.path], output: pipe.output)
            guard pipe.lines() == ["holds"] else { throw HarnessFailure("the holder did not begin") }
            let granted = DispatchSemaphore(value: 0)
            let coordinator = NSFileCoordinator(filePresenter: nil, registry: registry)
            coordinator.coordinate(with: [.writingIntent(with: item)], queue: OperationQueue()) { _ in
                granted.signal()
            }
            times.append(
                seconds {
                    child.kill()
                    granted.wait()
                }
            )
            child.wait()
        }
        show("a dead holder's claim is free", times)
    }

    /// What a presenter costs in the agent, by the growth of a core's memory.
    private static func presentersMemory() throws {
        var core = AgentCore(now: 0)
        let (connection, client) = (ConnectionID(1), ClientID(1))
        core.opened(connection)
        func send(_ message: ClientMessage) {
            var writer = WireWriter(own: client)
            message.write(to: &writer)
            _ = core.received(
                Array(writer.bytes.dropFirst(WireFrame.headByteCount)),
                from: connection,
                now: 0
            )
        }
        send(.hello(ClientHello(client: client, processID: 1, processName: "x")))
        let before = try residentBytes()
        for number in 1...10_000 {
            let path = ItemPath("/home/me/Documents/Letters/2024/letter-\(number).txt")
            let id = PresenterID(client: client, number: UInt64(number))
            send(.event(.presenterAdded(id, at: path, typeName: "LetterDocument")))
        }
        let each = Double(try residentBytes() - before) / 10_000
        print("a presenter in the agent, of 10,000: \(Int(each)) bytes")
    }

    /// proc(5), statm.
    private static func residentBytes() throws -> Int {
        let words = try String(contentsOfFile: "/proc/self/statm", encoding: .utf8).split(separator: " ")
        guard words.count > 1, let pages = Int(words[1]) else { throw HarnessFailure("statm cannot be read") }
        return pages * Int(sysconf(Int32(_SC_PAGESIZE)))
    }

    private static func seconds(_ body: () throws -> Void) rethrows -> Double {
        let began = DispatchTime.now().uptimeNanoseconds
        try body()
        return Double(DispatchTime.now().uptimeNanoseconds - began) / 1e9
    }

    private static func show(_ what: String, _ times: [Double], beside peer: [Double]? = nil) {
        func quantile(_ times: [Double], _ share: Double) -> Double {
            times.sorted()[Int(share * Double(times.count - 1))] * 1e6
        }
        let median = quantile(times, 0.5)
        let ratio = peer.map { String(format: ", %.2f times the peer", median / quantile($0, 0.5)) } ?? ""
        print("\(what): \(String(format: "%.1f µs, p99 %.1f µs", median, quantile(times, 0.99)))\(ratio)")
    }
}

/// The peer: a process that sends back what it gets over a Unix socket.
struct Echo {
    private let socket: Int32
    private let child: ChildProcess

    init() throws {
        var ends: [Int32] = [0, 0]
        guard socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0, &ends) == 0
        else {
            throw HarnessFailure("socketpair: errno \(errno)")
        }
        child = try ChildProcess(["echo"], output: ends[1])
        close(ends[1])
        socket = ends[0]
    }

    func roundTrip(_ byteCount: Int) throws {
        var bytes = [UInt8](repeating: 1, count: byteCount)
        guard write(socket, &bytes, byteCount) == byteCount, read(socket, &bytes, byteCount) == byteCount
        else {
            throw HarnessFailure("the echo has ended")
        }
    }

    func end() {
        close(socket)
        child.wait()
    }

    /// The other process.
    static func answer() {
        var bytes = [UInt8](repeating: 0, count: 4096)
        while true {
            let count = read(1, &bytes, bytes.count)
            guard count > 0, write(1, &bytes, count) == count else { return }
        }
    }
}
