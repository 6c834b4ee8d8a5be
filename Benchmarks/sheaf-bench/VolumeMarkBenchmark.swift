import CPeers
import DocumentFoundation
import Foundation

/// What it costs others that somebody watches: each folder by a mark of its own, as we do, beside the whole volume by one.
@MainActor
enum VolumeMarkBenchmark {
    private static let filesInEach: Int32 = 1000

    /// No figure without the privilege that such a mark takes.
    static func run(in work: WorkFolder) throws -> [Figure] {
        // In memory no disk is measured along.
        let memory = URL(fileURLWithPath: "/dev/shm", isDirectory: true)
        let top = try WorkFolder(
            FileManager.default.isWritableFile(atPath: memory.path)
                ? memory.appendingPathComponent("sheaf-bench-\(getpid())", isDirectory: true)
                : work.item("volume")
        )
        let (watched, other) = (top.item("watched"), top.item("other"))
        for folder in [watched, other] {
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
        }
        let presenter = BenchmarkPresenter(watched.appendingPathComponent("Letter.txt"))
        NSFileCoordinator.addFilePresenter(presenter)
        defer { NSFileCoordinator.removeFilePresenter(presenter) }
        var (own, whole) = (Samples(), Samples())
        for _ in 1...25 {
            own.add(try perFile(in: other))
            guard let marked = try perFile(inMarked: other) else {
                try top.remove()
                return []
            }
            whole.add(marked)
        }
        try top.remove()
        return [
            Figure(
                "watch-marks",
                "another program makes, renames and removes a file beside a watched folder",
                own,
                .microseconds,
                beside: "C: the same with the whole volume marked, and that listened to",
                whole
            )
        ]
    }

    private static func perFile(in folder: URL) throws -> Double {
        let taken = try seconds {
            guard peer_make_rename_remove(folder.path, filesInEach) == 0 else {
                throw BenchmarkFailure.call("open, rename or unlink", folder.path)
            }
        }
        return taken / Double(filesInEach)
    }

    /// - Returns: Nil without the privilege.
    private static func perFile(inMarked folder: URL) throws -> Double? {
        let queue = peer_mark_volume(folder.path)
        guard queue >= 0 else {
            guard errno == EPERM else { throw BenchmarkFailure.call("fanotify_mark", folder.path) }
            return nil
        }
        defer { close(queue) }
        let (end, isOver) = (Pipe(), DispatchSemaphore(value: 0))
        let listened = end.fileHandleForReading.fileDescriptor
        Thread.detachNewThread {
            _ = peer_drain(queue, listened)
            isOver.signal()
        }
        let taken = try perFile(in: folder)
        try end.fileHandleForWriting.close()
        isOver.wait()
        return taken
    }
}
