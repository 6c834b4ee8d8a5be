import DocumentFoundation
import DocumentTesting
import FileSystem
import Foundation
import SyncMessages
import TestThreads
import Testing
import Vault

@testable import DeviceSync

@Suite("What is about to lose a conflict", .onOwnThreads, .serialized)
struct LosingTests {
    private let pair: DevicePair
    private var one: TestDevice { pair.one }
    private var two: TestDevice { pair.two }

    init() throws { pair = try DevicePair() }

    /// Has both devices have the same, edits it on both apart, and has the second find no room for what has won.
    private func part(until body: (Shortage) throws -> Void) throws {
        try one.write("base", to: "a.bin")
        pair.wait { two.text("a.bin") == "base" && pair.isSettled }
        two.stop()
        let saidCount = one.said.count
        try one.write("theirs", to: "a.bin")
        pair.wait { one.said.dropFirst(saidCount).contains(.settled) }
        try two.write("mine 1", to: "a.bin")
        let shortage = Shortage(at: two.folder.appendingPathComponent(".sheaf-").path)
        SystemCallObservation.add(shortage)
        defer { SystemCallObservation.remove(shortage) }
        try two.start()
        pair.wait { two.status?.stuck["a.bin"] != nil }
        try body(shortage)
    }

    private func expectOneConflict(_ text: String) throws {
        two.tryAgain()
        pair.wait { pair.isSettled && two.text("a.bin") == "theirs" }
        for device in [one, two] {
            #expect(try device.wait { try device.conflicts("a.bin") == [text] }, "\(device.said)")
        }
        #expect(one.text("a.bin") == "theirs")
        pair.end()
    }

    @Test(
        "Who goes on saving while there is no room for what has won has one conflict, not one for each save"
    )
    func savedAgain() throws {
        try part { _ in
            for number in 2...3 {
                let count = failures
                try two.write("mine \(number)", to: "a.bin")
                pair.wait { failures > count }
                #expect(try two.conflicts("a.bin") == [], "nothing has lost yet")
            }
        }
        try expectOneConflict("mine 3")
    }

    private var failures: Int {
        two.said.count { if case .failed(path: "a.bin", why: _) = $0 { true } else { false } }
    }

    @Test("A process that starts again in that state has lost nothing")
    func startedAgain() throws {
        try part { _ in
            two.stop()
            try two.start()
            pair.wait { two.status?.stuck["a.bin"] != nil }
            #expect(two.text("a.bin") == "mine 1")
        }
        try expectOneConflict("mine 1")
    }

    @Test("Who reads a document that is about to lose settles nothing by that")
    func readMeanwhile() throws {
        try one.write("base", to: "a.bin")
        pair.wait { two.text("a.bin") == "base" && pair.isSettled }
        let url = two.folder.appendingPathComponent("a.bin")
        let mark = try #require(try FileIdentity.mark(at: FilePath(url.path)))
        two.stop()
        try one.write("theirs", to: "a.bin")
        pair.wait { one.running?.isInStepNow == true }
        try two.write("mine", to: "a.bin")
        let versions = two.versions
        // As documents do with what is kept in conflict and is what they have read.
        let user = ItemUser(of: "a.bin", on: two) { try versions.settleConflictsWithItself(at: $0) }
        try two.start()
        pair.wait { (try? versions.unsettled(of: mark, at: url).count) == 1 }
        user.end()
        pair.wait { two.text("a.bin") == "theirs" && pair.isSettled && two.running?.isInStepNow == true }
        for device in [one, two] {
            #expect(try device.wait { try device.conflicts("a.bin") == ["mine"] }, "\(device.said)")
        }
        pair.wait { pair.isSettled }
        #expect(try one.conflicts("a.bin") == ["mine"] && two.conflicts("a.bin") == ["mine"])
        pair.end()
    }
}
