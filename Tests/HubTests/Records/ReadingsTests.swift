import FileSystem
import Foundation
import HTTPService
import HubHarness
import HubProtocol
import SQLite
import TestThreads
import Testing

@testable import Hub

/// What is known of who has read what, and when it is written.
@Suite("Readings", .onOwnThreads)
struct ReadingsTests {
    private let device = DeviceName(unchecked: Array(repeating: 1, count: 8))

    private func place(_ position: UInt64, _ asked: Int) -> ReadPosition {
        ReadPosition(.test, to: position, asked: asked)
    }

    @Test("A position goes on and never back, and the time is that of the last question")
    func positions() {
        var readings = Readings()
        _ = readings.note(place(3, 10), of: device)
        _ = readings.note(place(2, 20), of: device)
        #expect(readings.places(of: device, with: []) == [place(3, 20)])
        // What others have written is known as well, whichever of the two is newer.
        #expect(readings.places(of: device, with: [place(5, 15)]) == [place(5, 20)])
        #expect(readings.places(of: device, with: [place(1, 25)]) == [place(3, 25)])
        let other = ReadPosition(ContainerName(unchecked: Array(repeating: 8, count: 16)), to: 1, asked: 1)
        #expect(readings.places(of: device, with: [other]) == [place(3, 20), other])
        #expect(readings.places(of: DeviceName(unchecked: [2]), with: []) == [])
    }

    @Test("One writing is asked for at a time, and has all that came meanwhile")
    func gathered() {
        var readings = Readings()
        #expect(readings.note(place(1, 10), of: device) == true)
        #expect(readings.note(place(2, 10), of: device) == false)
        let taken = readings.takeDue()
        #expect(taken == [Readings.Reading(device: device, place: place(2, 10))])
        // While that is written one more comes.
        #expect(readings.note(place(3, 11), of: device) == false)
        readings.didWrite(taken)
        #expect(readings.goOn() == true)
        let next = readings.takeDue()
        #expect(next.map(\.place) == [place(3, 11)])
        #expect(readings.takeDue() == [])
        // Who is in a hurry does not wait for others to write it.
        #expect(readings.unwritten == next)
        readings.didWrite(next)
        #expect(readings.goOn() == false)
        #expect(readings.unwritten == [])
        #expect(readings.note(place(4, 12), of: device) == true)
    }

    @Test("A time alone is written now and then, and at the end")
    func times() {
        var readings = Readings()
        _ = readings.note(place(1, 1000), of: device)
        let first = readings.takeDue()
        readings.didWrite(first)
        #expect(readings.goOn() == false)
        let seconds = Readings.timeSecondsMax
        #expect(readings.note(place(1, 999 + seconds), of: device) == false)
        #expect(readings.takeDue() == [])
        #expect(readings.unwritten.map(\.place) == [place(1, 999 + seconds)])
        #expect(readings.note(place(1, 1000 + seconds), of: device) == true)
        let taken = readings.takeDue()
        #expect(taken.map(\.place) == [place(1, 1000 + seconds)])
        readings.didWrite(taken)
        #expect(readings.goOn() == false)
        // A clock that was wrong by years is put right.
        #expect(readings.note(place(1, 5), of: device) == true)
    }

    @Test("What could not be written is due again, and no older than what came meanwhile")
    func failed() {
        var readings = Readings()
        _ = readings.note(place(1, 10), of: device)
        let taken = readings.takeDue()
        #expect(readings.takeDue() == [])
        readings.giveBack(taken)
        _ = readings.note(place(2, 11), of: device)
        #expect(readings.goOn() == true)
        #expect(readings.takeDue().map(\.place) == [place(2, 11)])
    }
}

@Suite("Readings in a database", .onOwnThreads, .serialized, .timeLimit(.minutes(3)))
struct WrittenReadingsTests {
    private let folder: HubFolder
    private let store: SQLiteRecordStore
    private let caller: HubCaller
    private let expected = ReadPosition(.test, to: 1, asked: 70)

    init() async throws {
        folder = try HubFolder()
        store = try SQLiteRecordStore(in: try folder.open())
        caller = try await store.prepare()
        let commit = OfferedCommit(
            item: .numbered(1),
            base: 0,
            id: try #require(CommitName("1")),
            record: Data([5])
        )
        _ = try await store.commit([commit], to: .test, by: caller, byteCountMax: 1000)
    }

    private func readings(in store: SQLiteRecordStore) async throws -> [ReadPosition] {
        try await store.devices(for: caller).flatMap { $0.reads ?? [] }
    }

    private func again() throws -> SQLiteRecordStore { try SQLiteRecordStore(in: try folder.open()) }

    @Test("They are written by themselves soon after they were noted")
    func byThemselves() async throws {
        let again = try again()
        store.note(expected, of: caller.device)
        #expect(try await readings(in: store) == [expected])
        // Until that is so, or the time is over.
        while try await readings(in: again) != [expected] {}
    }

    @Test("A device hears only of logs that it has read itself")
    func ownLogs() async throws {
        let other = HubCaller(device: DeviceName(unchecked: Array(repeating: 8, count: 8)), account: .first)
        _ = try await store.prepare(token: other.device.bytes)
        let name = ContainerName(unchecked: Array(repeating: 9, count: 16))
        _ = try await store.makeContainer(name, for: .first)
        for name in [.test, name] { store.note(ReadPosition(name, to: 0, asked: 60), of: other.device) }
        let both = [ReadPosition(.test, to: 0, asked: 60), ReadPosition(name, to: 0, asked: 60)]
        func listed(_ caller: HubCaller, _ store: SQLiteRecordStore) async throws -> [ReadPosition] {
            try await store.devices(for: caller).first { $0.device == other.device }?.reads ?? []
        }
        #expect(try await listed(other, store) == both)
        #expect(try await listed(caller, store) == [])
        store.note(expected, of: caller.device)
        #expect(try await listed(caller, store) == [both[0]])
        await store.writeReadings()
        let again = try again()
        #expect(try await listed(other, again) == both)
        #expect(try await listed(caller, again) == [both[0]])
        // What is written of the others is told from the first question on.
        let third = HubCaller(device: DeviceName(unchecked: Array(repeating: 7, count: 8)), account: .first)
        again.note(ReadPosition(name, to: 0, asked: 61), of: third.device)
        #expect(try await listed(third, again) == [both[1]])
    }

    @Test("Many at once are written in parts, and all of them")
    func many() async throws {
        let devices = (0..<2500).map { number in
            DeviceName(unchecked: withUnsafeBytes(of: number.bigEndian, Array.init))
        }
        for device in devices { store.note(expected, of: device) }
        await store.writeReadings()
        let connection = try SQLiteConnection(path: folder.path.appending(SQLiteRecordStore.fileName).string)
        let count = try connection.statement("SELECT count(*) FROM readings")
        let found = try count.step() ? count.integer(0) : 0
        #expect(found == devices.count)
    }

    @Test("A full volume takes none, commits go on when it has room, and then the readings are written")
    func fullVolume() async throws {
        let disk = try FullDisk(folder.path)
        defer { disk.end() }
        store.note(expected, of: caller.device)
        disk.leaveRoom(forWrites: 0)
        await store.writeReadings()
        #expect(try await readings(in: store) == [expected])
        disk.leaveRoom(forWrites: nil)
        _ = try await store.makeContainer(
            ContainerName(unchecked: Array(repeating: 9, count: 16)),
            for: .first
        )
        repeat { await store.writeReadings() } while try await readings(in: try again()) != [expected]
        #expect(disk.refusedCount > 0)
    }

    @Test("A hub that ends writes what is not written")
    func end() async throws {
        let other = try HubFolder()
        var options = HubProcess.Options()
        options.data = other.path.string
        options.address = .loopback(port: 0)
        let hub = try RunningHub(options) { Issue.record("\($0)") }
        let caller = try await hub.records.prepare()
        hub.records.note(ReadPosition(.test, to: 0, asked: 80), of: caller.device)
        await hub.stop()
        let again = try SQLiteRecordStore(in: try other.open())
        #expect(try await readings(in: again) == [ReadPosition(.test, to: 0, asked: 80)])
    }

    @Test("A database of before they were kept is taken on with all that is in it")
    func former() async throws {
        do {
            let path = folder.path.appending(SQLiteRecordStore.fileName).string
            let connection = try SQLiteConnection(path: path)
            try connection.goBackToVersion3()
            try connection.execute(
                """
                DROP TABLE readings; ALTER TABLE devices DROP COLUMN inviter;
                ALTER TABLE invitations DROP COLUMN inviter; PRAGMA user_version = 1
                """
            )
        }
        let taken = try again()
        #expect(taken.head(of: .test, for: .first)?.position == 1)
        // What its row takes counts from now on, too.
        #expect(taken.byteCount(of: .first) == 1 + RecordSchema.entryByteCount)
        #expect(taken.caller(tokenHash: [1, 2, 3]) == caller)
        #expect(try await readings(in: taken) == [])
        taken.note(expected, of: caller.device)
        await taken.writeReadings()
        #expect(try await readings(in: try again()) == [expected])
    }

    @Test("A backup has the log, and not who has read it")
    func backup() async throws {
        _ = try SegmentedBlobStore(in: try folder.open(), uptime: LeapingClock.make())
        store.note(expected, of: caller.device)
        await store.writeReadings()
        let place = try HubFolder()
        let target = place.path.appending("copy")
        try HubBackup.make(of: HubData(path: folder.path), to: target.string)
        let copy = try SQLiteRecordStore(in: try StorageFolder(at: target))
        #expect(copy.head(of: .test, for: .first) == store.head(of: .test, for: .first))
        #expect(try await readings(in: copy) == [])
        #expect(try await readings(in: try again()) == [expected])
    }

    @Test("Put back to the copy of a folder, which has who has read the log, a hub does not say so")
    func copiedFolder() async throws {
        _ = try SegmentedBlobStore(in: try folder.open(), uptime: LeapingClock.make())
        store.note(expected, of: caller.device)
        await store.writeReadings()
        let place = try HubFolder()
        let (copy, target) = (place.path.appending("copy"), place.path.appending("hub"))
        try FileManager.default.copyItem(atPath: folder.path.string, toPath: copy.string)
        try HubBackup.restore(copy.string, to: HubData(path: target))
        let restored = try SQLiteRecordStore(in: try StorageFolder(at: target))
        #expect(restored.head(of: .test, for: .first) == store.head(of: .test, for: .first))
        #expect(try await readings(in: restored) == [])
    }
}
