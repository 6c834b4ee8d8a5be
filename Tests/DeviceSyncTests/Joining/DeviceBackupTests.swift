import DocumentTesting
import FileSystem
import Foundation
import Glibc
import SeededNumbers
import TestThreads
import Testing

@testable import DeviceSync

/// A make-believe device is put back to what it was to the last bit, and goes on from there.
@Suite("A device put back to a backup", .onOwnThreads, .timeLimit(.minutes(2)))
struct DeviceBackupTests {
    /// How old all is that is in a device's folder.
    private func dates(on device: TestDevice) throws -> [String: Date] {
        try device.contents.keys.reduce(into: [:]) { dates, name in
            dates[name] = try FileStamp(of: FilePath(device.path(name))).modificationDate
        }
    }

    private func waitForRest(_ pair: DevicePair, _ location: SourceLocation = #_sourceLocation) {
        pair.wait(location) { [pair.one, pair.two].allSatisfy { $0.isInStep(at: pair.hub.entryCount) } }
    }

    @Test("Permissions, attributes, links and dates are as they were, and nothing of it counts as an edit")
    func dress() throws {
        let pair = try DevicePair()
        let two = pair.two
        try two.write("text", to: "a.txt")
        try two.write("one", to: "p.rtfd/TXT.rtf")
        try two.write("two", to: "p.rtfd/pages/2.txt")
        try two.setPermissions(0o640, of: "a.txt")
        try two.setAttribute("user.note", to: "mine", of: "a.txt")
        try two.makeLink("link", to: "a.txt")
        let items = two.descriptions
        pair.expectBoth(items)
        let before = try dates(on: two)
        let entryCount = pair.hub.entryCount
        let backup = try two.backUp()

        two.goOffline()
        try two.write("another", to: "a.txt")
        try two.setPermissions(0o600, of: "a.txt")
        try two.setAttribute("user.note", to: nil, of: "a.txt")
        try FileManager.default.removeItem(atPath: two.path("p.rtfd"))
        try FileManager.default.removeItem(atPath: two.path("link"))
        try two.makeLink("link", to: "b.txt")
        try two.restore(backup)
        #expect(two.descriptions == items)
        #expect(try dates(on: two) == before)
        two.goOnline()
        waitForRest(pair)
        pair.expectBoth(items)
        #expect(pair.hub.entryCount == entryCount, "\(two.said)")
        try pair.expectRest()
        pair.end()
    }

    @Test(
        "A file with two names is one file with two names again",
        arguments: [["a.txt", "b.txt"], ["b.txt", "a.txt"]]
    )
    func names(of names: [String]) throws {
        let pair = try DevicePair()
        let two = pair.two
        try two.write("text", to: names[0])
        pair.wait { pair.one.text(names[0]) == "text" && pair.isSettled }
        // Which of them the file bears the mark of is no matter of how they are listed.
        try #require(Glibc.link(two.path(names[0]), two.path(names[1])) == 0)
        pair.wait { pair.one.text(names[1]) == "text" && pair.isSettled }
        let backup = try two.backUp()
        let former = try two.inode(names[0])
        let entryCount = pair.hub.entryCount
        try two.restore(backup)
        #expect(try two.inode(names[0]) == two.inode(names[1]))
        #expect(try two.inode(names[0]) != former)
        waitForRest(pair)
        #expect(pair.one.contents == two.contents)
        #expect(names.allSatisfy { pair.one.text($0) == "text" })
        #expect(pair.hub.entryCount == entryCount)
        pair.end()
    }

    @Test("A large document that is lent to the container's vault is there again, and takes what came since")
    func lent() throws {
        var room = ContainerSync.Room()
        room.lentByteCountMin = 50_000
        let pair = try DevicePair(room: room)
        let (one, two) = (pair.one, pair.two)
        var random = SplitMix64(seed: 7)
        let text = String(decoding: (0..<200_000).map { _ in UInt8(33 + random.next() % 90) }, as: UTF8.self)
        try one.write(text, to: "large.bin")
        pair.wait { two.text("large.bin") == text && pair.isSettled }
        let backup = try two.backUp()
        try two.restore(backup)
        waitForRest(pair)
        #expect(two.text("large.bin") == text)
        try one.write("changed " + text, to: "large.bin")
        pair.wait { two.text("large.bin") == "changed " + text && pair.isSettled }
        try two.restore(backup)
        pair.wait { two.text("large.bin") == "changed " + text && pair.isSettled }
        pair.end()
    }

    @Test("A memory from before others were there is brought up to date: no device and no entry is missed")
    func longAgo() throws {
        let pair = try DevicePair()
        let (one, two) = (pair.one, pair.two)
        let backup = try two.backUp()
        for number in 0..<6 {
            try (number % 2 == 0 ? one : two).write("\(number)", to: "folder/\(number).txt")
            pair.wait { one.contents == two.contents && pair.isSettled }
        }
        let contents = one.contents
        try two.restore(backup)
        pair.wait { two.contents == contents && pair.isSettled }
        #expect(one.contents == contents)
        try two.write("edited", to: "folder/0.txt")
        pair.wait { one.text("folder/0.txt") == "edited" && pair.isSettled }
        #expect(try one.conflicts("folder/0.txt") == [] && two.conflicts("folder/0.txt") == [])
        pair.end()
    }
}
