internal import HubProtocol
internal import Locks
internal import Sealing
internal import Sync

// What the hub has said of commits, held against its log.
extension HubLine {
    /// Notes what it says.
    ///
    /// - Parameter up: How often the line had come up when it was asked: of a line that was lost since all is offered anew.
    func note(_ answers: [CommitAnswer], to ids: [Commit.ID], since up: Int) {
        guard state.withLock({ $0.isUp && $0.upCount == up }) else { return }
        tell(unkept: desk.note(answers, to: ids))
    }

    /// Tells of commits that the hub has taken and does not have.
    func tell(unkept: [LogDesk.Unkept]) {
        guard let first = unkept.map(\.position).min() else { return }
        receiver(.unkept(unkept.map { ($0.id, readTo: $0.position) }, .unkept(first)))
    }

    /// Sees that the log does not end before what the hub had said that it has in it.
    ///
    /// - Parameters:
    ///   - position: The last entry of which it had said so when it was asked for a page; nil for none.
    ///   - head: The log's end by that page.
    /// - Throws: `LineFailure` where it does: all is offered anew once the line is up again.
    func check(_ position: LogPosition?, isWithin head: LogHead) throws {
        guard let position, head.position < position else { return }
        // Who keeps answers on the way has none to what nobody has asked before.
        let end = try hub.log(after: position, waitSeconds: 0).head.position
        guard end < position else { return }
        tell(unkept: desk.unkept(after: end))
        throw LineFailure(
            """
            the hub said that it has taken what this device has sent as entry \(position) of its log, which ends with entry \(end): \
            it was put back, or leaves that out
            """
        )
    }
}
