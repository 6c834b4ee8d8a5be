import CrashHarness
import FileSystem
import Foundation
import TestThreads
import Testing

@Suite("Identities on volumes", .onOwnThreads, .serialized)
struct IdentityVolumeTests {
    /// An item that was saved, moved and saved again is found, with the kernel's handle and without.
    private func check(_ base: FilePath, isMarkable: Bool) throws {
        let scratch = try ScratchFolder(in: base)
        let state = try ScratchFolder()
        let (place, target) = (scratch.path.appending("Sea.txt"), scratch.path.appending("in/Ocean.txt"))
        try ItemMoves.createFile(place, contents: Data("1".utf8))
        var taken = try FileIdentity.marking(place, with: FileMark(UUID()))
        #expect((taken.identity.mark != nil) == isMarkable)
        try save(place)
        let index = IdentityIndex(folder: state.path)
        let finder = IdentityFinder(index: index, documentFolders: [])
        #expect(try finder.find(taken, at: place)?.path == place)
        try ItemMoves.createFolder(target.parent)
        try ItemMoves.move(place, toFree: target)
        try save(target)
        for _ in 0..<2 {
            let found = try finder.find(taken, at: place)
            #expect(found?.path == (isMarkable ? target : nil))
            taken.handle = nil
        }
    }

    private func save(_ path: FilePath) throws {
        let save = try StagedSave(item: path)
        try save.write(Data("2".utf8))
        _ = try save.commit()
    }

    @Test("On the disk of temporary files an item is found again")
    func present() throws {
        try check(FilePath(FileManager.default.temporaryDirectory.path).resolved(), isMarkable: true)
    }

    @Test(
        "On other volumes, too; not on one without attributes",
        arguments: ["xfs", "btrfs", "vfat", "ext4"]
    )
    func mounted(kind: String) throws {
        let volume: LoopVolume
        do { volume = try LoopVolume(kind: kind) } catch let reason as LoopVolume.Unavailable {
            print("\(kind) not tried: \(reason)")
            return
        }
        try check(volume.folder.resolved(), isMarkable: kind != "vfat")
        #expect((VolumeSerial.fat(ofFolderAt: volume.folder) != nil) == (kind == "vfat"))
    }

    @Test("A folder bears a number, for good, and another one after that")
    func counted() throws {
        let scratch = try ScratchFolder()
        let folder = try CountedFolder(scratch.path)
        #expect(try folder.count() == 0 && CountedFolder.count(at: scratch.path) == 0)
        for number in [1, 2, UInt64.max] {
            try folder.set(number)
            #expect(try folder.count() == number && CountedFolder.count(at: scratch.path) == number)
        }
        #expect(VolumeSerial.fat(ofFolderAt: scratch.path) == nil)
    }
}
