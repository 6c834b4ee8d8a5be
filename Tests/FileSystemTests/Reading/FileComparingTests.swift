import FileSystem
import Foundation
import Locks
import TestFolders
import Testing

@Suite("Comparing files")
struct FileComparingTests {
    /// Counts how often anything is read.
    private final class ReadCounter: SystemCallObserver {
        let count = Locked(0)

        func willMake(_ call: SystemCall) -> CInt {
            if call.name == "read" { count.withLock { $0 += 1 } }
            return 0
        }

        func didMake(_ call: SystemCall) {}
    }

    private func path(_ name: String, in folder: TestFolder, _ bytes: Data) throws -> FilePath {
        let url = folder.url.appendingPathComponent(name)
        try bytes.write(to: url)
        return FilePath(url.path)
    }

    @Test(
        "Files are the same to the last byte, however many pieces they are read in",
        arguments: [0, 1, 3_000_000]
    )
    func bytes(_ byteCount: Int) throws {
        let folder = try TestFolder("comparing")
        defer { withExtendedLifetime(folder) {} }
        let bytes = Data((0..<byteCount).map { UInt8(truncatingIfNeeded: $0) })
        let (one, twin) = (try path("one", in: folder, bytes), try path("twin", in: folder, bytes))
        #expect(try FileReading.haveSameBytes(one, twin))
        #expect(try FileReading.haveSameBytes(one, one))
        guard byteCount > 0 else { return }
        var changed = bytes
        changed[byteCount - 1] ^= 1
        #expect(try !FileReading.haveSameBytes(one, try path("changed", in: folder, changed)))
    }

    @Test("Files of other sizes are told apart without being read, of one size up to the first difference")
    func largeFiles() throws {
        let folder = try TestFolder("comparing")
        defer { withExtendedLifetime(folder) {} }
        let counter = ReadCounter()
        let (one, other) = (try path("1", in: folder, Data([1])), try path("2", in: folder, Data([2])))
        let shorter = try path("3", in: folder, Data([1]))
        for (place, byteCount) in [(one, 3 << 30), (other, 3 << 30), (shorter, (3 << 30) - 1)] {
            try #require(truncate(place.string, off_t(byteCount)) == 0)
        }
        let isShorterSame = try SystemCallObservation.withObserver(counter) {
            try FileReading.haveSameBytes(one, shorter)
        }
        #expect(!isShorterSame && counter.count.withLock { $0 } == 0)
        let isOtherSame = try SystemCallObservation.withObserver(counter) {
            try FileReading.haveSameBytes(one, other)
        }
        #expect(!isOtherSame)
        #expect(counter.count.withLock { $0 } <= 4)
    }

    @Test("What is no file is compared with nothing")
    func folder() throws {
        let folder = try TestFolder("comparing")
        defer { withExtendedLifetime(folder) {} }
        let one = try path("one", in: folder, Data())
        #expect(throws: SystemError.self) { try FileReading.haveSameBytes(one, FilePath(folder.path)) }
    }
}
