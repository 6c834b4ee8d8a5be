import DocumentFoundation
import FileSystem
import Foundation
import LocalSockets
import SyncMessages
import Testing

/// A folder that is joined, and the socket at which whoever keeps it in step is asked.
final class JoinedPlace: Sendable {
    let folder: URL
    let account: UbiquityAccount
    private let listener: LocalListener

    /// - Parameter folder: Made when it is not there; what the device and its processes have is beside it.
    init(_ folder: URL) throws {
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        self.folder = try FilePath(folder.path).resolved().url(isDirectory: true)
        let base = self.folder.deletingLastPathComponent()
        let own = base.appendingPathComponent("home/containers/1", isDirectory: true)
        try FileManager.default.createDirectory(at: own, withIntermediateDirectories: true)
        let joined = JoinedFolder(container: "1", folder: self.folder.path, identifier: nil, joinedSeconds: 1)
        try JSONEncoder().encode(joined).write(to: own.appendingPathComponent("settings"))
        let runtime = try RuntimeFolder(path: base.path + "/run")
        listener = try LocalListener(at: runtime.place(of: SyncQuery.socketName))
        account = UbiquityAccount(
            environment: [
                "SHEAF_HOME": base.appendingPathComponent("home").path, "SHEAF_RUNTIME_DIR": runtime.path,
            ],
            information: [:]
        )
    }

    /// The next question, and who asks it. Waits for it.
    func question() throws -> (SyncQuestion, LocalSocket) {
        #expect(listener.waitUntilReadable(or: try SocketBell(), milliseconds: 20_000))
        let socket = try #require(try listener.accept())
        #expect(socket.waitUntilReadable(milliseconds: 20_000))
        let line = try #require(Self.received(from: socket))
        return (try SyncLine.value(Array(line.dropLast())), socket)
    }

    /// Waits until there is a question, or the bell rings.
    ///
    /// - Returns: Whether there is one.
    func waitForQuestion(or bell: SocketBell) -> Bool {
        listener.waitUntilReadable(or: bell, milliseconds: -1)
    }

    /// What has come; nil for nothing, and where nothing comes any more.
    static func received(from socket: LocalSocket) -> [UInt8]? {
        var buffer = [UInt8](repeating: 0, count: 4096)
        let receipt = buffer.withUnsafeMutableBytes { socket.receive(into: $0) }
        guard case .bytes(let count) = receipt else { return nil }
        return Array(buffer[..<count])
    }
}
