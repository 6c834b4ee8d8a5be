import Foundation
import Glibc
import Locks
import TestFolders
import Testing

@testable import FileSystem

@Suite("Documents that are read to be kept")
struct SourceTreeTests {
    /// A file that is another user's: who reads it may not say that this is no access.
    private final class AnothersFile: SystemCallObserver {
        private let isRefused = Locked(false)
        var hasRefused: Bool { isRefused.withLock { $0 } }

        func willMake(_ call: SystemCall) -> CInt {
            guard call.name == "openat", call.path.name == "a.txt" else { return 0 }
            return isRefused.withLock { isRefused in
                defer { isRefused = true }
                return isRefused ? 0 : EPERM
            }
        }
        func didMake(_ call: SystemCall) {}
    }

    /// When a file was read last, as its volume says.
    private func accessSeconds(_ path: String) -> Int {
        var status = stat()
        #expect(stat(path, &status) == 0)
        return status.st_atim.tv_sec
    }

    @Test("It is no access of theirs, and another user's are read all the same")
    func accessTime() throws {
        let folder = try TestFolder("source")
        defer { withExtendedLifetime(folder) {} }
        let path = folder.path + "/a.txt"
        try Data("text".utf8).write(to: URL(fileURLWithPath: path))
        // Long before it was written: volumes note the next access then, if any.
        let before = 1_000_000_000
        let times = [timespec(tv_sec: before, tv_nsec: 0), timespec(tv_sec: 1_700_000_000, tv_nsec: 0)]
        #expect(utimensat(AT_FDCWD, path, times, 0) == 0)
        func read() throws -> String {
            let file = try SourceFolder(at: FilePath(folder.path)).file("a.txt")
            var bytes = [UInt8](repeating: 0, count: 16)
            let count = try bytes.withUnsafeMutableBytes { try file.read(at: 0, into: $0) }
            return String(decoding: bytes[..<count], as: UTF8.self)
        }
        #expect(try read() == "text")
        #expect(accessSeconds(path) == before)
        let another = AnothersFile()
        #expect(try SystemCallObservation.withObserver(another) { try read() } == "text")
        #expect(another.hasRefused)
    }
}
