import CrashHarness
import FileSystem
import Foundation

/// Shared memory as a volume.
enum MemoryVolume {
    /// Whether it is another one than that of the temporary folder.
    static var isApart: Bool {
        // What is not there is no other volume.
        let memory = try? FileStamp(of: ScratchFolder.memoryDisk).device
        let temporary = try? FileStamp(of: FilePath(FileManager.default.temporaryDirectory.path)).device
        return memory != nil && memory != temporary
    }
}
