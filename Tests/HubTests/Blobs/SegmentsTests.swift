import FileSystem
import HubHarness
import TestThreads
import Testing

@testable import Hub

@Suite("Segments of blobs", .onOwnThreads, .serialized)
struct SegmentsTests {
    private let folder: HubFolder

    init() throws { folder = try HubFolder() }

    private func write(_ byte: UInt8, _ byteCount: Int, to segments: Segments) throws -> Segments.Room {
        let room = try segments.room(byteCount)
        let bytes = [UInt8](repeating: byte, count: byteCount)
        try bytes.withUnsafeBytes { try room.file.write($0, at: room.offset) }
        return room
    }

    private func read(_ room: Segments.Room, _ byteCount: Int, from segments: Segments) throws -> [UInt8] {
        try segments.file(room.number).read(at: room.offset, byteCount: byteCount)
    }

    @Test("A segment that could not be made is nobody's: what comes then is where it is said to be")
    func refused() throws {
        let store = try folder.open()
        let segments = try Segments(in: store, byteCountMax: 1000) { _ in true }
        let first = try write(1, 900, to: segments)
        let disk = try FullDisk(folder.path)
        defer { disk.end() }
        disk.leaveRoom(forWrites: 0)
        for _ in 0..<2 { #expect(throws: SystemError.self) { try segments.room(500) } }
        disk.leaveRoom(forWrites: nil)
        // There is room for a small one in the segment that there is.
        let second = try write(2, 50, to: segments)
        let third = try write(3, 500, to: segments)
        let fourth = try write(4, 50, to: segments)
        #expect(second.number == first.number && third.number == fourth.number)
        #expect(third.number != first.number)
        // To one that runs, and to one that is started anew, which goes on with neither.
        for reader in [segments, try Segments(in: store) { _ in true }] {
            for (byte, byteCount, room) in [
                (1, 900, first), (2, 50, second), (3, 500, third), (4, 50, fourth),
            ] {
                let found = try read(room, byteCount, from: reader)
                #expect(found == [UInt8](repeating: UInt8(byte), count: byteCount))
            }
        }
        let again = try Segments(in: store) { _ in true }
        #expect(try again.room(1).number > third.number)
    }

    @Test("A segment is over when it is not being filled, and nobody has room in it of whom nothing is known")
    func over() throws {
        let segments = try Segments(in: try folder.open(), byteCountMax: 1000) { _ in true }
        let first = try segments.room(400)
        let second = try segments.room(400)
        segments.settle(first.number)
        #expect(!segments.isOver(first.number))
        let third = try segments.room(400)
        #expect(third.number != first.number && !segments.isOver(first.number))
        segments.settle(second.number)
        #expect(segments.isOver(first.number) && !segments.isOver(third.number))
        segments.settle(third.number)
        #expect(!segments.isOver(third.number))
    }

    @Test("What comes after the segment that is being filled was lost is where it is said to be")
    func lost() throws {
        let segments = try Segments(in: try folder.open(), byteCountMax: 1000) { _ in true }
        let first = try write(1, 100, to: segments)
        try folder.open().remove(Segments.name(first.number))
        let second = try write(2, 100, to: segments)
        #expect(try read(second, 100, from: segments) == [UInt8](repeating: 2, count: 100))
    }

    @Test("No segment has the number of one that the index speaks of, though there is no such file")
    func numbers() throws {
        let segments = try Segments(in: try folder.open(), lastUsed: 7) { _ in true }
        #expect(try segments.room(1).number == 8)
    }
}
