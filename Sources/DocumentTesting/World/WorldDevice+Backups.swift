internal import DeviceSync
internal import DocumentFoundation
internal import FileSystem
internal import Foundation
internal import UIKit

// What a device had once, put back.
extension WorldDevice {
    /// What a device had on its disk: its folder, what it remembers of the hub, and the versions of its documents.
    public struct Backup: Hashable, Sendable {
        /// The path of the folder of the device whose it is.
        let owner: String
        /// Where it lies until the world ends.
        let place: String
    }

    /// Copies what the device has on its disk, as `cp -a` does. A device that runs stands still meanwhile.
    ///
    ///     let backup = try pad.backUp()
    ///     try await world.edit(Note.init, "a.note", on: pad) { $0.text = "newer" }
    ///     try await world.settle()
    ///     try pad.restore(backup)
    ///     try await world.settle()    // What was newer comes back from the hub.
    ///
    /// No document may be open on the device: what a save has left to do would be copied half.
    ///
    /// - Throws: What keeps it from being copied, such as a disk that cannot be read.
    public func backUp() throws -> Backup {
        guard !disk.isUnreadable else {
            let cause = NSError(domain: NSPOSIXErrorDomain, code: Int(EIO))
            let information: [String: Any] = [NSFilePathErrorKey: folder.path, NSUnderlyingErrorKey: cause]
            throw CocoaError(.fileReadUnknown, userInfo: information)
        }
        let wasStarted = isStarted
        stop()
        // A crash that is to come is not put off by that, and one that has come meanwhile is not undone.
        defer { if wasStarted { beginAgain() } }
        account.finishNotesOfApps()
        let place = unusedPlace("backup")
        try DiskCopy.copy(try parts.filter(Self.isThere), intoNew: place)
        return Backup(owner: folder.path, place: place.string)
    }

    /// Puts the device back to what it was, as its owner does with a new disk, and starts it.
    ///
    /// What it has sent since comes back from the hub, with what the others have done. What it had not sent yet is gone with its
    /// disk, as are the versions that no other device has. What was removed here since may be there again, where the hub has not
    /// heard of that. Where more than half of many documents have changed since, it waits for a person as with any large change.
    ///
    /// A disk that was full or failed is a good one afterwards. What is open on the device is closed, as after a crash, and what of
    /// it was not saved is gone.
    ///
    /// - Parameter backup: One of this device's; it can be put back again and again.
    /// - Throws: What keeps it from being put back, or from being started.
    public func restore(_ backup: Backup) throws {
        precondition(backup.owner == folder.path, "a device is put back to a backup of its own")
        let wasStarted = isStarted
        stop()
        endCrash()
        account.forgetApps()
        UIDocument.endAll(in: folder)
        disk.free()
        disk.mend()
        do { try putBack(FilePath(backup.place)) } catch {
            if wasStarted { startAgain() }
            throw error
        }
        openVersionsAnew()
        try start()
    }

    /// What of its disk matters: all that is not the same for ever.
    private var parts: [FilePath] { [FilePath(folder.path), place.memory, FilePath(home.path)] }

    private func unusedPlace(_ what: String) -> FilePath {
        FilePath(folder.path).parent.appending("\(what) \(UUID().uuidString) of \(name)")
    }

    private static func isThere(_ path: FilePath) throws -> Bool { try FileStamp.ifPresent(at: path) != nil }

    /// Each part takes its place as a whole: nobody sees half a document, or one that is half of then and half of now.
    private func putBack(_ backup: FilePath) throws {
        let (fresh, former) = (unusedPlace("to be put back"), unusedPlace("put aside"))
        let copies = parts.map { backup.appending($0.name) }
        try DiskCopy.copy(try copies.filter(Self.isThere), intoNew: fresh)
        try ItemMoves.createFolder(former, permissions: 0o700)
        for part in parts {
            let copy = fresh.appending(part.name)
            if try Self.isThere(part) { try ItemMoves.move(part, toFree: former.appending(part.name)) }
            if try Self.isThere(copy) { try ItemMoves.move(copy, toFree: part) }
        }
        for folder in [fresh, former] { try ReadOnlyTree.remove(folder) }
    }
}
