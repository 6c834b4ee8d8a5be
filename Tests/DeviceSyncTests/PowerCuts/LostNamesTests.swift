import DocumentTesting
import FileSystem
import Foundation
import Sync
import SyncMessages
import TestThreads
import Testing

@testable import DeviceSync

/// What is not in its folder any more when a device starts again.
@Suite("Files that a power cut has taken out of their folders", .onOwnThreads, .timeLimit(.minutes(2)))
struct LostNamesTests {
    private func url(_ name: String, on device: TestDevice) -> URL {
        name.isEmpty ? device.folder : device.folder.appendingPathComponent(name)
    }

    private func setDate(_ date: Date, of url: URL) throws {
        try FileManager.default.setAttributes([.modificationDate: date], ofItemAtPath: url.path)
    }

    /// Takes something out of its folder as the check of a file system does: that looks as it did.
    private func lose(_ name: String, on device: TestDevice) throws {
        let place = url(name, on: device)
        let folder = place.deletingLastPathComponent()
        let date = try FileManager.default.attributesOfItem(atPath: folder.path)[.modificationDate] as? Date
        try FileManager.default.removeItem(at: place)
        try setDate(try #require(date), of: folder)
    }

    private func destination(ofLink name: String, on device: TestDevice) throws -> String {
        try FileManager.default.destinationOfSymbolicLink(atPath: url(name, on: device).path)
    }

    private func permissions(of name: String, on device: TestDevice) throws -> Int? {
        let attributes = try FileManager.default.attributesOfItem(atPath: url(name, on: device).path)
        return attributes[.posixPermissions] as? Int
    }

    /// Has nothing in the folder have changed in the seconds before the cut, however quickly a test comes to it.
    private func age(_ folders: [String], on device: TestDevice) throws {
        for name in folders { try setDate(Date(timeIntervalSinceNow: -3600), of: url(name, on: device)) }
    }

    @Test(
        "After a cut what nobody has removed is there again, and no other device hears that it was gone",
        arguments: [false, true]
    )
    func restored(isOffline: Bool) throws {
        let pair = try DevicePair()
        let (one, two) = (pair.one, pair.two)
        for name in ["a.txt", "album/b.txt", "album/deep/c.txt", "d.rtfd/TXT.rtf", "d.rtfd/e.txt"] {
            try one.write("text", to: name)
        }
        try FileManager.default.createSymbolicLink(
            atPath: url("link", on: one).path,
            withDestinationPath: "a.txt"
        )
        pair.wait { two.contents == one.contents && two.text("d.rtfd/e.txt") == "text" && pair.isSettled }
        // What has not been sent is there again as it was here.
        two.goOffline()
        try two.write("edited", to: "a.txt")
        #expect(two.wait { two.running?.isInStepNow == false && two.status?.unsettledCount == 1 })
        let count = pair.hub.entryCount
        try age(["", "album", "album/deep", "d.rtfd"], on: two)
        try two.cutPower()
        for name in ["a.txt", "album", "d.rtfd", "link"] { try lose(name, on: two) }
        if !isOffline { two.goOnline() }
        try two.start()
        #expect(two.text("a.txt") == "edited" && two.text("album/deep/c.txt") == "text")
        #expect(two.text("album/b.txt") == "text" && two.text("d.rtfd/TXT.rtf") == "text")
        for name in ["a.txt", "album", "album/deep/c.txt", "d.rtfd", "link"] {
            #expect(two.said.contains(.restored(path: name)), "\(name): \(two.said)")
        }
        if isOffline { two.goOnline() }
        pair.wait { one.text("a.txt") == "edited" && one.contents == two.contents && pair.isSettled }
        #expect(pair.hub.entryCount == count + 1)
        // They are watched, and it is over with the first look: what is removed now is removed.
        try two.write("edited", to: "album/deep/c.txt")
        try two.write("edited", to: "d.rtfd/e.txt")
        pair.wait { one.text("album/deep/c.txt") == "edited" && one.text("d.rtfd/e.txt") == "edited" }
        try lose("album/b.txt", on: two)
        pair.wait { one.text("album/b.txt") == nil && pair.isSettled }
        pair.end()
    }

    enum Removal: CaseIterable {
        /// With the folder's date, after the machine has started.
        case inThisBoot
        /// In a boot in which this device did not run.
        case longAfter
        case afterCleanEnd, inSameBoot
    }

    @Test("What somebody has removed is removed everywhere", arguments: Removal.allCases)
    func removed(_ removal: Removal) throws {
        let pair = try DevicePair()
        let (one, two) = (pair.one, pair.two)
        try one.write("text", to: "album/a.txt")
        try one.write("text", to: "album/b.txt")
        pair.wait { two.text("album/a.txt") == "text" && two.text("album/b.txt") == "text" && pair.isSettled }
        try age(["", "album"], on: two)
        switch removal {
        case .inThisBoot:
            try two.cutPower()
            try FileManager.default.removeItem(at: url("album/a.txt", on: two))
        case .longAfter:
            try two.killAbruptly()
            let memory = two.memoryFolder
            for name in try FileManager.default.contentsOfDirectory(atPath: memory.path)
            where name.hasPrefix(DeviceMemory.fileName) {
                try setDate(Date(timeIntervalSinceNow: -3600), of: memory.appendingPathComponent(name))
            }
            try FileManager.default.removeItem(at: url("album/a.txt", on: two))
            try setDate(Date(timeIntervalSinceNow: -3000), of: url("album", on: two))
            two.reboot()
        case .afterCleanEnd:
            two.stop()
            two.reboot()
            try lose("album/a.txt", on: two)
        case .inSameBoot:
            try two.killAbruptly()
            try lose("album/a.txt", on: two)
        }
        try two.start()
        pair.wait { one.text("album/a.txt") == nil && pair.isSettled }
        #expect(two.text("album/a.txt") == nil && two.text("album/b.txt") == "text")
        pair.end()
    }

    @Test(
        "Where the clock has started in the past, what was changed before the cut does not look like what was removed since",
        arguments: [false, true]
    )
    func clockBehind(isFolderAhead: Bool) throws {
        let pair = try DevicePair()
        let (one, two) = (pair.one, pair.two)
        try one.write("text", to: "album/a.txt")
        try one.write("text", to: "album/b.txt")
        pair.wait { two.text("album/a.txt") == "text" && two.text("album/b.txt") == "text" && pair.isSettled }
        try two.cutPower()
        try lose("album/a.txt", on: two)
        // Both bear dates of before the cut, which is later than now.
        let date = Date(timeIntervalSinceNow: 3600)
        if isFolderAhead {
            try setDate(date, of: url("album", on: two))
        } else {
            try setDate(Date(), of: url("album", on: two))
            for name in try FileManager.default.contentsOfDirectory(atPath: two.memoryFolder.path)
            where name.hasPrefix(DeviceMemory.fileName) {
                try setDate(date, of: two.memoryFolder.appendingPathComponent(name))
            }
        }
        try two.start()
        #expect(two.text("album/a.txt") == "text" && two.said.contains(.restored(path: "album/a.txt")))
        pair.wait { pair.isSettled }
        #expect(one.text("album/a.txt") == "text")
        pair.end()
    }

    @Test("What the vault does not have comes from the hub")
    func fetched() throws {
        var room = ContainerSync.Room()
        room.lentByteCountMin = 1
        let pair = try DevicePair(room: room)
        let (one, two) = (pair.one, pair.two)
        let text = String(repeating: "text ", count: 4000)
        try one.write(text, to: "album/a.txt")
        pair.wait { two.text("album/a.txt") == text && pair.isSettled }
        let count = pair.hub.entryCount
        try age(["", "album"], on: two)
        try two.cutPower()
        // What is lent has a second name in the vault, which is gone as well.
        try Data().write(to: url("album/a.txt", on: two), options: [])
        try age(["album"], on: two)
        try lose("album", on: two)
        try two.start()
        pair.wait { two.text("album/a.txt") == text && pair.isSettled }
        #expect(pair.hub.entryCount == count && one.text("album/a.txt") == text)
        #expect(two.said.contains(.restored(path: "album")) && two.said.contains(.vanished(itemCount: 1)))
        pair.end()
    }

    @Test("What cannot be put back yet is said to be taken by a power cut, and is back once it can")
    func waits() throws {
        let pair = try DevicePair()
        let (one, two) = (pair.one, pair.two)
        try one.write("text", to: "album/a.txt")
        pair.wait { two.text("album/a.txt") == "text" && pair.isSettled }
        let count = pair.hub.entryCount
        try age(["", "album"], on: two)
        try two.cutPower()
        try lose("album/a.txt", on: two)
        let album = url("album", on: two)
        try two.breakDisk(.writing, at: album)
        try two.start()
        pair.wait { two.status?.stuck["album/a.txt"] != nil && two.status?.line == .up }
        #expect(two.status?.isSettled == false && one.text("album/a.txt") == "text")
        #expect(two.status?.stuck["album/a.txt"]?.contains("power cut") == true)
        let explanation = two.explanation("album/a.txt")
        #expect(
            explanation?.causes.first?.contains("A power cut has taken it") == true,
            "\(String(describing: explanation))"
        )
        two.mendDisk()
        two.tryAgain()
        pair.wait { two.text("album/a.txt") == "text" && pair.isSettled }
        #expect(pair.hub.entryCount == count)
        pair.end()
    }

    @Test(
        "A package has again what nobody has removed from it, and what was edited or removed in it beside that is so"
    )
    func member() throws {
        let pair = try DevicePair()
        let (one, two) = (pair.one, pair.two)
        for name in ["TXT.rtf", "deep/b.txt", "deep/c.txt", "other/d.txt", "n/m", "z"] {
            try one.write("text", to: "a.rtfd/\(name)")
        }
        let deep = url("a.rtfd/deep", on: one)
        try FileManager.default.createSymbolicLink(
            atPath: deep.appendingPathComponent("link").path,
            withDestinationPath: "b.txt"
        )
        try FileManager.default.createDirectory(
            at: deep.appendingPathComponent("empty"),
            withIntermediateDirectories: false
        )
        try FileManager.default.setAttributes([.posixPermissions: 0o700], ofItemAtPath: deep.path)
        pair.wait {
            two.text("a.rtfd/other/d.txt") == "text" && two.text("a.rtfd/deep/c.txt") == "text"
                && (try? destination(ofLink: "a.rtfd/deep/link", on: two)) == "b.txt" && pair.isSettled
        }
        #expect(try permissions(of: "a.rtfd/deep", on: two) == 0o700)
        try age(["", "a.rtfd", "a.rtfd/deep", "a.rtfd/other"], on: two)
        try two.cutPower()
        try lose("a.rtfd/deep", on: two)
        for name in ["n", "z"] { try lose("a.rtfd/\(name)", on: two) }
        try FileManager.default.removeItem(at: url("a.rtfd/other/d.txt", on: two))
        try Data("edited".utf8).write(to: url("a.rtfd/TXT.rtf", on: two))
        try age(["a.rtfd"], on: two)
        try two.start()
        #expect(two.text("a.rtfd/deep/b.txt") == "text" && two.text("a.rtfd/deep/c.txt") == "text")
        #expect(try destination(ofLink: "a.rtfd/deep/link", on: two) == "b.txt")
        #expect(
            try FileManager.default.contentsOfDirectory(atPath: url("a.rtfd/deep/empty", on: two).path) == []
        )
        #expect(try permissions(of: "a.rtfd/deep", on: two) == 0o700)
        pair.wait {
            one.text("a.rtfd/TXT.rtf") == "edited" && one.text("a.rtfd/other/d.txt") == nil && pair.isSettled
        }
        #expect(one.text("a.rtfd/deep/b.txt") == "text" && two.text("a.rtfd/other/d.txt") == nil)
        #expect(
            two.text("a.rtfd/n/m") == "text" && two.text("a.rtfd/z") == "text"
                && one.text("a.rtfd/z") == "text"
        )
        #expect(two.said.contains(.repaired(path: "a.rtfd")))
        pair.end()
    }

    @Test("A boot began before this")
    func bootTime() {
        let now = Int64(Date().timeIntervalSince1970 * 1e9)
        let uptime = Int64(ProcessInfo.processInfo.systemUptime * 1e9)
        #expect(Boot.time() < now && now - Boot.time() >= uptime - 1_000_000_000)
        #expect(Boot.time() > 0)
        // On a machine of many processors what comes before is many pages long.
        let many = (0..<512).map { "cpu\($0) 1 2 3 4 5 6 7 8 9 0" }.joined(separator: "\n")
        #expect(
            Boot.time(in: "cpu 1\n\(many)\nintr 1 2 3\nctxt 9\nbtime 1700000000\nprocesses 5\n")
                == 1_700_000_000_000_000_000
        )
        #expect(Boot.time(in: "cpu 1\n") == 0)
    }
}
