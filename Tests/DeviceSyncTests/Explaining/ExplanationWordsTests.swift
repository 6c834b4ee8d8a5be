import DocumentFoundation
import DocumentTesting
import FileSystem
import Foundation
import StandardStreams
import SyncMessages
import TestThreads
import Testing

@testable import DeviceSync

/// Why documents are as they are, word for word, with what comes next.
@Suite("Explanations, word for word", .onOwnThreads, .timeLimit(.minutes(2)))
struct ExplanationWordsTests {
    private let pair: DevicePair
    private var one: TestDevice { pair.one }
    private var two: TestDevice { pair.two }

    private static let same = "It is the same here and at the hub."
    private static let noLine = "There is no line to the hub: the line is cut"
    private static let checkNetwork = "Check the network and the hub; it goes on by itself."
    private static let makeReadable = "Make it readable; it is tried again by itself."
    private static let lookInside = "Look into the folder: each item in it says why it is as it is."

    init() throws { pair = try DevicePair() }

    private func fill(_ texts: [String: String]) throws {
        for (name, text) in texts { try one.write(text, to: name) }
        pair.wait { two.contents == one.contents && pair.isSettled }
    }

    /// Waits until an item is explained by causes of some kinds.
    ///
    /// - Parameter device: Where; nil for the second.
    private func explained(
        _ name: String,
        by kinds: [Explanation.Cause.Kind],
        on device: TestDevice? = nil,
        _ location: SourceLocation = #_sourceLocation
    ) throws -> Explanation {
        let device = device ?? two
        var found: Explanation?
        pair.wait(location) {
            found = device.explanation(name)
            return found?.chain.map(\.kind) == kinds
        }
        let explanation = try #require(found, sourceLocation: location)
        #expect(explanation.chain.map(\.kind) == kinds, "\(explanation)", sourceLocation: location)
        return explanation
    }

    private func expect(
        _ explanation: Explanation,
        _ causes: [String],
        next: String,
        _ location: SourceLocation = #_sourceLocation
    ) {
        #expect(explanation.causes == causes, "\(explanation)", sourceLocation: location)
        #expect(explanation.next == next, "\(explanation)", sourceLocation: location)
    }

    /// Has a folder be explained by what is in it.
    ///
    /// - Parameter isSettled: Whether all in it is in step.
    private func expectInside(
        _ folder: String,
        _ text: String,
        isSettled: Bool = true,
        _ location: SourceLocation = #_sourceLocation
    ) throws {
        let explanation = try explained(folder, by: [.settled, .inside], location)
        let own = isSettled ? Self.same : "The folder itself is the same here and at the hub."
        expect(explanation, [own, text], next: Self.lookInside, location)
        #expect(explanation.isSettled == isSettled, sourceLocation: location)
    }

    /// Waits until all is in step, and is said to be.
    private func settle(_ names: String..., location: SourceLocation = #_sourceLocation) throws {
        pair.wait(location) { two.contents == one.contents && pair.isSettled }
        for name in names {
            let explanation = try explained(name, by: [.settled], location)
            expect(explanation, [Self.same], next: "Nothing is to be done.", location)
        }
        pair.end()
    }

    @Test("A name that nothing has is said to be nobody's; what is in a package is as that is")
    func names() throws {
        try fill(["p.rtfd/TXT.rtf": "text"])
        for name in ["nothing.txt", "p.rtfd/nothing.txt", "nowhere/nothing.txt"] {
            let explanation = try explained(name, by: [.absent])
            expect(explanation, ["Nothing of this name is here or at the hub."], next: "Check the name.")
            #expect(!explanation.isSettled && explanation.path == name)
        }
        #expect(try explained("p.rtfd/TXT.rtf", by: [.settled]).path == "p.rtfd")
        try settle("p.rtfd")
    }

    @Test("What has left the device says where it is, and once it is wanted how far it has come, or why not")
    func evicted() throws {
        try fill(["folder/a.txt": "longer text"])
        let running = try #require(two.running)
        try running.evict("folder/a.txt")
        pair.wait { two.said.contains(.freed) }
        let place = two.path("folder/a.txt")
        expect(
            try explained("folder/a.txt", by: [.settled, .evicted]),
            [Self.same, "Its contents are at the hub and not on this device."],
            next: "Nothing has to be done. To have them here: sheaf download \(place.shellWord)"
        )
        try expectInside("folder", "The contents of items in it are at the hub and not on this device.")
        two.line.slowDown(to: 3600)
        _ = try running.download("folder/a.txt", done: nil)
        expect(
            try explained("folder/a.txt", by: [.settled, .getting]),
            [Self.same, "Its contents are being got from the hub: 0 of 11 bytes."],
            next: "It goes on by itself."
        )
        try expectInside("folder", "The contents of items in it are being got from the hub.")
        two.line.slowDown(to: 0)
        two.line.cut()
        expect(
            try explained("folder/a.txt", by: [.settled, .cannotGet]),
            [Self.same, "Its contents are wanted here, and cannot be had: \(Self.noLine)"],
            next: Self.checkNetwork
        )
        two.line.mend()
        try settle("folder/a.txt", "folder")
    }

    @Test("Versions that lost a conflict are counted, and it is said where to choose")
    func conflicts() throws {
        try fill(["folder/a.bin": "first"])
        let said = [
            "Another version of it lost a conflict that nobody has settled.",
            "2 other versions of it lost conflicts that nobody has settled.",
        ]
        for (round, text) in said.enumerated() {
            two.line.cut()
            pair.wait { two.status?.line == .down }
            let count = pair.hub.entryCount
            try one.put("one's \(round)", at: "folder/a.bin")
            try two.put("two's \(round)", at: "folder/a.bin")
            pair.wait {
                pair.hub.entryCount == count + 1 && two.explanation("folder/a.bin")?.change == "here"
            }
            two.line.mend()
            for device in [one, two] {
                pair.wait { device.explanation("folder/a.bin")?.causes == [Self.same, text] }
            }
            pair.wait { pair.isSettled }
        }
        let url = two.folder.appendingPathComponent("folder/a.bin")
        expect(
            try explained("folder/a.bin", by: [.settled, .conflict]),
            [Self.same, said[1]],
            next: "Open it and choose, or see: sheaf versions \(url.path.shellWord)"
        )
        try expectInside("folder", "Other versions of items in it lost conflicts that nobody has settled.")
        try two.versions.settle(try two.versions.unresolvedConflicts(at: url))
        try settle("folder/a.bin", "folder")
    }

    @Test("What is paused says so in step and out of it, since when and by whom, and how it is resumed")
    func paused() throws {
        try fill(["a.txt": "a"])
        let running = try #require(two.running)
        let place = two.path("a.txt")
        try running.pause("a.txt", by: "a test")
        let settled = try explained("a.txt", by: [.settled, .paused])
        #expect(settled.causes.last?.hasPrefix("It is paused since 20") == true, "\(settled)")
        let waits = " by a test. What is done to it from now on waits."
        #expect(settled.causes.last?.hasSuffix(waits) == true, "\(settled)")
        #expect(settled.next == "To resume it: sheaf resume \(place.shellWord)" && settled.isSettled)
        try expectInside("", "Items in it are paused.")
        try two.put("edited", at: "a.txt")
        let waiting = try explained("a.txt", by: [.paused])
        #expect(waiting.causes.first?.hasPrefix("“a.txt” is paused since 20") == true, "\(waiting)")
        #expect(waiting.causes.first?.hasSuffix(" by a test: what was done to it waits.") == true)
        #expect(waiting.next == "Resume it: sheaf resume \(place.shellWord)" && !waiting.isSettled)
        #expect(settled.chain.last?.sinceSeconds == waiting.chain.last?.sinceSeconds)
        // What was done to it waits, and hides behind the pause.
        try expectInside("", "Items in it are paused.", isSettled: false)
        try running.resume("a.txt", .preserveLocal) { _ in }
        pair.wait { one.text("a.txt") == "edited" }
        try settle("a.txt")
    }

    @Test("What is done without a line is said to wait for that, also of the folders that it is in")
    func offline() throws {
        try fill(["folder/a.txt": "a", "c.txt": "c"])
        two.line.cut()
        pair.wait { two.status?.line == .down }
        // Of what is in step as far as is known, it is said how far that is.
        let known = try explained("c.txt", by: [.settled])
        #expect(
            known.isSettled
                && known.notes == [
                    "That is so as far as was known when the hub answered last. There is no line to it: the line is cut"
                ],
            "\(known)"
        )
        try FileManager.default.moveItem(
            atPath: two.path("folder/a.txt"),
            toPath: two.path("folder/b.txt")
        )
        expect(
            try explained("folder/b.txt", by: [.committing, .offline]),
            ["“folder/b.txt” was changed here; the hub is to hear of it.", Self.noLine],
            next: Self.checkNetwork
        )
        for folder in ["folder", ""] {
            try expectInside(
                folder,
                "Items in it are not the same here and at the hub yet.",
                isSettled: false
            )
        }
        two.line.mend()
        pair.wait { one.text("folder/b.txt") == "a" }
        try settle("folder/b.txt", "folder", "", "c.txt")
    }

    @Test("What a full hub does not take says so, and what helps")
    func full() throws {
        try fill(["folder/a.txt": "a"])
        pair.hub.limit(toByteCount: 0)
        try two.put("longer", at: "folder/b.txt")
        let why = "The account may keep no more bytes on this hub. Remove documents."
        let next = """
            Have whoever runs the hub give a larger quota; then it goes on by itself. What is removed leaves room only when the hub has \
            kept it for its time, 30 days mostly.
            """
        expect(
            try explained("folder/b.txt", by: [.hubFull]),
            ["“folder/b.txt” was changed here; its contents cannot be sent: \(why)"],
            next: next
        )
        try expectInside("folder", "Something in it cannot be kept in step.", isSettled: false)
        pair.hub.limit(toByteCount: .max)
        // It is asked less often than others are.
        for _ in 0..<6 { two.tryAgain() }
        pair.wait { one.text("folder/b.txt") == "longer" }
        try settle("folder/b.txt", "folder")
    }

    @Test("What the hub has lost that left the device says who is to send it")
    func lost() throws {
        try fill(["b.txt": "b"])
        let backup = pair.hub.backup()
        try one.write("longer text", to: "a.txt")
        pair.wait { two.text("a.txt") == "longer text" && pair.isSettled }
        try #require(two.running).evict("a.txt")
        pair.wait { two.said.contains(.freed) }
        one.stop()
        pair.hub.restore(backup)
        let text = """
            “a.txt” is without its contents here, and the hub has them no more: a device that has them is to send them.
            """
        expect(
            try explained("a.txt", by: [.contentsLost]),
            [text],
            next: "Have a device that has them be kept in step; then it goes on by itself."
        )
        try one.start()
        _ = try explained("a.txt", by: [.settled, .evicted])
        pair.wait { pair.isSettled }
        #expect(one.text("a.txt") == "longer text")
        pair.end()
    }

    @Test("Parts of a large change say so where it was made and where it comes, and what a person is to say")
    func braked() throws {
        try fill(Dictionary(uniqueKeysWithValues: (0..<30).map { ("\($0).txt", "text \($0)") }))
        // One change, however long it takes: nothing of it is done before all of it is there.
        one.goOffline()
        for number in 5..<30 { try FileManager.default.removeItem(atPath: one.path("\(number).txt")) }
        #expect(one.wait { one.status?.brakes.first?.waitingCount == 25 })
        one.goOnline()
        #expect(one.wait { one.status?.line == .up && one.status?.brakes.first?.waitingCount == 25 })
        expect(
            try explained("9.txt", by: [.braked], on: one),
            ["“9.txt” is part of so large a change here that somebody is to say whether it is meant."],
            next: "Say which: sheaf decide \(one.folder.path.shellWord) --go-on, or --put-back."
        )
        #expect(one.decide(goesOn: true))
        #expect(two.wait { two.status?.brakes.first?.isLeaving == false })
        expect(
            try explained("9.txt", by: [.braked]),
            ["“9.txt” is part of so large a change elsewhere that somebody is to say whether it is meant."],
            next: "Say which: sheaf decide \(two.folder.path.shellWord) --go-on, or --put-back."
        )
        #expect(two.decide(goesOn: true))
        pair.wait { two.contents.count == 5 }
        try settle("4.txt")
    }

    @Test("How much of contents has come is said in the unit that all of it has")
    func amounts() {
        let none: ItemSyncState.Share? = nil
        #expect(none.text == "")
        let amounts: [(done: UInt64, total: UInt64, text: String)] = [
            (0, 0, ""), (1, 999, ": 1 of 999 bytes"), (500, 1_000, ": 0.5 of 1.0 kB"),
            (1_500_000, 2_000_000, ": 1.5 of 2.0 MB"), (3_000_000, 3_000_000_000, ": 0.0 of 3.0 GB"),
        ]
        for (done, total, text) in amounts {
            var share: ItemSyncState.Share? = ItemSyncState.Share(done, of: total)
            #expect(share.text == text)
            share?.objects = ItemSyncState.ObjectCount(1, of: 3)
            #expect(share.text == (text.isEmpty ? "" : text + ", 1 of 3 objects"))
        }
        pair.end()
    }

    // MARK: On the device's own disk

    /// A disk that lets nobody do some things at one place.
    private final class Forbidden: SystemCallObserver {
        private let place: String
        private let isMeant: @Sendable (SystemCall) -> Bool

        init(at place: String, _ isMeant: @escaping @Sendable (SystemCall) -> Bool) {
            (self.place, self.isMeant) = (place, isMeant)
        }

        func willMake(_ call: SystemCall) -> CInt {
            call.path.string == place && isMeant(call) ? EACCES : 0
        }

        func didMake(_ call: SystemCall) {}
    }

    @Test("A folder that nobody may list says so of all in it, known or not")
    func unlisted() throws {
        try fill(["album/a.txt": "a"])
        let disk = Forbidden(at: two.path("album")) { $0.name == "openat" }
        SystemCallObservation.add(disk)
        defer { SystemCallObservation.remove(disk) }
        try two.write("b", to: "album/b.txt")
        let text = "“album” cannot be looked at, so nobody can say what is in it: "
        for name in ["album", "album/a.txt", "album/b.txt"] {
            let explanation = try explained(name, by: [.cannotRead])
            #expect(explanation.causes.first?.hasPrefix(text) == true, "\(explanation)")
            #expect(explanation.next == Self.makeReadable && !explanation.isSettled, "\(explanation)")
        }
        SystemCallObservation.remove(disk)
        two.tryAgain()
        pair.wait { one.text("album/b.txt") == "b" }
        try settle("album/b.txt", "album")
    }

    @Test("A document that nobody may read says so")
    func unreadable() throws {
        try fill(["a.txt": "a"])
        let disk = Forbidden(at: two.path("a.txt")) { $0.name == "openat" }
        SystemCallObservation.add(disk)
        defer { SystemCallObservation.remove(disk) }
        try two.write("longer", to: "a.txt")
        let explanation = try explained("a.txt", by: [.cannotRead])
        #expect(explanation.causes.first?.hasPrefix("It cannot be read: ") == true, "\(explanation)")
        #expect(explanation.next == Self.makeReadable && !explanation.isSettled)
        SystemCallObservation.remove(disk)
        two.tryAgain()
        pair.wait { one.text("a.txt") == "longer" }
        try settle("a.txt")
    }

    @Test("A document that cannot come into its place says so")
    func unplaceable() throws {
        try fill(["b.txt": "b"])
        let disk = Forbidden(at: two.path("a.txt")) { $0.effect.isMutating }
        SystemCallObservation.add(disk)
        defer { SystemCallObservation.remove(disk) }
        try one.put("a", at: "a.txt")
        let explanation = try explained("a.txt", by: [.cannotPlace])
        #expect(explanation.causes.first?.hasPrefix("It cannot be put in place: ") == true, "\(explanation)")
        #expect(explanation.next == "Remove what is in the way; it is tried again every ten seconds.")
        #expect(!explanation.isSettled && explanation.change == "elsewhere")
        SystemCallObservation.remove(disk)
        two.tryAgain()
        pair.wait { two.text("a.txt") == "a" }
        try settle("a.txt")
    }

    @Test("What may have been moved to where nobody can look says that, and is not said to be looked at soon")
    func missing() throws {
        try fill(["album/a.txt": "a", "moved.txt": "moved"])
        let disk = Forbidden(at: two.path("album")) { $0.name == "openat" }
        SystemCallObservation.add(disk)
        defer { SystemCallObservation.remove(disk) }
        try two.write("b", to: "album/b.txt")
        pair.wait { two.status?.stuck["album"] != nil }
        try FileManager.default.moveItem(atPath: two.path("moved.txt"), toPath: two.path("album/moved.txt"))
        let explanation = try explained("moved.txt", by: [.cannotRead])
        let text = "It is not where it was, and may be in “album”, which cannot be looked at: "
        #expect(explanation.causes.first?.hasPrefix(text) == true, "\(explanation)")
        #expect(explanation.next == Self.makeReadable && !explanation.isSettled, "\(explanation)")
        // Edited elsewhere it cannot be made that either.
        let count = pair.hub.entryCount
        try one.put("edited", at: "moved.txt")
        pair.wait {
            pair.hub.entryCount == count + 1 && two.running?.logPosition == UInt64(count + 1)
        }
        let edited = try explained("moved.txt", by: [.cannotRead])
        #expect(edited.causes == explanation.causes && edited.change == "elsewhere", "\(edited)")
        SystemCallObservation.remove(disk)
        two.tryAgain()
        pair.wait { one.text("album/moved.txt") == "edited" }
        try settle("album/moved.txt", "album")
    }

    @Test("What is excluded from sync says so, whether it was ever in step or not")
    func excluded() throws {
        try fill(["cache/a.txt": "a"])
        let folder = FilePath(two.path("cache"))
        try SyncExclusion.set(true, folder)
        try two.write("own", to: "cache/b.txt")
        for name in ["cache", "cache/a.txt", "cache/b.txt"] {
            let explanation = try explained(name, by: [.leftOut])
            expect(
                explanation,
                ["It is excluded from sync on this device: nothing of it goes or comes."],
                next: "End its exclusion; then it is kept in step."
            )
            #expect(!explanation.isSettled)
        }
        try SyncExclusion.set(false, folder)
        pair.wait { one.text("cache/b.txt") == "own" }
        try settle("cache", "cache/a.txt", "cache/b.txt")
    }
}
