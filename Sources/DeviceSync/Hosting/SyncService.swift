internal import Dispatch
internal import FileSystem
internal import Foundation
internal import HubProtocol
package import LocalSockets
internal import Locks
internal import SyncMessages

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
            return .explanation(found(path).map { $0.sync.explain($0.below) })
        case .item(let path): return .item(found(path).flatMap { $0.sync.item($0.below) })
        case .items(let folder): return .items(found(folder).map { $0.sync.items(below: $0.below) } ?? [])
        }
    }

    /// The container that something is in, and its path below that's folder.
    private func found(_ path: String) -> (sync: ContainerSync, below: String)? {
        for (settings, sync) in running
        where path == settings.folder || path.hasPrefix(settings.folder + "/") {
            return (sync, String(path.dropFirst(settings.folder.count + 1)))
        }
        return nil
    }
}
