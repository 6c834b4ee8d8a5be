import FileSystem
import Foundation
import HTTPService
import Hub
import HubProtocol
import LocalSockets
import Locks

/// What a hub takes, in a process of its own, from devices that are threads of this one, over the loopback.
@MainActor
enum HubBenchmark {
    nonisolated static let container = ContainerName(unchecked: Array(repeating: 7, count: 16))
    private static let roundCount = 5
    private static let commitsInRound = 4000
    private static let deviceCount = 32
    private static let recordByteCount = 300
    private static let blobCount = 10_000
    private static let blobByteCount = 4096
    private static let blobsInRequest = 500
    /// 20,000, or as many as a process may have connections here, less what the hub has open besides.
    nonisolated private static let pollCount = min(20_000, OpenFiles.raised() - 400)
    private static let connectionsAtOnce = 64
    private static let peer = "C: write 4096 bytes to a file of its own, fsync, for each of as many"

    static func run(in work: WorkFolder) throws -> [Figure] {
        try withHub(work, "one") { hub in
            [try commits(hub), try commitsTogether(hub)] + (try blobs(hub, work))
        }
    }

    /// A hub that is running, and how to reach it.
    struct Scene: Sendable {
        let port: UInt16
        let token: String
        let process: OtherProcess

        func connect() throws -> HubConnection { try HubConnection(port: port, token: token) }
    }

    static func withHub<Value>(
        _ work: WorkFolder,
        _ name: String,
        _ body: (Scene) throws -> Value
    ) throws -> Value {
        let folder = work.item("hub-\(name)")
        let process = try OtherProcess(.hub(folder: folder.path), core: nil)
        defer { process.end() }
        try process.waitUntilReady()
        let said = try String(contentsOf: folder.appendingPathComponent("client"), encoding: .utf8).split(
            separator: " "
        )
        guard said.count == 2, let port = UInt16(said[0]) else {
            throw BenchmarkFailure("the hub said nothing")
        }
        let scene = Scene(port: port, token: String(said[1]), process: process)
        _ = try scene.connect().ask("PUT", HubRoute.container(container))
        return try body(scene)
    }

    /// In the other process: a hub without limits of rates, until it is killed.
    nonisolated static func serve(_ folder: String) async throws {
        var options = HubProcess.Options()
        options.data = folder
        options.address = .loopback(port: 0)
        options.settings.deviceRate = (burst: 1e9, perSecond: 1e9)
        options.settings.waitingCountMax = pollCount + 100
        let hub = try RunningHub(options) { FileHandle.standardError.write(Data($0.utf8)) }
        let token = String(repeating: "5", count: 64)
        let key = PublicKeyBytes(unchecked: Array(repeating: 1, count: 32))
        let device = NewDevice(
            device: DeviceName(unchecked: Array(repeating: 1, count: 8)),
            tokenHash: try HubTokens.hash(token),
            name: "Bench",
            signingKey: key,
            agreementKey: key
        )
        try await hub.records.addInvitation(hash: [1], to: .first, by: nil, until: .max)
        _ = try await hub.records.register(device, invitationHash: [1], now: 0)
        try Data("\(hub.address.port) \(token)".utf8).write(to: URL(fileURLWithPath: folder + "/client"))
        FileHandle.standardOutput.write(Data("+".utf8))
        while true { pause() }
    }

    private static func offer(_ numbers: Range<Int>) throws -> Data {
        let commits = try numbers.map { number in
            guard let id = CommitName(String(number, radix: 16)) else { throw BenchmarkFailure("a bad name") }
            let item = withUnsafeBytes(of: number.bigEndian, Array.init)
            return OfferedCommit(
                item: ItemName(unchecked: item + item),
                base: 0,
                id: id,
                record: Data(repeating: 1, count: recordByteCount)
            )
        }
        return try JSONEncoder().encode(CommitOffer(commits))
    }

    // MARK: Commits

    /// Devices that commit one thing after the other, each waiting for its answer.
    private static func commits(_ hub: Scene) throws -> Figure {
        var samples = Samples()
        for round in 0..<roundCount {
            let perDevice = commitsInRound / deviceCount
            let bodies = try (0..<deviceCount).map { device in
                let first = (round * deviceCount + device) * perDevice
                return try (first..<first + perDevice).map { try offer($0..<$0 + 1) }
            }
            let connections = try bodies.map { _ in try hub.connect() }
            let failure = Locked<(any Error)?>(nil)
            let taken = seconds {
                let group = DispatchGroup()
                for (connection, bodies) in zip(connections, bodies) {
                    let thread = Thread {
                        do {
                            for body in bodies { _ = try connection.ask("POST", .commits(container), body) }
                        } catch { failure.withLock { $0 = error } }
                        group.leave()
                    }
                    group.enter()
                    thread.start()
                }
                group.wait()
            }
            if let failure = failure.withLock({ $0 }) { throw failure }
            samples.add(taken / Double(commitsInRound))
        }
        return Figure(
            "hub-commit",
            "a hub: a durable commit, \(deviceCount) devices at once, one in each request",
            samples,
            .microseconds,
            goal: .valueAtMost(500)
        )
    }

    private static func commitsTogether(_ hub: Scene) throws -> Figure {
        let connection = try hub.connect()
        var samples = Samples()
        for round in 0..<roundCount {
            let first = 1_000_000 + round * 1000
            let body = try offer(first..<first + 1000)
            samples.add(try seconds { _ = try connection.ask("POST", .commits(container), body) } / 1000)
        }
        return Figure(
            "hub-commit-batch",
            "a hub: a durable commit, one device, 1,000 in a request",
            samples,
            .microseconds
        )
    }

    // MARK: Blobs

    private static func blobs(_ hub: Scene, _ work: WorkFolder) throws -> [Figure] {
        let connection = try hub.connect()
        var (stored, read, files) = (Samples(), Samples(), Samples())
        for round in 0..<3 {
            let names = (0..<blobCount).map { number in
                let bytes = withUnsafeBytes(of: (round * blobCount + number).bigEndian, Array.init)
                return BlobName(unchecked: bytes + bytes + bytes + bytes)
            }
            let blob = Data((0..<blobByteCount).map { UInt8(truncatingIfNeeded: $0 &* 7 &+ round) })
            let bodies = stride(from: 0, to: blobCount, by: blobsInRequest).map { first in
                var body = Data()
                for name in names[first..<first + blobsInRequest] { BlobFrames.append(name, blob, to: &body) }
                return body
            }
            stored.add(
                try seconds { for body in bodies { _ = try connection.ask("POST", .blobs(container), body) } }
            )
            let request = try JSONEncoder().encode(BlobNames(Array(names.prefix(8000))))
            let taken = try seconds {
                let answer = try connection.ask("POST", .readBlobs(container), request)
                guard answer.count > 8000 * blobByteCount else { throw BenchmarkFailure("blobs are missing") }
            }
            read.add(taken / 8000 * Double(blobCount))
            if round == 0 { files.add(try fileEach(blob, work) * Double(blobCount)) }
        }
        return [
            Figure(
                "hub-blobs",
                "a hub: 10,000 blobs of 4 KB durable, 500 in a request",
                stored,
                .milliseconds,
                beside: peer,
                files,
                goal: .valueAtMost(1000)
            ),
            Figure(
                "hub-blobs-read",
                "a hub: 10,000 blobs of 4 KB read, 8,000 in a request",
                read,
                .milliseconds
            ),
        ]
    }

    /// How long a file with an fsync takes; the tenth part of them is enough to know.
    private static func fileEach(_ blob: Data, _ work: WorkFolder) throws -> Double {
        let count = blobCount / 10
        let folder = work.item("files")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        return try seconds {
            for number in 0..<count {
                let file = open(
                    folder.appendingPathComponent("\(number)").path,
                    O_WRONLY | O_CREAT | O_EXCL,
                    0o600
                )
                let isDone =
                    blob.withUnsafeBytes { write(file, $0.baseAddress, $0.count) == $0.count }
                    && fsync(file) == 0
                close(file)
                guard isDone else { throw BenchmarkFailure.call("fsync", folder.path) }
            }
        } / Double(count)
    }

    // MARK: Long polls

    /// Of a hub that nothing else has been asked of, when all have been answered once: what a connection has been given for its
    /// first answer, it still has when it waits for the next.
    static func pollsMemory(in work: WorkFolder) throws -> [Figure] {
        try withHub(work, "polls-memory") { hub in
            let waiting = try Waiting(hub)
            try waiting.ask()
            _ = try waiting.tell(0)
            try waiting.ask()
            try hub.process.waitUntilIdle()
            var memory = Samples()
            memory.add(Double(try hub.process.residentByteCount()))
            // All of them were waiting: they are told.
            _ = try waiting.tell(1)
            return [
                Figure(
                    "hub-polls-\(pollCount)-memory",
                    "a hub: resident memory with \(pollCount) that wait for news again",
                    memory,
                    .mebibytes,
                    goal: .valueAtMost((1024.0 * Double(pollCount) / 20_000).rounded())
                )
            ]
        }
    }

    static func pollsTold(in work: WorkFolder) throws -> [Figure] {
        try withHub(work, "polls-told") { hub in
            let waiting = try Waiting(hub)
            var told = Samples()
            for round in 0..<3 {
                try waiting.ask()
                try hub.process.waitUntilIdle()
                told.add(try waiting.tell(round))
            }
            return [
                Figure(
                    "hub-polls-told",
                    "a hub: a commit told to \(pollCount) that wait for it",
                    told,
                    .milliseconds
                )
            ]
        }
    }

    /// Devices that wait for news, and one that makes some.
    @MainActor
    private struct Waiting {
        private let asker: HubConnection
        private let connections: [HubConnection]

        init(_ hub: Scene) throws {
            asker = try hub.connect()
            connections = try (0..<pollCount).map { _ in try hub.connect() }
        }

        func ask() throws {
            let head = try JSONDecoder().decode(
                LogPage.self,
                from: try asker.ask("GET", .log(container), query: "?limit=0")
            ).head.position
            for (number, connection) in connections.enumerated() {
                try connection.send("GET", .log(container), query: "?after=\(head)&wait=60")
                // More than its queue takes would be tried again after a second.
                if number % connectionsAtOnce == 0 { _ = try asker.ask("GET", .health) }
            }
        }

        /// - Returns: How many seconds it took until all had been told.
        func tell(_ round: Int) throws -> Double {
            let first = 9_000_000 + round
            let body = try offer(first..<first + 1)
            return try seconds {
                _ = try asker.ask("POST", .commits(container), body)
                for connection in connections {
                    guard try connection.receive().count > recordByteCount else {
                        throw BenchmarkFailure("a device that waited was not told")
                    }
                }
            }
        }
    }
}

/// HTTP over one kept connection, with no more of it than these figures need.
final class HubConnection: @unchecked Sendable {
    // Sendable: used by one thread at a time.
    private let socket: CInt
    private let token: String
    private var received: [UInt8] = []

    init(port: UInt16, token: String) throws {
        self.token = token
        socket = Foundation.socket(AF_INET, CInt(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        let result = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(socket, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        guard result == 0 else { throw BenchmarkFailure.call("connect", "the hub") }
    }

    deinit { close(socket) }

    /// A request and its answer's body.
    func ask(_ method: String, _ route: HubRoute, _ body: Data? = nil, query: String = "") throws -> Data {
        try send(method, route, body, query: query)
        return try receive()
    }

    func send(_ method: String, _ route: HubRoute, _ body: Data? = nil, query: String = "") throws {
        var message = Data(
            ("\(method) \(route.path)\(query) HTTP/1.1\r\nHost: hub\r\nAuthorization: Bearer \(token)\r\n"
                + "Content-Length: \(body?.count ?? 0)\r\n\r\n").utf8
        )
        if let body { message.append(body) }
        var sent = 0
        while sent < message.count {
            let count = message.withUnsafeBytes {
                write(socket, $0.baseAddress.map { $0 + sent }, $0.count - sent)
            }
            guard count > 0 else { throw BenchmarkFailure.call("write", "the hub") }
            sent += count
        }
    }

    func receive() throws -> Data {
        var headEnd: Int?
        while headEnd == nil {
            try more()
            headEnd = received.firstRange(of: Array("\r\n\r\n".utf8))?.upperBound
        }
        let end = headEnd ?? 0
        let head = String(decoding: received[..<end], as: UTF8.self)
        guard head.hasPrefix("HTTP/1.1 20") else { throw BenchmarkFailure("the hub answered \(head)") }
        guard let field = head.lowercased().firstRange(of: "content-length: ") else { return Data() }
        let count = Int(head[field.upperBound...].prefix { $0.isNumber }) ?? 0
        received.reserveCapacity(end + count)
        while received.count < end + count { try more() }
        defer { received.removeFirst(end + count) }
        return Data(received[end..<end + count])
    }

    private func more() throws {
        let count = withUnsafeTemporaryAllocation(byteCount: 64 << 10, alignment: 8) { buffer -> Int in
            let count = read(socket, buffer.baseAddress, buffer.count)
            if count > 0 { received += buffer[..<count] }
            return count
        }
        guard count > 0 else { throw BenchmarkFailure("the hub closed the connection") }
    }
}
