internal import Sync
internal import SyncMessages

// The room of former states, in the container's own vault and at the hub, and when it is given back.
extension SyncRun {
    private static let supersededKey = "superseded"
    /// A hub that is full is told each so many attempts what is former, which is an hour.
    private static let releaseAttemptGap = 60 * fullHubAttempts

    /// Contents have been replaced here by others, or went with their item: once nobody needs them they may leave the vault.
    func noteSuperseded(_ content: ContentName?) {
        guard let content else { return }
        former.add(Self.byteCount(of: content) ?? 0)
    }

    /// Has former states leave once they take as much room as may be worth while, and nothing is being done here. All need not be
    /// in step: what waits for a person, say, may do so for long.
    func forgetSuperseded() {
        guard former.isWorthWhile(place.room.formerByteCountMin), isLogRead, !isAtWork, forgetting.isEmpty
        else { return }
        former.begin()
        forget(.superseded)
    }

    /// Has them leave, however little room they take, where the hub has none: it keeps for weeks what it is told of, so that is
    /// to begin.
    func forgetSupersededIfHubIsFull() {
        guard isFullHubDue, isLogRead, forgetting.isEmpty, isHubFull, !isReleased else { return }
        guard former.isDue(at: attemptCount, gap: Self.releaseAttemptGap) else { return }
        former.begin()
        forget(.superseded)
    }

    private var isHubFull: Bool {
        !hubRefusals.isEmpty || failedContents.values.contains { $0.code == .quota }
    }

    /// Keeps for the next process how much there may be.
    func rememberSuperseded() {
        let bytes = (0..<8).map { UInt8(truncatingIfNeeded: former.rememberedByteCount >> (8 * $0)) }
        do {
            guard try memory.value(Self.supersededKey) != bytes else { return }
            try memory.remember(Self.supersededKey, bytes)
        } catch {
            // Some room stays taken for longer.
            report(.failed(path: "what this device remembers", why: "\(error)"))
        }
    }

    func recallSuperseded() throws {
        let bytes = try memory.value(Self.supersededKey) ?? []
        former = FormerRoom(byteCount: bytes.prefix(8).reversed().reduce(0) { $0 << 8 | UInt64($1) })
    }
}
