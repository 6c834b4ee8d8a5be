internal import CLinux
internal import Foundation

/// A file descriptor that is closed when nobody holds it any longer.
final class SocketDescriptor: Sendable {
    let number: CInt

    /// Takes over an open descriptor.
    init(owning number: CInt) {
        self.number = number
    }

    deinit {
        // close(2): nothing can be done about an error, and a retry would close somebody else's descriptor.
        _ = close(number)
    }
}

/// The kernel calls of this target; `EINTR` is retried.
enum SocketCalls {
    static func check<Result: FixedWidthInteger>(
        _ call: String,
        _ path: @autoclosure () -> String,
        _ body: () -> Result
    ) throws(SocketError) -> Result {
        while true {
            let result = body()
            if result != -1 { return result }
            let number = errno
            if number != EINTR { throw SocketError(call: call, errno: number, path: path()) }
        }
    }

    /// open(2), never inherited by a child.
    static func open(
        _ path: String,
        _ flags: CInt,
        mode: mode_t = 0o600
    ) throws(SocketError) -> SocketDescriptor {
        SocketDescriptor(
            owning: try check("open", path) { Foundation.open(path, flags | O_CLOEXEC, mode) }
        )
    }

    /// socket(2), a Unix stream that does not block.
    static func makeSocket(for path: String) throws(SocketError) -> SocketDescriptor {
        let kind = CInt(SOCK_STREAM.rawValue) | CInt(SOCK_CLOEXEC.rawValue) | CInt(SOCK_NONBLOCK.rawValue)
        return SocketDescriptor(owning: try check("socket", path) { socket(AF_UNIX, kind, 0) })
    }

    /// Runs a call with the address of a path: unix(7).
    static func withAddress(
        _ call: String,
        _ path: String,
        _ body: (UnsafePointer<sockaddr>, socklen_t) -> CInt
    ) throws(SocketError) {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        let room = MemoryLayout.size(ofValue: address.sun_path)
        guard path.utf8.count < room else {
            let detail = "A socket's path has at most \(room - 1) bytes. Choose a shorter folder."
            throw SocketError(call: call, errno: ENAMETOOLONG, path: path, detail: detail)
        }
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
        _ = try check(call, path) {
            withUnsafePointer(to: &address) { pointer in
                pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    body($0, socklen_t(MemoryLayout<sockaddr_un>.size))
                }
            }
        }
    }
}
