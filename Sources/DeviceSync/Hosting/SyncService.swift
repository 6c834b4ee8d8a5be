internal import Dispatch
internal import FileSystem
internal import Foundation
internal import HubProtocol
package import LocalSockets
internal import Locks

/// Keeps all containers of a device in step, and answers the user's other processes about them.
///
/// One per user at a time: the memory of each container is locked.
package final class SyncService: Sendable {
    private let running: [(joined: ContainerSettings, sync: ContainerSync)]
    private let isStopping = Locked(false)
    private let runtime: RuntimeFolder

    /// Begins to keep them in step.
    ///
    /// - Parameters:
    ///   - home: What this device has.
    ///   - runtime: Where others ask.
    ///   - report: Told what happens, with the container's folder.
    /// - Throws: `SyncServiceError.nothingJoined`; what keeps a container from being begun.
    package init(
        _ home: DeviceHome,
        in runtime: RuntimeFolder,
        report: @escaping @Sendable (_ folder: String, SyncReport) -> Void
    ) throws {
        self.runtime = runtime
        let identity = try home.identity()
        var running: [(joined: ContainerSettings, sync: ContainerSync)] = []
        for joined in try home.containers() {
            let settings = joined.settings
            let client = try HubClient(settings.hub, token: settings.credentials.token)
            let sync = try ContainerSync(
                ContainerSync.Place(
                    folder: FilePath(settings.folder),
                    memory: home.folder(of: settings.container),
                    deviceName: settings.deviceName
                ),
                keys: joined.keys,
                by: identity,
                hub: HubContainer(settings.container, at: client),
                merger: TypeMerger(),
                report: { report(settings.folder, $0) }
            )
            running.append((settings, sync))
        }
        guard !running.isEmpty else { throw SyncServiceError.nothingJoined }
        self.running = running
        for (_, sync) in running { try sync.start() }
    }

    /// Answers until the process is told to end (`SIGTERM`, `SIGINT`), then brings all to rest.
    package func run() throws {
        let listener = try LocalListener(at: runtime.place(of: SyncQuery.socketName))
        let signals = [SIGTERM, SIGINT].map { number in
            signal(number, SIG_IGN)
            let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
            source.setEventHandler { [isStopping] in isStopping.withLock { $0 = true } }
            source.resume()
            return source
        }
        defer { for source in signals { source.cancel() } }
        while !isStopping.withLock({ $0 }) {
            guard listener.waitUntilReadable(milliseconds: Self.pollMilliseconds) else { continue }
            while let socket = try listener.accept() { answer(socket) }
        }
        for (_, sync) in running { sync.stop() }
    }

    private static let pollMilliseconds: Int32 = 100
    private static let questionByteCountMax = 64 << 10
    private static let answerMilliseconds: Int32 = 2000

    private func answer(_ socket: LocalSocket) {
        // Another user's, or gone: nobody to answer.
        guard let peer = try? socket.peer(), peer.userID == geteuid() else { return }
        var question: [UInt8] = []
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 4096, alignment: 16)
        defer { buffer.deallocate() }
        while question.last != UInt8(ascii: "\n"), question.count < Self.questionByteCountMax {
            guard socket.waitUntilReadable(milliseconds: Self.answerMilliseconds),
                case .bytes(let count) = socket.receive(into: buffer)
            else { return }
            question += buffer[..<count]
        }
        // What asks something else is another version, and is left without an answer.
        guard let asked = try? JSONDecoder().decode(SyncQuestion.self, from: Data(question)),
            let bytes = try? JSONEncoder().encode(answer(to: asked))
        else { return }
        send(Array(bytes) + [UInt8(ascii: "\n")], to: socket)
    }

    private func send(_ bytes: [UInt8], to socket: LocalSocket) {
        var sent = 0
        let deadline = Date().addingTimeInterval(Double(Self.answerMilliseconds) / 1000)
        while sent < bytes.count, Date() < deadline {
            let count = bytes.withUnsafeBytes { socket.send(UnsafeRawBufferPointer(rebasing: $0[sent...])) }
            guard let count else { return }
            sent += count
            // Who asks takes what comes; what comes from it now can only be its end.
            if count == 0 { _ = socket.waitUntilReadable(milliseconds: 1) }
        }
        socket.shutDown()
    }

    private func answer(to question: SyncQuestion) -> SyncAnswer {
        switch question {
        case .status:
            return .status(
                running.map { settings, sync in
                    FolderStatus(
                        folder: settings.folder,
                        hub: settings.hub.absoluteString,
                        status: sync.status
                    )
                }
            )
        case .explain(let path):
            for (settings, sync) in running
            where path == settings.folder || path.hasPrefix(settings.folder + "/") {
                return .explanation(sync.explain(String(path.dropFirst(settings.folder.count + 1))))
            }
            return .explanation(nil)
        }
    }
}

/// Why nothing is kept in step.
package enum SyncServiceError: Error, Hashable, Sendable, CustomStringConvertible {
    case nothingJoined
    case notRunning

    package var description: String {
        switch self {
        case .nothingJoined:
            "No folder of this device is kept in step. Begin with: sheaf join FOLDER --hub ADDRESS"
        case .notRunning: "Nothing is kept in step now. Start it with: sheaf up"
        }
    }
}

/// How one folder stands.
package struct FolderStatus: Codable, Hashable, Sendable {
    package var folder: String
    package var hub: String
    package var status: SyncStatus
}

/// What other processes ask, in one line of JSON.
enum SyncQuestion: Codable, Hashable, Sendable {
    case status
    case explain(path: String)
}

/// What they are told.
enum SyncAnswer: Codable, Hashable, Sendable {
    case status([FolderStatus])
    case explanation(Explanation?)
}

/// Asks the process that keeps a user's containers in step.
package enum SyncQuery {
    static let socketName = "sync.sock"
    private static let answerMilliseconds: Int32 = 5000

    /// How all folders stand.
    ///
    /// - Throws: `SyncServiceError.notRunning`.
    package static func status(in runtime: RuntimeFolder) throws -> [FolderStatus] {
        guard case .status(let folders) = try ask(.status, in: runtime) else {
            throw SyncServiceError.notRunning
        }
        return folders
    }

    /// Why an item is as it is; nil for one in no container.
    ///
    /// - Parameter path: From the root.
    package static func explain(_ path: String, in runtime: RuntimeFolder) throws -> Explanation? {
        guard case .explanation(let found) = try ask(.explain(path: path), in: runtime) else {
            throw SyncServiceError.notRunning
        }
        return found
    }

    private static func ask(_ question: SyncQuestion, in runtime: RuntimeFolder) throws -> SyncAnswer {
        let socket: LocalSocket
        do { socket = try LocalSocket(connectingTo: runtime.place(of: socketName)) } catch {
            throw error.isNobodyThere ? SyncServiceError.notRunning : error
        }
        let asked = [UInt8](try JSONEncoder().encode(question)) + [UInt8(ascii: "\n")]
        _ = asked.withUnsafeBytes { socket.send($0) }
        var answer: [UInt8] = []
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 64 << 10, alignment: 16)
        defer { buffer.deallocate() }
        while answer.last != UInt8(ascii: "\n") {
            guard socket.waitUntilReadable(milliseconds: answerMilliseconds),
                case .bytes(let count) = socket.receive(into: buffer)
            else { throw SyncServiceError.notRunning }
            answer += buffer[..<count]
        }
        return try JSONDecoder().decode(SyncAnswer.self, from: Data(answer))
    }
}
