import CrashHarness
import FileSystem
import Foundation
import Testing

@Suite("BackupExclusion")
struct BackupExclusionTests {
    @Test("A file or a folder is marked, and not any more", arguments: ["ext4", "xfs", "btrfs"])
    func marks(kind: String) throws {
        let volume: LoopVolume
        do { volume = try LoopVolume(kind: kind) } catch let reason as LoopVolume.Unavailable {
            print("\(kind) not tried: \(reason)")
            return
        }
        let (folder, file) = (volume.folder.appending("d"), volume.folder.appending("a"))
        try DiskTree.folder([:]).write(to: folder)
        try DiskTree.file("text").write(to: file)
        for path in [folder, file] {
            #expect(BackupExclusion.isMarked(path) == false)
            for isExcluded in [true, true, false, false] {
                try BackupExclusion.set(isExcluded, path)
                #expect(BackupExclusion.isMarked(path) == isExcluded)
            }
        }
        withExtendedLifetime(volume) {}
    }

    @Test("Where there is no mark, only to take it away is done")
    func unknown() throws {
        let scratch = try ScratchFolder()
        let link = scratch.path.appending("link")
        try DiskTree.link("/etc").write(to: link)
        for path in [FilePath("/proc/version"), link] {
            #expect(BackupExclusion.isMarked(path) == nil)
            try BackupExclusion.set(false, path)
            let error = #expect(throws: SystemError.self) { try BackupExclusion.set(true, path) }
            #expect(error?.isUnsupported == true)
        }
        let absent = scratch.path.appending("absent")
        let error = #expect(throws: SystemError.self) { try BackupExclusion.set(false, absent) }
        #expect(BackupExclusion.isMarked(absent) == nil && error?.isAbsent == true)
    }
}
