internal import Coordination
internal import Foundation
internal import LocalSockets

/// The locked file that says that this process coordinates and lives, to an agent that has not heard of it yet.
struct ClientPresence: Sendable {
    private let lock: LockFile

    init(_ client: ClientID, in folder: RuntimeFolder) throws(SocketError) {
        let clients = try folder.folder(AgentPlace.clientFolderName)
        let digits = String(client.rawValue, radix: 16)
        let path = clients.place(of: "\(getpid())-\(digits)")
        while true {
            let lock = try LockFile(waitingFor: path)
            // An agent that began between the two calls may have removed what was not locked yet.
            if try LockFile.isHeld(path) {
                self.lock = lock
                return
            }
        }
    }
}
