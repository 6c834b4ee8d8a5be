internal import Foundation

/// The sockets of a transfer, one mostly. For one thread at a time.
final class Connections {
    private var sockets: Set<CInt> = []

    /// Those that libcurl has been given.
    static func at(_ context: UnsafeMutableRawPointer) -> Connections {
        Unmanaged<Connections>.fromOpaque(context).takeUnretainedValue()
    }

    func noteOpened(_ socket: CInt) { sockets.insert(socket) }

    /// - Returns: As close(2).
    func close(_ socket: CInt) -> CInt {
        sockets.remove(socket)
        return Foundation.close(socket)
    }

    /// Whether something is on its way of which the other side's system has not said for so long that it has come, nor anything else.
    ///
    /// `TCP_USER_TIMEOUT` (tcp(7)) would also end what the other side's system acknowledges and a server is slow to take. To one of
    /// those the system sends the same again ever less often, so not to have heard anything says little just after that.
    func areUnheard(forSeconds seconds: Double) -> Bool {
        sockets.contains { socket in
            var (info, size) = (tcp_info(), socklen_t(MemoryLayout<tcp_info>.size))
            // What cannot be asked is no connection.
            guard getsockopt(socket, CInt(IPPROTO_TCP), TCP_INFO, &info, &size) == 0 else { return false }
            return info.tcpi_unacked > 0 && Double(info.tcpi_last_ack_recv) >= seconds * 1000
                && Double(info.tcpi_last_data_sent) >= Self.patience(of: seconds) * 1000
        }
    }

    /// How long an answer of the other side's system may take, where one that says nothing for so long counts as dead.
    static func patience(of seconds: Double) -> Double { seconds / 4 }
}
