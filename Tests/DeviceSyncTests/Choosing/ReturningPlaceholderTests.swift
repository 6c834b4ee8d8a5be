import DocumentFoundation
import DocumentTesting
import FileSystem
import Foundation
import Locks
import SyncMessages
import TestThreads
import Testing

@testable import DeviceSync

/// Placeholders that left a folder, with which their items went everywhere, and are there again.
@Suite("Returning placeholders", .onOwnThreads, .timeLimit(.minutes(2)))
struct ReturningPlaceholderTests {
    private let pair: DevicePair
    private var one: TestDevice { pair.one }
    private var two: TestDevice { pair.two }
    private let files = FileManager.default

    init() throws { pair = try DevicePair() }

    private func wait(_ location: SourceLocation = #_sourceLocation, until condition: () -> Bool) {
        pair.wait(location, until: condition)
    }

    private func url(_ name: String) -> URL { two.folder.appendingPathComponent(name) }

    /// Outside of the container.
    private var away: URL { pair.base.appendingPathComponent("away", isDirectory: true) }

    /// Has both have a folder with an item, which is evicted on the second.
    private func evict() throws {
        try one.write("text", to: "folder/a.txt")
        wait { two.text("folder/a.txt") == "text" && pair.isSettled }
        try #require(two.running).evict("folder")
        wait { two.said.contains(.freed) }
        try one.write("more", to: "folder/b.txt")
        wait { two.text("folder/b.txt") == "more" && pair.isSettled }
    }

    private func isLost(_ name: String) -> Bool {
        guard let explanation = two.explanation(name) else { return false }
        return explanation.chain.contains { $0.kind == .contentsLost }
    }

    private func checkThatItCanBeHad(_ name: String) throws {
        let done = Locked<[SyncRefusal?]>([])
        _ = try #require(two.running).download(name) { refusal in done.withLock { $0.append(refusal) } }
        wait { two.text(name) == "text" && done.withLock { $0 } == [nil] }
    }

    @Test(
        "A folder that is moved out and back is all there again, also what it was without",
        arguments: [false, true]
    )
    func movedBack(isStartedAnew: Bool) throws {
        try evict()
        try files.moveItem(at: url("folder"), to: away)
        wait { one.contents.isEmpty && pair.isSettled }
        if isStartedAnew { two.stop() }
        try files.moveItem(at: away, to: url("again"))
        if isStartedAnew { try two.start() }
        wait { one.contents.keys.sorted() == ["again", "again/a.txt", "again/b.txt"] && pair.isSettled }
        #expect(one.text("again/a.txt") == "text" && one.text("again/b.txt") == "more")
        #expect(two.contents.keys.sorted() == ["again", "again/.a.txt.icloud", "again/b.txt"])
        #expect(two.status?.noteCount == 0)
        try checkThatItCanBeHad("again/a.txt")
        pair.end()
    }

    @Test("So is one that was moved back before any other device had heard of it, under whatever name")
    func movedBackAtOnce() throws {
        try evict()
        two.line.cut()
        wait { two.status?.line == .down }
        try files.moveItem(at: url("folder/.a.txt.icloud"), to: away)
        wait { two.status?.unsettledCount == 1 }
        try files.moveItem(at: away, to: url("folder/.c.txt.icloud"))
        wait { two.running?.item("folder/c.txt")?.contents == .missing }
        two.line.mend()
        wait { one.text("folder/c.txt") == "text" && one.text("folder/a.txt") == nil && pair.isSettled }
        try checkThatItCanBeHad("folder/c.txt")
        pair.end()
    }

    @Test("What was copied of one and outlives it is the file, also where another device has removed that")
    func copyOfRemoved() throws {
        try evict()
        try files.copyItem(at: url("folder/.a.txt.icloud"), to: url(".copy.txt.icloud"))
        wait { two.status?.noteCount == 1 }
        try files.removeItem(at: one.folder.appendingPathComponent("folder/a.txt"))
        wait { one.text("copy.txt") == "text" && pair.isSettled && two.status?.noteCount == 0 }
        try checkThatItCanBeHad("copy.txt")
        pair.end()
    }

    @Test("One whose contents the hub has deleted since waits, and says what helps")
    func tooLate() throws {
        try evict()
        try files.moveItem(at: url("folder/.a.txt.icloud"), to: away)
        wait { one.contents.keys.sorted() == ["folder", "folder/b.txt"] && pair.isSettled }
        pair.hub.loseBlobs()
        try files.moveItem(at: away, to: url("folder/.a.txt.icloud"))
        wait { isLost("folder/a.txt") }
        #expect(one.text("folder/a.txt") == nil)
        #expect(two.status?.stuck["folder/a.txt"]?.contains("the hub has them no more") == true)
        #expect(two.status?.remedies?["folder/a.txt"]?.contains("Have a device that has them") == true)
        // Whoever has it again, by whatever way, ends that.
        try one.write("text", to: "else.txt")
        wait { one.text("folder/a.txt") == "text" && pair.isSettled }
        #expect(two.status?.stuck.isEmpty == true)
        pair.end()
    }
}
