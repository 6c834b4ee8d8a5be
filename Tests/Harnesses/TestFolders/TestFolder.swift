internal import FileSystem
package import Foundation

/// A folder of one test's own in the temporary folder. It goes, with all that is in it, when nobody has this any more.
///
/// So whoever has a place in it keeps this, too. What is still there when the process ends goes then; what was there when it
/// was killed, or trapped as it should, goes when the next one begins or the one that started it ends. Its path is short
/// enough for a socket in it.
package final class TestFolder: Sendable {
    package let url: URL
    package var path: String { url.path }

    /// - Parameter name: What its name begins with, which says whose it is.
    package init(_ name: String) throws {
        let number = String(UInt32.random(in: 0 ... .max), radix: 36)
        url = try Self.all.get().path.url(isDirectory: true)
            .appendingPathComponent("\(name)-\(number)", isDirectory: true)
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: false)
    }

    deinit { Self.remove(url.path) }

    /// Where those of this process are.
    private static let all: Result<ProcessFolder, any Error> = Result {
        let folder = try ProcessFolder(prefix, in: temporary)
        _ = atexit { TestFolder.removeAll() }
        return folder
    }

    private static func removeAll() {
        if case .success(let folder) = all { remove(folder.path.string) }
        // What stays all the same is named by whoever looks what tests leave behind.
        try? ProcessFolder.removeLeft(prefix, in: temporary)
    }

    private static let prefix = "sheaf-tests-"
    private static let temporary = FilePath(
        FileManager.default.temporaryDirectory.resolvingSymlinksInPath().path
    )

    private static func remove(_ path: String) {
        do { try FileManager.default.removeItem(atPath: path) } catch {
            unlock(path)
            // As above.
            try? FileManager.default.removeItem(atPath: path)
        }
    }

    /// Lets the user remove what is in folders that a test has locked.
    private static func unlock(_ path: String) {
        // What is gone by now is no folder.
        let attributes = try? FileManager.default.attributesOfItem(atPath: path)
        guard attributes?[.type] as? FileAttributeType == .typeDirectory, chmod(path, 0o700) == 0 else {
            return
        }
        for name in (try? FileManager.default.contentsOfDirectory(atPath: path)) ?? [] {
            unlock(path + "/" + name)
        }
    }
}
