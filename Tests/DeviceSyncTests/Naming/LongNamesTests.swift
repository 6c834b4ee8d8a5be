import DocumentTesting
import Foundation
import SyncMessages
import TestThreads
import Testing

@testable import DeviceSync

/// Names and paths that are too long, or are none at all, where they come to.
@Suite("Long names, on two devices", .onOwnThreads, .timeLimit(.minutes(2)))
struct LongNamesTests {
    private let pair: DevicePair
    private var one: TestDevice { pair.one }
    private var two: TestDevice { pair.two }

    init() throws { pair = try DevicePair() }

    private func name(_ byteCount: Int, _ ending: String = ".txt") -> String {
        String(repeating: "n", count: byteCount - ending.utf8.count) + ending
    }

    @Test("What a device's volume has no names for waits, is explained, and is in the way of nothing else")
    func narrow() throws {
        let volume = LimitedVolume(two.folder.path, .narrowNames)
        defer { volume.end() }
        let (long, fitting) = (name(144), name(143))
        try one.write("long", to: long)
        try one.write("fitting", to: fitting)
        try one.write("colon", to: "a:b")
        try one.write("in it", to: name(150, "") + "/member.txt")
        try one.write("package", to: name(150, ".rtfd") + "/TXT.rtf")
        try one.write("text", to: "folder/good.txt")
        let stuck: Set<String> = [long, "a:b", name(150, ""), name(150, ".rtfd")]
        pair.wait {
            two.contents == [fitting: "fitting", "folder": "/", "folder/good.txt": "text"]
                && Set((two.status?.stuck ?? [:]).keys) == stuck
        }
        for name in stuck {
            let explanation = try #require(two.explanation(name))
            #expect(!explanation.isSettled && explanation.next.contains("another one"), "\(explanation)")
        }
        #expect(try #require(one.explanation(long)).isSettled)
        // What has a good name goes on, in both directions.
        try two.write("changed", to: fitting)
        try one.write("more", to: "folder/good.txt")
        pair.wait { one.text(fitting) == "changed" && two.text("folder/good.txt") == "more" }
        try FileManager.default.removeItem(atPath: one.path(fitting))
        pair.wait { two.contents[fitting] == nil }
        // With a name that the volume has, each comes.
        for (former, now) in [
            (long, "short.txt"), ("a:b", "a b"), (name(150, ""), "short"), (name(150, ".rtfd"), "short.rtfd"),
        ] {
            try FileManager.default.moveItem(atPath: one.path(former), toPath: one.path(now))
        }
        pair.wait { two.contents == one.contents && pair.isSettled }
        #expect(two.text("short/member.txt") == "in it" && two.text("short.rtfd/TXT.rtf") == "package")
        try pair.expectRest()
        pair.end()
    }

    @Test("Two items with names that such a volume just has exchange these there, too")
    func exchanged() throws {
        let volume = LimitedVolume(two.folder.path, .narrowNames)
        defer { volume.end() }
        let names = ["n", "m"].map { String(repeating: $0, count: 139) + ".txt" }
        for name in names { try one.write(String(name.prefix(1)), to: name) }
        pair.wait { two.contents == one.contents && pair.isSettled }
        one.stop()
        for (source, target) in [(names[0], "t"), (names[1], names[0]), ("t", names[1])] {
            try FileManager.default.moveItem(atPath: one.path(source), toPath: one.path(target))
        }
        try one.start()
        pair.wait { two.contents == [names[0]: "m", names[1]: "n"] && pair.isSettled }
        #expect(one.contents == two.contents)
        try pair.expectRest()
        pair.end()
    }

    @Test("The longest names come, are changed, and get numbers where two have them")
    func longest() throws {
        let names = [name(255), name(254, ".rtfd") + "/" + name(255), name(255, "") + "/" + name(248)]
        for name in names { try one.write("first", to: name) }
        pair.wait { two.contents == one.contents && pair.isSettled }
        for name in names { try two.write("second \(name.count)", to: name) }
        pair.wait { names.allSatisfy { one.text($0) == "second \($0.count)" } && pair.isSettled }
        two.goOffline()
        #expect(two.wait { two.status?.line == .down })
        let new = name(255, ".bin")
        try one.write("one's", to: new)
        pair.wait { one.running?.isInStepNow == true }
        try two.write("two's", to: new)
        two.goOnline()
        pair.wait { two.contents == one.contents && pair.isSettled && one.contents.count == 7 }
        let numbered = try #require(one.contents.first { $0.value == "two's" }?.key)
        #expect(numbered.hasSuffix("n 2.bin") && numbered.utf8.count == 255 && one.text(new) == "one's")
        try pair.expectRest()
        pair.end()
    }

    @Test("Paths that programs elsewhere cannot open are noted, and names that are too long for some volumes")
    func notes() throws {
        #expect(NameTrouble.text(of: name(143)) == nil)
        #expect(NameTrouble.text(of: name(144))?.contains("143 bytes; this has 144") == true)
        #expect(NameTrouble.text(ofPathWith: 259) == nil && NameTrouble.text(ofPathWith: 260) != nil)
        let folder = [name(100, ""), name(100, "")].joined(separator: "/")
        let (short, long) = (folder + "/" + name(57), folder + "/" + name(58))
        try one.write("short", to: short)
        try one.write("long", to: long)
        pair.wait { two.contents == one.contents && pair.isSettled }
        for device in [one, two] {
            #expect(device.status?.notes.map(\.path) == [long])
            #expect(device.status?.notes.first?.text.contains("260 signs") == true)
        }
        #expect(try #require(two.explanation(short)).notes.isEmpty)
        #expect(try #require(two.explanation(long)).notes.first?.contains("Windows") == true)
        // What it is in gets shorter, and so does its path.
        try FileManager.default.moveItem(atPath: one.path(name(100, "")), toPath: one.path("f"))
        pair.wait { two.contents == one.contents && pair.isSettled }
        #expect(two.status?.notes == [] && two.status?.noteCount == 0)
        pair.end()
    }
}
