internal import Dispatch
internal import FileSystem
internal import Foundation
internal import Locks

/// Copies of what lies on a make-believe device's disk, by cp(1), as people make them.
enum DiskCopy {
    /// Makes a folder, and puts copies of some items into it, with permissions, times, extended attributes and symbolic links. A
    /// file that has several names among them is one there, too.
    ///
    /// - Throws: What keeps them from being made; what was copied until then is left.
    static func copy(_ items: [FilePath], intoNew folder: FilePath) throws {
        try ItemMoves.createFolder(folder, permissions: 0o700)
        guard !items.isEmpty else { return }
        let arguments = ["-a", "--"] + items.map(\.string) + [folder.string]
        let outcome = Locked<Result<Int32, any Error>>(.success(0))
        let ended = DispatchSemaphore(value: 0)
        // Who waits for a process has the run loop of his thread go on, and the caller's may have other things to do.
        let thread = Thread {
            let result = Result { try Self.run(arguments) }
            outcome.withLock { $0 = result }
            ended.signal()
        }
        thread.name = "sheaf copy"
        thread.start()
        ended.wait()
        guard try outcome.withLock({ $0 }).get() == 0 else {
            throw CocoaError(.fileWriteUnknown, userInfo: [NSFilePathErrorKey: folder.string])
        }
    }

    private static func run(_ arguments: [String]) throws -> Int32 {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/bin/cp")
        process.arguments = arguments
        try process.run()
        process.waitUntilExit()
        return process.terminationStatus
    }
}
