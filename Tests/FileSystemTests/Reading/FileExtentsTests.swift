import CrashHarness
import FileSystem
import Foundation
import Testing

@Suite("FileExtents")
struct FileExtentsTests {
    private let bytes = Data(repeating: 7, count: 300_000)

    private func write(_ bytes: Data, _ path: FilePath) throws {
        try bytes.write(to: path.url(isDirectory: false))
    }

    /// A clone, as programs make it.
    private func clone(_ source: FilePath, _ target: FilePath) throws {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/bin/cp")
        process.arguments = ["--reflink=always", source.string, target.string]
        try process.run()
        process.waitUntilExit()
        try #require(process.terminationStatus == 0)
    }

    @Test(
        "A clone has its bytes where its original has them, until it is written to",
        arguments: ["xfs", "btrfs"]
    )
    func clones(kind: String) throws {
        let volume: LoopVolume
        do { volume = try LoopVolume(kind: kind) } catch let reason as LoopVolume.Unavailable {
            print("\(kind) not tried: \(reason)")
            return
        }
        let folder = volume.folder
        let (source, target, other) = (folder.appending("a"), folder.appending("b"), folder.appending("c"))
        for path in [source, other] { try write(bytes, path) }
        // None of it is on the volume yet.
        #expect(FileExtents.mayBeShared(source) == false)
        try clone(source, target)
        #expect(FileExtents.mayBeShared(source) == true && FileExtents.mayBeShared(target) == true)
        #expect(FileExtents.mayBeShared(other) == false)
        let places = try #require(FileExtents.places(of: source))
        #expect(FileExtents.places(of: target) == places)
        let others = try #require(FileExtents.places(of: other))
        #expect(others != places)
        // As soon as it is written, on the volume or not.
        let handle = try FileHandle(forWritingTo: target.url(isDirectory: false))
        try handle.seek(toOffset: 5000)
        try handle.write(contentsOf: Data("x".utf8))
        let written = try #require(FileExtents.places(of: target))
        #expect(written != places)
        #expect(FileExtents.places(of: source) == places)
        #expect(FileExtents.mayBeShared(target) == true)
        try handle.close()
        try write(Data("small".utf8), folder.appending("small"))
        // Btrfs keeps it beside the inode.
        #expect((FileExtents.places(of: folder.appending("small")) == nil) == (kind == "btrfs"))
        withExtendedLifetime(volume) {}
    }

    @Test("Where nothing is shared each file has places of its own, which all its names have")
    func apart() throws {
        let volume: LoopVolume
        do { volume = try LoopVolume(kind: "ext4") } catch let reason as LoopVolume.Unavailable {
            print("ext4 not tried: \(reason)")
            return
        }
        let (first, second) = (volume.folder.appending("a"), volume.folder.appending("b"))
        for path in [first, second] { try write(bytes, path) }
        let name = volume.folder.appending("c")
        try FileManager.default.linkItem(atPath: first.string, toPath: name.string)
        let places = try #require(FileExtents.places(of: first))
        let others = try #require(FileExtents.places(of: second))
        #expect(others != places && FileExtents.places(of: name) == places)
        #expect(FileExtents.mayBeShared(first) == false)
        withExtendedLifetime(volume) {}
    }

    @Test("What is no file, has no bytes, or is where nobody tells has no places")
    func none() throws {
        let scratch = try ScratchFolder()
        let (file, link) = (scratch.path.appending("a"), scratch.path.appending("link"))
        let (hole, pipe) = (scratch.path.appending("hole"), scratch.path.appending("pipe"))
        for path in [file, hole] { try write(Data(), path) }
        #expect(truncate(hole.string, 1 << 20) == 0 && mkfifo(pipe.string, 0o600) == 0)
        try FileManager.default.createSymbolicLink(atPath: link.string, withDestinationPath: "a")
        for path in [file, hole, link, pipe, scratch.path, scratch.path.appending("absent")] {
            #expect(FileExtents.places(of: path) == nil, "\(path)")
        }
        for path in [link, pipe, scratch.path, scratch.path.appending("absent")] {
            #expect(FileExtents.mayBeShared(path) == nil, "\(path)")
        }
        // No volume of the disk's.
        let told = FilePath("/proc/version")
        #expect(FileExtents.mayBeShared(told) == nil && FileExtents.places(of: told) == nil)
    }
}
