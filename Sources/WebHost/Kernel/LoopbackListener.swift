internal import Foundation

/// A listening socket on 127.0.0.1.
///
/// It is bound before the server's library sees it, so that no option of the library can open the port to a
/// network.
struct LoopbackListener {
    let socket: Descriptor
    let port: UInt16

    /// Listens on a port, or on any free one for 0.
    init(port: UInt16) throws(SystemCallFailure) {
        let socket = Descriptor(
            owning: try SystemCalls.check("socket") {
                Foundation.socket(
                    AF_INET,
                    CInt(SOCK_STREAM.rawValue) | CInt(SOCK_CLOEXEC.rawValue) | CInt(SOCK_NONBLOCK.rawValue),
                    0
                )
            }
        )
        // A server that restarts gets its port back although connections of its predecessor linger.
        var one: CInt = 1
        let optionSize = socklen_t(MemoryLayout<CInt>.size)
        _ = try SystemCalls.check("setsockopt") {
            setsockopt(socket.number, SOL_SOCKET, SO_REUSEADDR, &one, optionSize)
        }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        _ = try SystemCalls.check("bind") {
            Self.withGeneric(&address) { pointer, size in bind(socket.number, pointer, size.pointee) }
        }
        _ = try SystemCalls.check("listen") { listen(socket.number, 128) }
        _ = try SystemCalls.check("getsockname") {
            Self.withGeneric(&address) { pointer, size in getsockname(socket.number, pointer, size) }
        }
        self.socket = socket
        self.port = UInt16(bigEndian: address.sin_port)
    }

    private static func withGeneric(
        _ address: inout sockaddr_in,
        _ body: (UnsafeMutablePointer<sockaddr>, UnsafeMutablePointer<socklen_t>) -> CInt
    ) -> CInt {
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        return withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { body($0, &size) }
        }
    }
}
