import Foundation

/// A volume in the machine's memory, mounted at a folder until somebody unmounts it. It is empty each time, or has what
/// another one has.
final class MountedVolume {
    let folder: URL
    private let top: URL
    private var isMounted = true

    struct Unavailable: Error, CustomStringConvertible {
        let description: String
    }

    /// Whether this process may mount anything.
    static let isPossible: Bool = {
        guard geteuid() == 0 else { return false }
        let probe = FileManager.default.temporaryDirectory.appendingPathComponent(
            "mount-\(UUID().uuidString)"
        )
        do {
            try FileManager.default.createDirectory(at: probe, withIntermediateDirectories: false)
            defer { try? FileManager.default.removeItem(at: probe) }
            try MountedVolume.run("mount", "-t", "tmpfs", "none", probe.path)
            try MountedVolume.run("umount", probe.path)
            return true
        } catch { return false }
    }()

    /// Mounts a new one over a folder.
    ///
    /// - Parameters:
    ///   - top: Where it is mounted, too, so that it outlasts `unmount`.
    ///   - byteCount: How much room it has; nil for as much as this machine lets it.
    init(over folder: URL, keptAt top: URL, byteCount: Int? = nil) throws {
        (self.folder, self.top) = (folder, top)
        for place in [top, folder] {
            try FileManager.default.createDirectory(at: place, withIntermediateDirectories: true)
        }
        let size = byteCount.map { ["-o", "size=\($0),mode=0700"] } ?? []
        try Self.run("mount", ["-t", "tmpfs"] + size + ["none", top.path])
        try Self.run("mount", "--bind", top.path, folder.path)
    }

    /// Once nobody looks at anything on it: what is lost elsewhere on this machine is looked for there, too.
    ///
    /// - Parameter isLazy: Whether it goes though somebody uses it.
    func unmount(isLazy: Bool = false) throws {
        let deadline = Date().addingTimeInterval(60)
        while true {
            do {
                try Self.run("umount", isLazy ? ["-l", folder.path] : [folder.path])
                isMounted = false
                return
            } catch  where Date() < deadline { continue }
        }
    }

    func mountAgain() throws {
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        try Self.run("mount", "--bind", top.path, folder.path)
        isMounted = true
    }

    deinit {
        // Else they would outlast the test.
        if isMounted { try? Self.run("umount", "-l", folder.path) }
        try? Self.run("umount", "-l", top.path)
    }

    static func run(_ command: String, _ arguments: String...) throws { try run(command, arguments) }

    private static func run(_ command: String, _ arguments: [String]) throws {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = [command] + arguments
        process.standardError = FileHandle.nullDevice
        try process.run()
        process.waitUntilExit()
        guard process.terminationStatus == 0 else {
            throw Unavailable(description: "\(command) ended with \(process.terminationStatus)")
        }
    }
}
