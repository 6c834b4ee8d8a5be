import DocumentTesting
import FileSystem
import Foundation
import Locks
import TestThreads
import Testing

@testable import DeviceSync

/// Files that programs write faster than they can be read.
@Suite("Growing files", .onOwnThreads, .timeLimit(.minutes(2)))
struct GrowingFileTests {
    /// Adds to a file each time that a piece of it is read.
    private final class Writer: SystemCallObserver {
        private let path: String
        private let file: Locked<FileHandle>

        init(_ url: URL) throws {
            path = url.path
            file = Locked(try FileHandle(forWritingTo: url))
        }

        func write(_ bytes: Data) throws {
            try file.withLock {
                try $0.seekToEnd()
                try $0.write(contentsOf: bytes)
            }
        }

        func close() throws { try file.withLock { try $0.close() } }

        func willMake(_ call: SystemCall) -> CInt {
            guard call.name == "pread", call.path.string == path else { return 0 }
            do { try write(Data("one line more\n".utf8)) } catch { Issue.record("\(error)") }
            return 0
        }

        func didMake(_ call: SystemCall) {}
    }

    @Test(
        "A file that is written each time that it is read comes as it was at one moment",
        arguments: [1, 3 << 20]
    )
    func growing(byteCount: Int) throws {
        let pair = try DevicePair()
        let (one, two) = (pair.one, pair.two)
        let url = one.folder.appendingPathComponent("log.txt")
        #expect(FileManager.default.createFile(atPath: url.path, contents: nil))
        let writer = try Writer(url)
        SystemCallObservation.add(writer)
        try writer.write(Data(repeating: UInt8(ascii: "x"), count: byteCount))
        // It is open to the end.
        pair.wait { (two.text("log.txt")?.utf8.count ?? 0) >= byteCount }
        let found = try #require(two.text("log.txt"))
        #expect(one.text("log.txt")?.hasPrefix(found) == true)
        SystemCallObservation.remove(writer)
        try writer.close()
        pair.wait { two.text("log.txt") == one.text("log.txt") && pair.isSettled }
        pair.end()
    }
}
