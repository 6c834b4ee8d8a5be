import DocumentTesting
import FileSystem
import Foundation
import HubProtocol
import Locks
import SyncMessages
import TestThreads
import Testing

@testable import DeviceSync

/// What there is no room for, at the hub or on a device: it is tried again, and does not go over the line each time.
@Suite("Want of room", .onOwnThreads, .timeLimit(.minutes(5)))
struct WantOfRoomTests {
    /// A line that counts what goes over it.
    private final class CountingHub: ForwardingHub {
        struct Counts {
            var readBytes = 0
            var storedBytes = 0
            var refusals = 0
            var questions = 0
        }

        let hub: any ContainerHub
        private let state = Locked(Counts())

        init(_ hub: any ContainerHub) { self.hub = hub }

        var counts: Counts { state.withLock { $0 } }

        func read(_ names: [BlobName]) throws -> [(name: BlobName, blob: Data)] {
            let found = try hub.read(names)
            state.withLock { $0.readBytes += found.reduce(0) { $0 + $1.blob.count } }
            return found
        }

        func missing(_ names: [BlobName]) throws -> [BlobName] {
            state.withLock { $0.questions += 1 }
            return try hub.missing(names)
        }

        func store(_ frames: Data) throws {
            state.withLock { $0.storedBytes += frames.count }
            do { try hub.store(frames) } catch {
                state.withLock { $0.refusals += 1 }
                throw error
            }
        }
    }

    /// A hub with room for so many records.
    private final class RecordHub: ForwardingHub {
        let hub: any ContainerHub
        private let left: Locked<Int>

        init(_ hub: any ContainerHub, room: Int) {
            self.hub = hub
            left = Locked(room)
        }

        func makeRoom() { left.withLock { $0 = .max } }

        func offer(_ commits: [OfferedCommit]) throws -> CommitAnswers {
            let hasRoom = left.withLock { left in
                guard commits.count <= left else { return false }
                left -= commits.count
                return true
            }
            guard hasRoom else { throw HubFailure(.quota, "The account may keep no more bytes on this hub.") }
            return try hub.offer(commits)
        }
    }

    private static let fileByteCount = 1 << 20

    /// Files that nothing can press together.
    private func make(_ count: Int, on device: TestDevice, byteCount: Int = fileByteCount) throws {
        let source = try FileHandle(forReadingFrom: URL(fileURLWithPath: "/dev/urandom"))
        defer { try? source.close() }
        for number in 0..<count {
            let data = try #require(try source.read(upToCount: byteCount + number))
            try data.write(to: device.folder.appendingPathComponent("\(number).bin"))
        }
    }

    private func wait(
        _ pair: DevicePair,
        _ location: SourceLocation = #_sourceLocation,
        until condition: () -> Bool
    ) {
        // Without what the files hold, of which nobody would read anything.
        let isSo = pair.two.wait(until: condition)
        #expect(isSo, "\(pair.two.said.suffix(20))", sourceLocation: location)
    }

    @Test("A full hub is asked with the smallest of what waits, and a document that has room goes at once")
    func hub() throws {
        let pair = try DevicePair(areStarted: false)
        defer { pair.end() }
        pair.hub.limit(toByteCount: 3 * Self.fileByteCount)
        try make(24, on: pair.one)
        let hub = CountingHub(pair.hub.line())
        let sync = pair.one.sync(at: hub)
        try sync.start()
        defer { sync.stop() }
        wait(pair) { sync.status.stuck.count >= 15 }
        let before = hub.counts
        // A full hub is asked with every sixth.
        for number in 1...3 {
            for _ in 0..<6 { sync.tryAgain() }
            wait(pair) { hub.counts.refusals >= before.refusals + number }
        }
        let sent = hub.counts.storedBytes - before.storedBytes
        #expect(sent < 12 * Self.fileByteCount, "\(sent)")
        let entryCount = pair.hub.entryCount
        try pair.one.write("small", to: "small.txt")
        wait(pair) { pair.hub.entryCount > entryCount }
        // All goes once there is room.
        pair.hub.limit(toByteCount: .max)
        wait(pair) {
            sync.tryAgain()
            return sync.isSettled
        }
    }

    @Test("A full hub is asked once what it lacks of many documents, and not for each of them")
    func questions() throws {
        let pair = try DevicePair(areStarted: false)
        defer { pair.end() }
        pair.hub.limit(toByteCount: 0)
        for number in 0..<300 { try pair.one.write("\(number)", to: "\(number).txt") }
        let hub = CountingHub(pair.hub.line())
        let sync = pair.one.sync(at: hub)
        try sync.start()
        defer { sync.stop() }
        wait(pair) { sync.status.stuck.count == 300 }
        #expect(sync.status.line == .up)
        // For a batch it is asked before it is sent, and once more when it was refused.
        let count = hub.counts.questions
        #expect(count < 60, "\(count)")
    }

    @Test("What is new of a large document is sent to a hub that has no room for a smaller one")
    func edited() throws {
        let pair = try DevicePair(areStarted: false)
        defer { pair.end() }
        try make(1, on: pair.one)
        let large = pair.one.folder.appendingPathComponent("large.bin")
        let noise = try Data(contentsOf: pair.one.folder.appendingPathComponent("0.bin"))
        try (1...8).reduce(into: Data()) { bytes, number in bytes += noise.map { $0 ^ UInt8(number) } }
            .write(to: large)
        var entryCount = pair.hub.entryCount
        let first = pair.one.sync(at: pair.hub.line())
        try first.start()
        wait(pair) { first.isSettled && pair.hub.entryCount >= entryCount + 2 }
        first.stop()
        entryCount = pair.hub.entryCount
        pair.hub.limit(toByteCount: pair.hub.everything.count + Self.fileByteCount)
        try Data(noise.map { $0 ^ 16 } + noise.map { $0 ^ 32 })
            .write(to: pair.one.folder.appendingPathComponent("new.bin"))
        let file = try FileHandle(forWritingTo: large)
        try file.seekToEnd()
        try file.write(contentsOf: Data("new".utf8))
        try file.close()
        // Both are sent together.
        let sync = pair.one.sync(at: pair.hub.line())
        try sync.start()
        defer { sync.stop() }
        wait(pair) { pair.hub.entryCount > entryCount && sync.status.stuck["new.bin"] != nil }
        #expect(sync.status.stuck["large.bin"] == nil)
    }

    @Test("Once a hub has room it is sent what a document holds, before what that held meanwhile")
    func replaced() throws {
        let pair = try DevicePair(areStarted: false)
        defer { pair.end() }
        pair.hub.limit(toByteCount: 0)
        let hub = CountingHub(pair.hub.line())
        let sync = pair.one.sync(at: hub)
        try sync.start()
        defer { sync.stop() }
        for number in 1...4 {
            let refusals = hub.counts.refusals
            try make(1, on: pair.one, byteCount: Self.fileByteCount + number << 16)
            wait(pair) {
                hub.counts.refusals >= refusals + 2 && sync.item("0.bin")?.uploadFailure?.code == .quota
            }
        }
        // For one state alone, and all that was before would have been smaller.
        pair.hub.limit(toByteCount: pair.hub.everything.count + Self.fileByteCount + Self.fileByteCount / 2)
        for _ in 0..<6 { sync.tryAgain() }
        wait(pair) { sync.isSettled }
    }

    @Test("Of many records a hub takes those that it has room for")
    func records() throws {
        let pair = try DevicePair(areStarted: false)
        defer { pair.end() }
        for number in 0..<10 {
            let folder = pair.one.folder.appendingPathComponent("folder \(number)")
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
        }
        let entryCount = pair.hub.entryCount
        let hub = RecordHub(pair.hub.line(), room: 3)
        let sync = pair.one.sync(at: hub)
        try sync.start()
        defer { sync.stop() }
        wait(pair) { pair.hub.entryCount == entryCount + 3 && sync.status.stuck.count == 7 }
        hub.makeRoom()
        wait(pair) {
            sync.tryAgain()
            return sync.isSettled
        }
        #expect(pair.hub.entryCount == entryCount + 10)
    }

    @Test(
        "What has no room on a device is got again when there is more of that",
        .enabled(if: MountedVolume.isPossible)
    )
    func device() throws {
        let pair = try DevicePair(areStarted: false)
        defer { pair.end() }
        let volume = try MountedVolume(
            over: pair.two.memoryFolder,
            keptAt: pair.base.appendingPathComponent("volume"),
            byteCount: 16 << 20
        )
        defer { withExtendedLifetime(volume) {} }
        try make(32, on: pair.one)
        try pair.one.start()
        wait(pair) { pair.one.status?.isSettled == true && pair.hub.entryCount > 32 }
        let hub = CountingHub(pair.hub.line())
        let sync = pair.two.sync(at: hub)
        try sync.start()
        defer { sync.stop() }
        wait(pair) { sync.status.stuck.count >= 15 }
        // What was begun when the first had no room has ended, and what it has left is gone.
        for number in 0..<3 { try goOn(sync, pair, number) }
        let before = hub.counts.readBytes
        for number in 3..<8 { try goOn(sync, pair, number) }
        let got = hub.counts.readBytes - before
        #expect(got < 3 * Self.fileByteCount, "\(got)")
        #expect(sync.status.stuck.values.contains { $0.contains("No space left on device") })
    }

    @Test("What a volume refuses that seems to have room, as for a quota, is got when it is refused no more")
    func quota() throws {
        let pair = try DevicePair(areStarted: false)
        defer { pair.end() }
        try make(2, on: pair.one)
        try pair.one.start()
        wait(pair) { pair.one.status?.isSettled == true && pair.hub.entryCount >= 2 }
        let packs = pair.two.memoryFolder.appendingPathComponent("vault/packs/").path
        let quota = Shortage(at: packs, EDQUOT, "write")
        SystemCallObservation.add(quota)
        defer { SystemCallObservation.remove(quota) }
        let hub = CountingHub(pair.hub.line())
        let sync = pair.two.sync(at: hub)
        try sync.start()
        defer { sync.stop() }
        wait(pair) { sync.status.stuck.count == 2 }
        // Refused again and again it is got more and more seldom.
        for number in 0..<12 { try goOn(sync, pair, number) }
        let before = hub.counts.readBytes
        for number in 12..<24 { try goOn(sync, pair, number) }
        let got = hub.counts.readBytes - before
        #expect(got <= 2 * 2 * Self.fileByteCount, "\(got)")
        SystemCallObservation.remove(quota)
        for number in 24..<56 where sync.status.stuck.count > 0 { try goOn(sync, pair, number) }
        wait(pair) { sync.status.stuck.isEmpty && sync.status.isSettled }
    }

    /// Has all be tried again, and something that needs no room come after it.
    private func goOn(_ sync: ContainerSync, _ pair: DevicePair, _ number: Int) throws {
        sync.tryAgain()
        let name = "folder \(number)"
        try FileManager.default.createDirectory(
            at: pair.one.folder.appendingPathComponent(name),
            withIntermediateDirectories: false
        )
        wait(pair) {
            FileManager.default.fileExists(atPath: pair.two.folder.appendingPathComponent(name).path)
        }
    }
}
