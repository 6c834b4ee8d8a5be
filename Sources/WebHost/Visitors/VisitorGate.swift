internal import Foundation
internal import HTTPService
internal import Locks

/// Lets in whoever the page is for, before anything that they send is read.
///
/// Other users of the machine see our port, and may have seen a link or a cookie. Its state is under one lock.
final class VisitorGate: Sendable {
    /// Of more users it is not told that they were refused.
    private static let toldCountMax = 16

    private let place: IPv4Endpoint
    private let refused: @Sendable (_ user: UInt32) -> Void
    private let told = Locked(Set<UInt32>())

    /// - Parameters:
    ///   - port: The port of 127.0.0.1 that is listened on.
    ///   - refused: Told of each user whose program is refused, once.
    init(port: UInt16, refused: @escaping @Sendable (_ user: UInt32) -> Void) {
        place = .loopback(port: port)
        self.refused = refused
    }

    /// Whether a connection from there is served. Any thread.
    func admits(_ peer: IPv4Endpoint) -> Bool {
        let visitor = Visitor.of(peer, at: place, find: ConnectionEnd.find)
        let isAdmitted = visitor.isAdmitted(by: geteuid())
        if case .user(let user) = visitor, !isAdmitted, isNews(user) { refused(user) }
        return isAdmitted
    }

    private func isNews(_ user: UInt32) -> Bool {
        told.withLock { $0.count < Self.toldCountMax && $0.insert(user).inserted }
    }
}
