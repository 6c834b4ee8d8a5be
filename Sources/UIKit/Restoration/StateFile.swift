internal import FileSystem
internal import Foundation
internal import StandardStreams

/// The file that keeps the states of an app's tabs: a property list, written whole or not at all.
///
/// Writes happen on a queue of its own, in order; the latest state is what counts.
final class StateFile: Sendable {
    static let name = "restoration.plist"
    /// A file of more bytes was not written by us.
    private static let byteCountMax = 64 << 20

    /// Where the file is.
    let folder: URL
    private let path: FilePath
    private let queue = DispatchQueue(label: "restoration state")

    init(in folder: URL) {
        self.folder = folder
        path = FilePath(folder.appendingPathComponent(Self.name).path)
    }

    /// What was kept; nothing when there is no file, or one that cannot be understood.
    func load() -> SavedSessions {
        do {
            guard let stamp = try FileStamp.ifPresent(at: path) else { return SavedSessions() }
            guard stamp.byteCount <= Self.byteCountMax else {
                throw SystemError(call: "read", errno: EFBIG, path: path)
            }
            let data = try FileReading.contents(of: path)
            let sessions = try PropertyListDecoder().decode(SavedSessions.self, from: data)
            return sessions.version == SavedSessions.currentVersion ? sessions : SavedSessions()
        } catch {
            StandardError.say("What was open before could not be read and is forgotten: \(error)")
            return SavedSessions()
        }
    }

    /// Keeps the states, soon.
    func save(_ sessions: SavedSessions) {
        queue.async { [self] in write(sessions) }
    }

    /// Keeps the states before this returns.
    func saveNow(_ sessions: SavedSessions) {
        queue.sync { write(sessions) }
    }

    /// Waits until all is written.
    func flush() {
        queue.sync {}
    }

    private func write(_ sessions: SavedSessions) {
        do {
            let encoder = PropertyListEncoder()
            encoder.outputFormat = .binary
            try ItemMoves.createFolders(path.parent, permissions: 0o700)
            let save = try StagedSave(item: path)
            try save.write(try encoder.encode(sessions))
            try save.commit(MemberAttributes(permissions: 0o600))
        } catch {
            StandardError.say("What is open now could not be kept for the next start: \(error)")
        }
    }
}
