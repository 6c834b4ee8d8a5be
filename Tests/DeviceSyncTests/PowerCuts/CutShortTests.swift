import DocumentTesting
import FileSystem
import Foundation
import Locks
import SQLite
import Sync
import SyncMessages
import TestThreads
import Testing

@testable import DeviceSync

/// A device that starts after a power cut and ends again before it has written down what it found.
@Suite("A start after a power cut that is cut short", .onOwnThreads, .serialized, .timeLimit(.minutes(2)))
struct CutShortTests {
    /// A disk that has room for so many more writes of what a device remembers.
    private final class LastWrites: SQLiteCallJudge {
        private let folder: String
        private let left: Locked<Int>
        private let refused = Locked(0)

        init(_ count: Int, to folder: URL) throws {
            self.folder = folder.resolvingSymlinksInPath().path
            left = Locked(count)
            try SQLiteVolumes.add(self)
        }

        func end() { SQLiteVolumes.remove(self) }

        var refusedCount: Int { refused.withLock { $0 } }

        func judge(readOf path: String) -> CInt { 0 }

        func judge(writeTo path: String) -> CInt {
            guard path.hasPrefix(folder), path.contains(DeviceMemory.fileName) else { return 0 }
            let isRoom = left.withLock { left in
                left -= 1
                return left >= 0
            }
            guard !isRoom else { return 0 }
            refused.withLock { $0 += 1 }
            return ENOSPC
        }
    }

    private func setDate(of url: URL) throws {
        let date = Date(timeIntervalSinceNow: -3600)
        try FileManager.default.setAttributes([.modificationDate: date], ofItemAtPath: url.path)
    }

    @Test("What the cut has taken is not taken for removed by the start after it, in the same boot")
    func sameBoot() throws {
        var room = ContainerSync.Room()
        room.lentByteCountMin = 1
        for count in 0..<40 {
            let pair = try DevicePair(room: room)
            let (one, two) = (pair.one, pair.two)
            let text = String(repeating: "text ", count: 4000)
            try one.write(text, to: "album/a.txt")
            pair.wait { two.text("album/a.txt") == text && pair.isSettled }
            let entryCount = pair.hub.entryCount
            try setDate(of: two.folder)
            try two.cutPower()
            two.goOffline()
            // What is lent has a second name in the vault, which is gone as well.
            let album = two.folder.appendingPathComponent("album")
            try Data().write(to: album.appendingPathComponent("a.txt"), options: [])
            try FileManager.default.removeItem(at: album)
            try setDate(of: two.folder)
            let disk = try LastWrites(count, to: two.memoryFolder)
            // It may not get so far as to start.
            try? two.start()
            disk.end()
            try two.killAbruptly()
            two.goOnline()
            try two.start()
            pair.wait { two.text("album/a.txt") == text && pair.isSettled }
            #expect(pair.hub.entryCount == entryCount && one.text("album/a.txt") == text, "\(count) writes")
            pair.end()
            if disk.refusedCount == 0 {
                #expect(count > 3)
                return
            }
        }
        Issue.record("more writes than were tried")
    }
}
