internal import CLinux
internal import Foundation
internal import HTTPService

/// One end of a TCP connection within this machine: a socket, and what the kernel tells of it.
struct ConnectionEnd: Hashable, Sendable {
    /// Whose it is.
    var user: UInt32
    /// Whether a process has it still. Of one that nobody has the owner is forgotten, and told to be root.
    var isHeld: Bool
    /// Whether neither side has said that it ends.
    var isEstablished: Bool

    /// TCP_ESTABLISHED, as sock_diag(7) and /proc/net/tcp have it.
    private static let established: UInt8 = 1
    /// A list is read so far: 27,000 connections.
    private static let tableByteCountMax = 4 << 20

    init(user: UInt32, inode: UInt64, state: UInt8) {
        self.user = user
        isHeld = inode != 0
        isEstablished = state == Self.established
    }

    /// Looks for the end that is at a place, of the connection to another.
    ///
    /// Less than a tenth of a millisecond; where the kernel lacks what answers about one connection all of the machine's are read.
    ///
    /// - Returns: Nil where there is none on this machine, and where the kernel does not tell.
    static func find(at place: IPv4Endpoint, to other: IPv4Endpoint) -> ConnectionEnd? {
        var end = cdoc_tcp_end()
        if cdoc_find_tcp_end(place.address, place.port, other.address, other.port, &end) == 0 {
            return ConnectionEnd(user: end.user, inode: UInt64(end.inode), state: end.state)
        }
        return listed(at: place, to: other)
    }

    /// Looks for it in the lists of all connections.
    static func listed(at place: IPv4Endpoint, to other: IPv4Endpoint) -> ConnectionEnd? {
        ConnectionTable.paths.lazy.compactMap { path in
            // One that is not there, as where there is no IPv6, lists nothing.
            guard let file = try? SystemCalls.open(path, O_RDONLY),
                let table = try? SystemCalls.readAll(file, byteCountMax: tableByteCountMax)
            else { return nil }
            return ConnectionTable.find(at: place, to: other, in: table)
        }.first
    }
}
