import CrashHarness
import FileSystem
import Foundation
import TestThreads
import Testing

@testable import DocumentFoundation

/// Volumes that are mounted and unmounted while a query runs. No folder tells of that.
@Suite("Query volumes", .onOwnThreads, .serialized, .timeLimit(.minutes(3)))
struct QueryVolumesTests {
    /// A volume, and a query of a folder on it, at it or above it; nil where nothing can be mounted.
    private func scene(_ usesPrivilege: Bool) throws -> (volume: LoopVolume, stage: QueryStage)? {
        do { return (try LoopVolume(kind: "ext4"), try QueryStage(usesPrivilege: usesPrivilege)) } catch let
            error as LoopVolume.Unavailable
        {
            print("not run: \(error)")
            return nil
        }
    }

    private func names(_ items: [NSMetadataItem]) -> Set<String> {
        // Each new volume has one.
        Set(items.map { QueryStage.name($0) }).subtracting(["lost+found"])
    }

    private func write(_ path: FilePath) throws {
        try FileManager.default.createDirectory(
            at: path.parent.url(isDirectory: true),
            withIntermediateDirectories: true
        )
        try Data("1".utf8).write(to: path.url(isDirectory: false))
    }

    @Test(
        "A scope on a volume that goes is empty, and is searched again when it comes back",
        arguments: [true, false]
    )
    func belowVolume(usesPrivilege: Bool) throws {
        guard let (volume, stage) = try scene(usesPrivilege) else { return }
        let documents = volume.folder.appending("docs")
        stage.query.searchScopes = [documents.string]
        try write(documents.appending("a.txt"))
        stage.gather()
        #expect(stage.names() == ["a.txt"])
        volume.unmount()
        stage.wait("its end") { names($0.flatMap(\.removed)) == ["a.txt"] }
        stage.clear()
        try volume.mount()
        stage.wait("its return") { names($0.flatMap(\.added)) == ["a.txt"] }
        try write(documents.appending("b.txt"))
        stage.wait("what came later") { names($0.flatMap(\.added)) == ["a.txt", "b.txt"] }
        // What is not there yet when the volume is mounted is awaited on it.
        try FileManager.default.removeItem(at: documents.url(isDirectory: true))
        stage.wait("its removal") { names($0.flatMap(\.removed)) == ["a.txt", "b.txt"] }
        volume.unmount()
        stage.clear()
        try volume.mount()
        try write(documents.appending("c.txt"))
        stage.wait("what came anew") { names($0.flatMap(\.added)) == ["c.txt"] }
        stage.use { $0.stop() }
    }

    @Test("The same for one that is mounted in a scope, and at it", arguments: [true, false], [true, false])
    func atVolume(usesPrivilege: Bool, isInScope: Bool) throws {
        guard let (volume, stage) = try scene(usesPrivilege) else { return }
        try write(volume.folder.appending("in/a.txt"))
        volume.unmount()
        stage.query.searchScopes = [(isInScope ? volume.folder.parent : volume.folder).string]
        stage.query.predicate = NSPredicate(format: "%K LIKE '*.txt'", NSMetadataItemFSNameKey)
        stage.gather()
        #expect(stage.names() == [])
        for _ in 0..<2 {
            stage.clear()
            try volume.mount()
            stage.wait("what is on it") { names($0.flatMap(\.added)) == ["a.txt"] }
            try write(volume.folder.appending("in/b.txt"))
            stage.wait("what comes to it") { names($0.flatMap(\.added)) == ["a.txt", "b.txt"] }
            try FileManager.default.removeItem(atPath: volume.folder.appending("in/b.txt").string)
            stage.wait("what goes from it") { names($0.flatMap(\.removed)) == ["b.txt"] }
            stage.clear()
            volume.unmount()
            stage.wait("its end") { names($0.flatMap(\.removed)) == ["a.txt"] }
        }
        stage.use { $0.stop() }
    }

    @Test("Of two volumes in one place the files are others, though they have the same numbers")
    func exchanged() throws {
        guard let (volume, stage) = try scene(true) else { return }
        let other = try LoopVolume(kind: "ext4")
        try write(volume.folder.appending("a.txt"))
        try write(other.folder.appending("b.txt"))
        let inodes = try [(volume, "a.txt"), (other, "b.txt")].map { volume, name in
            try ItemStatus(of: volume.folder.appending(name)).inode
        }
        #expect(inodes[0] == inodes[1])
        stage.query.searchScopes = [volume.folder.string]
        stage.gather()
        let before = stage.use { $0.results }.compactMap { $0 as? NSMetadataItem }
        let item = try #require(before.first { QueryStage.name($0) == "a.txt" })
        let run = try #require(stage.query.run)
        // All at once, as far as the query is told.
        try run.queue.sync {
            let mounting = try Process.run(
                URL(fileURLWithPath: "/bin/mount"),
                arguments: ["--bind", other.folder.string, volume.folder.string]
            )
            mounting.waitUntilExit()
            try #require(mounting.terminationStatus == 0)
        }
        defer { volume.unmount() }
        stage.wait("the other's") { names($0.flatMap(\.added)) == ["b.txt"] }
        #expect(stage.updates.flatMap(\.removed).contains { $0 === item })
        stage.use { $0.stop() }
    }
}
