internal import Foundation

/// Where a server listens: one address of this machine and a port, never all addresses by default.
package struct ListeningAddress: Hashable, Sendable, CustomStringConvertible {
    /// The address in its numeric form, such as `127.0.0.1` or `::1`.
    package let host: String
    /// The port; 0 for any free one.
    package let port: UInt16
    private let isVersion6: Bool

    /// A port of 127.0.0.1.
    package static func loopback(port: UInt16) -> ListeningAddress {
        ListeningAddress(host: "127.0.0.1", port: port, isVersion6: false)
    }

    private init(host: String, port: UInt16, isVersion6: Bool) {
        (self.host, self.port, self.isVersion6) = (host, port, isVersion6)
    }

    /// Reads `ADDRESS:PORT`, the address in numbers, one of IPv6 in brackets.
    ///
    /// - Returns: Nil for anything else, names of machines too: what they lead to may change.
    package init?(_ text: String) {
        guard let colon = text.lastIndex(of: ":"), let port = UInt16(text[text.index(after: colon)...])
        else { return nil }
        let host = text[..<colon]
        if host.hasPrefix("["), host.hasSuffix("]") {
            let inner = String(host.dropFirst().dropLast())
            var address = in6_addr()
            guard inet_pton(AF_INET6, inner, &address) == 1 else { return nil }
            self.init(host: inner, port: port, isVersion6: true)
        } else {
            var address = in_addr()
            guard inet_pton(AF_INET, String(host), &address) == 1 else { return nil }
            self.init(host: String(host), port: port, isVersion6: false)
        }
    }

    /// Whether only programs of this machine reach it.
    package var isLoopback: Bool { isVersion6 ? host == "::1" : host.hasPrefix("127.") }

    /// The same address with another port.
    package func with(port: UInt16) -> ListeningAddress {
        ListeningAddress(host: host, port: port, isVersion6: isVersion6)
    }

    /// As it stands in an URL: `127.0.0.1:8080`, `[::1]:8080`.
    package var description: String { isVersion6 ? "[\(host)]:\(port)" : "\(host):\(port)" }

    /// Shows the kernel's form of it.
    fileprivate func withSocketAddress<Result>(
        _ body: (CInt, UnsafePointer<sockaddr>, socklen_t) throws(SystemCallFailure) -> Result
    ) throws(SystemCallFailure) -> Result {
        if isVersion6 {
            var address = sockaddr_in6()
            address.sin6_family = sa_family_t(AF_INET6)
            address.sin6_port = port.bigEndian
            inet_pton(AF_INET6, host, &address.sin6_addr)
            return try Self.withGeneric(&address) { (pointer, size) throws(SystemCallFailure) in
                try body(AF_INET6, UnsafePointer(pointer), size.pointee)
            }
        }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        inet_pton(AF_INET, host, &address.sin_addr)
        return try Self.withGeneric(&address) { (pointer, size) throws(SystemCallFailure) in
            try body(AF_INET, UnsafePointer(pointer), size.pointee)
        }
    }

    /// Shows an address as the kernel's calls take it, with its size.
    static func withGeneric<Address, Result>(
        _ address: inout Address,
        _ body: (UnsafeMutablePointer<sockaddr>, UnsafeMutablePointer<socklen_t>)
            throws(SystemCallFailure) -> Result
    ) throws(SystemCallFailure) -> Result {
        var size = socklen_t(MemoryLayout<Address>.size)
        let outcome = withUnsafeMutableBytes(of: &address) { bytes in
            Swift.Result<Result, SystemCallFailure> { () throws(SystemCallFailure) in
                guard let pointer = bytes.baseAddress?.assumingMemoryBound(to: sockaddr.self) else {
                    throw SystemCallFailure(name: "an address", errno: EINVAL)
                }
                return try body(pointer, &size)
            }
        }
        return try outcome.get()
    }
}

/// A listening socket on one address of this machine.
///
/// It is bound before the server's library sees it, so that no option of the library can open the port to a
/// network.
package struct TCPListener {
    package let socket: Descriptor
    package let port: UInt16

    /// Listens.
    ///
    /// - Parameter backlog: How many connections wait to be taken, at most.
    package init(on address: ListeningAddress, backlog: Int32 = 128) throws(SystemCallFailure) {
        let socket = try address.withSocketAddress {
            (family, generic, size) throws(SystemCallFailure) in
            try Self.bound(family, generic, size)
        }
        _ = try SystemCalls.check("listen") { listen(socket.number, backlog) }
        self.socket = socket
        var found = sockaddr_in6()
        // The port stands at the same place in both kinds of address.
        port = try ListeningAddress.withGeneric(&found) { (pointer, size) throws(SystemCallFailure) in
            _ = try SystemCalls.check("getsockname") { getsockname(socket.number, pointer, size) }
            return pointer.withMemoryRebound(to: sockaddr_in.self, capacity: 1) {
                UInt16(bigEndian: $0.pointee.sin_port)
            }
        }
    }

    private static func bound(
        _ family: CInt,
        _ address: UnsafePointer<sockaddr>,
        _ size: socklen_t
    ) throws(SystemCallFailure) -> Descriptor {
        let flags =
            CInt(SOCK_STREAM.rawValue) | CInt(SOCK_CLOEXEC.rawValue) | CInt(SOCK_NONBLOCK.rawValue)
        let socket = Descriptor(
            owning: try SystemCalls.check("socket") { Foundation.socket(family, flags, 0) }
        )
        // A server that restarts gets its port back although connections of its predecessor linger.
        var one: CInt = 1
        let optionSize = socklen_t(MemoryLayout<CInt>.size)
        _ = try SystemCalls.check("setsockopt") {
            setsockopt(socket.number, SOL_SOCKET, SO_REUSEADDR, &one, optionSize)
        }
        _ = try SystemCalls.check("bind") { bind(socket.number, address, size) }
        return socket
    }
}
