internal import Coordination
internal import Foundation
internal import LocalSockets

/// The locked file that says that this process coordinates and lives, to an agent that has not heard of it yet.
struct ClientPresence: Sendable {
    private let lock: LockFile
    /// Where it posts that accesses have ended; nil when there is no room for it.
    let board: NoticeBoard?

    init(_ client: ClientID, in folder: RuntimeFolder) throws(SocketError) {
        let clients = try folder.folder(AgentPlace.clientFolderName)
        let name = AgentPlace.clientFileName(processID: UInt64(getpid()), client: client.rawValue)
        let path = clients.place(of: name)
        while true {
            let lock = try LockFile(waitingFor: path)
            // An agent that began before this had the lock may have removed what was not locked yet.
            if try LockFile.isHeld(path) {
                self.lock = lock
                board = Self.board(in: lock)
                return
            }
        }
    }

    private static func board(in lock: LockFile) -> NoticeBoard? {
        do {
            return try NoticeBoard(in: lock)
        } catch {
            // Nothing is posted then. Not every file system can have room kept for it.
            if error.errno != EOPNOTSUPP { FileAccessRegistry.log(error) }
            return nil
        }
    }
}
