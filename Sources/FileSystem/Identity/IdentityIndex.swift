internal import Foundation

/// Where marked items were seen last: one small file a mark, in the user's own state folder.
///
/// Only a hint: what it says is compared with the item before anybody believes it. So nothing is synced, a
/// damaged note counts as none, and old notes are dropped when there are too many. Any thread, any process.
package struct IdentityIndex: Sendable {
    /// What is noted of an item.
    package struct Note: Codable, Hashable, Sendable {
        package var version = 1
        package var path: String
        package var volume: UInt64
        package var inode: UInt64
        package var birthSeconds: Int64?
        package var birthNanoseconds: UInt32?

        package init(path: FilePath, identity: FileIdentity) {
            self.path = path.string
            volume = identity.volume
            inode = identity.inode
            birthSeconds = identity.birth?.seconds
            birthNanoseconds = identity.birth?.nanoseconds
        }

        /// Whether the note is about this very inode.
        package func isAbout(_ identity: FileIdentity) -> Bool {
            volume == identity.volume && inode == identity.inode
                && birthSeconds == identity.birth?.seconds
                && birthNanoseconds == identity.birth?.nanoseconds
        }
    }

    /// Notes kept in one of 256 folders: 16,384 in all, at most 64 MB of blocks.
    package static let notesPerFolderMax = 64
    /// No note is longer than the longest path with its numbers.
    private static let noteByteCountMax = 16_384

    private let folder: FilePath

    /// - Parameter folder: Where the notes are; made when the first one is written.
    package init(folder: FilePath) {
        self.folder = folder
    }

    /// What is noted of a mark; nil for nothing that can be read.
    package func note(of mark: FileMark) -> Note? {
        // A hint that cannot be read is none.
        guard let data = try? FileReading.contents(of: place(of: mark)),
            data.count <= Self.noteByteCountMax,
            let note = try? JSONDecoder().decode(Note.self, from: data), note.version == 1
        else { return nil }
        return note
    }

    /// Notes where an item is.
    ///
    /// - Throws: What kept the note from being written; the old one, if any, is still there.
    package func put(_ note: Note, of mark: FileMark) throws {
        let place = place(of: mark)
        try ItemMoves.createFolders(place.parent, permissions: 0o700)
        if try FileStamp.ifPresent(at: place) == nil { try makeRoom(in: place.parent) }
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        // Foundation writes beside it and renames: a reader finds one note or the other.
        try encoder.encode(note).write(to: place.url(isDirectory: false), options: .atomic)
    }

    private func place(of mark: FileMark) -> FilePath {
        let name = mark.description
        return folder.appending(String(name.prefix(2))).appending(String(name.dropFirst(2)))
    }

    private func makeRoom(in folder: FilePath) throws(SystemError) {
        let items = try FolderScan.visibleItems(in: folder)
        guard items.count >= Self.notesPerFolderMax else { return }
        let oldest = items.min {
            ($0.stamp.modificationSeconds, $0.stamp.modificationNanoseconds)
                < ($1.stamp.modificationSeconds, $1.stamp.modificationNanoseconds)
        }
        guard let oldest else { return }
        do { try ItemMoves.removeFile(folder.appending(oldest.name)) } catch {
            // Another process has made room.
            guard error.isAbsent else { throw error }
        }
    }
}
