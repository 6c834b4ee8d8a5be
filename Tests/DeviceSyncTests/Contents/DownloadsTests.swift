import DocumentTesting
import Foundation
import Locks
import Sync
import SyncMessages
import TestThreads
import Testing
import Vault

@testable import DeviceSync

/// Which of those that wait for contents are looked at as some come.
@Suite("Downloads")
struct DownloadsTests {
    private let items = (1...1000).map { ItemID(0, UInt64($0)) }

    private func name(_ item: ItemID) -> ContentName { ContentName("contents \(item.low)") }

    private func waiting() -> Downloads {
        var downloads = Downloads()
        for item in items {
            downloads[item, default: Download()].isRequested = true
            downloads.note(item, needs: [name(item)])
        }
        return downloads
    }

    @Test("Each item is looked at once as contents come for all, one after the other")
    func lookedAtOnce() {
        var downloads = waiting()
        var counts: [ItemID: Int] = [:]
        for item in items {
            for concerned in downloads.takeConcerned(by: [name(item)]) {
                counts[concerned, default: 0] += 1
                downloads[concerned] = nil
            }
        }
        #expect(counts == items.reduce(into: [:]) { $0[$1] = 1 })
        #expect(downloads.items.isEmpty)
    }

    @Test("Progress and failures of contents concern those alone that need them")
    func concerned() {
        var downloads = waiting()
        for item in items { #expect(downloads.items(needing: name(item)) == [item]) }
        // Two of the same contents, and one that needs others by now.
        downloads.note(items[1], needs: [name(items[0])])
        #expect(downloads.items(needing: name(items[0])) == [items[0], items[1]])
        #expect(downloads.items(needing: name(items[1])).isEmpty)
        downloads[items[0]] = nil
        #expect(downloads.items(needing: [name(items[0]), name(items[2])]) == [items[1], items[2]])
        #expect(downloads.items(needing: ContentName("of nobody")).isEmpty)
    }

    @Test("What was noted to be another is looked at with whatever comes next, once")
    func changed() {
        var downloads = waiting()
        downloads.noteChanged([items[3], items[4], ItemID(1, 1)])
        downloads[items[4]] = nil
        #expect(downloads.takeConcerned(by: [name(items[0])]) == [items[0], items[3]])
        #expect(downloads.takeConcerned(by: [name(items[0])]) == [items[0]])
    }

    @Test("Who waits for several hears how much of all has come")
    func shared() {
        let shares = Locked<[ItemSyncState.Share]>([])
        let waiter = DownloadWaiter(
            progress: { share in shares.withLock { $0.append(share) } },
            done: { _ in }
        )
        let shared = SharedWaiter(waiter, [items[0]: 10, items[1]: 20])
        for (item, byteCount) in [(0, 4), (1, 20), (0, 3), (0, 12)] {
            shared.progress(items[item], UInt64(byteCount))
        }
        #expect(shares.withLock { $0.map(\.doneByteCount) } == [4, 24, 23, 30])
        #expect(shares.withLock { $0.allSatisfy { $0.totalByteCount == 30 } })
    }
}

/// Sizes are what other devices say.
@Suite("Sizes that nothing has", .onOwnThreads, .timeLimit(.minutes(2)))
struct UntrueSizesTests {
    /// Contents as others, said to be as large as a number says.
    private static func enlarged(_ name: ContentName) throws -> ContentName {
        var bytes = try ContentStore.contents(name).bytes
        for index in 16..<24 { bytes[index] = .max }
        return ContentName(digitsOf: bytes)
    }

    @Test("What has gone, and what is sent, is counted as far as a number goes")
    func counted() throws {
        let pair = try DevicePair.holding("first", as: "a.txt")
        pair.two.stop()
        let run = SeenRun()
        try run.start(pair.two)
        try run.sync { run in
            let item = try #require(run.item(at: "a.txt"))
            let content = try Self.enlarged(try #require(run.table[item]?.state.content))
            #expect(SyncRun.byteCount(of: content) == .max)
            for _ in 0..<2 { run.noteSuperseded(content) }
            #expect(run.former.byteCount == .max)
            _ = run.uploads.note(.init(3, of: 3), of: content)
            #expect(run.upload(of: content)?.doneByteCount == .max)
            run.uploads.end(content)
        }
        run.stop()
        pair.end()
    }

    @Test("Who waits for more than a number holds hears of shares all the same")
    func shared() {
        let items = (1...3).map { ItemID(0, UInt64($0)) }
        let last = Locked<ItemSyncState.Share?>(nil)
        let waiter = DownloadWaiter(progress: { share in last.withLock { $0 = share } }, done: { _ in })
        let shared = SharedWaiter(waiter, [items[0]: .max, items[1]: 1 << 63, items[2]: 30])
        for item in items { shared.progress(item, 20) }
        #expect(last.withLock { $0?.doneByteCount } == 60)
        for item in items { shared.progress(item, .max) }
        #expect(last.withLock { $0?.fraction } == 1)
    }
}

/// Downloads of what is otherwise by the time.
@Suite("Downloads on devices", .onOwnThreads, .timeLimit(.minutes(2)))
struct DownloadsOnDevicesTests {
    @Test("Documents with the same contents come together, each once")
    func same() throws {
        let pair = try DevicePair.holding("first", as: "folder/a.txt")
        let (one, two) = (pair.one, pair.two)
        for name in ["folder/b.txt", "folder/c.txt"] { try one.write("first", to: name) }
        pair.wait {
            two.text("folder/c.txt") == "first" && two.text("folder/b.txt") == "first" && pair.isSettled
        }
        try #require(two.running).evict("folder")
        pair.wait { two.said.contains(.freed) }
        let ends = Locked<[SyncRefusal?]>([])
        _ = try #require(two.running).download("folder") { end in ends.withLock { $0.append(end) } }
        pair.wait { ends.withLock { !$0.isEmpty } }
        #expect(ends.withLock { $0 } == [nil])
        #expect(two.contents == one.contents)
        pair.end()
    }

    @Test("Who waits for what others have removed is told so")
    func removed() throws {
        let pair = try DevicePair.holding("first", as: "a.txt")
        let (one, two) = (pair.one, pair.two)
        try #require(two.running).evict("a.txt")
        pair.wait { two.said.contains(.freed) }
        two.stop()
        let held = try HeldDevice(two, holding: [.read])
        let ends = Locked<[SyncRefusal?]>([])
        pair.wait { held.running.status.line == .up }
        _ = try held.running.download("a.txt") { end in ends.withLock { $0.append(end) } }
        pair.wait { held.hub.isHolding(.read) }
        try FileManager.default.removeItem(atPath: one.path("a.txt"))
        pair.wait { ends.withLock { !$0.isEmpty } }
        #expect(ends.withLock { $0.map { $0?.code } } == [.absent])
        #expect(two.contents.isEmpty)
        held.hub.letGo()
        held.stop()
        one.stop()
    }
}
