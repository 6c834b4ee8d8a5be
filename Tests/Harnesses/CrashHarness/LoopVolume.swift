package import FileSystem
internal import Foundation

/// A volume of one kind in a file, mounted for as long as it lives.
package final class LoopVolume {
    package let folder: FilePath
    private let scratch: ScratchFolder

    /// Why there is none.
    package struct Unavailable: Error, CustomStringConvertible {
        package let description: String
    }

    /// - Throws: `Unavailable` with the reason where the machine cannot make or mount it.
    package init(kind: String) throws {
        guard geteuid() == 0 else { throw Unavailable(description: "mounting takes root") }
        scratch = try ScratchFolder()
        folder = scratch.path.appending("mounted")
        let image = scratch.path.appending("image").string
        try FileManager.default.createDirectory(atPath: folder.string, withIntermediateDirectories: false)
        try Self.run("/usr/bin/truncate", "-s", "400M", image)
        try Self.run("/sbin/mkfs." + kind, image)
        try mount()
    }

    /// Mounts it, again after it was taken away.
    package func mount() throws {
        try Self.run("/bin/mount", "-o", "loop", scratch.path.appending("image").string, folder.string)
    }

    deinit { unmount() }

    /// Takes the volume away; nothing when it is gone already.
    package func unmount() {
        if (try? Self.run("/bin/umount", folder.string)) != nil { return }
        // A process that another test is just starting has its files, too, until it runs a program of its own. Out of
        // the folder it is at once, and ends with its last user.
        try? Self.run("/bin/umount", "-l", folder.string)
    }

    private static func run(_ command: String, _ arguments: String...) throws {
        guard FileManager.default.isExecutableFile(atPath: command) else {
            throw Unavailable(description: "\(command) is not installed")
        }
        let process = Process()
        process.executableURL = URL(fileURLWithPath: command)
        process.arguments = arguments
        process.standardOutput = FileHandle.nullDevice
        process.standardError = FileHandle.nullDevice
        try process.run()
        process.waitUntilExit()
        guard process.terminationStatus == 0 else {
            throw Unavailable(description: "\(command) ended with \(process.terminationStatus)")
        }
    }
}
