import DocumentFoundation
import DocumentTesting
import FileSystem
import Foundation
import Sync
import SyncMessages
import TestThreads
import Testing

@testable import DeviceSync

/// What one device keeps from sync stays at the hub and on all others as it is, whatever becomes of it here.
@Suite("What is excluded from sync", .onOwnThreads, .timeLimit(.minutes(2)))
struct ExcludedTests {
    private let pair: DevicePair
    private var one: TestDevice { pair.one }
    private var two: TestDevice { pair.two }
    private let files = FileManager.default

    init() throws {
        pair = try DevicePair()
        try one.write("text", to: "a.txt")
        for folder in ["cache", "old", "work/cache"] { try one.write("in \(folder)", to: "\(folder)/b.txt") }
        try one.write("draft", to: "work/draft.txt")
        pair.wait { two.contents == one.contents && two.contents.count == 9 && pair.isSettled }
        for name in ["a.txt", "cache", "old", "work/cache"] { try exclude(name) }
        try lookAround()
    }

    private func exclude(_ name: String, _ isExcluded: Bool = true) throws {
        try SyncExclusion.set(isExcluded, FilePath(two.path(name)))
    }

    /// Has the second device look at its folder, and for all that is missing in it by now.
    private func lookAround(_ location: SourceLocation = #_sourceLocation) throws {
        try two.write("marker", to: "marker.txt")
        pair.wait(location) { one.text("marker.txt") == "marker" && pair.isSettled }
        try files.removeItem(atPath: two.path("marker.txt"))
        pair.wait(location) { one.text("marker.txt") == nil && pair.isSettled }
    }

    private func startAgain() throws {
        two.stop()
        try two.start()
        try lookAround()
    }

    private func save(_ text: String, to name: String) throws {
        let save = try StagedSave(item: FilePath(two.path(name)))
        try save.write(Data(text.utf8))
        try save.commit()
    }

    @Test("What is saved anew, removed or moved out goes on no other device, also not after a start")
    func stays() throws {
        let all = one.contents
        try save("own", to: "a.txt")
        try files.removeItem(atPath: two.path("cache"))
        try files.moveItem(atPath: two.path("old"), toPath: pair.base.path + "/moved out")
        try lookAround()
        #expect(one.contents == all, "\(two.said)")
        try startAgain()
        #expect(one.contents == all, "\(two.said)")
        #expect(two.text("a.txt") == "own")
        #expect(two.contents["cache"] == nil && two.contents["old"] == nil)
        #expect(two.running?.explain("a.txt").chain.first?.kind == .leftOut)
        // Saved once more, it is excluded still.
        try save("own again", to: "a.txt")
        try lookAround()
        #expect(one.contents == all)
        pair.end()
    }

    @Test("What is removed everywhere else then is in step, as nothing of it is here")
    func removedElsewhere() throws {
        try files.removeItem(atPath: two.path("cache"))
        try lookAround()
        try files.removeItem(atPath: one.path("cache"))
        pair.wait { two.running?.item("cache") == nil && pair.isSettled }
        pair.end()
    }

    @Test(
        "A folder that is removed with something excluded in it goes everywhere but for that",
        arguments: [true, false]
    )
    func inside(isStartedAgain: Bool) throws {
        try files.removeItem(atPath: two.path("work"))
        pair.wait { one.text("work/draft.txt") == nil }
        pair.wait { two.status?.stuck["work/cache"] != nil }
        if isStartedAgain {
            two.stop()
            try two.start()
            pair.wait { two.status?.stuck["work/cache"] != nil }
        }
        #expect(one.text("work/cache/b.txt") == "in work/cache")
        #expect(two.contents["work"] == "/" && two.contents["work/cache"] == nil)
        // Something that is not excluded ends it.
        try files.createDirectory(atPath: two.path("work/cache"), withIntermediateDirectories: false)
        pair.wait { two.text("work/cache/b.txt") == "in work/cache" }
        #expect(one.text("work/cache/b.txt") == "in work/cache")
        pair.end()
    }

    @Test("What is made anew in its place ends that: a folder is filled, a document is an edit")
    func again() throws {
        try files.removeItem(atPath: two.path("cache"))
        try files.removeItem(atPath: two.path("a.txt"))
        try lookAround()
        try files.createDirectory(atPath: two.path("cache"), withIntermediateDirectories: false)
        try two.write("new", to: "a.txt")
        pair.wait { one.text("a.txt") == "new" && two.text("cache/b.txt") == "in cache" && pair.isSettled }
        #expect(one.text("cache/b.txt") == "in cache")
        pair.end()
    }

    @Test("What was saved meanwhile goes once that has ended")
    func ended() throws {
        try save("own", to: "a.txt")
        try lookAround()
        try exclude("a.txt", false)
        pair.wait { one.text("a.txt") == "own" && pair.isSettled }
        pair.end()
    }

    @Test("What was done before, and had not gone, waits until it has ended")
    func unsent() throws {
        two.goOffline()
        pair.wait { two.status?.line == .down }
        try exclude("a.txt", false)
        try two.write("unsent", to: "a.txt")
        pair.wait { two.status?.unsettledCount == 1 }
        try exclude("a.txt")
        pair.wait { two.running?.explain("a.txt").chain.first?.kind == .leftOut }
        two.goOnline()
        pair.wait { two.status?.stuck["a.txt"]?.contains("was changed here before") == true }
        #expect(one.text("a.txt") == "text")
        try exclude("a.txt", false)
        pair.wait { one.text("a.txt") == "unsent" && pair.isSettled }
        pair.end()
    }
}
