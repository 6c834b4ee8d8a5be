internal import HTTPService
internal import Locks

/// Tokens of links that open the page once.
///
/// A link that is given to another program to open is seen among the arguments of processes, and noted by who keeps accounts of
/// them: once it has been used it is worth nothing. Who looks at once comes first; other users are kept out by `VisitorGate`.
/// Its state is under one lock.
final class VisitorTokens: Sendable {
    /// More are not remembered: the oldest were never used.
    private static let countMax = 64
    private let unused = Locked<[String]>([])

    /// One more.
    ///
    /// - Throws: Where the kernel has no random bytes.
    func make() throws(SystemCallFailure) -> String {
        let token = Hexadecimal.text(try SystemCalls.randomBytes(count: 16))
        unused.withLock { unused in
            unused.append(token)
            if unused.count > Self.countMax { unused.removeFirst() }
        }
        return token
    }

    /// Whether it is one that nobody has used; nobody can from now on.
    func take(_ token: String) -> Bool {
        unused.withLock { unused in
            guard let index = unused.firstIndex(where: { AccessPolicy.isEqual($0, token) }) else {
                return false
            }
            unused.remove(at: index)
            return true
        }
    }
}
