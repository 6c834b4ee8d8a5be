internal import Cryptography
internal import FileSystem
internal import Foundation

/// The key that a user's bookmarks are sealed with: a file that nobody else can read.
enum BookmarkKey {
    static let fileName = "bookmark-key"

    /// The key in a folder, made at its first use.
    ///
    /// It appears whole, under its name, or not at all: whoever of two makers is later takes the other's.
    ///
    /// - Throws: `EPERM` when others can read or write it, or it is another user's; it is never replaced.
    static func load(from folder: FilePath, userID: UInt32) throws -> Data {
        let place = folder.appending(fileName)
        if try FileStamp.ifPresent(at: place) == nil { try make(at: place) }
        return try read(place, userID: userID)
    }

    /// The key in a folder; nil where it was never used.
    static func loadMade(in folder: FilePath, userID: UInt32) throws -> Data? {
        let place = folder.appending(fileName)
        return try FileStamp.ifPresent(at: place) == nil ? nil : try read(place, userID: userID)
    }

    private static func read(_ place: FilePath, userID: UInt32) throws -> Data {
        let stamp = try FileStamp(of: place)
        guard stamp.kind == .regular, stamp.permissions & 0o077 == 0,
            try ItemMoves.owner(of: place) == userID
        else { throw SystemError(call: "openat", errno: EPERM, path: place) }
        let key = try FileReading.contents(of: place, expecting: stamp)
        guard key.count == MessageAuthentication.keyByteCount else {
            throw SystemError(call: "read", errno: EIO, path: place)
        }
        return key
    }

    private static func make(at place: FilePath) throws {
        try ItemMoves.createFolders(place.parent, permissions: 0o700)
        let own = place.parent.appending("\(fileName).\(UUID().uuidString)")
        try ItemMoves.createFile(own, contents: try MessageAuthentication.newKey())
        do { try ItemMoves.move(own, toFree: place) } catch {
            // What is left of a maker that was too late; it opens nothing.
            try? ItemMoves.removeFile(own)
            guard error.isTaken else { throw error }
        }
    }
}
