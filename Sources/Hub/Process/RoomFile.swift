internal import FileSystem
internal import Foundation
internal import SQLite

/// A file that takes some room on the volume of a hub, for the day on which there is none: given up it lets a hub start that could
/// not, and delete what is due.
enum RoomFile {
    static let name = "room"
    /// What databases write when they are opened and when blobs are deleted, several times over.
    static let byteCount = 4 << 20
    /// It is made where so much is free.
    static let freeByteCountMin = 4 * byteCount

    /// Makes it, written in full, unless it is there, or there is little room.
    static func make(in folder: StorageFolder) throws {
        guard try folder.status(of: name)?.stamp.byteCount ?? 0 < byteCount,
            try folder.freeByteCount() >= freeByteCountMin
        else { return }
        // One that is not whole was not made to its end.
        try folder.remove(name)
        let file = try folder.create(name)
        // No volume stores this in less.
        var random = SystemRandomNumberGenerator()
        let bytes = (0..<byteCount / 8).map { _ in random.next() }
        try bytes.withUnsafeBytes { try file.write($0, at: 0) }
        try file.sync()
        try folder.sync()
    }

    /// Does something that writes to the volume, and where that is full, once more without the file.
    static func withRoom<Value>(in folder: StorageFolder, _ body: () throws -> Value) throws -> Value {
        do { return try body() } catch {
            guard isOfRoom(error), try giveUp(in: folder) else { throw error }
            return try body()
        }
    }

    static func isOfRoom(_ error: any Error) -> Bool {
        (error as? SQLiteError)?.isFull == true || (error as? SystemError)?.isFull == true
    }

    /// - Returns: Whether there was one.
    static func giveUp(in folder: StorageFolder) throws -> Bool {
        guard try folder.status(of: name) != nil else { return false }
        try folder.remove(name)
        return true
    }
}
