internal import Coordination
internal import LocalSockets

/// The files by whose locks the processes that coordinate say that they live, whether an agent does or not.
enum ClientLocks {
    /// The clients that live; what others left is removed.
    static func clients(in folder: RuntimeFolder) throws -> Set<ClientID> {
        var clients: Set<ClientID> = []
        for name in try folder.names() {
            // A process that takes its lock just now is not to lose the file: the next agent would not wait for it.
            let isHeld = try LockFile.removeUnlessHeld(folder.place(of: name))
            if isHeld, let client = client(named: name) { clients.insert(client) }
        }
        return clients
    }

    /// The client whose file has the name: the process, and the client's number in hexadecimal.
    private static func client(named name: String) -> ClientID? {
        let parts = name.split(separator: "-")
        guard parts.count == 2, let number = UInt64(parts[1], radix: 16), number != 0 else { return nil }
        return ClientID(number)
    }
}
