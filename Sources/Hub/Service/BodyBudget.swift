internal import HubProtocol
internal import Locks

/// How much of requests' bodies is in memory at a time, in all and of one account: who sends slowly, or says much and sends
/// nothing, keeps its own devices waiting, and no other account's. An account has half of what others leave at most, so that there
/// is some left for one more; and whoever has nothing is let in with one request, however little is left.
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

    /// What all have together, but for the first request of each account.
    static let byteCountMax = 256 << 20
    /// After how many seconds another try is worth it.
    private static let retrySeconds = 1

    private let used = Locked<[AccountID?: Int]>([:])

    /// Sets a share aside.
    ///
    /// - Parameter account: Whose body it is; nil where nobody knows.
    /// - Throws: `HubRefusal` when the account has some, and too little is left for more.
    func share(_ byteCount: Int, of account: AccountID?) throws -> Share {
        let isThere = used.withLock { used in
            let before = used[account, default: 0]
            let others = used.values.reduce(0, +) - before
            guard before == 0 || before + byteCount <= (Self.byteCountMax - others) / 2 else { return false }
            used[account] = before + byteCount
            return true
        }
        if isThere { return Share(self, byteCount, account) }
        var refusal = HubRefusal(503, .unavailable, "The hub has too much to do. Try again in a moment.")
        refusal.retrySeconds = Self.retrySeconds
        throw refusal
    }
}
