import DocumentFoundation
import DocumentTesting
import FileSystem
import Foundation
import Locks
import SyncMessages
import TestThreads
import Testing

@testable import DeviceSync

/// Documents that others use while they are to be made what the hub says.
@Suite("Making way", .onOwnThreads, .timeLimit(.minutes(2)))
struct MakingWayTests {
    private let pair: DevicePair
    private var one: TestDevice { pair.one }
    private var two: TestDevice { pair.two }

    init() throws { pair = try DevicePair() }

    private func wait(_ location: SourceLocation = #_sourceLocation, until condition: () -> Bool) {
        pair.wait(location, until: condition)
    }

    private var process: String {
        "\(ProcessInfo.processInfo.processName) (process \(ProcessInfo.processInfo.processIdentifier))"
    }

    private func write(_ texts: [String: String]) throws {
        for (name, text) in texts { try one.write(text, to: name) }
        wait { two.contents == one.contents && pair.isSettled }
    }

    @Test("Who reads a document holds up nothing else, and it is said for whom it waits")
    func othersGoOn() throws {
        try write(["a.txt": "a", "b.txt": "b"])
        let reader = ItemUser(of: "a.txt", on: two)
        try one.write("A", to: "a.txt")
        try one.write("B", to: "b.txt")
        try one.write("C", to: "c.txt")
        wait { two.text("b.txt") == "B" && two.text("c.txt") == "C" }
        wait { two.running?.explain("a.txt").causes.first?.contains("\(process) reads it") == true }
        let explanation = try #require(two.running?.explain("a.txt"))
        #expect(!explanation.isSettled && explanation.causes.count == 1)
        #expect(explanation.next == "Close it there, or wait: it goes on by itself when they are done.")
        #expect(two.status?.stuck["a.txt"]?.contains(process) == true)
        wait { two.running?.isAtWork == false }
        #expect(two.status?.isSettled == false)
        // Also what is done here goes on.
        try two.write("D", to: "d.txt")
        wait { one.text("d.txt") == "D" }
        #expect(two.text("a.txt") == "a")
        reader.end()
        #expect(reader.found == "a")
        wait { two.text("a.txt") == "A" && pair.isSettled }
        // For a moment it has just changed.
        wait { two.running?.explain("a.txt").isSettled == true }
        #expect(two.running?.explain("a.txt").causes == ["It is the same here and at the hub."])
        #expect(two.status?.stuck == [:])
        pair.end()
    }

    @Test("What waits is made what the hub says last")
    func newest() throws {
        try write(["a.txt": "a"])
        let reader = ItemUser(of: "a.txt", on: two)
        try one.write("first", to: "a.txt")
        wait { two.status?.stuck["a.txt"] != nil }
        try one.write("second, and last", to: "a.txt")
        wait { two.running?.logPosition == UInt64(pair.hub.entryCount) && one.running?.isInStepNow == true }
        reader.end()
        wait { two.text("a.txt") == "second, and last" && pair.isSettled }
        #expect(try two.conflicts("a.txt") == [])
        pair.end()
    }

    @Test("What is to move, and then to another place still, is in the last one, and in nobody's way")
    func movedOn() throws {
        try write(["a.txt": "a"])
        let reader = ItemUser(of: "a.txt", on: two)
        let files = FileManager.default
        func move(_ name: String, _ newName: String) throws {
            try files.moveItem(
                at: one.folder.appendingPathComponent(name),
                to: one.folder.appendingPathComponent(newName)
            )
            wait {
                one.status?.isSettled == true && two.running?.logPosition == UInt64(pair.hub.entryCount)
            }
        }
        try move("a.txt", "b.txt")
        wait { two.status?.stuck["a.txt"] != nil }
        try move("b.txt", "c.txt")
        #expect(two.contents == ["a.txt": "a"])
        reader.end()
        wait { two.contents == ["c.txt": "a"] && pair.isSettled }
        // Nothing is held any more.
        let next = ItemUser(of: "c.txt", on: two, writing: { _ in })
        next.end()
        pair.end()
    }

    @Test("What somebody writes while it waits is not lost")
    func written() throws {
        try write(["a.txt": "one\ntwo\n"])
        let writer = ItemUser(of: "a.txt", on: two) { try Data("one\nTWO\n".utf8).write(to: $0) }
        try one.write("ONE\ntwo\n", to: "a.txt")
        wait { two.status?.stuck["a.txt"] != nil }
        writer.end()
        wait { one.text("a.txt") == "ONE\nTWO\n" && two.text("a.txt") == "ONE\nTWO\n" && pair.isSettled }
        pair.end()
    }

    @Test("A removal and a move wait, and are done then")
    func others() throws {
        try write(["a.txt": "a", "in/b.txt": "b", "in/d.txt": "d"])
        let readers = ["a.txt", "in/b.txt"].map { ItemUser(of: $0, on: two) }
        let files = FileManager.default
        try files.removeItem(at: one.folder.appendingPathComponent("a.txt"))
        try files.moveItem(
            at: one.folder.appendingPathComponent("in"),
            to: one.folder.appendingPathComponent("out")
        )
        wait { two.status?.stuck.count == 2 }
        // What is new in the folder that is to move comes all the same.
        try one.write("e", to: "out/e.txt")
        wait { two.contents.values.contains("e") }
        #expect(two.text("a.txt") == "a" && two.text("in/b.txt") == "b")
        for reader in readers { reader.end() }
        let expected = ["out": "/", "out/b.txt": "b", "out/d.txt": "d", "out/e.txt": "e"]
        wait { one.contents == expected && two.contents == expected && pair.isSettled }
        pair.end()
    }

    @Test(
        "An eviction of what others use fails after a while, and says who that is; a download waits for them"
    )
    func contents() throws {
        try write(["a.txt": "a"])
        let reader = ItemUser(of: "a.txt", on: two)
        let refusal = #expect(throws: SyncRefusal.self) { try two.running?.evict("a.txt") }
        #expect(refusal?.code == .inUse && refusal?.description.contains("\(process) reads it") == true)
        reader.end()
        #expect(two.text("a.txt") == "a")
        try #require(two.running).evict("a.txt")
        wait { two.said.contains(.freed) }
        let writer = ItemUser(of: "a.txt", on: two, writing: { _ in })
        let done = Locked<SyncRefusal??>(nil)
        _ = try #require(two.running).download("a.txt") { refusal in done.withLock { $0 = .some(refusal) } }
        wait { two.status?.stuck["a.txt"]?.contains("\(process) writes it") == true }
        #expect(two.text("a.txt") == nil && done.withLock { $0 } == nil)
        writer.end()
        wait { done.withLock { $0 } != nil }
        #expect(done.withLock { $0 } == .some(nil) && two.text("a.txt") == "a")
        wait { pair.isSettled }
        pair.end()
    }

    @Test("A device that stops while it waits gives up what it has asked for")
    func stopped() throws {
        try write(["a.txt": "a"])
        let reader = ItemUser(of: "a.txt", on: two)
        try one.write("A", to: "a.txt")
        wait { two.status?.stuck["a.txt"] != nil }
        two.stop()
        // A second one would wait behind the device.
        let second = ItemUser(of: "a.txt", on: two)
        second.end()
        reader.end()
        #expect(two.text("a.txt") == "a")
        try two.start()
        wait { two.text("a.txt") == "A" && pair.isSettled }
        pair.end()
    }

    @Test("Many that come into a folder that somebody moves wait together, and the queue for none of them")
    func many() throws {
        try write(["in/a.txt": "a"])
        let mover = ItemUser(of: "in", on: two, writing: { _ in })
        for number in 0..<100 { try one.write("\(number)", to: "in/\(number).txt") }
        try one.write("b", to: "b.txt")
        wait { two.text("b.txt") == "b" }
        mover.end()
        wait { two.contents == one.contents && pair.isSettled }
        #expect(two.contents.count == 103)
        pair.end()
    }
}
