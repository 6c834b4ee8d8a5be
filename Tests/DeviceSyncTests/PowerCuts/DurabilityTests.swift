import DocumentTesting
import FileSystem
import Foundation
import Locks
import SyncMessages
import TestThreads
import Testing

@testable import DeviceSync

/// Knows what has been synced, in all of the process.
private final class SyncWitness: SystemCallObserver {
    private struct State {
        var synced: Set<UInt64> = []
        /// By the paths of folders on them.
        var syncedVolumes: Set<String> = []
        var madeFolders: [String] = []
    }

    private let state = Locked(State())

    init() { SystemCallObservation.add(self) }

    func end() { SystemCallObservation.remove(self) }

    func willMake(_ call: SystemCall) -> CInt { 0 }

    func didMake(_ call: SystemCall) {
        switch call.effect {
        case .sync(let file):
            var status = stat()
            guard fstat(file, &status) == 0 else { return }
            state.withLock { _ = $0.synced.insert(UInt64(status.st_ino)) }
        case .syncVolume: state.withLock { _ = $0.syncedVolumes.insert(call.path.string) }
        case .createFolder: state.withLock { $0.madeFolders.append(call.path.string) }
        default: break
        }
    }

    func forget() { state.withLock { $0 = State() } }

    var madeFolders: [String] { state.withLock { $0.madeFolders } }

    func hasSynced(_ url: URL) -> Bool {
        guard let stamp = try? FileStamp(of: FilePath(url.path)) else { return false }
        return state.withLock { state in
            // Others of this process sync volumes, too: only who knows of the item means it.
            let isVolumeSynced = state.syncedVolumes.contains {
                url.path == $0 || url.path.hasPrefix($0 + "/")
            }
            return isVolumeSynced || state.synced.contains(stamp.inode)
        }
    }
}

@Suite("What is called synced lasts", .onOwnThreads, .timeLimit(.minutes(2)))
struct DurabilityTests {
    /// Does something on the first device that one commit comes of, and says what lasted when the hub had that.
    private func lasting(
        _ pair: DevicePair,
        _ names: [String],
        _ body: () throws -> Void,
        until isDone: () -> Bool
    ) throws -> [Bool] {
        let witness = SyncWitness()
        defer { witness.end() }
        let urls = names.map { name in
            name.isEmpty ? pair.one.folder : pair.one.folder.appendingPathComponent(name)
        }
        let found: Locked<[Bool]?> = Locked(nil)
        pair.hub.tellEntryCount { _ in
            let now = urls.map(witness.hasSynced)
            found.withLock { $0 = $0 ?? now }
        }
        defer { pair.hub.tellEntryCount(nil) }
        try body()
        pair.wait { isDone() && pair.isSettled }
        return try #require(found.withLock { $0 })
    }

    @Test("A file, its name, and that it is gone last before the hub has heard of it, whoever wrote it")
    func file() throws {
        let pair = try DevicePair()
        let (one, two) = (pair.one, pair.two)
        let url = one.folder.appendingPathComponent("a.txt")
        #expect(
            try lasting(pair, ["a.txt", ""]) {
                try one.write("text", to: "a.txt")
            } until: {
                two.text("a.txt") == "text"
            } == [true, true]
        )
        #expect(
            try lasting(pair, ["a.txt", ""]) {
                try one.write("edited", to: "a.txt")
            } until: {
                two.text("a.txt") == "edited"
            } == [true, true]
        )
        #expect(
            try lasting(pair, [""]) {
                try FileManager.default.removeItem(at: url)
            } until: {
                two.text("a.txt") == nil
            } == [true]
        )
        pair.end()
    }

    @Test("So do all files of a package, and both folders of a move")
    func packageAndMove() throws {
        let pair = try DevicePair()
        let (one, two) = (pair.one, pair.two)
        try one.write("text", to: "a.rtfd/TXT.rtf")
        try one.write("text", to: "from/b.txt")
        try one.write("text", to: "to/c.txt")
        pair.wait { two.text("a.rtfd/TXT.rtf") == "text" && two.text("to/c.txt") == "text" && pair.isSettled }
        #expect(
            try lasting(pair, ["a.rtfd/TXT.rtf", "a.rtfd"]) {
                try one.write("edited", to: "a.rtfd/TXT.rtf")
            } until: {
                two.text("a.rtfd/TXT.rtf") == "edited"
            } == [true, true]
        )
        #expect(
            try lasting(pair, ["from", "to"]) {
                try FileManager.default.moveItem(
                    at: one.folder.appendingPathComponent("from/b.txt"),
                    to: one.folder.appendingPathComponent("to/b.txt")
                )
            } until: {
                two.text("to/b.txt") == "text"
            } == [true, true]
        )
        pair.end()
    }

    @Test("So does that a folder is gone, before the hub has heard of what was in it")
    func folderGone() throws {
        let pair = try DevicePair()
        let (one, two) = (pair.one, pair.two)
        try one.write("text", to: "folder/a.txt")
        pair.wait { two.text("folder/a.txt") == "text" && pair.isSettled }
        #expect(
            try lasting(pair, [""]) {
                // All of it at once: nothing in it is gone before the folder.
                try FileManager.default.moveItem(
                    at: one.folder.appendingPathComponent("folder"),
                    to: pair.base.appendingPathComponent("elsewhere")
                )
            } until: {
                two.contents.isEmpty
            } == [true]
        )
        pair.end()
    }

    @Test("A folder that comes has its mark before its name, and the container's own mark lasts")
    func folders() throws {
        let witness = SyncWitness()
        defer { witness.end() }
        let pair = try DevicePair()
        let (one, two) = (pair.one, pair.two)
        #expect(witness.hasSynced(one.folder) && witness.hasSynced(two.folder))
        let made = one.folder.appendingPathComponent("folder")
        try FileManager.default.createDirectory(at: made, withIntermediateDirectories: false)
        let come = two.folder.appendingPathComponent("folder")
        pair.wait { two.text("folder") == nil && two.contents["folder"] == "/" && pair.isSettled }
        #expect(!witness.madeFolders.contains(come.path))
        let (mark, other) = try (
            FileIdentity.mark(at: FilePath(come.path)), FileIdentity.mark(at: FilePath(made.path))
        )
        #expect(mark != nil && mark == other)
        #expect(witness.hasSynced(come))
        pair.end()
    }
}
