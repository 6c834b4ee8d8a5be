import DocumentTesting
import FileSystem
import Foundation
import HubProtocol
import Locks
import SyncMessages
import TestThreads
import Testing

@testable import DeviceSync

/// What is under way between a device and its hub, in words: it is held there, and asked about.
@Suite("Steps on the line, in words", .onOwnThreads, .timeLimit(.minutes(2)))
struct ExplanationStepsTests {
    private let pair: DevicePair
    private let held: HeldDevice
    private var one: TestDevice { pair.one }
    private var two: TestDevice { pair.two }

    private static let byItself = "It goes on by itself."
    private static let lookInside = "Look into the folder: each item in it says why it is as it is."

    init() throws {
        let pair = try DevicePair(isSecondToStart: false)
        self.pair = pair
        held = try HeldDevice(pair.two)
    }

    /// Waits until an item of the second device is explained by causes of some kinds.
    ///
    /// - Parameter device: What keeps that in step; nil for what does from the beginning.
    private func explained(
        _ name: String,
        by kinds: [Explanation.Cause.Kind],
        on device: HeldDevice? = nil,
        _ location: SourceLocation = #_sourceLocation
    ) -> Explanation {
        let running = (device ?? held).running
        var found = running.explain(name)
        let isSo = two.wait {
            found = running.explain(name)
            return found.chain.map(\.kind) == kinds
        }
        #expect(isSo, "\(found)", sourceLocation: location)
        return found
    }

    private func expect(
        _ explanation: Explanation,
        _ causes: [String],
        next: String = byItself,
        _ location: SourceLocation = #_sourceLocation
    ) {
        #expect(explanation.causes == causes, "\(explanation)", sourceLocation: location)
        #expect(explanation.next == next, "\(explanation)", sourceLocation: location)
        #expect(!explanation.isSettled, "\(explanation)", sourceLocation: location)
    }

    private func fill(_ texts: [String: String]) throws {
        for (name, text) in texts { try one.write(text, to: name) }
        let isSo = two.wait {
            two.contents == one.contents && one.status?.isSettled == true && held.running.status.isSettled
        }
        #expect(isSo, "\(one.contents) and \(two.contents)")
    }

    /// Lets all calls go: both devices come to the same, and each item is explained by that.
    private func letGo(
        _ device: HeldDevice? = nil,
        until contents: [String: String],
        _ location: SourceLocation = #_sourceLocation
    ) {
        let device = device ?? held
        device.hub.letGo()
        device.running.tryAgain()
        let isSo = two.wait {
            one.contents == contents && two.contents == contents && one.status?.isSettled == true
                && device.running.status.isSettled
        }
        #expect(isSo, "\(one.contents) and \(two.contents)", sourceLocation: location)
        for name in contents.keys {
            let explanation = explained(name, by: [.settled], on: device, location)
            #expect(explanation.causes == ["It is the same here and at the hub."], sourceLocation: location)
            #expect(explanation.next == "Nothing is to be done." && explanation.isSettled)
        }
        device.stop()
        pair.end()
    }

    @Test("Contents on their way to the hub are said to be, of their item and of its folder")
    func sending() throws {
        try fill(["folder/a.txt": "a"])
        held.hub.hold([.store])
        try two.put("longer", at: "folder/a.txt")
        let explanation = explained("folder/a.txt", by: [.sending])
        let text = "“folder/a.txt” was changed here; its contents are being sent to the hub"
        #expect(explanation.causes.first?.hasPrefix(text) == true, "\(explanation)")
        #expect(explanation.next == Self.byItself && explanation.change == "here")
        #expect(explanation.chain.first?.sinceSeconds != nil && explanation.chain.first?.remedy == nil)
        let folder = explained("folder", by: [.settled, .inside])
        #expect(folder.causes.last == "Items in it are being sent to the hub.")
        #expect(folder.next == Self.lookInside && !folder.isSettled)
        letGo(until: ["folder": "/", "folder/a.txt": "longer"])
    }

    @Test("Contents on their way here are said to be, of their item and of its folder")
    func getting() throws {
        try fill(["folder/a.txt": "a"])
        held.hub.hold([.read])
        try one.put("longer", at: "folder/a.txt")
        let explanation = explained("folder/a.txt", by: [.getting])
        let text = "“folder/a.txt” was changed elsewhere; its contents are being got from the hub."
        expect(explanation, [text])
        #expect(explanation.change == "elsewhere")
        let folder = explained("folder", by: [.settled, .inside])
        #expect(folder.causes.last == "The contents of items in it are being got from the hub.")
        #expect(folder.next == Self.lookInside)
        letGo(until: ["folder": "/", "folder/a.txt": "longer"])
    }

    @Test("What the hub has been told of, and has not answered, is said to be so")
    func committing() throws {
        try fill(["a.txt": "a"])
        held.hub.hold([.offer])
        try two.put("longer", at: "a.txt")
        let explanation = explained("a.txt", by: [.committing])
        let text = "“a.txt” was changed here; the hub has been told and has not answered yet."
        expect(explanation, [text])
        #expect(explanation.change == "here" && explanation.chain.first?.sinceSeconds != nil)
        letGo(until: ["a.txt": "longer"])
    }

    @Test("What has ended before the hub answered says that nothing is kept in step any more, and what to do")
    func ended() throws {
        try fill(["a.txt": "a"])
        held.hub.hold([.offer])
        try two.put("longer", at: "a.txt")
        _ = explained("a.txt", by: [.committing])
        held.stop()
        expect(
            explained("a.txt", by: [.committing, .offline]),
            [
                "“a.txt” was changed here; the hub is to hear of it.",
                "There is no line to the hub: this folder is not kept in step any more.",
            ],
            next: "Read what stopped it, then start it again."
        )
        try two.start()
        pair.wait { one.text("a.txt") == "longer" && pair.isSettled }
        pair.end()
    }

    @Test("Who was slower than another device says how far the log is to be read first")
    func readingLog() throws {
        try fill(["a.txt": "one\ntwo\nthree\n"])
        held.hub.hold([.log])
        let count = pair.hub.entryCount
        try one.put("ONE\ntwo\nthree\n", at: "a.txt")
        #expect(one.wait { pair.hub.entryCount == count + 1 && one.status?.isSettled == true })
        try two.put("one\ntwo\nTHREE\n", at: "a.txt")
        let explanation = explained("a.txt", by: [.readingLog])
        let text =
            "Another device was faster about “a.txt”; the log is to be read to entry \(count + 1) first."
        expect(explanation, [text])
        letGo(until: ["a.txt": "ONE\ntwo\nTHREE\n"])
    }

    @Test("What has the name that another item has left waits until the hub knows of that, and says so")
    func nameLeft() throws {
        try fill(["a.txt": "a", "c.txt": "c"])
        held.hub.hold([.offer])
        try FileManager.default.moveItem(atPath: two.path("a.txt"), toPath: two.path("b.txt"))
        _ = explained("b.txt", by: [.committing])
        // What is new at the name of what was renamed a moment ago would be that.
        try FileManager.default.moveItem(atPath: two.path("c.txt"), toPath: two.path("a.txt"))
        expect(
            explained("a.txt", by: [.nameLeft, .committing]),
            [
                "“a.txt” waits until the hub knows that “b.txt” has left its name.",
                "“b.txt” was changed here; the hub has been told and has not answered yet.",
            ]
        )
        letGo(until: ["a.txt": "c", "b.txt": "a"])
    }

    @Test("What the hub refuses is said in its words, and that it is tried again")
    func refused() throws {
        try fill(["a.txt": "a", "b.txt": "b"])
        held.hub.refuse([.store, .read], HubFailure(.notFound, "There is no such container."))
        let next = "It is tried again every ten seconds."
        try two.put("longer", at: "a.txt")
        expect(
            explained("a.txt", by: [.cannotSend]),
            ["“a.txt” was changed here; its contents cannot be sent: There is no such container."],
            next: next
        )
        try one.put("longer, too", at: "b.txt")
        expect(
            explained("b.txt", by: [.cannotGet]),
            ["“b.txt” was changed elsewhere; its contents cannot be had: There is no such container."],
            next: next
        )
        letGo(until: ["a.txt": "longer", "b.txt": "longer, too"])
    }

    @Test("Before the line is up for the first time, that is what is said")
    func untried() throws {
        try fill(["a.txt": "a"])
        held.stop()
        try two.put("new", at: "new.txt")
        let device = try HeldDevice(two, holding: [.log])
        expect(
            explained("new.txt", by: [.sending, .offline], on: device),
            [
                "“new.txt” was changed here; its contents are being sent to the hub.",
                "There is no line to the hub: it has not been tried yet.",
            ],
            next: "Check the network and the hub; it goes on by itself."
        )
        letGo(device, until: ["a.txt": "a", "new.txt": "new"])
    }

    /// Merges nothing until a test says otherwise.
    private final class BrokenMerger: DocumentMerger {
        private struct Failure: Error, CustomStringConvertible { let description = "The merger is broken." }

        private let isBroken = Locked(true)

        func mend() { isBroken.withLock { $0 = false } }

        func merge(base: FilePath?, mine: FilePath, theirs: FilePath, to target: FilePath) throws -> Bool {
            if isBroken.withLock({ $0 }) { throw Failure() }
            return try TypeMerger().merge(base: base, mine: mine, theirs: theirs, to: target)
        }
    }

    @Test("What a merger fails with is said to be that, and both are kept")
    func brokenMerger() throws {
        try fill(["a.txt": "one\ntwo\nthree\n"])
        held.stop()
        let count = pair.hub.entryCount
        try one.put("ONE\ntwo\nthree\n", at: "a.txt")
        #expect(one.wait { pair.hub.entryCount == count + 1 && one.status?.isSettled == true })
        try two.put("one\ntwo\nTHREE\n", at: "a.txt")
        let merger = BrokenMerger()
        let device = try HeldDevice(two, merger: merger)
        let explanation = explained("a.txt", by: [.cannotPlace], on: device)
        expect(
            explanation,
            ["What was done to it here and elsewhere cannot be merged: The merger is broken."],
            next: "Both are kept; it is tried again every ten seconds."
        )
        #expect(explanation.change == "both" && two.text("a.txt") == "one\ntwo\nTHREE\n")
        merger.mend()
        letGo(device, until: ["a.txt": "ONE\ntwo\nTHREE\n"])
    }
}
