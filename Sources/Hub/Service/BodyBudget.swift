internal import HubProtocol
internal import Locks

/// How much of bodies, of requests or of answers, is in memory at a time, in all and of one account: who sends slowly, or says much
/// and sends nothing, or asks for much and reads nothing, keeps its own devices waiting, and no other account's. An account has half
/// of what others leave at most, so that there is some left for one more; and whoever has nothing is let in with one request, however
/// little is left.
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

    private let byteCountMax: Int
    private let used = Locked<[AccountID?: Int]>([:])

    init(byteCountMax: Int = BodyBudget.byteCountMax) { self.byteCountMax = byteCountMax }

    /// Sets a share aside.
    ///
    /// - Parameter account: Whose body it is; nil where nobody knows.
    /// - Throws: `HubRefusal` when the account has some, and too little is left for more.
    func share(_ byteCount: Int, of account: AccountID?) throws -> Share {
        let isThere = used.withLock { used in
            let before = used[account, default: 0]
            let others = used.values.reduce(0, +) - before
            guard before == 0 || before + byteCount <= (byteCountMax - others) / 2 else { return false }
            used[account] = before + byteCount
            return true
        }
        guard isThere else { throw Self.refusal }
        return Share(self, byteCount, account)
    }

    /// Refuses an account that has its share already, before anybody does for it what more of it is wanted for.
    func check(_ account: AccountID?) throws {
        let isMore = used.withLock { used in
            let before = used[account, default: 0]
            let others = used.values.reduce(0, +) - before
            return before == 0 || before < (byteCountMax - others) / 2
        }
        guard isMore else { throw Self.refusal }
    }

    private static var refusal: HubRefusal {
        var refusal = HubRefusal(503, .unavailable, "The hub has too much to do. Try again in a moment.")
        refusal.retrySeconds = retrySeconds
        return refusal
    }
}
