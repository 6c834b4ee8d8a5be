import DocumentTesting
import FileSystem
import Foundation
import Locks
import SyncMessages
import TestThreads
import Testing

@testable import DeviceSync
@testable import Sync

/// What is so for a moment only, in words: it is asked in the middle of it.
@Suite("Moments, in words", .onOwnThreads, .timeLimit(.minutes(2)))
struct ExplanationMomentsTests {
    private let pair: DevicePair
    private let seen = SeenRun()
    private var one: TestDevice { pair.one }
    private var two: TestDevice { pair.two }

    private static let byItself = "It goes on by itself."

    init() throws { pair = try DevicePair.holding("one\ntwo\nthree\n", as: "a.txt") }

    private var isSeenSettled: Bool { (try? seen.sync { $0.isSettled }) == true }

    /// Has the second device be kept in step where it can be asked at any time.
    private func begin(_ merger: any DocumentMerger = TypeMerger()) throws {
        two.stop()
        try seen.start(two, merger: merger)
    }

    /// Ends when both have a text, and that is what is said.
    private func end(with text: String, _ location: SourceLocation = #_sourceLocation) throws {
        var found: Explanation?
        let isSo = two.wait {
            found = try? seen.explain("a.txt")
            return one.text("a.txt") == text && two.text("a.txt") == text && isSeenSettled
                && found?.chain.map(\.kind) == [.settled]
        }
        #expect(
            isSo,
            "\(one.contents) and \(two.contents): \(String(describing: found))",
            sourceLocation: location
        )
        #expect(found?.next == "Nothing is to be done.", sourceLocation: location)
        seen.stop()
        pair.end()
    }

    private func expect(
        _ explanation: Explanation,
        _ kind: Explanation.Cause.Kind,
        _ text: String,
        _ location: SourceLocation = #_sourceLocation
    ) {
        #expect(explanation.chain.map(\.kind) == [kind], "\(explanation)", sourceLocation: location)
        #expect(explanation.causes == [text], "\(explanation)", sourceLocation: location)
        #expect(explanation.next == Self.byItself && !explanation.isSettled, sourceLocation: location)
    }

    /// Has a test look before anything is merged.
    private struct WatchedMerger: DocumentMerger {
        let look: @Sendable () -> Void

        func merge(base: FilePath?, mine: FilePath, theirs: FilePath, to target: FilePath) throws -> Bool {
            look()
            return try TypeMerger().merge(base: base, mine: mine, theirs: theirs, to: target)
        }
    }

    @Test("What is being merged is said to be")
    func merging() throws {
        two.stop()
        let count = pair.hub.entryCount
        try one.put("ONE\ntwo\nthree\n", at: "a.txt")
        #expect(one.wait { pair.hub.entryCount == count + 1 && one.status?.isSettled == true })
        try two.put("one\ntwo\nTHREE\n", at: "a.txt")
        let found = Locked<Explanation?>(nil)
        let merger = WatchedMerger { [seen] in
            let now = seen.explainNow("a.txt")
            found.withLock { $0 = $0 ?? now }
        }
        try begin(merger)
        #expect(two.wait { found.withLock { $0 != nil } })
        let explanation = try #require(found.withLock { $0 })
        expect(explanation, .merging, "“a.txt” was changed here and elsewhere; the two are being merged.")
        #expect(explanation.change == "both")
        try end(with: "ONE\ntwo\nTHREE\n")
    }

    /// Has a test look just before a file comes into its place.
    private final class Onlooker: SystemCallObserver {
        private let place: String
        private let looking: Locked<(@Sendable () -> Void)?>

        init(at place: String, _ look: @escaping @Sendable () -> Void) {
            self.place = place
            looking = Locked(look)
        }

        func willMake(_ call: SystemCall) -> CInt {
            guard case .rename = call.effect, call.path.string == place else { return 0 }
            let look = looking.withLock { looking in
                defer { looking = nil }
                return looking
            }
            look?()
            return 0
        }

        func didMake(_ call: SystemCall) {}
    }

    @Test("What is being put in place is said to be")
    func placing() throws {
        try begin()
        let found = Locked<Explanation?>(nil)
        let onlooker = Onlooker(at: two.path("a.txt")) { [seen] in
            let now = seen.explainNow("a.txt")
            found.withLock { $0 = now }
        }
        SystemCallObservation.add(onlooker)
        defer { SystemCallObservation.remove(onlooker) }
        try one.put("newer", at: "a.txt")
        #expect(two.wait { found.withLock { $0 != nil } })
        let explanation = try #require(found.withLock { $0 })
        expect(explanation, .placing, "“a.txt” is being made what the hub says.")
        #expect(explanation.change == "elsewhere")
        try end(with: "newer")
    }

    @Test("Where a disk fails nobody says that nothing is there")
    func unreadable() throws {
        try begin()
        #expect(two.wait { isSeenSettled })
        let explanation = try seen.sync { run in
            try two.write("new\n", to: "new.txt")
            try two.breakDisk(.reading)
            defer { two.mendDisk() }
            return run.explain("new.txt")
        }
        #expect(explanation.chain.map(\.kind) == [.cannotRead], "\(explanation)")
        let said = explanation.causes.first
        #expect(
            said?.hasPrefix("It cannot be looked at, so nobody can say whether anything is there: ") == true
        )
        #expect(!explanation.next.isEmpty && !explanation.next.contains("Check the name"), "\(explanation)")
        try end(with: "one\ntwo\nthree\n")
    }

    @Test("What has just happened is said to be looked at soon, also of a name that is new")
    func justChanged() throws {
        try begin()
        let text = "Something has just happened to it, which is about to be looked at."
        #expect(two.wait { isSeenSettled })
        for name in ["a.txt", "new.txt"] {
            let explanation = try seen.sync { run in
                try two.write("one\ntwo\nthree\n", to: name)
                run.heard(.overflow)
                return run.explain(name)
            }
            expect(explanation, .justChanged, text)
            #expect(two.wait { isSeenSettled && one.text(name) == "one\ntwo\nthree\n" })
        }
        try end(with: "one\ntwo\nthree\n")
    }

    @Test("What an engine has not planned yet is said to be looked at soon")
    func due() throws {
        try begin()
        #expect(two.wait { isSeenSettled })
        let explanation = try seen.sync { run in
            let known = run.engine
            defer { run.engine = known }
            let item = try #require(run.item(at: "a.txt"))
            // Nothing is planned before the disk is known.
            run.engine.knowsDisk = false
            _ = run.engine.take(.diskChanged(item, nil))
            return run.explain("a.txt")
        }
        expect(explanation, .due, "“a.txt” is about to be looked at.")
        try end(with: "one\ntwo\nthree\n")
    }

    @Test("What has stopped says why, and what to do")
    func stopped() throws {
        try begin()
        #expect(two.wait { isSeenSettled })
        two.line.cut()
        #expect(two.wait { (try? seen.sync { $0.lineState }) == .down })
        try two.put("newer", at: "a.txt")
        let kinds: [Explanation.Cause.Kind] = [.sending, .offline]
        #expect(two.wait { (try? seen.explain("a.txt"))?.chain.map(\.kind) == kinds })
        let explanation = try seen.sync { run in
            run.fail("a test has ended it.")
            return run.explain("a.txt")
        }
        #expect(explanation.chain.map(\.kind) == kinds, "\(explanation)")
        #expect(explanation.causes.last == "There is no line to the hub: a test has ended it.")
        #expect(explanation.next == "Read what stopped it, then start it again.")
        seen.stop()
        two.line.mend()
        try two.start()
        pair.wait { one.text("a.txt") == "newer" && pair.isSettled }
        pair.end()
    }
}
