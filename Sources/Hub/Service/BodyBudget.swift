internal import HubProtocol
internal import Locks

/// How much of requests' bodies is in memory at a time, in all and of one account: who sends slowly, or says much and sends
/// nothing, keeps its own devices waiting, and no other account's.
///
/// Its state is under one lock.
final class BodyBudget: Sendable {
    /// A share of it, given back when nobody has it any longer.
    final class Share: Sendable {
        private let budget: BodyBudget
        private let byteCount: Int
        private let account: AccountID?

        fileprivate init(_ budget: BodyBudget, _ byteCount: Int, _ account: AccountID?) {
            (self.budget, self.byteCount, self.account) = (budget, byteCount, account)
        }

        deinit {
            budget.used.withLock { used in
                let left = used[account, default: 0] - byteCount
                used[account] = left == 0 ? nil : left
            }
        }
    }

    static let byteCountMax = 256 << 20
    /// Of one account, and of all who have no token.
    static let accountByteCountMax = byteCountMax / 2
    /// After how many seconds another try is worth it.
    private static let retrySeconds = 1

    private let used = Locked<[AccountID?: Int]>([:])

    /// Sets a share aside.
    ///
    /// - Parameter account: Whose body it is; nil where nobody knows.
    /// - Throws: `HubRefusal` when others have so much that there is too little left.
    func share(_ byteCount: Int, of account: AccountID?) throws -> Share {
        let isThere = used.withLock { used in
            let own = used[account, default: 0] + byteCount
            let all = used.values.reduce(byteCount, +)
            guard own <= Self.accountByteCountMax, all <= Self.byteCountMax else { return false }
            used[account] = own
            return true
        }
        if isThere { return Share(self, byteCount, account) }
        var refusal = HubRefusal(503, .unavailable, "The hub has too much to do. Try again in a moment.")
        refusal.retrySeconds = Self.retrySeconds
        throw refusal
    }
}
