import DocumentFoundation
import DocumentTesting
import Foundation
import SyncMessages
import TestThreads
import Testing

@testable import DeviceSync

/// What may last for weeks has a device do nothing: it is told when that is over.
@Suite("Looking again", .onOwnThreads, .timeLimit(.minutes(3)))
struct LookingAgainTests {
    private let pair: DevicePair
    private var one: TestDevice { pair.one }
    private var two: TestDevice { pair.two }

    init() throws { pair = try DevicePair() }

    /// Has both edit a document that they have, while there is no line.
    private func makeConflict() throws {
        two.line.cut()
        pair.wait { two.status?.line == .down }
        try one.write("theirs", to: "a.bin")
        pair.wait { one.running?.isInStepNow == true }
        try two.write("mine", to: "a.bin")
        two.line.mend()
        pair.wait { (try? two.conflicts("a.bin"))?.count == 1 && (try? one.conflicts("a.bin"))?.count == 1 }
    }

    /// Has both be at rest with a document of which they have made a conflict.
    private func makeOnlyConflict() throws {
        try one.write("first", to: "a.bin")
        pair.wait { two.text("a.bin") == "first" && pair.isSettled }
        try makeConflict()
        pair.wait { pair.isSettled }
    }

    /// Has somebody settle it on the second device.
    private func settleConflict() throws {
        let url = two.folder.appendingPathComponent("a.bin")
        try two.versions.settle(try two.versions.unresolvedConflicts(at: url))
    }

    @Test("With a conflict, something paused or not here no look is due, and each goes on when that is over")
    func told() throws {
        for name in ["a.bin", "evicted.txt", "paused.txt"] { try one.write("first \(name)", to: name) }
        pair.wait { two.contents.count == 3 && pair.isSettled }
        let running = try #require(two.running)
        try running.evict("evicted.txt")
        try running.pause("paused.txt", by: "a test")
        try one.write("second", to: "paused.txt")
        try makeConflict()
        pair.wait { !running.isRetryDue }
        let status = try #require(two.status)
        #expect(!status.isSettled && status.line == .up, "\(status)")
        #expect(two.text("paused.txt") == "first paused.txt" && two.text("evicted.txt") == nil)

        try settleConflict()
        pair.wait { (try? one.conflicts("a.bin")) == [] }
        try running.resume("paused.txt", .preserveLocal) { outcome in
            if case .failure(let refusal) = outcome { Issue.record(refusal) }
        }
        pair.wait { two.text("paused.txt") == "second" && pair.isSettled }
        _ = try running.download("evicted.txt", done: nil)
        pair.wait { two.text("evicted.txt") == "first evicted.txt" }
        pair.wait { !running.isRetryDue }
        pair.end()
    }

    @Test("That a conflict is settled is told, though the disk does not let it be written down at first")
    func settledUnwritten() throws {
        try makeOnlyConflict()
        let failureCount = { two.said.count { if case .failed = $0 { true } else { false } } }
        let before = failureCount()
        try two.breakDisk(.writing, at: two.memoryFolder)
        try settleConflict()
        pair.wait { failureCount() > before }
        #expect(try one.conflicts("a.bin").count == 1)
        two.mendDisk()
        pair.wait { (try? one.conflicts("a.bin")) == [] && pair.isSettled }
        #expect(try two.conflicts("a.bin") == [])
        pair.end()
    }

    @Test("A conflict that is settled while nobody keeps the folder in step is told by who begins to")
    func settledMeanwhile() throws {
        try makeOnlyConflict()
        two.stop()
        try settleConflict()
        let seen = SeenRun()
        try seen.start(two)
        // As soon as it has begun, and not with the first retry.
        #expect(try seen.sync { $0.conflicts.shown.isEmpty })
        pair.wait { (try? one.conflicts("a.bin")) == [] }
        seen.stop()
        pair.end()
    }

    @Test("What the disk refuses is tried again for as long as it does")
    func refused() throws {
        try two.fillDisk()
        try one.write("text", to: "a.txt")
        let running = try #require(two.running)
        pair.wait { two.status?.stuck.isEmpty == false }
        // For a while one is due after whatever has happened: that of the refusal has to be over.
        let failureCount = {
            two.said.count { report in
                if case .failed = report { true } else { false }
            }
        }
        let before = failureCount()
        pair.wait { failureCount() > before }
        #expect(running.isRetryDue)
        two.freeDisk()
        pair.wait { two.text("a.txt") == "text" && pair.isSettled }
        pair.end()
    }
}
