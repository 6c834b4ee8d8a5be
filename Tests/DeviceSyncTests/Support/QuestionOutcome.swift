import Locks
import SyncMessages
import Vault

/// What becomes of a question about one item.
final class QuestionOutcome: Sendable {
    private let result = Locked<Result<VersionID?, SyncRefusal>?>(nil)

    func take(_ result: Result<VersionID?, SyncRefusal>) { self.result.withLock { $0 = result } }

    /// Whether it has been answered, be it with a refusal.
    var isAnswered: Bool { result.withLock { $0 } != nil }
    var isDone: Bool { if case .success = result.withLock({ $0 }) { true } else { false } }
    var refusal: SyncRefusal? {
        if case .failure(let refusal) = result.withLock({ $0 }) { refusal } else { nil }
    }
    var code: SyncRefusal.Code? { refusal?.code }
}
