internal import DeviceSync
internal import Dispatch
internal import DocumentFoundation
internal import FileSystem
internal import Foundation
internal import Locks
internal import SyncMessages

/// What apps on a make-believe device have of iCloud: an account of the device's own, in which its folder is joined, and somebody
/// who answers about that while it is kept in step, as `sheaf up` does.
///
/// One struct under one lock; any thread.
final class WorldAnswers: Sendable {
    private struct State {
        var service: SyncService?
        /// Signalled when the service has ended.
        var ended = DispatchSemaphore(value: 0)
    }

    let account: UbiquityAccount
    private let folder: String
    private let state = Locked(State())

    /// The container that apps mean which name none: the device's folder.
    static let identifier = "iCloud.world"
    /// So many bytes a socket's path has at most, less the longest name in its folder.
    private static let pathByteCountMax = 107 - "/sync.sock~".utf8.count

    /// - Parameters:
    ///   - name: The device's, unlike all others' in the base.
    ///   - base: The folder in which the account's own is made.
    ///   - sockets: The folder in which it is asked; nil for one in the base.
    ///   - folder: The device's folder.
    ///   - userHome: The home of its user.
    ///   - container: The container's name.
    /// - Throws: What keeps the account's folder from being made.
    init(
        of name: String,
        in base: URL,
        sockets: URL? = nil,
        folder: URL,
        userHome: URL,
        container: String
    ) throws {
        self.folder = folder.path
        let home = base.appendingPathComponent("account of \(name)", isDirectory: true)
        let own = home.appendingPathComponent("containers/\(container)", isDirectory: true)
        try FileManager.default.createDirectory(at: own, withIntermediateDirectories: true)
        let joined = JoinedFolder(
            container: container,
            folder: folder.path,
            identifier: Self.identifier,
            joinedSeconds: 0
        )
        try JSONEncoder().encode(joined).write(to: own.appendingPathComponent("settings"))
        account = UbiquityAccount(
            environment: [
                "SHEAF_HOME": home.path,
                "SHEAF_RUNTIME_DIR": try sockets?.path ?? Self.runtimePath(of: name, in: base),
                "SHEAF_UBIQUITY_CONTAINER": Self.identifier,
            ],
            information: [:],
            madeUpHome: MadeUpHome(FilePath(userHome.path), documents: FilePath(folder.path))
        )
    }

    private static func runtimePath(of name: String, in base: URL) throws -> String {
        let own = base.appendingPathComponent("run of \(name)").path
        if own.utf8.count <= pathByteCountMax { return own }
        let short = base.appendingPathComponent(String(UUID().uuidString.prefix(8))).path
        guard short.utf8.count <= pathByteCountMax else {
            throw CocoaError(.fileWriteInvalidFileName, userInfo: [NSFilePathErrorKey: short])
        }
        return short
    }

    /// Answers from now on about a folder that is kept in step.
    ///
    /// - Parameter failed: Told what has ended it before `end()` was called.
    /// - Throws: What keeps it from being asked.
    func begin(_ sync: ContainerSync, failed: @escaping @Sendable (any Error) -> Void) throws {
        end()
        let service = try SyncService(
            [SyncService.Running(folder: folder, hub: "the world's", sync: sync)],
            in: try account.runtime()
        )
        try service.listen()
        let ended = DispatchSemaphore(value: 0)
        state.withLock { $0 = State(service: service, ended: ended) }
        let thread = Thread {
            do { try service.answer() } catch { failed(error) }
            ended.signal()
        }
        thread.name = "sheaf world"
        thread.start()
    }

    /// Answers no more, which stops what it has answered about; returns when that is so.
    func end() {
        let former = state.withLock { state in
            defer { state = State() }
            return state
        }
        guard let service = former.service else { return }
        service.stop()
        former.ended.wait()
    }
}
