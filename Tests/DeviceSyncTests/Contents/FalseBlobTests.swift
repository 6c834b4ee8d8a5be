import DocumentTesting
import Foundation
import HubProtocol
import Locks
import SyncMessages
import TestThreads
import Testing

@testable import DeviceSync

/// A hub that gives other contents than it was given.
@Suite("What a hub does with contents", .onOwnThreads, .timeLimit(.minutes(2)))
struct FalseBlobTests {
    private let pair: DevicePair
    private var hub: HubInMemory { pair.hub }
    private var one: TestDevice { pair.one }
    private var two: TestDevice { pair.two }

    init() throws { pair = try .holding("first", as: "a.txt") }

    /// Has the first device write while the second is away, and the hub do something with what is new of that.
    private func write(
        _ files: [String: String],
        _ lie: (inout [BlobName: Data], _ new: [BlobName]) throws -> Void
    ) throws {
        two.line.cut()
        pair.wait { two.status?.line == .down }
        let known = Set(hub.blobs.keys)
        for (name, text) in files.sorted(by: { $0.key < $1.key }) { try one.write(text, to: name) }
        pair.wait { one.running?.isInStepNow == true && hub.blobCount == known.count + files.count }
        let new = hub.blobs.keys.filter { !known.contains($0) }
        var blobs = hub.blobs
        try lie(&blobs, new)
        hub.rewriteBlobs { $0 = blobs }
        two.line.mend()
    }

    /// Expects that the second device names what the hub does for the item that waits for it, has nothing of it in its folder,
    /// and gets the item once the hub is honest again.
    private func expect(
        _ kind: HubDeed.Kind,
        _ words: String,
        of name: String = "a.txt",
        honest: [BlobName: Data],
        _ location: SourceLocation = #_sourceLocation
    ) throws {
        let isSo = two.wait { two.status?.hubDeeds?.contains { $0.kind == kind && $0.path == name } == true }
        #expect(isSo, "\(String(describing: two.status)); \(two.said)", sourceLocation: location)
        // The line is up, and all else goes on.
        try one.write("other", to: "other.txt")
        pair.wait(location) { two.text("other.txt") == "other" }
        #expect(two.status?.line == .up, sourceLocation: location)
        #expect(two.text("a.txt") == "first", sourceLocation: location)
        let explanation = try #require(two.explanation(name), sourceLocation: location)
        #expect(
            explanation.causes.contains { $0.contains(words) },
            "\(explanation)",
            sourceLocation: location
        )
        #expect(explanation.hubDeed?.kind == kind && !explanation.isSettled, sourceLocation: location)
        #expect(explanation.next.contains("asked for again by itself"), sourceLocation: location)
        let failure = try #require(two.running?.item(name)?.downloadFailure, sourceLocation: location)
        #expect(failure.hubDeed == kind && failure.description.contains(words), sourceLocation: location)
        let said = two.said.count { if case .failed(name, _) = $0 { true } else { false } }
        two.tryAgain()
        #expect(said == 1, "\(two.said)", sourceLocation: location)
        hub.rewriteBlobs { $0.merge(honest) { _, honest in honest } }
        pair.wait(location) {
            two.tryAgain()
            return two.contents == one.contents && pair.isSettled
        }
        #expect(
            two.status?.hubDeeds?.last { $0.path == name }?.putRightSeconds != nil,
            "\(String(describing: two.status))",
            sourceLocation: location
        )
        #expect(two.explanation(name)?.hubDeed == nil, sourceLocation: location)
        pair.end()
    }

    @Test("Altered, in each part of a blob", arguments: [1, 4, 5, 20, 21, 40, -1])
    func altered(byte: Int) throws {
        var honest: [BlobName: Data] = [:]
        try write(["a.txt": "second"]) { blobs, new in
            honest = blobs
            for name in new {
                var blob = [UInt8](try #require(blobs[name]))
                blob[byte < 0 ? blob.count + byte : byte] ^= 1
                blobs[name] = Data(blob)
            }
        }
        try expect(.altered, "The hub has altered part", honest: honest)
    }

    @Test(
        "Where somebody has asked for what is not on this device, it is explained for as long as nobody has got it"
    )
    func evicted() throws {
        pair.wait { pair.isSettled }
        try two.running?.evict("a.txt")
        let honest = hub.blobs
        hub.rewriteBlobs { blobs in
            for (name, blob) in honest {
                var bytes = [UInt8](blob)
                bytes[bytes.count - 1] ^= 1
                blobs[name] = Data(bytes)
            }
        }
        let failure = Locked<SyncRefusal?>(nil)
        _ = try two.running?.download("a.txt", done: { why in failure.withLock { $0 = why } })
        #expect(two.wait { failure.withLock { $0 } != nil })
        for _ in 0..<3 {
            // Nobody waits for it any more.
            two.tryAgain()
            let explanation = try #require(two.explanation("a.txt"))
            #expect(explanation.chain.map(\.kind) == [.cannotGet] && !explanation.isSettled, "\(explanation)")
            #expect(explanation.causes[0].contains("The hub has altered part"), "\(explanation)")
            #expect(explanation.hubDeed?.kind == .altered && explanation.next == explanation.hubDeed?.next)
        }
        #expect(two.status?.hubDeeds?.contains { $0.path == "a.txt" && $0.putRightSeconds == nil } == true)
        hub.rewriteBlobs { $0 = honest }
        _ = try two.running?.download("a.txt", done: nil)
        pair.wait { two.text("a.txt") == "first" }
        let explanation = try #require(two.explanation("a.txt"))
        #expect(explanation.isSettled && explanation.hubDeed == nil, "\(explanation)")
        pair.end()
    }

    @Test("Cut short, or longer than it was", arguments: [-3, 5])
    func otherLength(_ more: Int) throws {
        var honest: [BlobName: Data] = [:]
        try write(["a.txt": "second"]) { blobs, new in
            honest = blobs
            for name in new {
                let blob = try #require(blobs[name])
                blobs[name] = more < 0 ? blob.dropLast(-more) : blob + Data(count: more)
            }
        }
        try expect(.altered, "or cut it short", honest: honest)
    }

    @Test("Another blob under that name")
    func exchanged() throws {
        var honest: [BlobName: Data] = [:]
        try write(["a.txt": "second", "b.txt": "b"]) { blobs, new in
            honest = blobs
            (blobs[new[0]], blobs[new[1]]) = (blobs[new[1]], blobs[new[0]])
        }
        // Each of the two was asked for together with the other.
        pair.wait { two.status?.hubDeeds?.contains { $0.path == "b.txt" } == true }
        try expect(.exchanged, "another part in the place of", honest: honest)
    }

    @Test("An old blob in the place of a new one")
    func replayed() throws {
        var honest: [BlobName: Data] = [:]
        let old = try #require(hub.blobs.values.first)
        try write(["a.txt": "second"]) { blobs, new in
            honest = blobs
            for name in new { blobs[name] = old }
        }
        try expect(.replayed, "a part of an older state", honest: honest)
    }

    @Test("None, or what cannot be one", arguments: [nil, 0, 10])
    func leftOut(byteCount: Int?) throws {
        var honest: [BlobName: Data] = [:]
        try write(["a.txt": "second"]) { blobs, new in
            honest = blobs
            for name in new { blobs[name] = byteCount.map { blobs[name]?.prefix($0) ?? Data() } }
        }
        try expect(.leftOut, "has lost part", honest: honest)
    }

    /// Gives what nobody has asked for.
    private struct StrangeHub: ForwardingHub {
        let hub: any ContainerHub

        func read(_ names: [BlobName]) throws -> [(name: BlobName, blob: Data)] {
            [(BlobName(unchecked: [UInt8](repeating: 9, count: BlobName.byteCount)), Data("strange".utf8))]
        }
    }

    @Test("What nobody has asked for is nothing, and no fault of this device's")
    func unasked() throws {
        two.stop()
        two.line.open()
        let running = two.sync(at: StrangeHub(hub: two.line))
        try running.start()
        defer { running.stop() }
        try one.write("second", to: "a.txt")
        let isNamed = two.wait { running.status.hubDeeds?.contains { $0.kind == .leftOut } == true }
        #expect(isNamed, "\(running.status)")
        pair.end()
    }

    @Test("What somebody waits for of an evicted document is named to him, and comes when it can")
    func evicted() async throws {
        let honest = hub.blobs
        try #require(two.running).evict("a.txt")
        pair.wait { two.said.contains(.freed) }
        hub.rewriteBlobs { blobs in
            for name in blobs.keys { blobs[name]?[40] ^= 1 }
        }
        await #expect {
            try await two.download(two.folder.appendingPathComponent("a.txt"))
        } throws: {
            ($0 as? SyncRefusal)?.hubDeed == .altered
        }
        #expect(two.text("a.txt") == nil)
        // Asked for once it is asked for until it is here.
        _ = try #require(two.running).download("a.txt", done: nil)
        pair.wait { two.explanation("a.txt")?.hubDeed?.kind == .altered }
        #expect(two.running?.item("a.txt")?.downloadFailure?.hubDeed == .altered)
        hub.rewriteBlobs { $0 = honest }
        pair.wait {
            two.tryAgain()
            return two.text("a.txt") == "first"
        }
        pair.end()
    }

    @Test("What is false is asked for again less and less often")
    func asksSeldom() throws {
        try write(["a.txt": "second"]) { blobs, new in
            for name in new { blobs[name] = Data(repeating: 1, count: 200) }
        }
        pair.wait { two.status?.hubDeeds?.isEmpty == false }
        let count = hub.readCount
        for _ in 0..<200 { two.tryAgain() }
        try one.write("other", to: "other.txt")
        pair.wait { two.text("other.txt") == "other" }
        // After one, two, four, ... attempts: ten of two hundred, each asking for it with others and alone.
        #expect(hub.readCount - count < 40, "\(hub.readCount - count)")
        pair.end()
    }
}
