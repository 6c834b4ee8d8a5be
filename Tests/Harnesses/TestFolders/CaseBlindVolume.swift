package import Foundation

/// A volume to which "A" and "a" are one name, mounted at a folder for as long as it lives: case-blind-volume.py.
package final class CaseBlindVolume {
    private let folder: String
    /// What answers for the volume; it ends when that is unmounted.
    private let server: Process

    /// Why there is none.
    package struct Unavailable: Error, CustomStringConvertible {
        package let description: String
    }

    /// - Parameters:
    ///   - folder: An empty one.
    ///   - base: Where the folder is made that holds what is in it.
    /// - Throws: `Unavailable` with the reason where the machine cannot make or mount it.
    package init(at folder: URL, in base: URL) throws {
        guard geteuid() == 0 else { throw Unavailable(description: "mounting takes root") }
        self.folder = folder.path
        let backing = base.appendingPathComponent("volume-\(UInt32.random(in: 0 ... .max))")
        try FileManager.default.createDirectory(at: backing, withIntermediateDirectories: false)
        let program = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .appendingPathComponent("case-blind-volume.py")
        let device = try Self.device(of: folder.path)
        server = Self.process("/usr/bin/python3", [program.path, backing.path, folder.path])
        try server.run()
        // The kernel tells nobody of a mount whom it could wake here.
        while try Self.device(of: folder.path) == device {
            guard server.isRunning else {
                throw Unavailable(description: "it ended with \(server.terminationStatus)")
            }
            sched_yield()
        }
    }

    deinit {
        // What stays mounted hides nothing but its own image.
        let unmounting = Self.process("/usr/bin/umount", ["-l", folder])
        guard (try? unmounting.run()) != nil else { return server.terminate() }
        unmounting.waitUntilExit()
        server.waitUntilExit()
    }

    private static func device(of path: String) throws -> UInt {
        var status = stat()
        guard stat(path, &status) == 0 else { throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO) }
        return UInt(status.st_dev)
    }

    private static func process(_ program: String, _ arguments: [String]) -> Process {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: program)
        process.arguments = arguments
        process.standardOutput = FileHandle.nullDevice
        process.standardError = FileHandle.nullDevice
        return process
    }
}
