internal import HubProtocol
internal import Locks
internal import Sync

// What the hub says of commits is no proof: the log is. What it has said is kept until that has shown it, in memory: what a process
// has not read of its own is on its disk, and for the next one as if it had never been sent.
extension LogDesk {
    /// A commit that the hub had taken as an entry of its log, by its own word, and that is not there.
    typealias Unkept = (id: Commit.ID, position: LogPosition)

    /// The last entry that the log is to have by what the hub has said; nil where it was read that far.
    var lastAccepted: LogPosition? { accepted.withLock { $0.last } }

    /// Notes what the hub says of commits.
    ///
    /// - Returns: Of which the log, as it has been read, says otherwise.
    func note(_ answers: [CommitAnswer], to ids: [Commit.ID]) -> [Unkept] {
        accepted.withLock { accepted in
            zip(answers, ids).compactMap { answer, id in
                guard case .accepted(let position) = answer, !accepted.accept(id, at: position) else {
                    return nil
                }
                return (id, position)
            }
        }
    }

    /// The log ends with an entry, asked after all that the hub has said.
    ///
    /// - Returns: What is not there.
    func unkept(after end: LogPosition) -> [Unkept] { accepted.withLock { $0.giveUp(after: end) } }
}
