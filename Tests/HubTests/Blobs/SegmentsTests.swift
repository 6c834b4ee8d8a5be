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
}
