import DocumentTesting
import Foundation
import SyncMessages
import TestThreads
import Testing

@testable import DeviceSync

/// Symbolic links that lead in circles, or out of the folder: links are kept, and nobody goes where they lead.
@Suite("Links that lead in circles, on two devices", .onOwnThreads, .timeLimit(.minutes(2)))
struct LinkLoopTests {
    private let pair: DevicePair
    private var one: TestDevice { pair.one }
    private var two: TestDevice { pair.two }

    init() throws { pair = try DevicePair() }

    /// Links to the folder that they are in, to those above it, to each other and to themselves.
    private static let links = [
        "here": ".", "up": "..", "top": "../..", "self": "self", "there": "back", "back": "there",
        "out": "/", "within": "Pages", "Pages/above": "../Pages", "Pages/home": "..",
    ]

    /// Makes them in a folder or a package, beside a text; gives what both devices show then.
    private func make(_ folder: String) throws -> [String: String] {
        try one.write("text", to: folder + "/a.txt")
        try one.write("deep", to: folder + "/Pages/1.txt")
        var items = [
            folder: "755 folder", folder + "/a.txt": "644 text", folder + "/Pages": "755 folder",
            folder + "/Pages/1.txt": "644 deep",
        ]
        for (name, text) in Self.links {
            try one.makeLink(folder + "/" + name, to: text)
            items[folder + "/" + name] = "link to \(text)"
        }
        return items
    }

    @Test(
        "They come, change and go with a folder or a package, and what is beside them too",
        arguments: ["f", "p.rtfd"]
    )
    func loops(folder: String) throws {
        var items = try make(folder)
        pair.expectBoth(items)
        try pair.expectRest()
        // A link to a folder of folders is a link there, too.
        try two.write("other", to: folder + "/a.txt")
        items[folder + "/a.txt"] = "644 other"
        pair.expectBoth(items)
        try FileManager.default.removeItem(atPath: two.path(folder + "/within"))
        try two.makeLink(folder + "/within", to: "./././Pages/home/Pages")
        items[folder + "/within"] = "link to ./././Pages/home/Pages"
        pair.expectBoth(items)
        try FileManager.default.moveItem(atPath: one.path(folder), toPath: one.path("moved " + folder))
        items = Dictionary(uniqueKeysWithValues: items.map { ("moved " + $0.key, $0.value) })
        pair.expectBoth(items)
        try pair.expectRest()
        try FileManager.default.removeItem(atPath: two.path("moved " + folder))
        pair.expectBoth([:])
        pair.end()
    }

    @Test("A package with them is merged member by member, and both sides' links stay")
    func merged() throws {
        var items = try make("p.rtfd")
        pair.expectBoth(items)
        two.goOffline()
        #expect(two.wait { two.status?.line == .down })
        try one.write("one's", to: "p.rtfd/a.txt")
        try one.makeLink("p.rtfd/one", to: "two")
        try two.write("two's", to: "p.rtfd/Pages/1.txt")
        try two.makeLink("p.rtfd/two", to: "one")
        two.goOnline()
        items["p.rtfd/a.txt"] = "644 one's"
        items["p.rtfd/Pages/1.txt"] = "644 two's"
        items["p.rtfd/one"] = "link to two"
        items["p.rtfd/two"] = "link to one"
        pair.expectBoth(items)
        #expect(try one.conflicts("p.rtfd").isEmpty && two.conflicts("p.rtfd").isEmpty)
        try pair.expectRest()
        pair.end()
    }

    @Test("Contents with them leave a device and come back", arguments: ["f", "p.rtfd"])
    func evicted(folder: String) throws {
        let items = try make(folder)
        pair.expectBoth(items)
        try two.evict(two.folder.appendingPathComponent(folder))
        #expect(two.text(folder + "/a.txt") == nil)
        #expect(one.descriptions == items)
        _ = try #require(two.running).download(folder, done: nil)
        pair.expectBoth(items)
        try pair.expectRest()
        pair.end()
    }
}
