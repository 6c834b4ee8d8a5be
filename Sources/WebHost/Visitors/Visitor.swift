internal import Foundation
internal import HTTPService

/// Who is at the other end of a connection that has come over the loopback.
enum Visitor: Hashable, Sendable {
    /// A program of this user.
    case user(UInt32)
    /// Nobody any longer: that end is closed, and nobody knows whose it was.
    case nobody
    /// The kernel does not tell.
    case unknown

    /// Whether the page is for them: for the user whose process this is, and for root, who may do anything as it is.
    ///
    /// Where nobody can tell, the secrets of the links and cookies have to do.
    func isAdmitted(by user: UInt32) -> Bool {
        switch self {
        case .user(let other): other == user || other == 0
        case .nobody: false
        case .unknown: true
        }
    }

    /// Finds out who has connected.
    ///
    /// - Parameters:
    ///   - peer: Where the connection has come from.
    ///   - place: Where it has come to.
    ///   - find: Looks for an end of a connection: `ConnectionEnd.find(at:to:)`.
    static func of(
        _ peer: IPv4Endpoint,
        at place: IPv4Endpoint,
        find: (_ place: IPv4Endpoint, _ other: IPv4Endpoint) -> ConnectionEnd?
    ) -> Visitor {
        if let end = find(peer, place) { return end.isHeld ? .user(end.user) : .nobody }
        // It has come from where this kernel does not see, such as through a rule that changes addresses, or from the system that
        // this one is a guest of; unless it has been broken off meanwhile, which ours has heard of then.
        if let own = find(place, peer), !own.isEstablished { return .nobody }
        return .unknown
    }

    /// Whether the kernel tells here whose a connection is.
    static func isTold() -> Bool {
        do throws(SystemCallFailure) {
            let listener = try TCPListener(on: .loopback(port: 0))
            let place = IPv4Endpoint.loopback(port: listener.port)
            let (socket, end) = try place.connect()
            return withExtendedLifetime(socket) {
                Visitor.of(end, at: place, find: ConnectionEnd.find) == .user(geteuid())
            }
        } catch {
            // Whatever it is that is refused here, it is not known to work.
            return false
        }
    }
}
