internal import FileSystem
internal import Foundation

/// Which mark the item at a place bore when a version of it was kept.
///
/// An item loses its mark when an editor writes a new file in its place, and cannot have one on a volume without
/// extended attributes; then its place tells which versions are its own. One small file a place in the user's own
/// state folder, durable once written; when there are too many, those go that were used longest ago. Any thread, any process.
struct PlaceMarks: Sendable {
    private struct Note: Codable, Hashable {
        var version = 1
        var path: String
        var mark: String
    }

    private let folder: FilePath

    /// Notes kept in one of 256 folders: 16,384 in all.
    private static let notesPerFolderMax = 64
    /// A note says to the day when it was used: a day has as many seconds.
    private static let usedAgain: TimeInterval = 86400
    /// No note is longer than the longest path with its mark.
    private static let noteByteCountMax = 16_384

    init(folder: FilePath) {
        self.folder = folder
    }

    /// The mark of the item that was at a place. Whoever asks uses the note.
    func mark(at path: FilePath) -> FileMark? {
        let place = place(of: path)
        // A note that cannot be read is none; whoever needs one makes it anew.
        guard let data = try? FileReading.contents(of: place), data.count <= Self.noteByteCountMax,
            let note = try? JSONDecoder().decode(Note.self, from: data), note.version == 1,
            note.path == path.string
        else { return nil }
        noteUse(of: place)
        return FileMark(hexadecimal: note.mark)
    }

    private func noteUse(of place: FilePath) {
        // What cannot be dated is dropped the earlier.
        guard let stamp = try? FileStamp.ifPresent(at: place),
            stamp.modificationDate.timeIntervalSinceNow < -Self.usedAgain
        else { return }
        try? FileManager.default.setAttributes([.modificationDate: Date()], ofItemAtPath: place.string)
    }

    /// Notes the mark of the item at a place.
    ///
    /// - Throws: What kept the note from being written; the old one, if any, is still there.
    func put(_ mark: FileMark, at path: FilePath) throws {
        guard self.mark(at: path) != mark else { return }
        let place = place(of: path)
        try ItemMoves.createFolders(place.parent, permissions: 0o700)
        if try FileStamp.ifPresent(at: place) == nil { try makeRoom(in: place.parent) }
        let save = try StagedSave(item: place, followsSymbolicLink: false)
        try save.write(try JSONEncoder().encode(Note(path: path.string, mark: mark.description)))
        try save.commit(MemberAttributes(permissions: 0o600))
    }

    /// By a hash of the path; of two paths with one hash the later one is noted.
    private func place(of path: FilePath) -> FilePath {
        let name = String(StableHash.of(path.string), radix: 16)
        let whole = String(repeating: "0", count: 16 - name.count) + name
        return folder.appending(String(whole.suffix(2))).appending(whole)
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

extension FileMark {
    /// Nil unless there are sixteen bytes in hexadecimal, as `description` writes them.
    init?(hexadecimal text: String) {
        guard let bytes = Data(hexadecimal: text) else { return nil }
        self.init(bytes: bytes)
    }
}

extension Data {
    /// Nil unless there are two digits for each byte.
    init?(hexadecimal text: String) {
        let digits = text.compactMap(\.hexDigitValue)
        guard digits.count == text.count, digits.count.isMultiple(of: 2) else { return nil }
        self.init(stride(from: 0, to: digits.count, by: 2).map { UInt8(digits[$0] << 4 | digits[$0 + 1]) })
    }
}
