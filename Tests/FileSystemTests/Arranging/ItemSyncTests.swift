import FileSystem
import Foundation
import Locks
import TestFolders
import Testing

@Suite("Items that others have written are made durable")
struct ItemSyncTests {
    /// Knows what was synced, volumes by the folders by which they were.
    private final class Witness: SystemCallObserver {
        private let folders = Locked<Set<String>>([])
        private let places = Locked<Set<String>>([])

        var synced: Set<String> { folders.withLock { $0 } }
        /// What was synced by itself.
        var files: Set<String> { places.withLock { $0 } }

        func willMake(_ call: SystemCall) -> CInt { 0 }
        func didMake(_ call: SystemCall) {
            switch call.effect {
            case .syncVolume: folders.withLock { _ = $0.insert(call.path.string) }
            case .sync: places.withLock { _ = $0.insert(call.path.string) }
            default: break
            }
        }
    }

    @Test(
        "Those on volumes that begin below the folder last as well, where they are many or one has gone",
        .enabled(if: MemoryVolume.isApart, "needs /dev/shm on a volume of its own"),
        arguments: [1, 20]
    )
    func volumes(count: Int) throws {
        let folder = try TestFolder("sync")
        defer { withExtendedLifetime(folder) {} }
        let root = FilePath(folder.path)
        let other = FilePath("/dev/shm").appending("sheaf-\(UUID().uuidString)")
        try ItemMoves.createFolder(other)
        defer { try? FileManager.default.removeItem(atPath: other.string) }
        let here = (0..<count).map { root.appending("\($0)") }
        for path in here + [other.appending("a")] {
            try ItemMoves.createFile(path, contents: Data(path.string.utf8))
        }
        let items = Set(here + [root.appending("gone"), other.appending("a")])
        let witness = Witness()
        try SystemCallObservation.withObserver(witness) {
            try ItemSync.sync(items, folders: [other], onVolumeOf: root)
        }
        #expect(witness.synced == [root.string, other.string])
        let whole = Witness()
        try SystemCallObservation.withObserver(whole) {
            try ItemSync.syncVolumes(of: [other.appending("a")], and: root)
        }
        #expect(whole.synced == [root.string, other.string])
    }

    @Test(
        "Files whose folders are among those that are made durable are asked for no more than that",
        arguments: [1, 20]
    )
    func files(count: Int) throws {
        let folder = try TestFolder("sync")
        defer { withExtendedLifetime(folder) {} }
        let root = FilePath(folder.path)
        let paths = (0..<count).map { root.appending("\($0)") }
        for path in paths { try ItemMoves.createFile(path, contents: Data(path.string.utf8)) }
        let (asDocuments, asFiles) = (Witness(), Witness())
        try SystemCallObservation.withObserver(asDocuments) {
            try ItemSync.sync(Set(paths), folders: [root], onVolumeOf: root)
        }
        try SystemCallObservation.withObserver(asFiles) {
            try ItemSync.sync([], files: Set(paths), folders: [root], onVolumeOf: root)
        }
        #expect(asFiles.synced == asDocuments.synced && asFiles.files == asDocuments.files)
        // Few by themselves, many by their volume.
        #expect(asFiles.synced.isEmpty != asFiles.files.isEmpty)
        #expect(asFiles.files.isEmpty || asFiles.files.isSuperset(of: paths.map(\.string)))
    }
}
