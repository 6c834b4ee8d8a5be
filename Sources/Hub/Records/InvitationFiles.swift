internal import FileSystem
internal import Foundation
internal import HTTPService

/// Invitations that `sheaf hub invite` leaves for a hub that may be running: a file each, named by the hash of the
/// invitation, with the time in it until which it works, in seconds since 1970.
///
/// Only the hub writes to its database, so that a command must not.
enum InvitationFiles {
    static let folderName = "invitations"

    static func add(hash: [UInt8], until: Int, in folder: StorageFolder) throws {
        let name = Hexadecimal.text(hash)
        let draft = name + ".new"
        try folder.remove(draft)
        let file = try folder.create(draft)
        try Array("\(until)\n".utf8).withUnsafeBytes { bytes in try file.write(bytes, at: 0) }
        try file.sync()
        try folder.move(draft, toFree: name)
        try folder.sync()
    }

    /// Until when an invitation works; nil when there is none.
    static func until(hash: [UInt8], in folder: StorageFolder) throws -> Int? {
        let name = Hexadecimal.text(hash)
        guard try folder.status(of: name) != nil else { return nil }
        let text = String(decoding: try folder.open(name).read(at: 0, byteCount: 32), as: UTF8.self)
        return Int(text.trimmingCharacters(in: .whitespacesAndNewlines))
    }

    static func remove(hash: [UInt8], in folder: StorageFolder) throws {
        try folder.remove(Hexadecimal.text(hash))
    }
}
