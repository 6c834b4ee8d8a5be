import Foundation
import HTTPService
import Testing

@testable import WebHost

@Suite("Visitor")
struct VisitorTests {
    private static let far = IPv4Endpoint.loopback(port: 40_000)
    private static let near = IPv4Endpoint.loopback(port: 20_000)

    private static func end(inode: UInt64 = 7, state: UInt8 = 1) -> ConnectionEnd {
        ConnectionEnd(user: 1001, inode: inode, state: state)
    }

    @Test(
        "Who it is is told by the far end, or by ours where that one is nowhere to be seen",
        arguments: [
            (end(), nil, Visitor.user(1001)),
            // A process may have said all that it has to say and wait for the answer.
            (end(state: 4), end(state: 8), .user(1001)),
            // Nobody has it any longer, and the kernel tells of root.
            (end(inode: 0), end(), .nobody),
            (nil, end(), .unknown),
            (nil, nil, .unknown),
            (nil, end(state: 7), .nobody),
            (nil, end(state: 8), .nobody),
        ] as [(ConnectionEnd?, ConnectionEnd?, Visitor)]
    )
    func rule(far: ConnectionEnd?, near: ConnectionEnd?, visitor: Visitor) {
        let found = Visitor.of(Self.far, at: Self.near) { place, other in
            #expect(Set([place, other]) == [Self.far, Self.near])
            return place == Self.far ? far : near
        }
        #expect(found == visitor)
    }

    @Test("The page is for its user and for root, and for whom nobody can tell")
    func admission() {
        #expect(Visitor.user(1000).isAdmitted(by: 1000))
        #expect(Visitor.user(0).isAdmitted(by: 1000))
        #expect(Visitor.unknown.isAdmitted(by: 1000))
        for other in [Visitor.user(1001), .user(65_534), .nobody] {
            #expect(!other.isAdmitted(by: 1000), "\(other)")
        }
        #expect(!Visitor.user(1000).isAdmitted(by: 0))
    }

    @Test("The kernel tells whose an end of a connection is, as long as somebody has it")
    func kernel() throws {
        let listener = try TCPListener(on: .loopback(port: 0))
        let place = IPv4Endpoint.loopback(port: listener.port)
        var client: (socket: Descriptor, end: IPv4Endpoint)? = try place.connect()
        let end = try #require(client?.end)
        let found = try #require(ConnectionEnd.find(at: end, to: place))
        #expect(found.user == geteuid() && found.isHeld && found.isEstablished)
        // The lists of all connections say the same.
        #expect(ConnectionEnd.listed(at: end, to: place) == found)
        // That of who listens at a port is none of a connection's.
        #expect(ConnectionEnd.find(at: place, to: .loopback(port: 1)) == nil)
        client = nil
        #expect(Visitor.of(end, at: place, find: ConnectionEnd.find) == .nobody)
        #expect(Visitor.isTold())
    }

    @Test("A socket of IPv6 that talks to IPv4 is found too")
    func mapped() throws {
        let listener = try TCPListener(on: .loopback(port: 0))
        let place = IPv4Endpoint.loopback(port: listener.port)
        let (socket, end) = try connectFromIPv6(to: listener.port)
        let found = try #require(ConnectionEnd.find(at: end, to: place))
        #expect(found.user == geteuid() && found.isHeld)
        #expect(ConnectionEnd.listed(at: end, to: place) == found)
        withExtendedLifetime(socket) {}
    }

    private func connectFromIPv6(to port: UInt16) throws -> (Descriptor, IPv4Endpoint) {
        let kind = CInt(SOCK_STREAM.rawValue) | CInt(SOCK_CLOEXEC.rawValue)
        let socket = Descriptor(owning: Foundation.socket(AF_INET6, kind, 0))
        var address = sockaddr_in6()
        address.sin6_family = sa_family_t(AF_INET6)
        address.sin6_port = port.bigEndian
        #expect(inet_pton(AF_INET6, "::ffff:127.0.0.1", &address.sin6_addr) == 1)
        var size = socklen_t(MemoryLayout<sockaddr_in6>.size)
        let outcome = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(socket.number, $0, size) | getsockname(socket.number, $0, &size)
            }
        }
        try #require(outcome == 0)
        return (socket, .loopback(port: UInt16(bigEndian: address.sin6_port)))
    }
}
