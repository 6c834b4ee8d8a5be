internal import HubProtocol
internal import Locks

/// How much of requests' bodies is in memory at a time, in all.
///
/// Its state is under one lock.
final class BodyBudget: Sendable {
    /// A share of it, given back when nobody has it any longer.
    final class Share: Sendable {
        private let budget: BodyBudget
        private let byteCount: Int

        fileprivate init(_ budget: BodyBudget, _ byteCount: Int) {
            (self.budget, self.byteCount) = (budget, byteCount)
        }

        deinit {
            budget.used.withLock { $0 -= byteCount }
        }
    }

    private static let byteCountMax = 256 << 20
    /// After how many seconds another try is worth it.
    private static let retrySeconds = 1

    private let used = Locked(0)

    /// Sets a share aside.
    ///
    /// - Throws: `HubRefusal` when others have so much that there is too little left.
    func share(_ byteCount: Int) throws -> Share {
        let isThere = used.withLock { used in
            guard used + byteCount <= Self.byteCountMax else { return false }
            used += byteCount
            return true
        }
        if isThere { return Share(self, byteCount) }
        var refusal = HubRefusal(503, .unavailable, "The hub has too much to do. Try again in a moment.")
        refusal.retrySeconds = Self.retrySeconds
        throw refusal
    }
}
