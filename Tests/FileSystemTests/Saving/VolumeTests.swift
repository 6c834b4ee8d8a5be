import CrashHarness
import FileSystem
import Foundation
import TestThreads
import Testing

@Suite("Volumes", .onOwnThreads, .serialized)
struct VolumeTests {
    /// Saves in every way, then with the journal forced, and looks for leftovers.
    func checkSaves(in base: FilePath) throws {
        for scenario in SaveScenario.all {
            let scratch = try ScratchFolder(in: base)
            let folder = scratch.path.appending("disk")
            try FileManager.default.createDirectory(
                atPath: folder.string,
                withIntermediateDirectories: false
            )
            let item = folder.appending(SaveScenario.itemName)
            try scenario.old?.write(to: item)
            let observer = FaultInjector(
                callNumber: 0,
                errno: 0,
                refusesExchange: scenario.refusesExchange
            )
            try SystemCallObservation.withObserver(observer) { try scenario.save(item) {} }
            #expect(try DiskTree(at: folder) == .folder([SaveScenario.itemName: scenario.new]))
            #expect(try scenario.complaint(about: folder, mustBeNew: true) == nil)
        }
    }

    @Test("Every kind of save works in memory and on the disk of temporary files")
    func present() throws {
        try checkSaves(in: ScratchFolder.memoryDisk)
        try checkSaves(in: FilePath(FileManager.default.temporaryDirectory.path))
    }

    @Test("Every kind of save works on other volumes", arguments: ["xfs", "btrfs", "vfat", "ext4"])
    func mounted(kind: String) throws {
        let volume: LoopVolume
        do { volume = try LoopVolume(kind: kind) } catch let reason as LoopVolume.Unavailable {
            print("\(kind) not tried: \(reason)")
            return
        }
        try checkSaves(in: volume.folder)
    }

    @Test("A volume of a test is out of its folder with the test, though somebody has a file of it open yet")
    func leftInUse() throws {
        let folder: FilePath
        let used: FileHandle
        do {
            let volume = try LoopVolume(kind: "ext4")
            folder = volume.folder
            try Data("yet".utf8).write(to: URL(fileURLWithPath: folder.appending("a").string))
            used = try #require(FileHandle(forReadingAtPath: folder.appending("a").string))
        } catch let reason as LoopVolume.Unavailable {
            print("ext4 not tried: \(reason)")
            return
        }
        #expect(!FileManager.default.fileExists(atPath: folder.string))
        #expect(try used.readToEnd() == Data("yet".utf8))
    }
}
