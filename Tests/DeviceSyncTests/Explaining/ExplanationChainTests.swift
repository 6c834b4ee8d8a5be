import DocumentTesting
import Foundation
import SyncMessages
import TestThreads
import Testing

@testable import DeviceSync

/// What an item waits for that waits for another: the chain from it to what is the matter in the end.
@Suite("Chains of causes", .onOwnThreads, .timeLimit(.minutes(2)))
struct ExplanationChainTests {
    private let pair: DevicePair
    private var one: TestDevice { pair.one }
    private var two: TestDevice { pair.two }

    init() throws { pair = try DevicePair() }

    private func fill(_ texts: [String: String]) throws {
        for (name, text) in texts { try one.write(text, to: name) }
        pair.wait { two.contents == one.contents && pair.isSettled }
    }

    /// Waits until an item of the second device is explained by causes of some kinds.
    private func chain(of name: String, is kinds: [Explanation.Cause.Kind]) throws -> Explanation {
        pair.wait { two.explanation(name)?.chain.map(\.kind) == kinds }
        let explanation = try #require(two.explanation(name))
        #expect(explanation.chain.map(\.kind) == kinds, "\(explanation)")
        #expect(!explanation.isSettled)
        return explanation
    }

    private func rename(_ name: String, to other: String, on device: TestDevice) throws {
        try FileManager.default.moveItem(
            at: device.folder.appendingPathComponent(name),
            to: device.folder.appendingPathComponent(other)
        )
    }

    @Test("What waits for its name says who has that, and who uses him")
    func name() throws {
        try fill(["a.txt": "a", "b.txt": "b"])
        let reader = ItemUser(of: "b.txt", on: two)
        try FileManager.default.removeItem(at: one.folder.appendingPathComponent("b.txt"))
        // Renamed onto it before that is seen, it would be its successor.
        pair.wait { two.status?.stuck["b.txt"] != nil }
        try rename("a.txt", to: "b.txt", on: one)
        let explanation = try chain(of: "a.txt", is: [.nameTaken, .inUse])
        #expect(explanation.causes[0] == "“a.txt” waits for its name, which “b.txt” has.")
        #expect(explanation.causes[1].hasPrefix("“b.txt”: ") && explanation.causes[1].contains("reads it"))
        #expect(explanation.next == "Close it there, or wait: it goes on by itself when they are done.")
        #expect(explanation.chain[0].sinceSeconds != nil && explanation.chain[1].sinceSeconds != nil)
        reader.end()
        pair.wait { two.contents == one.contents && pair.isSettled }
        // For a moment it has just changed.
        pair.wait { two.explanation("b.txt")?.chain.map(\.kind) == [.settled] }
        #expect(two.explanation("b.txt")?.chain.map(\.kind) == [.settled])
        #expect(two.explanation("b.txt")?.chain.first?.sinceSeconds == nil)
        pair.end()
    }

    @Test(
        "A folder that is to go says how many items in it are waited for, which one, and who uses that",
        arguments: [
            (["a.txt"], "“folder” goes when the item in it has gone."),
            (["a.txt", "b.txt"], "“folder” goes when the 2 items in it have gone."),
        ]
    )
    func members(names: [String], text: String) throws {
        try fill(["folder/a.txt": "a", "folder/b.txt": "b"])
        let readers = names.map { ItemUser(of: "folder/\($0)", on: two) }
        try FileManager.default.removeItem(at: one.folder.appendingPathComponent("folder"))
        pair.wait { two.explanation("folder")?.causes.first == text }
        let explanation = try chain(of: "folder", is: [.members, .inUse])
        #expect(explanation.causes[0] == text)
        #expect(explanation.causes[1].hasPrefix("“folder/"))
        #expect(explanation.next == "Close it there, or wait: it goes on by itself when they are done.")
        for reader in readers { reader.end() }
        pair.wait { two.contents == [:] && pair.isSettled }
        pair.end()
    }

    @Test("What is to go into a folder that is in it says which one is to leave, and who uses that")
    func loop() throws {
        try fill(["outer/inner/a.txt": "a"])
        let reader = ItemUser(of: "outer/inner/a.txt", on: two)
        try rename("outer/inner", to: "inner", on: one)
        pair.wait { two.status?.stuck["outer/inner"] != nil && one.status?.isSettled == true }
        try rename("outer", to: "inner/outer", on: one)
        let explanation = try chain(of: "outer", is: [.loop, .inUse])
        let text = "“outer” is to go into a folder that is inside it here, and waits for that one to leave."
        #expect(explanation.causes[0] == text)
        #expect(explanation.causes[1].hasPrefix("“outer/inner”: "), "\(explanation)")
        #expect(explanation.next == "Close it there, or wait: it goes on by itself when they are done.")
        reader.end()
        pair.wait {
            two.contents == ["inner": "/", "inner/outer": "/", "inner/a.txt": "a"]
                && one.contents == two.contents && pair.isSettled
        }
        pair.wait { two.explanation("inner/outer")?.chain.map(\.kind) == [.settled] }
        pair.end()
    }

    @Test("What waits for its folder says why that cannot come")
    func folder() throws {
        let volume = LimitedVolume(two.folder.path, .narrowNames)
        defer { volume.end() }
        let folder = String(repeating: "n", count: 150)
        try one.write("a", to: "\(folder)/a.txt")
        let explanation = try chain(of: "\(folder)/a.txt", is: [.folderMissing, .cannotPlace])
        #expect(explanation.causes[0] == "“\(folder)/a.txt” waits for its folder “\(folder)”.")
        #expect(explanation.causes[1].hasPrefix("“\(folder)”: It cannot be put in place"))
        #expect(explanation.next.contains("another one"), "\(explanation)")
        try rename(folder, to: "short", on: one)
        pair.wait { two.contents == one.contents && pair.isSettled }
        pair.end()
    }

    @Test("What is not sent for want of a line says both, and since when")
    func line() throws {
        try fill(["a.txt": "a"])
        two.line.cut()
        pair.wait { two.status?.line == .down }
        try two.write("longer", to: "a.txt")
        let explanation = try chain(of: "a.txt", is: [.sending, .offline])
        #expect(explanation.causes[0] == "“a.txt” was changed here; its contents are being sent to the hub.")
        #expect(explanation.causes[1] == "There is no line to the hub: the line is cut")
        #expect(explanation.next == "Check the network and the hub; it goes on by itself.")
        #expect(explanation.chain.allSatisfy { $0.sinceSeconds != nil })
        two.line.mend()
        pair.wait { pair.isSettled && one.text("a.txt") == "longer" }
        pair.end()
    }
}
