import Agent
import CPeers
import Coordination
import DocumentFoundation
import Foundation
import LocalSockets

/// What coordination between processes costs, through an agent of the benchmark's own.
///
/// A round trip takes five microseconds or fifty, as both processes are on one core or not, and so does each further
/// step to another process or thread: ours and the peers' are put where each figure says, and are measured in turn.
@MainActor
enum AgentBenchmark {
    private static let roundCount = 21
    private static let accessesInRound = 300
    private static let operations = "Foundation: an empty operation on each of 100 queues of one process"

    static func run(in work: WorkFolder) throws -> [Figure] {
        let item = work.item("Letter.txt")
        try Data("Dear".utf8).write(to: item)
        var figures = try accesses(work, item, core: 0, "agent", "on one core")
        figures += try accesses(work, item, core: 1, "agent-apart", "on two cores")
        figures += try presenters(work, item, core: 0, "", "all on one core")
        figures += try presenters(work, item, core: nil, "-apart", "all on any of the cores")
        try withAgent(work, core: nil) { scene in figures.append(try deadHolder(scene, item)) }
        figures.append(try presentersMemory())
        return figures
    }

    /// An agent, and a registry that is joined to it.
    struct Scene {
        let folder: String
        let registry: FileAccessRegistry

        func access(_ item: URL, isWriting: Bool) throws {
            var error: NSError?
            var isGranted = false
            let coordinator = NSFileCoordinator(filePresenter: nil, registry: registry)
            if isWriting {
                coordinator.coordinate(writingItemAt: item, error: &error) { _ in isGranted = true }
            } else {
                coordinator.coordinate(readingItemAt: item, error: &error) { _ in isGranted = true }
            }
            if let error { throw error }
            guard isGranted else { throw BenchmarkFailure("access to \(item.path) was not granted") }
        }
    }

    /// - Parameter core: Where the agent runs; nil for anywhere.
    private static func withAgent(_ work: WorkFolder, core: Int?, _ body: (Scene) throws -> Void) throws {
        let runtime = try RuntimeFolder(path: work.item("run-\(core.map(String.init) ?? "any")").path)
        let agent = try OtherProcess(.agent(folder: runtime.path, presenterLimitSeconds: nil), core: core)
        defer { agent.end() }
        while try AgentQuery.report(in: runtime) == nil {
            guard agent.isRunning else { throw BenchmarkFailure("the agent has ended") }
        }
        let registry = try FileAccessRegistry(
            presenterTimeLimitSeconds: PresenterLimit.usualSeconds,
            runtimeFolder: runtime.path,
            agentProgram: nil
        )
        defer { registry.leaveAgent() }
        let scene = Scene(folder: runtime.path, registry: registry)
        try scene.access(work.item("Letter.txt"), isWriting: false)
        guard registry.isJoined else { throw BenchmarkFailure("no agent was joined") }
        try body(scene)
    }

    // MARK: Uncontended

    /// - Parameter core: Where the agent and the peer run; this process is on core 0.
    private static func accesses(
        _ work: WorkFolder,
        _ item: URL,
        core: Int,
        _ id: String,
        _ place: String
    ) throws -> [Figure] {
        guard peer_pin(0) == 0 else { throw BenchmarkFailure.call("sched_setaffinity", "core 0") }
        defer { peer_unpin() }
        var (reads, writes, trips) = (Samples(), Samples(), Samples())
        var (allReads, allWrites, allTrips) = (Samples(), Samples(), Samples())
        let byteCount = try requestByteCount(item)
        try withAgent(work, core: core) { scene in
            let echo = try Echo(core: core)
            defer { echo.end() }
            for round in 0...roundCount {
                let trip = try samples { try echo.roundTrip(byteCount) }
                let read = try samples { try scene.access(item, isWriting: false) }
                let write = try samples { try scene.access(item, isWriting: true) }
                guard round > 0 else { continue }  // the first fills caches
                trips.add(trip.median)
                reads.add(read.median)
                writes.add(write.median)
                allTrips.add(contentsOf: trip)
                allReads.add(contentsOf: read)
                allWrites.add(contentsOf: write)
            }
        }
        var (tail, tripTail) = (Samples(), Samples())
        tail.add(max(allReads.quantile(0.99), allWrites.quantile(0.99)))
        tripTail.add(allTrips.quantile(0.99))
        let peer = "C: write, read and back between two processes, \(byteCount) bytes as a request has"
        let what = "through the agent, nobody else there, \(place), median of \(accessesInRound)"
        return [
            Figure(
                "\(id)-read",
                "coordinated read \(what)",
                reads,
                .microseconds,
                beside: peer,
                trips,
                goal: .ratioAtMost(2.5)
            ),
            Figure(
                "\(id)-write",
                "coordinated write \(what)",
                writes,
                .microseconds,
                beside: peer,
                trips,
                goal: .ratioAtMost(2.5)
            ),
            Figure(
                "\(id)-tail",
                "what one in a hundred of all \(allReads.count) of each took longer than, \(place), and of the peer's",
                tail,
                .microseconds,
                beside: peer,
                tripTail,
                goal: .valueAtMost(100)
            ),
        ]
    }

    /// How many bytes the request of a write has.
    private static func requestByteCount(_ item: URL) throws -> Int {
        guard let path = ItemPath(item.path) else { throw BenchmarkFailure("\(item.path) is not absolute") }
        let client = ClientID(.max)
        let request = AccessRequest(
            id: AccessID(client: client, number: 10_000),
            purpose: .coordinator(client, 10_000),
            claims: [AccessClaim(path, use: .writing(.updating))]
        )
        var writer = WireWriter(own: client)
        ClientMessage.event(.requested(request)).write(to: &writer)
        return writer.bytes.count
    }

    private static func samples(_ work: () throws -> Void) throws -> Samples {
        var samples = Samples()
        for _ in 0..<accessesInRound { samples.add(try seconds(work)) }
        return samples
    }

    // MARK: Others

    /// - Parameter core: Where all processes run; nil for anywhere.
    private static func presenters(
        _ work: WorkFolder,
        _ item: URL,
        core: Int?,
        _ suffix: String,
        _ place: String
    ) throws -> [Figure] {
        if let core, peer_pin(CInt(core)) != 0 { throw BenchmarkFailure.call("sched_setaffinity", "\(core)") }
        defer { peer_unpin() }
        let byteCount = try requestByteCount(item)
        let relayed = "C: \(byteCount) bytes to a process, on to another, there to another thread, and back"
        var (one, document, hundred): ((Samples, Samples)?, (Samples, Samples)?, (Samples, Samples)?)
        try withAgent(work, core: core) { scene in
            let relay = try Echo(core: core, isRelayed: true)
            defer { relay.end() }
            one = try presenters(1, scene, item, core: core, times: 400) {
                try relay.roundTrip(byteCount)
            }
            document = try presenters(1, isSerial: true, scene, item, core: core, times: 400) {
                try relay.roundTrip(byteCount)
            }
            let (queues, group) = ((0..<100).map { _ in OperationQueue() }, DispatchGroup())
            hundred = try presenters(100, scene, item, core: core, times: 100) {
                for queue in queues {
                    group.enter()
                    queue.addOperation { group.leave() }
                }
                group.wait()
            }
        }
        guard let one, let document, let hundred else { return [] }
        return [
            Figure(
                "agent-presenter\(suffix)",
                "write, one presenter in another process, \(place)",
                one.0,
                .microseconds,
                beside: relayed,
                one.1,
                goal: .valueAtMost(60)
            ),
            Figure(
                "agent-document\(suffix)",
                "write, one presenter in another process, on a serial queue as a document's is, \(place)",
                document.0,
                .microseconds,
                beside: relayed,
                document.1,
                goal: .valueAtMost(60)
            ),
            Figure(
                "agent-presenters\(suffix)",
                "write, 100 presenters in another process, \(place)",
                hundred.0,
                .microseconds,
                beside: operations,
                hundred.1,
                goal: .valueAtMost(2000)
            ),
        ]
    }

    /// - Returns: What each write took, and each run of the peer in turn with them.
    private static func presenters(
        _ count: Int,
        isSerial: Bool = false,
        _ scene: Scene,
        _ item: URL,
        core: Int?,
        times: Int,
        peer: () throws -> Void
    ) throws -> (Samples, Samples) {
        let role = OtherProcess.Role.presenters(
            folder: scene.folder,
            item: item.path,
            count: count,
            isSerial: isSerial
        )
        let other = try OtherProcess(role, core: core)
        defer { other.end() }
        try other.waitUntilReady()
        var (own, its) = (Samples(), Samples())
        for round in 0...4 {
            var (ownRound, itsRound) = (Samples(), Samples())
            for _ in 0..<(times / 4) { ownRound.add(try seconds { try scene.access(item, isWriting: true) }) }
            for _ in 0..<(times / 4) { itsRound.add(try seconds(peer)) }
            guard round > 0 else { continue }  // the first fills caches
            own.add(contentsOf: ownRound)
            its.add(contentsOf: itsRound)
        }
        return (own, its)
    }

    /// From the death of a holder until who waits for it is let in.
    private static func deadHolder(_ scene: Scene, _ item: URL) throws -> Figure {
        var own = Samples()
        for _ in 0..<21 {
            let holder = try OtherProcess(.holder(folder: scene.folder, item: item.path), core: nil)
            try holder.waitUntilReady()
            let granted = DispatchSemaphore(value: 0)
            NSFileCoordinator(filePresenter: nil, registry: scene.registry)
                .coordinate(with: [.writingIntent(with: item)], queue: OperationQueue()) { _ in
                    granted.signal()
                }
            own.add(
                seconds {
                    holder.kill()
                    granted.wait()
                }
            )
            holder.end()
        }
        return Figure(
            "agent-dead-holder",
            "from the death of who writes an item until another may",
            own,
            .milliseconds,
            goal: .valueAtMost(5)
        )
    }

    /// What a presenter costs in the agent, by the growth of a core's memory.
    private static func presentersMemory() throws -> Figure {
        var core = AgentCore(now: 0)
        let (connection, client) = (ConnectionID(1), ClientID(1))
        core.opened(connection)
        func send(_ message: ClientMessage) {
            var writer = WireWriter(own: client)
            message.write(to: &writer)
            let frame = Array(writer.bytes.dropFirst(WireFrame.headByteCount))
            _ = core.received(frame, from: connection, now: 0)
        }
        send(.hello(ClientHello(client: client, processID: 1, processName: "x")))
        let before = peer_allocated_bytes()
        for number in 1...10_000 {
            let path = ItemPath("/home/me/Documents/Letters/2024/letter-\(number).txt")
            let id = PresenterID(client: client, number: UInt64(number))
            let registration = PresenterRegistration(
                place: "Correspondence/LetterBrowserViewController.swift:\(100 + number % 8)",
                since: 1_800_000_000
            )
            send(.event(.presenterAdded(id, at: path, typeName: "LetterDocument", registration)))
        }
        var own = Samples()
        own.add(Double(peer_allocated_bytes() - before) / 10_000)
        return Figure(
            "agent-memory",
            "a presenter in what the agent keeps, of 10,000",
            own,
            .bytes,
            goal: .valueAtMost(1024)
        )
    }
}
