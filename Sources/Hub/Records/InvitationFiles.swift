internal import FileSystem
internal import Foundation
internal import HTTPService

/// Invitations that `sheaf hub invite` leaves for a hub that may be running: a file each, named by the hash of the
/// invitation, with the time in it until which it works, in seconds since 1970, and behind it whose it is if not the first
/// account's: “ new”, or an account's number.
///
/// Only the hub writes to its database, so that a command must not.
enum InvitationFiles {
    static let folderName = "invitations"

    /// What is left for somebody.
    struct Invitation: Hashable, Sendable {
        var until: Int
        /// Nil for an account that is made for whoever uses it.
        var account: AccountID? = .first
    }

    static func add(hash: [UInt8], _ invitation: Invitation, in folder: StorageFolder) throws {
        let name = Hexadecimal.text(hash)
        let draft = name + ".new"
        try folder.remove(draft)
        let file = try folder.create(draft)
        let whose = invitation.account.map { $0 == .first ? "" : " \($0.number)" } ?? " new"
        let line = "\(invitation.until)\(whose)\n"
        try Array(line.utf8).withUnsafeBytes { bytes in try file.write(bytes, at: 0) }
        try file.sync()
        try folder.move(draft, toFree: name)
        try folder.sync()
    }

    /// What an invitation is for; nil when there is none.
    static func invitation(hash: [UInt8], in folder: StorageFolder) throws -> Invitation? {
        let name = Hexadecimal.text(hash)
        guard try folder.status(of: name) != nil else { return nil }
        let text = String(decoding: try folder.open(name).read(at: 0, byteCount: 32), as: UTF8.self)
        let words = text.split(whereSeparator: \.isWhitespace)
        guard let until = words.first.flatMap({ Int($0) }) else { return nil }
        switch words.dropFirst().first {
        case nil: return Invitation(until: until)
        case "new"?: return Invitation(until: until, account: nil)
        case let number?: return Int(number).map { Invitation(until: until, account: AccountID($0)) }
        }
    }

    static func remove(hash: [UInt8], in folder: StorageFolder) throws {
        try folder.remove(Hexadecimal.text(hash))
    }
}
