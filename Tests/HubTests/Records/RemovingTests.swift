import FileSystem
import Foundation
import HubHarness
import HubProtocol
import SQLite
import TestThreads
import Testing

@testable import HTTPService
@testable import Hub

/// Containers that the hub's owner removes.
@Suite("Removed containers", .onOwnThreads, .timeLimit(.minutes(3)))
struct RemovingTests {
    private let folder: HubFolder
    private let records: SQLiteRecordStore
    private let caller: HubCaller

    init() async throws {
        folder = try HubFolder()
        records = try SQLiteRecordStore(in: try folder.open())
        caller = try await records.prepare(token: try Secrets.hash("token"))
        _ = try await commit(1)
    }

    private func commit(_ number: Int, to container: ContainerName = .test) async throws -> LogHead {
        let id = try #require(CommitName("1.7-\(number)"))
        let offered = OfferedCommit(
            item: .numbered(number),
            base: 0,
            id: id,
            record: Data(repeating: 5, count: 100)
        )
        return try await records.commit([offered], to: container, by: caller, byteCountMax: 1 << 20).head
    }

    private func putKeys() async throws -> Bool {
        let keys = WrappedKeys(generation: 1, keys: Data([1, 2, 3]))
        return try await records.putKeys(
            keys,
            for: caller.device,
            in: .test,
            by: caller,
            byteCountMax: 1 << 20
        )
    }

    /// That nothing of the container is told or taken, and that it is said why.
    private func expectRemoved(_ store: SQLiteRecordStore) async throws {
        #expect(store.head(of: .test, for: .first) == nil && store.isRemoved(.test, of: .first))
        #expect(!store.isRemoved(.test, of: AccountID(2)))
        #expect(try await store.containers(of: .first).isEmpty)
        for work in [
            { _ = try await store.page(of: .test, after: 0, limit: 10) },
            { _ = try await store.keys(for: caller.device, in: .test) },
            { _ = try await store.makeContainer(.test, for: .first) },
        ] as [() async throws -> Void] {
            await #expect { try await work() } throws: { ($0 as? HubRefusal)?.failure.error.code == .removed }
        }
    }

    @Test("What was removed is told apart from what was never there, also by the next process")
    func removed() async throws {
        #expect(try await records.remove(.test, now: 7))
        try await expectRemoved(records)
        await #expect { _ = try await commit(2) } throws: { ($0 as? HubRefusal) == .removed(.test) }
        await #expect { _ = try await putKeys() } throws: { ($0 as? HubRefusal) == .removed(.test) }
        // Of another account it is a name that is taken.
        await #expect { _ = try await records.makeContainer(.test, for: AccountID(2)) } throws: {
            ($0 as? HubRefusal)?.status == 409
        }
        try await expectRemoved(try SQLiteRecordStore(in: try folder.open()))
        let unknown = ContainerName(unchecked: Array(repeating: 8, count: 16))
        #expect(!records.isRemoved(unknown, of: .first))
        #expect(try await !records.remove(unknown, now: 7))
        #expect(try await !records.keep(unknown))
    }

    @Test("Work that was let in before its container was removed, and has its turn after that, is refused")
    func late() async throws {
        let number = try records.number(of: .test)
        #expect(try await records.remove(.test, now: 7))
        await #expect {
            try await records.database.writer.perform { try SQLiteRecordStore.checkIsKept(.test, number, $0) }
        } throws: {
            ($0 as? HubRefusal) == .removed(.test)
        }
    }

    @Test("Kept again it is as it was, and goes on")
    func kept() async throws {
        #expect(try await putKeys())
        let before = try #require(records.head(of: .test, for: .first))
        #expect(try await records.remove(.test, now: 7))
        #expect(try await records.keep(.test))
        #expect(records.head(of: .test, for: .first) == before)
        for store in [records, try SQLiteRecordStore(in: try folder.open())] {
            #expect(!store.isRemoved(.test, of: .first))
            #expect(try await store.page(of: .test, after: 0, limit: 10).entries.count == 1)
            #expect(try await store.keys(for: caller.device, in: .test).generations.count == 1)
        }
        #expect(try await commit(2).position == 2)
        // One that is there is kept, too.
        #expect(try await records.keep(.test))
    }

    @Test("Who waits at a log is told at once that it was removed")
    func waiting() async throws {
        let blobs = try SegmentedBlobStore(in: try folder.open(), uptime: LeapingClock.make())
        let clock = HubClock(now: { 50 }, uptime: { ProcessInfo.processInfo.systemUptime })
        let service = HubService(records: records, blobs: blobs, clock: clock)
        let request = WebRequest(
            method: "GET",
            target: try #require(RequestTarget("/v1/containers/\(ContainerName.test)/log?after=1&wait=60")),
            version: "HTTP/1.1",
            headers: [WebHeader("Authorization", "Bearer token")]
        )
        guard case .wait(let answer) = service.answer(to: request) else {
            Issue.record("it does not wait")
            return
        }
        async let told = answer()
        #expect(try await records.remove(.test, now: 7))
        let response = await told
        guard case .bytes(let body) = response.body else {
            Issue.record("no words")
            return
        }
        let failure = try JSONDecoder().decode(HubFailure.self, from: body)
        #expect(response.status == 410 && failure.error.code == .removed)
        guard case .respond(let next) = service.answer(to: request) else {
            Issue.record("it waits")
            return
        }
        #expect(next.status == 410)
    }

    @Test("What is left of it goes when its time is over, and then nobody has it back")
    func deleted() async throws {
        let other = ContainerName(unchecked: Array(repeating: 8, count: 16))
        _ = try await records.makeContainer(other, for: .first)
        _ = try await commit(1, to: other)
        #expect(try await putKeys())
        // More than one transaction deletes.
        let commits = try (10..<2600).map { number in
            let id = try #require(CommitName("1.8-\(number)"))
            return OfferedCommit(item: .numbered(number), base: 0, id: id, record: Data([1]))
        }
        _ = try await records.commit(commits, to: .test, by: caller, byteCountMax: 1 << 20)
        let blobs = try SegmentedBlobStore(in: try folder.open(), uptime: LeapingClock.make())
        for container in [ContainerName.test, other] {
            let batch = try blobs.begin(for: BlobOwner(container, .first))
            for number in 0..<600 { try batch.add(.numbered(number), [1, 2]) }
            #expect(try await batch.commit() == 600)
        }
        #expect(try await records.remove(.test, now: 7))
        let removed = try #require(try await records.removed().first)
        #expect(try await records.beginDeleting(removed))
        #expect(try await !records.keep(.test))
        try await blobs.deleteAll(of: .test)
        try await records.delete(try #require(try await records.removed().first))
        #expect(try await records.removed().isEmpty)
        #expect(records.byteCount(of: .first) == 100 + RecordSchema.entryByteCount)
        #expect(blobs.byteCount(of: .first) == 600 * (2 + BlobSchema.rowByteCount))
        let names = (0..<600).map(BlobName.numbered)
        #expect(try await blobs.missing(names, of: BlobOwner(.test, .first)).count == 600)
        #expect(try await blobs.missing(names, of: BlobOwner(other, .first)).isEmpty)
        let again = try SQLiteRecordStore(in: try folder.open())
        for store in [records, again] {
            try await expectGone(store)
            #expect(store.head(of: other, for: .first)?.position == 1)
            #expect(store.byteCount(of: .first) == 100 + RecordSchema.entryByteCount)
        }
    }

    private func expectGone(_ store: SQLiteRecordStore) async throws {
        #expect(store.isRemoved(.test, of: .first))
        #expect(try await !store.keep(.test))
        let counts = try await store.database.readers.perform { connection in
            try ["entries", "items", "keys"].map { table in
                let select = try connection.statement("SELECT count(*) FROM \(table)")
                defer { select.reset() }
                return try select.step() ? select.integer(0) : -1
            }
        }
        // Those of the other container.
        #expect(counts == [1, 1, 0])
    }

    @Test(
        "It goes after the retention, an hour at the earliest, and what has begun to go goes on",
        arguments: [
            (Removal.kept(since: 100), 50_000, 50_100, false), (.kept(since: 100), 50_000, 50_101, true),
            (.kept(since: 100), 0, 3700, false), (.kept(since: 100), 0, 3701, true),
            (.going, 50_000, 0, true), (.gone, 0, 1_000_000, false),
        ]
    )
    func due(removal: Removal, retentionSeconds: Int, now: Int, isDue: Bool) {
        #expect(removal.isDue(retentionSeconds: retentionSeconds, now: now) == isDue)
        #expect(Removal(removal.number) == removal)
    }

    @Test("A container that was removed counts no longer among those that an account may have")
    func count() async throws {
        for number in 1..<SQLiteRecordStore.containerCountMax {
            _ = try await records.makeContainer(Self.name(number), for: .first)
        }
        await #expect { _ = try await records.makeContainer(Self.name(5000), for: .first) } throws: {
            ($0 as? HubRefusal)?.status == 507
        }
        #expect(try await records.remove(.test, now: 7))
        #expect(try await records.makeContainer(Self.name(5000), for: .first))
    }

    private static func name(_ number: Int) -> ContainerName {
        ContainerName(
            unchecked: [UInt8](repeating: 0, count: 14) + [UInt8(number >> 8), UInt8(number & 255)]
        )
    }

    @Test("A command does it where no hub runs, and says what there is")
    func command() async throws {
        let blobs = try SegmentedBlobStore(in: try folder.open(), uptime: LeapingClock.make())
        let batch = try blobs.begin(for: BlobOwner(.test, .first))
        try batch.add(.numbered(1), [1, 2, 3])
        #expect(try await batch.commit() == 1)
        var options = HubProcess.Options()
        options.data = folder.path.string
        let listed = try #require(try HubProcess.containers(options).first)
        #expect(listed.id == .test && listed.account == .first && listed.standing == .kept)
        #expect(
            listed.commitCount == 1
                && listed.byteCount == 103 + RecordSchema.entryByteCount + BlobSchema.rowByteCount
        )
        #expect(listed.devices == [HubProcess.Container.Device(name: "Phone", asked: nil)])
        #expect(abs((listed.committed ?? 0) - Int(Date().timeIntervalSince1970)) < 600)
        try HubProcess.remove(.test, options)
        #expect(try HubProcess.containers(options).map(\.standing) == [.removed])
        #expect(try HubProcess.accounts(options).map(\.containerCount) == [0])
        try await expectRemoved(try SQLiteRecordStore(in: try folder.open()))
        try HubProcess.keep(.test, options)
        #expect(try HubProcess.containers(options).map(\.standing) == [.kept])
        let unknown = ContainerName(unchecked: Array(repeating: 8, count: 16))
        for work in [HubProcess.remove, HubProcess.keep] {
            #expect { try work(unknown, options) } throws: {
                ($0 as? HubError)?.description.contains("sheaf hub folders") == true
            }
        }
        #expect(try folder.open().subfolder("orders").entries().isEmpty)
    }

    @Test("Only an order's file is one")
    func orders() throws {
        let order = OrderFiles.Order(.keep, .test)
        #expect(OrderFiles.Order(fileName: order.fileName) == order)
        for name in ["", ".keep", "07.keep", "\(ContainerName.test)", "\(ContainerName.test).keep.new"] {
            #expect(OrderFiles.Order(fileName: name) == nil)
        }
    }
}
