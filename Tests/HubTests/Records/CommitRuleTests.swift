import Foundation
import HubProtocol
import Locks
import SeededNumbers
import Sync
import Testing

@testable import Hub

/// Commits that anybody could send: new ones, old ones again, on bases right and wrong.
struct RandomCommits {
    private var random: SplitMix64
    private var sent: [(pure: Commit, offered: OfferedCommit)] = []
    private var number: UInt64 = 0

    init(seed: UInt64) { random = SplitMix64(seed: seed) }

    mutating func next(head: UInt64) throws -> (pure: Commit, offered: OfferedCommit) {
        if !sent.isEmpty, random.below(4) == 0 { return sent[random.below(sent.count)] }
        let item = 1 + random.below(5)
        number += 1
        let device = UInt64(random.below(3))
        let base = random.below(3) == 0 ? 0 : UInt64(random.below(Int(head) + 2))
        let id = Commit.ID(DeviceID(device), session: 7, number)
        let name = try #require(CommitName("\(device).7-\(number)"))
        let pure = Commit(id, ItemID(0, UInt64(item)), on: base, nil)
        let record = Data((0..<random.below(40)).map { UInt8($0) })
        let offered = OfferedCommit(item: .numbered(item), base: base, id: name, record: record)
        sent.append((pure, offered))
        return (pure, offered)
    }
}

extension ContainerLog.Answer {
    var message: CommitAnswer {
        switch self {
        case .accepted(let position): .accepted(position)
        case .refused(let position): .refused(position)
        }
    }
}

@Suite("CommitRule")
struct CommitRuleTests {
    @Test("Over random commits it decides as the log in memory does")
    func againstContainerLog() throws {
        for seed in UInt64(1)...40 {
            var commits = RandomCommits(seed: seed)
            var log = ContainerLog()
            var last: [ItemName: CommitRule.Last] = [:]
            var head: UInt64 = 0
            for step in 0..<100 {
                let (pure, offered) = try commits.next(head: head)
                let answer: CommitAnswer
                switch CommitRule.decide(offered, last: last[offered.item]) {
                case .answer(let given): answer = given
                case .append:
                    head += 1
                    last[offered.item] = CommitRule.Last(position: head, id: offered.id)
                    answer = .accepted(head)
                }
                #expect(answer == log.offer(pure).message, "seed \(seed), step \(step)")
                #expect(head == log.head)
            }
        }
    }
}

@Suite("SQLiteRecordStore")
struct SQLiteRecordStoreTests {
    @Test("Over random commits it answers as the log in memory does, and its pages are that log, chained")
    func againstContainerLog() async throws {
        for seed in UInt64(1)...3 {
            let folder = try HubFolder()
            let store = try SQLiteRecordStore(in: try folder.open())
            let caller = try await store.prepare()
            var (commits, log) = (RandomCommits(seed: seed), ContainerLog())
            var random = SplitMix64(seed: seed)
            for _ in 0..<20 {
                var (batch, expected): ([OfferedCommit], [CommitAnswer]) = ([], [])
                for _ in 0...random.below(8) {
                    let (pure, offered) = try commits.next(head: log.head)
                    batch.append(offered)
                    expected.append(log.offer(pure).message)
                }
                let answers = try await store.commit(batch, to: .test, by: caller, byteCountMax: 1 << 20)
                #expect(answers.answers == expected, "seed \(seed)")
                #expect(answers.head.position == log.head)
                #expect(store.head(of: .test, for: .first) == answers.head)
            }
            let items = try await readThrough(store, seed: seed)
            #expect(items == log.entries.map { $0.commit.item.low })
            // What was there is there for the next process, too.
            let again = try SQLiteRecordStore(in: try folder.open())
            #expect(again.head(of: .test, for: .first) == store.head(of: .test, for: .first))
            #expect(try await readThrough(again, seed: seed) == items)
            #expect(again.caller(tokenHash: [1, 2, 3]) == caller)
        }
    }

    /// Reads a log in small pages, and checks its chain.
    private func readThrough(_ store: SQLiteRecordStore, seed: UInt64) async throws -> [UInt64] {
        var chain = try LogChain(of: .test)
        var items: [UInt64] = []
        while true {
            let page = try await store.page(of: .test, after: chain.head.position, limit: 7)
            for entry in page.entries {
                #expect(try chain.append(entry), "seed \(seed), entry \(entry.position)")
                items.append(UInt64(entry.item.bytes.suffix(8).reduce(0) { $0 << 8 | Int($1) }))
            }
            if page.entries.isEmpty {
                #expect(page.head == chain.head)
                return items
            }
        }
    }

    @Test("Many devices at once: every commit accepted is in the log once")
    func concurrently() async throws {
        let folder = try HubFolder()
        let store = try SQLiteRecordStore(in: try folder.open())
        let caller = try await store.prepare()
        let accepted = try await withThrowingTaskGroup(of: [UInt64].self) { group in
            for device in 0..<8 {
                group.addTask {
                    var positions: [UInt64] = []
                    for number in 0..<20 {
                        let id = try #require(CommitName("\(device)-\(number)"))
                        // Item 0 is everybody's: all but one of the first commits about it are refused.
                        let item = ItemName.numbered(number == 0 ? 0 : 1000 * device + number)
                        let commit = OfferedCommit(item: item, base: 0, id: id, record: Data([1]))
                        let answers = try await store.commit(
                            [commit],
                            to: .test,
                            by: caller,
                            byteCountMax: 1 << 20
                        )
                        if case .accepted(let position)? = answers.answers.first {
                            positions.append(position)
                        }
                    }
                    return positions
                }
            }
            return try await group.reduce(into: []) { $0 += $1 }
        }
        #expect(accepted.sorted() == (1...UInt64(8 * 19 + 1)).map { $0 })
        #expect(store.byteCount(of: .first) == accepted.count * (1 + RecordSchema.entryByteCount))
    }

    @Test(
        "A page tells of nothing of which the log's head does not tell by then: who goes on from there has not read too far"
    )
    func pagesBesideCommits() async throws {
        let folder = try HubFolder()
        let store = try SQLiteRecordStore(in: try folder.open())
        let caller = try await store.prepare()
        let commitCount = 300
        async let reader: UInt64 = {
            var position: UInt64 = 0
            while position < commitCount {
                let page = try await store.page(of: .test, after: position, limit: 100)
                let head = try #require(store.head(of: .test, for: .first))
                #expect(head.position >= page.head.position)
                #expect(page.head.position == page.entries.last?.position ?? position)
                position = page.head.position
            }
            return position
        }()
        for number in 1...commitCount {
            let id = try #require(CommitName("\(number)"))
            let commit = OfferedCommit(item: .numbered(number), base: 0, id: id, record: Data([1]))
            _ = try await store.commit([commit], to: .test, by: caller, byteCountMax: 1 << 20)
        }
        let position = try await reader
        #expect(position == UInt64(commitCount))
    }

    @Test("A commit over the quota is refused with all of its request, and leaves nothing")
    func quota() async throws {
        let folder = try HubFolder()
        let store = try SQLiteRecordStore(in: try folder.open())
        let caller = try await store.prepare()
        let id = try #require(CommitName("1"))
        func commit(_ item: Int, _ count: Int) -> OfferedCommit {
            OfferedCommit(item: .numbered(item), base: 0, id: id, record: Data(count: count))
        }
        // Room for two entries and a hundred bytes of records.
        let row = RecordSchema.entryByteCount
        let most = 2 * row + 100
        _ = try await store.commit([commit(1, 60)], to: .test, by: caller, byteCountMax: most)
        for records in [[41], [0, 0]] {
            let commits = records.enumerated().map { commit(2 + $0.offset, $0.element) }
            await #expect(throws: QuotaExceeded.self) {
                try await store.commit(commits, to: .test, by: caller, byteCountMax: most)
            }
        }
        #expect(store.head(of: .test, for: .first)?.position == 1)
        #expect(store.byteCount(of: .first) == row + 60)
        _ = try await store.commit([commit(2, 40)], to: .test, by: caller, byteCountMax: most)
        #expect(store.head(of: .test, for: .first)?.position == 2)
        // What is there already takes no more.
        _ = try await store.commit([commit(2, 40)], to: .test, by: caller, byteCountMax: most)
        #expect(store.byteCount(of: .first) == most)
    }

    @Test("An invitation works once and not too late; a revoked device is nobody, also for the next process")
    func devices() async throws {
        let folder = try HubFolder()
        let store = try SQLiteRecordStore(in: try folder.open())
        let caller = try await store.prepare()
        let news = Locked<[HubNews]>([])
        store.observe { said in news.withLock { $0.append(said) } }
        try await store.addInvitation(hash: [5], to: .first, by: nil, until: 100)
        let key = PublicKeyBytes(unchecked: Array(repeating: 1, count: 32))
        func device(_ number: UInt8) -> NewDevice {
            NewDevice(
                device: DeviceName(unchecked: Array(repeating: number, count: 8)),
                tokenHash: [number],
                name: "Pad",
                signingKey: key,
                agreementKey: key
            )
        }
        #expect(try await store.register(device(40), invitationHash: [5], now: 101) == nil)
        #expect(try await store.register(device(41), invitationHash: [5], now: 99) == .first)
        #expect(try await store.register(device(42), invitationHash: [5], now: 99) == nil)
        #expect(try await store.register(device(43), invitationHash: [6], now: 99) == nil)
        #expect(store.caller(tokenHash: [41]) != nil)
        #expect(try await store.revoke(caller.device, of: AccountID(2)) == false)
        #expect(try await store.revoke(caller.device, of: .first))
        #expect(store.caller(tokenHash: [1, 2, 3]) == nil && store.isRevoked(tokenHash: [1, 2, 3]))
        // A request that had begun before comes too late.
        let late = OfferedCommit(
            item: .numbered(1),
            base: 0,
            id: try #require(CommitName("1")),
            record: Data(count: 40)
        )
        await #expect(throws: HubRefusal.revoked) {
            try await store.commit([late], to: .test, by: caller, byteCountMax: 100)
        }
        #expect(store.head(of: .test, for: .first)?.position == 0)
        #expect(news.withLock { $0 } == [.revoked(caller.device)])
        let again = try SQLiteRecordStore(in: try folder.open())
        #expect(again.caller(tokenHash: [1, 2, 3]) == nil && again.isRevoked(tokenHash: [1, 2, 3]))
        #expect(!again.isRevoked(tokenHash: [41]) && !again.isRevoked(tokenHash: [9]))
        #expect(try await again.devices(of: .first).map(\.isRevoked).sorted { $0 && !$1 } == [true, false])
    }

    @Test("A container belongs to one account, and keys of a generation are written once")
    func containers() async throws {
        let folder = try HubFolder()
        let store = try SQLiteRecordStore(in: try folder.open())
        let caller = try await store.prepare()
        #expect(try await store.makeContainer(.test, for: .first) == false)
        await #expect(throws: HubRefusal.self) { try await store.makeContainer(.test, for: AccountID(2)) }
        #expect(store.head(of: .test, for: AccountID(2)) == nil)
        #expect(try await store.containers(of: AccountID(2)).isEmpty)
        for (generation, keys, isTaken) in [(2, "b", true), (1, "a", true), (1, "a", true), (1, "c", false)] {
            let wrapped = WrappedKeys(generation: UInt32(generation), keys: Data(keys.utf8))
            let found = try await store.putKeys(
                wrapped,
                for: caller.device,
                in: .test,
                by: caller,
                byteCountMax: 3
            )
            #expect(found == isTaken)
        }
        #expect(store.byteCount(of: .first) == 2)
        let large = WrappedKeys(generation: 3, keys: Data("dd".utf8))
        await #expect(throws: QuotaExceeded.self) {
            try await store.putKeys(large, for: caller.device, in: .test, by: caller, byteCountMax: 3)
        }
        // What is there may be said again, room or not.
        let known = WrappedKeys(generation: 1, keys: Data("a".utf8))
        #expect(
            try await store.putKeys(known, for: caller.device, in: .test, by: caller, byteCountMax: 0)
        )
        let list = try await store.keys(for: caller.device, in: .test)
        #expect(list.generations.map(\.keys) == [Data("a".utf8), Data("b".utf8)])
    }
}
