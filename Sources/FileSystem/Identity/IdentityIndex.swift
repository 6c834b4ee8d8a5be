internal import Foundation
internal import Glibc

/// Where marked items were seen last: one small file a mark, in the user's own state folder; and where folders
/// went.
///
/// Only hints: what they say is compared with the item before anybody believes it. So nothing is synced, a
/// damaged note counts as none, old ones are dropped when there are too many, and of two processes that note a
/// folder's move at once one may be lost. Nobody but the user may read them. Any thread, any process.
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
        try write(note, at: place)
    }

    /// Whether another item bears the same mark in the place where that was seen last.
    package func isCopy(_ identity: FileIdentity, at path: FilePath) -> Bool {
        isCopy(identity, at: path, noted: identity.mark.flatMap(note))
    }

    /// As `isCopy(_:at:)`, by whom the note of the identity's mark was read.
    package func isCopy(_ identity: FileIdentity, at path: FilePath, noted note: Note?) -> Bool {
        guard let mark = identity.mark, let note, note.path != path.string,
            !note.isAbout(identity),
            // What cannot be looked at contests nothing.
            let other = try? FileIdentity(of: FilePath(note.path))
        else { return false }
        return other.mark == mark && (other.inode != identity.inode || other.volume != identity.volume)
    }

    /// Notes that an item is at another place now: the item, if it bears a mark, and what is in it, if it is a
    /// folder. Nothing where nothing was ever noted.
    ///
    /// - Parameters:
    ///   - source: Where it was; nil when that is not known.
    ///   - target: Where it was moved to.
    /// - Throws: What kept it from being noted; the item may be elsewhere already.
    package func noteMove(from source: FilePath?, to target: FilePath) throws {
        guard try FileStamp.ifPresent(at: folder) != nil else { return }
        let place = try target.resolvedInFolder()
        let identity = try FileIdentity(of: place)
        if let mark = identity.mark, !isCopy(identity, at: place) {
            let note = Note(path: place, identity: identity)
            if self.note(of: mark) != note { try put(note, of: mark) }
        }
        guard identity.kind == .directory, let source else { return }
        var moves = moves
        // A folder that is gone was where its path says.
        moves.add(from: (try? source.resolvedInFolder()) ?? source, to: place)
        guard moves != self.moves else { return }
        try makeRoom(in: folder)
        try write(moves, at: movesPlace)
    }

    /// Where folders went.
    package var moves: FolderMoves {
        // A hint that cannot be read is none.
        guard let data = try? FileReading.contents(of: movesPlace), data.count <= Self.movesByteCountMax,
            let moves = try? JSONDecoder().decode(FolderMoves.self, from: data), moves.isKnown
        else { return FolderMoves() }
        return moves
    }

    /// Where an item may be that was noted, or bookmarked at a place, the likeliest first.
    func places(of mark: FileMark?, at place: FilePath) -> [FilePath] {
        let noted = mark.flatMap { note(of: $0) }.map { FilePath($0.path) }
        let moves = moves
        let places =
            [noted].compactMap { $0 } + (noted.map(moves.places(of:)) ?? []) + moves.places(of: place)
        return places.reduce(into: []) { found, place in if !found.contains(place) { found.append(place) } }
    }

    // MARK: Files

    private static let movesByteCountMax = FolderMoves.movesMax * 3 * 4096
    private var movesPlace: FilePath { folder.appending("folder-moves") }

    /// Writes beside it and renames: a reader finds the one or the other.
    private func write(_ value: some Encodable, at place: FilePath) throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        let data = try encoder.encode(value)
        let folder = try Folder.open(place.parent)
        // A name of its own: two that write the same at once would put each other's unfinished file in place.
        let name = ".\(place.name).\(UUID().uuidString)"
        let file = try SystemCalls.openat(folder, name, O_CREAT | O_WRONLY, permissions: 0o600)
        do {
            try SystemCalls.write(data, to: file)
            try SystemCalls.renameat2(folder, name, folder, place.name)
        } catch {
            // What cannot be removed goes when room is made.
            try? SystemCalls.unlinkat(folder, name)
            throw error
        }
    }

    private func place(of mark: FileMark) -> FilePath {
        let name = mark.description
        // Marks that count up begin alike.
        guard mark.isCounted else {
            return folder.appending(String(name.prefix(2))).appending(String(name.dropFirst(2)))
        }
        return folder.appending(String(name.suffix(2))).appending(String(name.dropLast(2)))
    }

    private func makeRoom(in folder: FilePath) throws(SystemError) {
        // With what was left by who ended over it.
        let items = try FolderScan.visibleItems(in: folder, orHidden: { _ in true })
            .filter { $0.stamp.kind == .regular }
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
