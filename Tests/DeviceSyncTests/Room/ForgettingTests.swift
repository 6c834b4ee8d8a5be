import DocumentTesting
import FileSystem
import Foundation
import Sync
import SyncMessages
import TestThreads
import Testing

@testable import DeviceSync

/// What goes of a vault when contents leave a device, and what stays since others need it.
@Suite("Forgetting", .onOwnThreads, .timeLimit(.minutes(2)))
struct ForgettingTests {
    private let pair: DevicePair
    private var one: TestDevice { pair.one }
    private var two: TestDevice { pair.two }
    private let text = (0..<20_000).map { "\($0)\n" }.joined()

    init() throws { pair = try DevicePair() }

    /// Has both devices have something.
    private func share(_ text: String, _ name: String) throws {
        try one.write(text, to: name)
        pair.wait { two.text(name) == text && pair.isSettled }
    }

    /// Evicts something on the second device, and waits until what may go has gone.
    private func evict(_ name: String) throws {
        let freedCount = two.said.count { $0 == .freed }
        try #require(two.running).evict(name)
        pair.wait { two.said.count { $0 == .freed } > freedCount }
    }

    /// Has both edit what they have, which the second has to have whole for that: it is what both sides come from.
    private func mergeOnBoth(_ name: String, _ text: String) throws {
        two.line.cut()
        pair.wait { two.status?.line == .down }
        try one.write("one\n" + text, to: name)
        try two.write(text + "two\n", to: name)
        pair.wait { one.running?.isInStepNow == true }
        two.line.mend()
        pair.wait { one.text(name) == "one\n" + text + "two\n" && two.text(name) == one.text(name) }
        pair.wait { pair.isSettled }
        #expect(two.status?.stuck.isEmpty == true)
    }

    private func vaultByteCount() throws -> Int64 {
        let summary = try FolderScan.summary(of: two.memory.appending("vault/packs"), memberCountMax: 10_000)
        return Int64(try #require(summary).byteCount)
    }

    @Test(
        "What is evicted takes nothing from an item with the same contents, and what nobody has any more is free",
        arguments: [("a.txt", "b.txt"), ("b.txt", "a.txt")]
    )
    func shared(evicted: String, other: String) throws {
        let text = (0..<20_000).map { "\($0)\n" }.joined()
        for name in [evicted, other] { try one.write(text, to: name) }
        pair.wait { two.text(evicted) == text && two.text(other) == text && pair.isSettled }
        let running = try #require(two.running)
        try running.evict(evicted)
        pair.wait { two.said.contains(.freed) }
        try mergeOnBoth(other, text)
        #expect(two.text(evicted) == nil)
        _ = try running.download(evicted, done: nil)
        pair.wait { two.text(evicted) == text }
        pair.end()
    }

    @Test("What an item was before stays for as long as a copy of that is here")
    func formerContents() throws {
        try share(text, "a.txt")
        // It takes what the vault has.
        try share(text, "b.txt")
        try share("edited\n" + text, "a.txt")
        try evict("a.txt")
        try mergeOnBoth("b.txt", text)
        pair.end()
    }

    @Test("What is in a package stays for as long as another item has just that")
    func member() throws {
        try share(text, "p.rtfd/TXT.rtf")
        try share(text, "b.txt")
        try evict("p.rtfd")
        try mergeOnBoth("b.txt", text)
        pair.end()
    }

    @Test("What both sides of an edit come from stays until they are one")
    func base() throws {
        try share(text, "a.txt")
        try share(text, "b.txt")
        two.line.cut()
        pair.wait { two.status?.line == .down }
        try two.write(text + "two\n", to: "b.txt")
        pair.wait { two.running?.item("b.txt")?.isUploaded == false }
        try evict("a.txt")
        try one.write("one\n" + text, to: "b.txt")
        pair.wait { one.running?.isInStepNow == true }
        two.line.mend()
        pair.wait { two.text("b.txt") == "one\n" + text + "two\n" && pair.isSettled }
        pair.end()
    }

    @Test("What stayed for a copy's sake goes when that needs it no more")
    func laterOn() throws {
        let text = String((0..<200_000).map { _ in Character(UnicodeScalar(UInt8.random(in: 33...126))) })
        try share(text, "a.txt")
        try share(text, "b.txt")
        try share("other", "c.txt")
        try evict("a.txt")
        #expect(try vaultByteCount() > 100_000)
        try share("short", "b.txt")
        try evict("b.txt")
        #expect(try vaultByteCount() < 100_000)
        _ = try #require(two.running).download("a.txt", done: nil)
        pair.wait { two.text("a.txt") == text && two.text("c.txt") == "other" }
        pair.end()
    }

    @Test("What a merge came to stays until it is in place")
    func merged() throws {
        try share(text, "a.txt")
        two.stop()
        let run = SeenRun()
        try run.start(two)
        func wait(until condition: (SyncRun) -> Bool) throws {
            let isSo = try two.wait { try run.sync { condition($0) } }
            #expect(isSo, "\(two.contents)")
        }
        try wait { $0.isSettled }
        let reader = ItemUser(of: "a.txt", on: two)
        two.line.cut()
        try wait { $0.lineState == .down }
        try one.write("one\n" + text, to: "a.txt")
        try two.write(text + "two\n", to: "a.txt")
        #expect(one.wait { one.running?.isInStepNow == true })
        try wait { !$0.engine.differing.isEmpty }
        two.line.mend()
        // It waits for who reads the document.
        try wait { !$0.awaited.isEmpty }
        let item = try #require(try run.sync { $0.awaited.keys.first })
        let coming = try run.sync { Set($0.engine.comingContents(of: item)) }
        #expect(coming.count == 1)
        try run.sync { $0.forget(.superseded) }
        let forgetting = try run.sync { $0.forgettingQueue }
        forgetting.sync {}
        let kept = try run.sync { try $0.contents.versions(of: [item]).map(\.content) }
        #expect(coming.isSubset(of: kept))
        reader.end()
        #expect(two.wait { two.text("a.txt") == "one\n" + text + "two\n" })
        run.stop()
        pair.end()
    }
}
