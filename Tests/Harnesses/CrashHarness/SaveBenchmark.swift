package import FileSystem
internal import Foundation

/// Measures what saves cost beside the bare calls they are made of.
package enum SaveBenchmark {
    private static let saveCount = 500
    private static let memberCount = 10_000

    /// - Parameter folder: Where to save; nil for the system's temporary folder.
    /// - Returns: One line for each thing measured, in microseconds.
    package static func run(in folder: FilePath?) throws -> [String] {
        let scratch = try ScratchFolder(in: folder)
        let file = scratch.path.appending("item.doc")
        let contents = Data(repeating: 7, count: 4096)
        let bare = timed(saveCount) { saveBarely(contents, file.string) }
        let staged = try timed(saveCount) {
            let save = try StagedSave(item: file)
            try save.write(contents)
            try save.commit()
        }
        let looked = try timed(saveCount) {
            let save = try StagedSave(item: file)
            save.didReplace = { _, _ in }
            try save.write(contents)
            try save.commit()
        }
        var lines = [
            line("4 KiB, bare calls", bare), line("4 KiB, staged save", staged),
            line("4 KiB, what it replaces looked at", looked),
        ]
        for count in [10, memberCount] {
            let package = scratch.path.appending("\(count).doc")
            try DiskTree.folder(
                Dictionary(uniqueKeysWithValues: (0..<count).map { ("\($0)", DiskTree.file("x")) })
            ).write(to: package)
            let one = try times(100) { try change(["5"], of: package, to: contents) }
            lines.append(line("one of \(count) members", one))
            let two = try times(count > 10 ? 5 : 100) { try change(["5", "6"], of: package, to: contents) }
            lines.append(line("two of \(count) members, without removal", two))
        }
        return lines
    }

    private static func change(_ names: [String], of package: FilePath, to contents: Data) throws -> Duration
    {
        var changes = PackageChanges()
        for name in names {
            guard let path = MemberPath([name]) else { continue }
            changes.placed[path] = .file(.data(contents))
        }
        let clock = ContinuousClock()
        let start = clock.now
        let save = try StagedSave(item: package)
        try save.write(changes)
        try save.commit()
        let duration = clock.now - start
        try save.removeRemains()
        return duration
    }

    private static func times(_ count: Int, _ body: () throws -> Duration) rethrows -> [Duration] {
        try (0..<count).map { _ in try body() }.sorted()
    }

    private static func timed(_ count: Int, _ body: () throws -> Void) rethrows -> [Duration] {
        let clock = ContinuousClock()
        return try times(count) { () throws -> Duration in
            let start = clock.now
            try body()
            return clock.now - start
        }
    }

    private static func line(_ title: String, _ times: [Duration]) -> String {
        let (middle, high) = (times[times.count / 2], times[times.count * 99 / 100])
        return "\(title): p50 \(microseconds(middle)) us, p99 \(microseconds(high)) us"
    }

    private static func microseconds(_ duration: Duration) -> Int64 {
        duration.components.seconds * 1_000_000 + duration.components.attoseconds / 1_000_000_000_000
    }

    /// Write, sync, rename, sync the folder, and nothing else.
    private static func saveBarely(_ contents: Data, _ path: String) {
        let part = path + "~"
        let folder = open((path as NSString).deletingLastPathComponent, O_RDONLY | O_DIRECTORY)
        let file = open(part, O_WRONLY | O_CREAT | O_TRUNC, 0o666)
        _ = contents.withUnsafeBytes { write(file, $0.baseAddress, $0.count) }
        fsync(file)
        close(file)
        rename(part, path)
        fsync(folder)
        close(folder)
    }
}
