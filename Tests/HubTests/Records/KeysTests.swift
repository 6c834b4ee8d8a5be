import FileSystem
import Foundation
import HubHarness
import HubProtocol
import SQLite
import TestThreads
import Testing

@testable import HTTPService
@testable import Hub

/// Keys that devices leave for others, whoever leaves how many, and what stays of them.
@Suite("Wrapped keys", .onOwnThreads, .timeLimit(.minutes(3)))
struct KeysTests {
    private let folder: HubFolder
    private let store: SQLiteRecordStore
    /// One that others refuse, or that goes by itself, and one that stays.
    private let (going, staying): (HubCaller, HubCaller)
    private let receiver = DeviceName(unchecked: Array(repeating: 0xaa, count: 8))

    init() async throws {
        folder = try HubFolder()
        store = try SQLiteRecordStore(in: try folder.open())
        (going, staying) = (try await store.prepare(token: [1]), try await store.prepare(token: [2]))
    }

    private func leave(
        _ text: String,
        _ generation: Int,
        by writer: HubCaller,
        for receiver: DeviceName? = nil,
        in store: SQLiteRecordStore? = nil
    ) async throws {
        let isTaken = try await (store ?? self.store).putKeys(
            WrappedKeys(generation: UInt32(generation), keys: Data(text.utf8)),
            for: receiver ?? self.receiver,
            in: .test,
            by: writer,
            byteCountMax: .max
        )
        #expect(isTaken)
    }

    /// Those that are left for a device, in the running hub and in one that is started anew.
    private func left(for receiver: DeviceName? = nil) async throws -> [String] {
        let again = try SQLiteRecordStore(in: try folder.open())
        let lists = [
            try await store.keys(for: receiver ?? self.receiver, in: .test),
            try await again.keys(for: receiver ?? self.receiver, in: .test),
        ]
        #expect(lists[0] == lists[1])
        #expect(store.byteCount(of: .first) == again.byteCount(of: .first))
        return lists[0].generations.map { String(decoding: $0.keys, as: UTF8.self) }
    }

    /// Has keys be there that devices have left, which may be none that are registered.
    private func fill(_ count: Int, from generation: Int, by writer: String) async throws {
        try await store.database.writer.perform { [receiver] connection in
            let insert = try connection.statement(
                """
                WITH RECURSIVE counts(n) AS (SELECT 0 UNION ALL SELECT n + 1 FROM counts LIMIT ?)
                INSERT INTO keys SELECT 1, ?, ? + n, x'01', \(writer), ? + n FROM counts
                """
            )
            insert.bind(1, count)
            insert.bind(2, receiver.bytes)
            insert.bind(3, generation)
            insert.bind(4, generation)
            try insert.run()
        }
    }

    private func expectRefused(
        _ generation: Int,
        by writer: HubCaller,
        _ words: String,
        _ code: HubFailureCode = .quota
    ) async throws {
        let failure = await #expect(throws: HubRefusal.self) {
            try await leave("x", generation, by: writer)
        }
        #expect(failure?.status == 507 && failure?.failure.error.code == code)
        #expect(failure?.failure.error.message.contains(words) == true)
    }

    @Test("A device leaves so many for one other, and what is there may be said again")
    func manyOfOne() async throws {
        for number in 1...SQLiteRecordStore.writtenKeyCountMax {
            try await leave("\(number)", number, by: going)
        }
        try await expectRefused(100, by: going, "as many keys as one may")
        try await leave("5", 5, by: going)
        try await leave("100", 100, by: staying)
        let other = DeviceName(unchecked: Array(repeating: 0xbb, count: 8))
        try await leave("1", 1, by: going, for: other)
        #expect(try await left().count == 65)
    }

    @Test("A device leaves so many for all others together, whatever names those have")
    func manyNames() async throws {
        try await store.database.writer.perform { [going] connection in
            let insert = try connection.statement(
                """
                WITH RECURSIVE counts(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM counts LIMIT ?)
                INSERT INTO keys SELECT 1, CAST('name ' || n AS BLOB), 1, x'01', ?, 1 FROM counts
                """
            )
            insert.bind(1, SQLiteRecordStore.writerKeyCountMax - 1)
            insert.bind(2, going.device.bytes)
            try insert.run()
        }
        try await leave("1", 1, by: going)
        try await expectRefused(2, by: going, "as many keys as one may")
        try await leave("2", 2, by: staying)
    }

    @Test("All devices together leave so many for one, and a refusal makes room again")
    func manyOfAll() async throws {
        for number in 0..<15 { try await fill(64, from: 1 + 64 * number, by: "zeroblob(8 + \(number))") }
        let own = going.device.bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
        try await fill(64, from: 1 + 64 * 15, by: "x'\(own)'")
        try await expectRefused(2000, by: staying, "shut it out first", .keysFull)
        #expect(try await store.revoke(going.device, of: .first))
        try await leave("2000", 2000, by: staying)
        #expect(try await left().count == 64 * 15 + 2)
        // What was there before it was known who had left it is in nobody's way.
        try await store.database.writer.perform {
            try $0.execute("UPDATE keys SET writer = NULL, written = 0")
        }
        for number in 0..<3 { try await fill(400, from: 3000 + 400 * number, by: "NULL") }
        try await store.database.writer.perform {
            try $0.execute("UPDATE keys SET written = 0 WHERE writer IS NULL")
        }
        try await leave("9000", 9000, by: staying)
    }

    @Test("Of what a refused device has left the first and the last stay, and what others have left")
    func refused() async throws {
        let paper = DeviceName(unchecked: Array(repeating: 0xbb, count: 8))
        try await leave("kit", 1, by: going, for: paper)
        for number in 2...4 { try await leave("box \(number)", number, by: going, for: paper) }
        // Who would have another count as the first.
        try await leave("lie", 0, by: staying, for: paper)
        try await leave("first", 1, by: staying)
        // Places that were free come before others.
        for number in [7, 8, 2] { try await leave("going \(number)", number, by: going) }
        try await leave("second", 3, by: staying)
        #expect(try await store.revoke(going.device, of: .first))
        #expect(try await left(for: paper) == ["lie", "kit", "box 4"])
        #expect(try await left() == ["first", "going 2", "second"])
        let texts = ["lie", "kit", "box 4", "first", "going 2", "second"]
        #expect(store.byteCount(of: .first) == texts.reduce(0) { $0 + $1.utf8.count })
        // Asked for once more it takes nothing else.
        #expect(try await store.revoke(going.device, of: .first))
        #expect(try await left() == ["first", "going 2", "second"])
    }

    @Test("What a device that is refused had begun to leave comes too late")
    func late() async throws {
        #expect(try await store.revoke(going.device, of: .first))
        await #expect(throws: HubRefusal.revoked) { try await leave("1", 1, by: going) }
        #expect(try await left() == [])
    }

    @Test("Many that are registered and refuse themselves leave no more behind than is taken for one other")
    func many() async throws {
        try await leave("kit", 1, by: staying)
        try await leave("gone", 2, by: going)
        #expect(try await store.revoke(going.device, of: .first))
        let count = SQLiteRecordStore.formerKeyCountMax
        for number in 0..<count {
            let device = try await store.prepare(token: [UInt8(10 + number)])
            for place in 0...1 { try await leave("\(number)", 3 + 2 * number + place, by: device) }
            #expect(try await store.revoke(device.device, of: .first))
        }
        #expect(try await left() == ["kit"] + (0..<count).map { "\($0)" })
    }

    @Test("Keys from before it was known who had left them stay, whoever is refused")
    func former() async throws {
        for number in 1...3 { try await leave("\(number)", number, by: going) }
        do {
            let path = folder.path.appending(SQLiteRecordStore.fileName).string
            try SQLiteConnection(path: path).goBackToVersion3()
        }
        let again = try SQLiteRecordStore(in: try folder.open())
        for number in 4...6 { try await leave("\(number)", number, by: going, in: again) }
        #expect(try await again.revoke(going.device, of: .first))
        let found = try await again.keys(for: receiver, in: .test).generations.map(\.generation)
        #expect(found == [1, 2, 3, 6])
        #expect(again.byteCount(of: .first) == 4)
    }

    @Test("Keys without a byte are refused")
    func empty() async throws {
        let blobs = try SegmentedBlobStore(in: try folder.open(), uptime: LeapingClock.make())
        let service = HubService(records: store, blobs: blobs)
        let answer = try service.answerKeys(
            WebRequest(
                method: "PUT",
                target: try #require(RequestTarget("/")),
                version: "HTTP/1.1",
                headers: [WebHeader("Content-Length", "28")]
            ),
            .test,
            receiver,
            staying
        )
        guard case .receive(let receiver, _) = answer else { throw CancellationError() }
        Array(#"{"generation":1,"keys":""}"#.utf8).withUnsafeBytes { receiver.receive($0) }
        guard case .wait(let produce) = receiver.finish() else { throw CancellationError() }
        #expect(await produce().status == 400)
        #expect(try await left() == [])
    }
}

/// How much an account has of what is listed as a whole.
@Suite("What an account has at most", .onOwnThreads, .timeLimit(.minutes(3)))
struct AccountLimitTests {
    private let folder: HubFolder
    private let store: SQLiteRecordStore
    private let caller: HubCaller

    init() async throws {
        folder = try HubFolder()
        store = try SQLiteRecordStore(in: try folder.open())
        caller = try await store.prepare()
    }

    private func name(_ number: UInt8) -> ContainerName {
        ContainerName(unchecked: Array(repeating: number, count: 16))
    }

    @Test("An account has so many containers, and others their own; those that are there stay")
    func containers() async throws {
        try await store.database.writer.perform { connection in
            let insert = try connection.statement(
                """
                WITH RECURSIVE counts(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM counts LIMIT ?)
                INSERT INTO containers(container, account, position, hash)
                    SELECT CAST('number ' || n AS BLOB), 1, 0, zeroblob(32) FROM counts
                """
            )
            insert.bind(1, SQLiteRecordStore.containerCountMax - 2)
            try insert.run()
        }
        #expect(try await store.makeContainer(name(20), for: .first))
        let failure = await #expect(throws: HubRefusal.self) {
            try await store.makeContainer(name(21), for: .first)
        }
        #expect(failure?.status == 507 && failure?.failure.error.message.contains("--new-account") == true)
        #expect(store.head(of: name(21), for: .first) == nil)
        #expect(try await store.makeContainer(name(20), for: .first) == false)
        #expect(try await store.makeContainer(name(21), for: AccountID(2)))
    }

    private func register(_ number: UInt8, by inviter: DeviceName?) async throws -> AccountID? {
        try await store.addInvitation(hash: [number], to: .first, by: inviter, until: 100)
        return try await store.register(.numbered(number), invitationHash: [number], now: 50)
    }

    private func fill(_ count: Int, isRevoked: Bool) async throws {
        try await store.database.writer.perform { [caller] connection in
            let insert = try connection.statement(
                """
                WITH RECURSIVE counts(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM counts LIMIT ?1)
                INSERT INTO devices SELECT CAST(?1 || n AS BLOB), 1, CAST('token' || ?1 || n AS BLOB), x'41',
                    zeroblob(32), zeroblob(32), 0, ?2, ?3, NULL FROM counts
                """
            )
            insert.bind(1, count)
            insert.bind(2, isRevoked ? 1 : 0)
            insert.bind(3, caller.device.bytes)
            try insert.run()
        }
    }

    @Test(
        "So many devices stand that others have invited: not counted who was refused, or invited at the hub"
    )
    func devices() async throws {
        let most = SQLiteRecordStore.deviceCountMax
        try await fill(most - 1, isRevoked: false)
        try await fill(most + 5, isRevoked: true)
        #expect(try await register(10, by: caller.device) == .first)
        let failure = await #expect(throws: HubRefusal.self) { try await register(11, by: caller.device) }
        #expect(failure?.status == 507 && failure?.failure.error.message.contains("sheaf hub invite") == true)
        #expect(try await register(12, by: nil) == .first)
        #expect(try await store.revoke(NewDevice.numbered(10).device, of: .first))
        // The invitation was not used up.
        #expect(try await store.register(.numbered(11), invitationHash: [11], now: 50) == .first)
    }

    @Test(
        "So many invitations wait for somebody, of an account; not those of a device that was refused, or of the hub"
    )
    func invitations() async throws {
        func invite(_ number: Int, until: Int = 4000, _ account: AccountID = .first) async throws {
            let hash = [UInt8](withUnsafeBytes(of: number) { Array($0) })
            try await store.addInvitation(hash: hash, to: account, by: caller.device, until: until)
        }
        for number in 1...SQLiteRecordStore.invitationCountMax { try await invite(number) }
        let failure = await #expect(throws: HubRefusal.self) { try await invite(1000) }
        #expect(failure?.status == 429 && failure?.retrySeconds == HubLimits.invitationSeconds)
        try await invite(1001, AccountID(2))
        #expect(try await register(20, by: nil) == .first)
        // Those are too old by then.
        try await invite(1002, until: 4000 + HubLimits.invitationSeconds)
        await #expect(throws: HubRefusal.self) { try await invite(1003) }
        #expect(try await store.revoke(caller.device, of: .first))
        try await invite(1003)
    }

    @Test("So many were ever registered by others' invitations, and at the hub whoever is to be")
    func registrations() async throws {
        try await fill(SQLiteRecordStore.registrationCountMax, isRevoked: true)
        await #expect(throws: HubRefusal.self) { try await register(11, by: caller.device) }
        #expect(try await register(12, by: nil) == .first)
    }
}
