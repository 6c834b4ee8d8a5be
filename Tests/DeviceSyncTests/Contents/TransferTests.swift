import Cryptography
import DocumentFoundation
import DocumentTesting
import Foundation
import HubProtocol
import Locks
import Sync
import SyncMessages
import TestThreads
import Testing

@testable import DeviceSync

/// How contents on their way are told of.
@Suite("Transfers", .onOwnThreads, .timeLimit(.minutes(2)))
struct TransferTests {
    private let pair: DevicePair
    private var one: TestDevice { pair.one }
    private var two: TestDevice { pair.two }

    init() throws { pair = try DevicePair() }

    /// What has been told of a device's items.
    private func told(of device: TestDevice) throws -> Locked<[ItemSyncState]> {
        let told = Locked<[ItemSyncState]>([])
        _ = try #require(device.running).follow("") { states, _ in told.withLock { $0 += states } }
        return told
    }

    @Test("A large file that is cut off on its way goes on with what is left", arguments: [false, true])
    func cutOff(isKilled: Bool) throws {
        let bytes = Data(try RandomBytes.make(24 << 20))
        let source = pair.base.appendingPathComponent("a.bin")
        try bytes.write(to: source)
        one.slowDown(toSeconds: 0.05)
        // However late the line is cut, no more than this gets through: 2.25 MiB are the most that go with one call.
        pair.wait { pair.isSettled }
        one.line.end(afterCalls: 8)
        try FileManager.default.moveItem(at: source, to: one.folder.appendingPathComponent("a.bin"))
        pair.wait { pair.hub.byteCounts.kept > 8 << 20 }
        one.line.cut()
        let before = pair.hub.byteCounts
        #expect(before.kept < bytes.count && before.received == before.kept)
        if isKilled {
            try one.killAbruptly()
            one.line.end(afterCalls: nil)
            one.line.mend()
            try one.start()
        } else {
            pair.wait { one.status?.line == .down }
            one.line.end(afterCalls: nil)
            one.line.mend()
        }
        one.slowDown(toSeconds: 0)
        let url = two.folder.appendingPathComponent("a.bin")
        pair.wait { pair.isSettled && FileManager.default.fileExists(atPath: url.path) }
        #expect(try Data(contentsOf: url) == bytes)
        let after = pair.hub.byteCounts
        #expect(after.received == after.kept, "sent twice: \(after.received - after.kept) of \(after.kept)")
        pair.end()
    }

    @Test("A large file goes and comes in pieces, and how much of it has is told")
    func pieces() throws {
        let bytes = Data(try RandomBytes.make(20 << 20))
        let sent = try told(of: one)
        one.slowDown(toSeconds: 0.2)
        // Whole at once: of what is sent before it is written to its end the share would be another's.
        let source = pair.base.appendingPathComponent("a.bin")
        try bytes.write(to: source)
        try FileManager.default.moveItem(at: source, to: one.folder.appendingPathComponent("a.bin"))
        let url = two.folder.appendingPathComponent("a.bin")
        pair.wait { pair.isSettled && FileManager.default.fileExists(atPath: url.path) }
        #expect(try Data(contentsOf: url) == bytes)
        let uploads = sent.withLock { $0 }.compactMap(\.upload?.fraction)
        #expect(uploads.contains { 0 < $0 && $0 < 1 }, "\(uploads)")
        #expect(uploads == uploads.sorted())
        try #require(two.running).evict("a.bin")
        pair.wait { two.said.contains(.freed) }
        let come = try told(of: two)
        two.slowDown(toSeconds: 0.2)
        let (done, pieces) = (Locked(false), Locked<[Double]>([]))
        _ = try #require(two.running).download(
            "a.bin",
            progress: { share in pieces.withLock { $0.append(share.fraction) } },
            done: { refusal in done.withLock { $0 = refusal == nil } }
        )
        pair.wait { done.withLock { $0 } }
        // Who waits is told of each piece, who follows of some at once.
        let downloads = pieces.withLock { $0 }
        #expect(Set(downloads.filter { 0 < $0 && $0 < 1 }).count > 1, "\(downloads)")
        #expect(downloads == downloads.sorted())
        let shown = come.withLock { $0 }.compactMap(\.download?.fraction)
        #expect(shown.contains { 0 < $0 && $0 < 1 } && shown == shown.sorted(), "\(shown)")
        pair.end()
    }

    @Test(
        "Who asks why a large file is not there hears how much of it has gone or come, in bytes and objects"
    )
    func explained() throws {
        let (here, there) = (Locked<[Explanation]>([]), Locked<[Explanation]>([]))
        for (device, told) in [(one, here), (two, there)] {
            _ = try #require(device.running).followExplanation("a.bin") { explanation in
                told.withLock { $0.append(explanation) }
            }
            device.slowDown(toSeconds: 0.2)
        }
        let source = pair.base.appendingPathComponent("a.bin")
        try Data(try RandomBytes.make(20 << 20)).write(to: source)
        try FileManager.default.moveItem(at: source, to: one.folder.appendingPathComponent("a.bin"))
        let url = two.folder.appendingPathComponent("a.bin")
        pair.wait { pair.isSettled && FileManager.default.fileExists(atPath: url.path) }
        let amount = /: [0-9]+\.[0-9] of 21\.0 MB, [0-9]+ of [0-9]+ objects\.$/
        let sent = here.withLock { $0 }
        #expect(sent.contains { $0.causes.first?.contains(/contents are being sent to the hub/) == true })
        #expect(sent.contains { $0.causes.first?.contains(amount) == true }, "\(sent.map(\.causes))")
        #expect(sent.contains { ($0.upload?.objects).map { 0 < $0.done && $0.done < $0.total } == true })
        let come = there.withLock { $0 }
        #expect(
            come.contains { explanation in
                explanation.causes.contains { $0.contains("being got from the hub") && $0.contains(amount) }
            },
            "\(come.map(\.causes))"
        )
        #expect(come.contains { ($0.download?.objects).map { 0 < $0.done && $0.done < $0.total } == true })
        // It is told when nothing is on its way any more, too.
        pair.wait {
            there.withLock { $0.last?.download == nil } && here.withLock { $0.last?.upload == nil }
        }
        pair.end()
    }

    @Test("What one thread tells late of an upload does not put it back")
    func shares() throws {
        typealias Count = ItemSyncState.ObjectCount
        var shares = UploadShares()
        let (name, other) = (ContentName("one"), ContentName("other"))
        #expect(
            shares.note(Count(2, of: 4), of: name) && shares[name] == Count(2, of: 4) && shares[other] == nil
        )
        #expect(!shares.note(Count(1, of: 4), of: name) && shares[name] == Count(2, of: 4))
        #expect(shares.note(Count(0, of: 9), of: other) && shares.note(Count(3, of: 4), of: name))
        shares.end(name)
        #expect(shares[name] == nil && shares[other] == Count(0, of: 9))
        // Sent anew, as after a line that was down.
        #expect(shares.note(Count(1, of: 4), of: name) && shares[name] == Count(1, of: 4))
        shares.endAll()
        #expect(shares[name] == nil && shares[other] == nil)
    }

    /// The second device on a line that a test holds, in step and with the document a.txt.
    private func heldWithDocument() throws -> HeldDevice {
        try one.write("text", to: "a.txt")
        pair.wait { two.text("a.txt") == "text" && pair.isSettled }
        two.stop()
        let held = try HeldDevice(two)
        #expect(two.wait { held.running.status.isSettled })
        return held
    }

    @Test("A hub's full volume, and this device's full disk, are named, with what helps against just that")
    func volumes() throws {
        let held = try heldWithDocument()
        defer { held.stop() }
        held.hub.refuse([.store], HubFailure(.volumeFull, "The hub's volume is full."))
        try two.write("more", to: "b.txt")
        #expect(two.wait { held.running.status.stuck["b.txt"]?.contains("volume is full") == true })
        #expect(held.running.item("b.txt")?.uploadFailure?.code == .quota)
        let remedy = try #require(held.running.status.remedies?["b.txt"])
        #expect(remedy.contains("free some space on its volume") && !remedy.contains("quota"))
        held.hub.letGo()
        // A full hub is asked less often than others are.
        for _ in 0..<6 { held.running.tryAgain() }
        #expect(two.wait { one.text("b.txt") == "more" && held.running.status.stuck.isEmpty })
        // What comes has no room here.
        try two.fillDisk()
        try one.write("new", to: "c.txt")
        #expect(
            two.wait {
                let status = held.running.status
                return !status.stuck.isEmpty
                    && status.remedies?.values.contains { $0.contains("Free some space") } == true
            },
            "\(held.running.status)"
        )
        two.freeDisk()
        held.running.tryAgain()
        #expect(two.wait { two.text("c.txt") == "new" })
        pair.end()
    }

    @Test("What a full hub does not even take a record of waits, with the remedy; what others do comes")
    func records() throws {
        let held = try heldWithDocument()
        defer { held.stop() }
        held.hub.refuse([.offer], HubFailure(.volumeFull, "The hub's volume is full."))
        try FileManager.default.removeItem(at: two.folder.appendingPathComponent("a.txt"))
        #expect(two.wait { held.running.status.stuck["a.txt"]?.contains("volume is full") == true })
        #expect(held.running.status.remedies?["a.txt"]?.contains("free some space on its volume") == true)
        #expect(held.running.item("a.txt")?.uploadFailure?.code == .quota)
        #expect(held.running.explain("a.txt").chain.map(\.kind) == [.hubFull])
        try one.write("new", to: "b.txt")
        #expect(two.wait { two.text("b.txt") == "new" })
        #expect(held.running.status.line == .up)
        // It is asked less often than others are.
        held.running.tryAgain()
        #expect(held.running.status.stuck["a.txt"] != nil)
        held.hub.letGo()
        for _ in 0..<6 { held.running.tryAgain() }
        #expect(two.wait { one.text("a.txt") == nil && held.running.status.isSettled })
        #expect(held.running.status.stuck.isEmpty)
        pair.end()
    }

    @Test("A hub without room is named, with the remedy, for what it does not take; all else goes on")
    func quota() async throws {
        try one.write("text", to: "a.txt")
        pair.wait { two.text("a.txt") == "text" && pair.isSettled }
        pair.hub.limit(toByteCount: 0)
        try two.write("more", to: "b.txt")
        pair.wait { two.running?.item("b.txt")?.uploadFailure?.code == .quota }
        let explanation = try #require(two.explanation("b.txt"))
        #expect(explanation.causes.first?.contains("cannot be sent") == true)
        #expect(explanation.next.contains("larger quota"))
        let status = try #require(two.status)
        #expect(status.line == .up && status.stuck["b.txt"]?.contains("may keep no more bytes") == true)
        #expect(status.remedies?["b.txt"] == explanation.next)
        try await pair.served {
            let url = two.folder.appendingPathComponent("b.txt")
            let values = try url.resourceValues(forKeys: [.ubiquitousItemUploadingErrorKey])
            let error = try #require(values.ubiquitousItemUploadingError)
            #expect(
                error.domain == NSCocoaErrorDomain && error.code == NSUbiquitousFileNotUploadedDueToQuotaError
            )
            // What needs no room there goes on.
            try FileManager.default.moveItem(
                at: two.folder.appendingPathComponent("a.txt"),
                to: two.folder.appendingPathComponent("c.txt")
            )
            pair.wait { one.text("c.txt") == "text" }
        }
        pair.hub.limit(toByteCount: .max)
        two.stop()
        try two.start()
        pair.wait { one.text("b.txt") == "more" && pair.isSettled }
        #expect(two.running?.item("b.txt")?.uploadFailure == nil)
        pair.end()
    }

    /// Notes which attributes it is told of.
    private final class Noting: NSObject, NSFilePresenter, Sendable {
        let presentedItemURL: URL?
        let presentedItemOperationQueue = OperationQueue()
        let told = Locked<[Set<URLResourceKey>]>([])

        init(_ url: URL) { presentedItemURL = url }

        func presentedItemDidChangeUbiquityAttributes(_ attributes: Set<URLResourceKey>) {
            told.withLock { $0.append(attributes) }
        }

        var all: Set<URLResourceKey> { told.withLock { $0.reduce([]) { $0.union($1) } } }
    }

    @Test("A presenter hears which attributes of its item have changed, and not of others'")
    func presented() async throws {
        try one.write("text", to: "a.txt")
        pair.wait { two.text("a.txt") == "text" && pair.isSettled }
        try await pair.served {
            let presenter = Noting(two.folder.appendingPathComponent("a.txt"))
            let other = Noting(two.folder.appendingPathComponent("b.txt"))
            for presenter in [presenter, other] { NSFileCoordinator.addFilePresenter(presenter) }
            defer {
                for presenter in [presenter, other] { NSFileCoordinator.removeFilePresenter(presenter) }
            }
            // How it stood before may be asked for only now: the first change may be the first that is known.
            let isHeard = { presenter.all.contains(.ubiquitousItemIsSyncPausedKey) }
            pair.wait {
                // Both stand for a while: who follows is told of many changes at once.
                try? two.running?.pause("a.txt", by: "a test")
                let isHeardPaused = two.wait(seconds: 0.5, until: isHeard)
                _ = try? two.running?.resume("a.txt", .preserveLocal) { _ in }
                return isHeardPaused || two.wait(seconds: 0.5, until: isHeard)
            }
            two.line.cut()
            pair.wait { two.status?.line == .down }
            try two.write("edited", to: "a.txt")
            pair.wait {
                presenter.all.isSuperset(of: [.ubiquitousItemIsUploadedKey, .ubiquitousItemUploadingErrorKey])
            }
            #expect(other.all == [])
        }
        pair.end()
    }

    @Test("What was asked for is asked for still after a restart, until it is here")
    func requested() throws {
        try one.write("text", to: "a.txt")
        pair.wait { two.text("a.txt") == "text" && pair.isSettled }
        try #require(two.running).evict("a.txt")
        pair.wait { two.said.contains(.freed) }
        two.line.cut()
        pair.wait { two.status?.line == .down }
        _ = try #require(two.running).download("a.txt", done: nil)
        two.stop()
        try two.start()
        two.line.cut()
        #expect(two.running?.item("a.txt")?.isDownloadRequested == true)
        two.line.mend()
        pair.wait { two.text("a.txt") == "text" }
        #expect(two.running?.item("a.txt")?.isDownloadRequested == false)
        try #require(two.running).evict("a.txt")
        two.stop()
        try two.start()
        pair.wait { pair.isSettled }
        #expect(two.running?.item("a.txt")?.isDownloadRequested == false && two.text("a.txt") == nil)
        pair.end()
    }

    @Test("What was asked for and is evicted before it is here does not come, also after a restart")
    func withdrawn() throws {
        for name in ["a.txt", "b.txt"] { try one.write(name, to: name) }
        pair.wait { two.text("a.txt") == "a.txt" && two.text("b.txt") == "b.txt" && pair.isSettled }
        try #require(two.running).evict("")
        pair.wait { two.said.contains(.freed) }
        two.line.cut()
        pair.wait { two.status?.line == .down }
        _ = try #require(two.running).download("a.txt", done: nil)
        #expect(two.running?.item("a.txt")?.isDownloadRequested == true)
        try #require(two.running).evict("a.txt")
        #expect(two.running?.item("a.txt")?.isDownloadRequested == false)
        two.stop()
        try two.start()
        two.line.mend()
        // What comes tells that what is not to come would have come.
        _ = try #require(two.running).download("b.txt", done: nil)
        pair.wait { two.text("b.txt") == "b.txt" && pair.isSettled }
        #expect(two.running?.item("a.txt")?.isDownloadRequested == false && two.text("a.txt") == nil)
        pair.end()
    }

    @Test("What was asked for and is evicted as it comes, does not come; where somebody waits, it comes")
    func withdrawnAsItComes() throws {
        try one.write("text", to: "a.txt")
        pair.wait { two.text("a.txt") == "text" && pair.isSettled }
        let running = try #require(two.running)
        try running.evict("a.txt")
        pair.wait { two.said.contains(.freed) }
        two.line.slowDown(to: 600)
        _ = try running.download("a.txt", done: nil)
        pair.wait { two.line.isTransferring }
        try running.evict("a.txt")
        #expect(running.item("a.txt")?.isDownloadRequested == false)
        let end = try running.download("a.txt") { _ in }
        let refusal = #expect(throws: SyncRefusal.self) { try running.evict("a.txt") }
        #expect(refusal?.code == .busy && running.item("a.txt")?.isDownloadRequested == true)
        end()
        two.line.slowDown(to: 0)
        two.line.cut()
        pair.wait { two.status?.line == .down }
        two.line.mend()
        pair.wait { two.said.filter { $0 == .freed }.count > 1 && pair.isSettled }
        #expect(two.text("a.txt") == nil)
        pair.end()
    }
}
