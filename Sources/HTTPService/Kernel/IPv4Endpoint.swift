package import Foundation

/// One end of a TCP connection over IPv4.
package struct IPv4Endpoint: Hashable, Sendable {
    /// The address as inet(7) has it: its first byte is the first in memory.
    package var address: UInt32
    /// The port, in this machine's order.
    package var port: UInt16

    package init(address: UInt32, port: UInt16) { (self.address, self.port) = (address, port) }

    /// A port of 127.0.0.1.
    package static func loopback(port: UInt16) -> IPv4Endpoint {
        IPv4Endpoint(address: UInt32(0x7F00_0001).bigEndian, port: port)
    }

    /// The kernel's form of it; nil for another kind of address.
    package init?(_ generic: UnsafePointer<sockaddr>, byteCount: socklen_t) {
        guard generic.pointee.sa_family == sa_family_t(AF_INET),
            byteCount >= socklen_t(MemoryLayout<sockaddr_in>.size)
        else { return nil }
        let place = UnsafeRawPointer(generic).loadUnaligned(as: sockaddr_in.self)
        self.init(address: place.sin_addr.s_addr, port: UInt16(bigEndian: place.sin_port))
    }

    /// A connection to whoever listens there, and where its own end is.
    package func connect() throws(SystemCallFailure) -> (socket: Descriptor, end: IPv4Endpoint) {
        let kind = CInt(SOCK_STREAM.rawValue) | CInt(SOCK_CLOEXEC.rawValue)
        let socket = Descriptor(
            owning: try SystemCalls.check("socket") { Foundation.socket(AF_INET, kind, 0) }
        )
        var place = sockaddr_in()
        place.sin_family = sa_family_t(AF_INET)
        place.sin_port = port.bigEndian
        place.sin_addr.s_addr = address
        try ListeningAddress.withGeneric(&place) { (pointer, size) throws(SystemCallFailure) in
            _ = try SystemCalls.check("connect") { Foundation.connect(socket.number, pointer, size.pointee) }
            _ = try SystemCalls.check("getsockname") { getsockname(socket.number, pointer, size) }
        }
        let end = IPv4Endpoint(address: place.sin_addr.s_addr, port: UInt16(bigEndian: place.sin_port))
        return (socket, end)
    }
}
