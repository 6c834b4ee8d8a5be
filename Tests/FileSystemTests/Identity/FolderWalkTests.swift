import CrashHarness
import Foundation
import TestThreads
import Testing

@testable import FileSystem

@Suite("FolderWalk", .onOwnThreads)
struct FolderWalkTests {
    private let scratch: ScratchFolder
    private var root: FilePath { scratch.path.appending("root") }

    init() throws { scratch = try ScratchFolder() }

    private func make(_ places: String...) throws {
        for place in places {
            let url = URL(fileURLWithPath: root.string + "/" + place)
            let folder = url.deletingLastPathComponent()
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            if !place.hasSuffix("/") { try Data("1".utf8).write(to: url) }
        }
    }

    private func visits(
        of walk: inout FolderWalk,
        from starts: FilePath...,
        isDeep: Bool = true,
        until last: String? = nil
    ) -> [String] {
        var names: [String] = []
        walk.walk(starts.isEmpty ? [root] : starts, isDeep: isDeep) { place, _, _ in
            names.append(String(place.string.dropFirst(root.string.count + 1)))
            return place.name != last
        }
        return names
    }

    private func usual(_ memberCountMax: Int = 1000) -> FolderWalk {
        FolderWalk(within: .init(memberCountMax: memberCountMax, millisecondsMax: 60_000))
    }

    @Test("What is near comes before what is far, hidden folders are not entered, and links are not followed")
    func order() throws {
        try make("far/far/c", "far/b", ".hidden/x", "a")
        try FileManager.default.createSymbolicLink(
            atPath: root.string + "/link",
            withDestinationPath: scratch.path.string
        )
        var walk = usual()
        let names = visits(of: &walk)
        #expect(names.sorted() == [".hidden", "a", "far", "far/b", "far/far", "far/far/c", "link"])
        #expect(Array(names.suffix(1)) == ["far/far/c"])
        #expect(!walk.isExhausted)
    }

    @Test("A walk that is not deep looks at a folder's own members, which may be walked once all the same")
    func shallow() throws {
        try make("far/b", "a")
        var walk = usual()
        #expect(visits(of: &walk, isDeep: false).sorted() == ["a", "far"])
        #expect(visits(of: &walk).sorted() == ["a", "far", "far/b"])
        #expect(visits(of: &walk) == [])
        #expect(visits(of: &walk, from: root.appending("far")) == [])
    }

    @Test("The visitor ends a walk, and its bounds end it for good, over all roots")
    func ends() throws {
        try make("far/b", "other/c")
        var walk = usual(3)
        #expect(visits(of: &walk, from: root.appending("far"), until: "b") == ["far/b"])
        #expect(!walk.isExhausted)
        #expect(visits(of: &walk).count == 2)
        #expect(walk.isExhausted)
        #expect(visits(of: &walk, from: root.appending("other")) == [])
    }

    @Test(
        "Of several roots what is near comes before what is far in any, and what two have in common comes once"
    )
    func roots() throws {
        try make("one/far/a", "two/b")
        var walk = usual()
        let names = visits(of: &walk, from: root.appending("one"), root.appending("two"), root)
        #expect(names.sorted() == ["one", "one/far", "one/far/a", "two", "two/b"])
        #expect(names.last == "one/far/a")
    }

    /// The time after which whatever is made has a later one.
    private func nextMoment() throws -> FileTime {
        func moment() throws -> FileTime {
            let marker = scratch.path.appending("marker").string
            try Data().write(to: URL(fileURLWithPath: marker))
            return try SystemCalls.fstatat(.working, marker).change
        }
        let start = try moment()
        while true {
            let now = try moment()
            if now > start { return now }
        }
    }

    @Test(
        "What came lately is looked for first in folders that have changed, and in others only under its name"
    )
    func news() throws {
        try make("a/old", "a/wanted", "b/c/d/old", "z/old")
        var news = FolderWalk.News(since: try nextMoment(), names: ["wanted"])
        try make("b/c/d/new", "z/new")
        var walk = FolderWalk(within: .init(memberCountMax: 1000, millisecondsMax: 60_000), for: news)
        let names = visits(of: &walk)
        #expect(names.sorted() == ["a/wanted", "b/c/d/new", "b/c/d/old", "z/new", "z/old"])
        // "z" before "a", which is as near.
        #expect(names.firstIndex(of: "z/new") ?? 9 < names.firstIndex(of: "a/wanted") ?? 0)
        news = FolderWalk.News(since: try nextMoment(), names: ["z"])
        walk = FolderWalk(within: .init(memberCountMax: 1000, millisecondsMax: 60_000), for: news)
        #expect(visits(of: &walk) == ["z"])
    }

    @Test(
        "A changed folder's own members come before all that is as near in others, with whatever is below them"
    )
    func deepNews() throws {
        try make("p/q/r/old", "a/a/a/a/a")
        for number in 0..<50 { try make("x\(number)/a/a/a") }
        let news = FolderWalk.News(since: try nextMoment(), names: [])
        try make("p/q/r/s/t/new")
        // As many as there are at the top, and twice below, and those four.
        var walk = FolderWalk(within: .init(memberCountMax: 3 * 52 + 4, millisecondsMax: 60_000), for: news)
        #expect(visits(of: &walk).sorted() == ["p/q/r/old", "p/q/r/s", "p/q/r/s/t", "p/q/r/s/t/new"])
    }

    @Test(
        "Of folders that have changed the one comes first that changed last",
        arguments: [["a", "z"], ["z", "a"]]
    )
    func latestNews(_ order: [String]) throws {
        let news = FolderWalk.News(since: try nextMoment(), names: [])
        for name in order {
            try make(name + "/new")
            _ = try nextMoment()
        }
        var walk = FolderWalk(within: .init(memberCountMax: 1000, millisecondsMax: 60_000), for: news)
        #expect(visits(of: &walk).suffix(2) == order.reversed().map { $0 + "/new" })
    }

    @Test("A root that is not there is left out")
    func missing() {
        var walk = usual()
        #expect(visits(of: &walk) == [])
        #expect(!walk.isExhausted)
    }

    @Test(
        "A walk stays on its root's volume",
        .enabled(if: (try? FileStamp(of: ScratchFolder.memoryDisk)) != nil, "needs /dev/shm")
    )
    func volume() throws {
        let memory = try FileStamp(of: ScratchFolder.memoryDisk).device
        let devices = try FileStamp(of: FilePath("/dev")).device
        guard memory != devices else { return }
        let own = try ScratchFolder(in: ScratchFolder.memoryDisk)
        var walk = FolderWalk(within: .init(memberCountMax: 100_000, millisecondsMax: 60_000))
        var places: Set<FilePath> = []
        walk.walk([FilePath("/dev")]) { place, _, _ in
            places.insert(place)
            return true
        }
        let (seesVolume, seesInside) = (
            places.contains(ScratchFolder.memoryDisk), places.contains(own.path)
        )
        #expect(seesVolume)
        #expect(!seesInside)
    }
}
