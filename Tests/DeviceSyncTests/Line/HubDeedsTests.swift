import DocumentTesting
import Foundation
import HubProtocol
import SyncMessages
import TestThreads
import Testing

@testable import DeviceSync

/// A hub that is not to be trusted, between devices that have something to lose: what it does is noticed, named, and comes into
/// nobody's folder.
@Suite("What a hub does with a log", .onOwnThreads, .timeLimit(.minutes(2)))
struct HubDeedsTests {
    private let pair: DevicePair
    private var hub: HubInMemory { pair.hub }
    private var one: TestDevice { pair.one }
    private var two: TestDevice { pair.two }

    init() throws { pair = try .holding("first", as: "a.txt") }

    /// Has the first device do something, of which the second hears only what the hub makes of it.
    private func behind(_ body: () throws -> Void, _ lie: (inout [LogRecord]) -> Void) throws {
        two.line.cut()
        pair.wait { two.status?.line == .down }
        try body()
        pair.wait { one.running?.isInStepNow == true }
        one.stop()
        try hub.rewriteLog(lie)
        two.line.mend()
    }

    private func openDeed(_ device: TestDevice) -> HubDeed? {
        device.status?.hubDeeds?.last { $0.putRightSeconds == nil }
    }

    /// Expects that the second device has stopped over something, says so everywhere, and has in its folder what it had.
    private func expectStop(
        _ kind: HubDeed.Kind,
        entry: UInt64,
        _ words: String,
        _ location: SourceLocation = #_sourceLocation
    ) throws {
        let isSo = two.wait { two.status?.line == .stopped }
        let status = try #require(two.status, sourceLocation: location)
        #expect(isSo, "\(two.said)", sourceLocation: location)
        let deed = try #require(openDeed(two), "\(status)", sourceLocation: location)
        #expect(deed.kind == kind && deed.entry == entry && deed.path == nil, sourceLocation: location)
        #expect(deed.text.contains(words), "\(deed.text)", sourceLocation: location)
        #expect(status.lineFailure?.contains(words) == true, sourceLocation: location)
        #expect(deed.next.contains("backup"), sourceLocation: location)
        #expect(two.contents == ["a.txt": "first"], sourceLocation: location)
        // Nobody looks any more: neither what was in step nor what is new is said to be known.
        try two.write("edited", to: "a.txt")
        try two.write("own", to: "own.txt")
        for name in ["a.txt", "own.txt", ""] {
            let explanation = try #require(two.explanation(name), sourceLocation: location)
            #expect(!explanation.isSettled, "\(explanation)", sourceLocation: location)
            #expect(explanation.chain.map(\.kind) == [.offline], "\(explanation)", sourceLocation: location)
            let isSaid = explanation.causes.first?.contains(words) == true
            #expect(isSaid, "\(explanation)", sourceLocation: location)
            #expect(explanation.next == deed.next, "\(explanation)", sourceLocation: location)
            let since = explanation.chain.first?.sinceSeconds
            #expect(since == deed.sinceSeconds, "\(explanation)", sourceLocation: location)
        }
        #expect(two.explanation("a.txt")?.hubDeed == deed, sourceLocation: location)
        #expect(two.explanation("none.txt")?.chain.first?.kind == .absent, sourceLocation: location)
        // What was done here waits, is explained, and is there.
        try two.write("first", to: "a.txt")
        two.stop()
        try two.start()
        #expect(two.wait { two.status?.line == .stopped && two.status?.itemCount == 2 })
        let waiting = try #require(two.explanation("own.txt"), sourceLocation: location)
        #expect(waiting.causes.last?.contains(words) == true, "\(waiting)", sourceLocation: location)
        #expect(waiting.next == deed.next && waiting.hubDeed?.kind == kind, sourceLocation: location)
        #expect(two.running?.item("own.txt")?.uploadFailure?.hubDeed == kind, sourceLocation: location)
        #expect(two.contents == ["a.txt": "first", "own.txt": "own"], sourceLocation: location)
        pair.end()
    }

    private func position(of count: Int = 0) -> UInt64 { UInt64(hub.entryCount - count) }

    @Test("Altered: an entry that no device has committed")
    func altered() throws {
        try behind {
            try one.write("second", to: "a.txt")
        } _: {
            $0[$0.count - 1].record[80] ^= 1
        }
        let text = "Entry \(position()) of the hub's log is not what a device of this folder's commits"
        try expectStop(.altered, entry: position(), text)
    }

    @Test("Exchanged: an entry that holds another one's record")
    func exchanged() throws {
        try behind {
            try one.write("b", to: "b.txt")
            pair.wait { one.running?.isInStepNow == true }
            try one.write("c", to: "c.txt")
        } _: { entries in
            let last = entries.count - 1
            let record = entries[last].record
            entries[last].record = entries[last - 1].record
            entries[last - 1].record = record
        }
        let former = position(of: 1)
        try expectStop(
            .exchanged,
            entry: former,
            "entry \(former) holds what a device has committed as entry \(position())"
        )
    }

    @Test("Replayed: an old entry, put in again", arguments: [true, false])
    func replayed(isRebased: Bool) throws {
        try behind {
            try one.write("second", to: "a.txt")
        } _: { entries in
            // The first state of the document, which the device has read, in the place of the second.
            var old = entries[entries.count - 2]
            if isRebased { old.base = entries[entries.count - 1].base }
            entries[entries.count - 1] = old
        }
        try expectStop(.replayed, entry: position(), "an old entry again, as entry \(position())")
    }

    @Test("Left out: an entry on which the next was made")
    func leftOut() throws {
        try behind {
            try one.write("second", to: "a.txt")
            pair.wait { one.running?.isInStepNow == true }
            try one.write("third", to: "a.txt")
        } _: {
            $0.remove(at: $0.count - 2)
        }
        try expectStop(
            .leftOut,
            entry: position(of: 1),
            "leaves out what comes after entry \(position(of: 1))"
        )
    }

    @Test("Forked: another log than before is named, is one again, and nothing is lost")
    func forked() throws {
        let before = hub.backup()
        two.line.cut()
        pair.wait { two.status?.line == .down }
        try one.write("b", to: "b.txt")
        pair.wait { one.running?.isInStepNow == true }
        let there = hub.backup()
        one.line.cut()
        pair.wait { one.status?.line == .down }
        // The other one is shown a log without that, and goes on in it.
        hub.restore(before)
        two.line.mend()
        try two.write("c", to: "c.txt")
        pair.wait { two.running?.isInStepNow == true }
        let fork = position(of: 1)
        // A request that waits for what comes next would only be answered then.
        two.line.cut()
        pair.wait { two.status?.line == .down }
        hub.restore(there)
        two.line.mend()
        one.line.mend()
        let all = ["a.txt": "first", "b.txt": "b", "c.txt": "c"]
        pair.wait { one.contents == all && two.contents == all && pair.isSettled }
        let deed = try #require(two.status?.hubDeeds?.last)
        #expect(deed.kind == .forked && deed.entry == fork, "\(deed)")
        #expect(deed.text.contains("another log than it showed before, from after entry \(fork)"))
        #expect(deed.next.contains("compare sheaf status on all devices"))
        #expect(deed.putRightSeconds != nil)
        #expect(
            two.said.contains {
                if case .failed("the hub's log", let why) = $0 { why == deed.text } else { false }
            }
        )
        pair.end()
    }

    @Test("Forked: who reads what an author has made of another log says so, and goes on")
    func otherLog() throws {
        let before = hub.backup()
        one.line.cut()
        pair.wait { one.status?.line == .down }
        try two.write("b", to: "b.txt")
        pair.wait { two.running?.isInStepNow == true }
        // The second device commits this having read of "b.txt", which the first is not shown.
        try two.write("c", to: "c.txt")
        pair.wait { two.running?.isInStepNow == true }
        let theirs = hub.backup()
        two.stop()
        var entry: LogRecord?
        try hub.rewriteLog { entry = $0.last }
        hub.restore(before)
        one.line.mend()
        try one.write("d", to: "d.txt")
        pair.wait { one.running?.isInStepNow == true }
        hub.rewriteBlobs { blobs in blobs.merge(theirs.blobs) { own, _ in own } }
        let lie = try #require(entry)
        try hub.rewriteLog { $0.append(lie) }
        pair.wait { one.text("c.txt") == "c" && one.status?.isSettled == true }
        let deed = try #require(openDeed(one))
        #expect(deed.kind == .forked && deed.entry == position())
        #expect(deed.text.contains("entry \(position()) had read another log"))
        #expect(one.contents == ["a.txt": "first", "c.txt": "c", "d.txt": "d"])
        pair.end()
    }

    @Test("Rolled back: it is said since when, to where, and that it is put right; also by the next process")
    func rolledBack() throws {
        let before = hub.backup()
        let entry = position()
        try one.write("second", to: "a.txt")
        pair.wait { two.text("a.txt") == "second" && pair.isSettled }
        two.stop()
        let begun = Date().timeIntervalSince1970
        hub.restore(before)
        pair.wait { position() > entry && one.running?.isInStepNow == true }
        let deed = try #require(one.status?.hubDeeds?.last)
        #expect(deed.kind == .rolledBack && deed.entry == entry)
        #expect(deed.text.contains("was put back to entry \(entry)"))
        #expect(deed.sinceSeconds >= begun && deed.putRightSeconds.map { $0 >= deed.sinceSeconds } == true)
        #expect(one.said.contains(.hubPutBack(from: entry + 1, to: entry)))
        try two.start()
        pair.wait { pair.isSettled && two.contents == ["a.txt": "second"] && one.contents == two.contents }
        one.stop()
        try one.start()
        pair.wait { one.running?.isInStepNow == true }
        #expect(one.status?.hubDeeds == [deed])
        pair.end()
    }

    @Test("A log that is as it should be again is read on, and what it was is said to be put right")
    func mended() throws {
        var honest: HubInMemory.Backup?
        let count = hub.entryCount
        try behind {
            try one.write("second", to: "a.txt")
            pair.wait { one.running?.isInStepNow == true && hub.entryCount == count + 1 }
            honest = hub.backup()
        } _: {
            $0[$0.count - 1].record[80] ^= 1
        }
        #expect(two.wait { two.status?.line == .stopped })
        hub.restore(try #require(honest))
        two.stop()
        try two.start()
        #expect(two.wait { two.status?.isSettled == true && two.text("a.txt") == "second" })
        let deeds = try #require(two.status?.hubDeeds)
        #expect(deeds.map(\.kind) == [.altered] && deeds.allSatisfy { $0.putRightSeconds != nil })
        #expect(two.explanation("a.txt")?.hubDeed == nil)
        pair.end()
    }

    @Test("A process that tells of no deeds, and one that knows nothing of them, are understood")
    func otherVersions() throws {
        var status = SyncStatus(
            line: .up,
            lineFailure: nil,
            itemCount: 1,
            unsettledCount: 0,
            isSettled: true,
            stuck: [:]
        )
        var object = try #require(
            JSONSerialization.jsonObject(with: try JSONEncoder().encode(status)) as? [String: Any]
        )
        #expect(object["hubDeeds"] == nil)
        #expect(
            try JSONDecoder().decode(SyncStatus.self, from: JSONSerialization.data(withJSONObject: object))
                == status
        )
        status.hubDeeds = [HubDeed(.forked, entry: 3, sinceSeconds: 1, text: "t", next: "n")]
        object = try #require(
            JSONSerialization.jsonObject(with: try JSONEncoder().encode(status)) as? [String: Any]
        )
        #expect((object["hubDeeds"] as? [[String: Any]])?.first?["kind"] as? String == "forked")
        pair.end()
    }
}
