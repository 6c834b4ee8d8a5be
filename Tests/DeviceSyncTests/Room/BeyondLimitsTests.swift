import DocumentTesting
import Foundation
import Sealing
import Sync
import SyncMessages
import TestThreads
import Testing

@testable import DeviceSync

/// What an item bears goes along as far as there is room for in what is told of it; where there is none, it waits alone.
@Suite("Items of which there is too much to be told", .onOwnThreads, .timeLimit(.minutes(2)))
struct BeyondLimitsTests {
    private let pair: DevicePair
    private var one: TestDevice { pair.one }
    private var two: TestDevice { pair.two }

    init() throws { pair = try DevicePair() }

    /// One in the second device's folder that lets files bear more than most do.
    private func mountedVolume() throws -> MountedVolume {
        try MountedVolume(
            over: two.folder.appendingPathComponent("disk"),
            keptAt: pair.base.appendingPathComponent("volume")
        )
    }

    @Test("Attributes as large as most volumes have, and the longest links, come and go on")
    func large() throws {
        let (value, link) = (String(repeating: "c", count: 3000), String(repeating: "x/", count: 2040))
        try one.write("text", to: "a.txt")
        try one.setAttribute("user.c", to: value, of: "a.txt")
        try one.write("text", to: "p.rtfd/TXT.rtf")
        try one.setAttribute("user.c", to: value, of: "p.rtfd")
        try one.makeLink("l", to: link)
        pair.expectBoth([
            "a.txt": "644 user.c=\(value) text", "p.rtfd": "755 user.c=\(value) folder",
            "p.rtfd/TXT.rtf": "644 text", "l": "link to \(link)",
        ])
        try two.write("more", to: "a.txt")
        pair.wait { one.text("a.txt") == "more" && pair.isSettled }
        #expect(one.description(of: "a.txt") == "644 user.c=\(value) more")
        try pair.expectRest()
        pair.end()
    }

    @Test(
        "One with more attributes than that waits, all else goes on, and so does it with fewer",
        .enabled(if: MountedVolume.isPossible)
    )
    func attributes() throws {
        two.stop()
        let volume = try mountedVolume()
        defer { withExtendedLifetime(volume) {} }
        try two.start()
        let name = "disk/a.txt"
        try two.write("first", to: name)
        pair.wait { one.text(name) == "first" && pair.isSettled }
        try two.setAttribute("user.c", to: String(repeating: "c", count: 20_000), of: name)
        pair.wait { two.status?.stuck[name] != nil }
        try two.write("new", to: "b.txt")
        try two.write("new", to: "disk/c.txt")
        pair.wait { one.text("b.txt") == "new" && one.text("disk/c.txt") == "new" }
        let status = try #require(two.status)
        #expect(status.line == .up && status.unsettledCount == 1)
        #expect(status.stuck[name]?.contains("has room for 16384") == true, "\(status)")
        #expect(status.remedies?[name]?.contains("fewer or smaller extended attributes") == true)
        let explanation = try #require(two.explanation(name))
        #expect(explanation.chain.map(\.kind) == [.cannotSend] && !explanation.isSettled)
        #expect(explanation.next == status.remedies?[name])
        two.tryAgain()
        two.tryAgain()
        let told = two.said.filter { "\($0)".contains("has room for 16384") }
        #expect(told.count == 1, "\(told)")
        // What somebody else does to it comes.
        try one.write("second", to: name)
        pair.wait { two.text(name) == "second" }
        try two.setAttribute("user.c", to: String(repeating: "d", count: 8000), of: name)
        pair.wait { pair.isSettled && two.status?.stuck.isEmpty == true }
        #expect(one.text(name) == "second" && two.text(name) == "second")
        pair.end()
    }

    @Test(
        "What somebody else does to one that waits comes, and waits for nothing",
        .enabled(if: MountedVolume.isPossible)
    )
    func others() throws {
        two.stop()
        let volume = try mountedVolume()
        defer { withExtendedLifetime(volume) {} }
        let seen = SeenRun()
        try seen.start(two)
        defer { seen.stop() }
        try two.write("text", to: "disk/a.txt")
        pair.wait { one.text("disk/a.txt") == "text" }
        try two.setAttribute("user.c", to: String(repeating: "c", count: 20_000), of: "disk/a.txt")
        pair.wait { (try? seen.sync { !$0.stuck.isEmpty }) == true }
        pair.one.stop()
        // All in one turn: nothing is tried again meanwhile.
        try seen.sync { run in
            let tree = run.engine.tree
            let item = try #require(run.stuck.keys.first)
            var state = try #require(tree[item])
            state.place.name = "b.txt"
            let id = Commit.ID(one.identity.id, session: 9, 1)
            let renamed = Commit(id, item, on: tree.revision(of: item), state)
            run.take([.logRead([LogEntry(tree.position + 1, renamed)])])
        }
        #expect(two.text("disk/b.txt") == "text" && two.text("disk/a.txt") == nil)
    }

    @Test("One with more conflicts than can be told waits until some are settled")
    func conflicts() throws {
        try two.write("first", to: "a.txt")
        pair.wait { one.text("a.txt") == "first" && pair.isSettled }
        pair.end()
        let seen = SeenRun()
        try seen.start(two)
        defer { seen.stop() }
        try seen.sync { run in
            let item = try #require(run.table.item(at: ItemPlace(.root, "a.txt")))
            let known = try #require(run.table[item]?.state)
            func commit(_ conflictCount: Int) -> Commit {
                var state = known
                state.conflicts = Set((0..<conflictCount).map { ContentName("\($0)") })
                return Commit(Commit.ID(two.identity.id, session: 1, 1), item, on: 1, state)
            }
            #expect(!run.holdsBack(beyondLimit: commit(256)) && run.holdsBack(beyondLimit: commit(257)))
            let why = try #require(run.stuck[item]?.why)
            #expect(why.description.hasPrefix("257 versions are in conflict with it"), "\(why)")
            #expect(why.remedy?.contains("Settle its conflicts") == true)
            #expect(!run.holdsBack(beyondLimit: commit(0)) && run.toldExcesses.isEmpty)
        }
    }
}
