import CrashHarness
import FileSystem
import Foundation
import Testing

@Suite("Files that are written past the cache")
struct UncachedFileTests {
    /// Fills a file in pieces of odd lengths, by several threads, and looks at what is in it.
    private func fill(_ folder: FilePath) throws {
        let count = (5 << 20) + 1234
        let bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 31 + $0 >> 9) }
        let file = try StorageFolder(at: folder).create("large")
        try file.reserve(count)
        let uncached = UncachedFile(file)
        let step = (1 << 20) - 777
        DispatchQueue.concurrentPerform(iterations: (count + step - 1) / step) { number in
            let (start, end) = (number * step, min(count, (number + 1) * step))
            let shift = start % UncachedFile.alignment
            let room = UnsafeMutableRawBufferPointer.allocate(
                byteCount: shift + end - start,
                alignment: UncachedFile.alignment
            )
            defer { room.deallocate() }
            bytes[start..<end].withUnsafeBytes { source in
                UnsafeMutableRawBufferPointer(rebasing: room[shift...]).copyMemory(from: source)
            }
            do {
                // One of them from where no such write can be from.
                if number == 2 {
                    try bytes[start..<end].withUnsafeBytes { try uncached.write($0, at: start) }
                } else {
                    try uncached.write(UnsafeRawBufferPointer(rebasing: room[shift...]), at: start)
                }
            } catch { Issue.record(error) }
        }
        try file.sync()
        #expect(try file.byteCount() == count)
        #expect(try Data(contentsOf: folder.appending("large").url(isDirectory: false)) == Data(bytes))
    }

    @Test("What is written is in the file, wherever blocks end")
    func whole() throws {
        let scratch = try ScratchFolder()
        try withExtendedLifetime(scratch) { try fill(scratch.path) }
    }

    @Test("On other volumes, too", arguments: ["ext4", "xfs", "btrfs", "vfat"])
    func volumes(_ kind: String) throws {
        let volume: LoopVolume
        do { volume = try LoopVolume(kind: kind) } catch let error as LoopVolume.Unavailable {
            print("uncached: no \(kind): \(error)")
            return
        }
        try fill(volume.folder)
    }

    @Test("A volume without room says so")
    func full() throws {
        let volume: LoopVolume
        do { volume = try LoopVolume(kind: "ext4") } catch is LoopVolume.Unavailable { return }
        let file = try StorageFolder(at: volume.folder).create("large")
        let uncached = UncachedFile(file)
        let room = UnsafeMutableRawBufferPointer.allocate(
            byteCount: 8 << 20,
            alignment: UncachedFile.alignment
        )
        defer { room.deallocate() }
        room.initializeMemory(as: UInt8.self, repeating: 1)
        let error = #expect(throws: SystemError.self) {
            for number in 0..<64 { try uncached.write(UnsafeRawBufferPointer(room), at: number * room.count) }
        }
        #expect(error?.errno == ENOSPC)
    }
}
