import Foundation
import Glibc

/// A socket of this machine that listens at a port of the kernel's choice.
struct LoopbackListener: Sendable {
    let descriptor: CInt
    let port: UInt16

    /// - Parameter backlog: How many connections wait to be accepted.
    init(backlog: CInt) throws {
        let descriptor = socket(AF_INET, CInt(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = in_addr_t(0x7F00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isBound = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { place in
                bind(descriptor, place, length) == 0 && listen(descriptor, backlog) == 0
                    && getsockname(descriptor, place, &length) == 0
            }
        }
        guard isBound else { throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO) }
        (self.descriptor, port) = (descriptor, UInt16(bigEndian: address.sin_port))
    }
}
