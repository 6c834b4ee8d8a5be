import Foundation
import LocalSockets

/// Watchman, which watches a tree for others, as a process of its own that nobody else uses.
final class Watchman {
    private let process: Process
    private let socket: LocalSocket
    private var received: [UInt8] = []
    private var buffer = [UInt8](repeating: 0, count: 1 << 16)

    /// - Parameter place: An empty folder for what it keeps.
    /// Nil when there is no such program.
    init?(in place: URL) throws {
        guard let program = Self.program else { return nil }
        try FileManager.default.createDirectory(
            at: place,
            withIntermediateDirectories: true,
            attributes: [.posixPermissions: 0o700]
        )
        // Its name has to be short enough for a socket's.
        let path = place.appendingPathComponent("socket").path
        process = Process()
        process.executableURL = program
        process.arguments = [
            "--foreground", "--sockname", path, "--statefile", place.appendingPathComponent("state").path,
            "--logfile", place.appendingPathComponent("log").path, "--pidfile",
            place.appendingPathComponent("pid").path,
        ]
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = FileHandle.nullDevice
        process.standardError = FileHandle.nullDevice
        try process.run()
        socket = try Self.connect(to: path, process)
    }

    private static var program: URL? {
        (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":")
            .map { URL(fileURLWithPath: String($0)).appendingPathComponent("watchman") }
            .first { FileManager.default.isExecutableFile(atPath: $0.path) }
    }

    private static func connect(to path: String, _ process: Process) throws -> LocalSocket {
        let end = now() + 20
        while true {
            do { return try LocalSocket(connectingTo: path) } catch {
                guard error.isNobodyThere, process.isRunning, now() < end else { throw error }
            }
        }
    }

    /// Watches a folder and all in it, and waits until all has been looked at.
    func watch(_ tree: URL) throws {
        _ = try ask(["watch", tree.path])
        try gather(tree)
    }

    /// The names of all that is in a watched folder.
    func gather(_ tree: URL) throws {
        let answer = try ask(["query", tree.path, ["expression": "true", "fields": ["name"]]])
        guard answer.starts(with: Array("{\"files\":[".utf8)) else {
            throw BenchmarkFailure("watchman: \(String(decoding: answer, as: UTF8.self))")
        }
    }

    /// Has every change in a watched folder told.
    func subscribe(to tree: URL) throws {
        _ = try ask(["subscribe", tree.path, "bench", ["fields": ["name"]]])
        try waitForChange()  // the first one names all there is
    }

    /// Returns when a change is told.
    func waitForChange() throws {
        guard try line().starts(with: Array("{\"unilateral\":true".utf8)) else {
            throw BenchmarkFailure("watchman told something else than a change")
        }
    }

    func end() {
        process.terminate()
        process.waitUntilExit()
    }

    private func ask(_ words: [Any]) throws -> [UInt8] {
        var request = try JSONSerialization.data(withJSONObject: words)
        request.append(UInt8(ascii: "\n"))
        var rest = request[...]
        while !rest.isEmpty {
            guard let count = rest.withUnsafeBytes({ socket.send($0) }) else {
                throw BenchmarkFailure("watchman has ended")
            }
            rest = rest.dropFirst(count)
        }
        let answer = try line()
        guard !answer.starts(with: Array("{\"error".utf8)) else {
            throw BenchmarkFailure("watchman: \(String(decoding: answer, as: UTF8.self))")
        }
        return answer
    }

    private func line() throws -> [UInt8] {
        var searched = 0
        while true {
            if let end = received[searched...].firstIndex(of: UInt8(ascii: "\n")) {
                defer { received.removeSubrange(...end) }
                return Array(received[..<end])
            }
            searched = received.count
            guard socket.waitUntilReadable(milliseconds: 30_000) else {
                throw BenchmarkFailure("watchman says nothing")
            }
            switch buffer.withUnsafeMutableBytes({ socket.receive(into: $0) }) {
            case .bytes(let count): received += buffer[..<count]
            case .nothing: continue
            case .end: throw BenchmarkFailure("watchman has ended")
            }
        }
    }
}
