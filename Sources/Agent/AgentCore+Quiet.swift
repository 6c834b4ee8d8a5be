internal import Coordination

extension AgentCore {
    /// A client that has seen items change and wants to know whether it will be told by who changes them.
    struct QuietWait: Sendable {
        let connection: ConnectionID
        let client: ClientID
        let number: UInt64
        let items: [ItemPath]
    }

    mutating func waitForQuiet(_ wait: QuietWait) {
        let isTooMuch = quietWaits.count { $0.connection == wait.connection } >= Self.quietWaitsMax
        if isTooMuch {
            // It looks earlier than it might, and may hear of a write twice; nothing is lost.
            actions.append(.send(.quiet(wait.number), wait.connection))
        } else {
            quietWaits.append(wait)
            let writers = wait.items.flatMap { arbiter.runningAccesses(writing: $0, exceptBy: wait.client) }
            hurry(Array(Set(writers)))
        }
    }

    /// Answers those whose items nobody else writes now, after all that they are told about them.
    mutating func answerQuietWaits() {
        let answered = quietWaits.map { isQuiet($0) }
        for (wait, isAnswered) in zip(quietWaits, answered) where isAnswered {
            actions.append(.send(.quiet(wait.number), wait.connection))
        }
        quietWaits = zip(quietWaits, answered).filter { !$1 }.map(\.0)
    }

    private func isQuiet(_ wait: QuietWait) -> Bool {
        // Who has still to say what it holds may be writing anything.
        wait.items.isEmpty
            || !isCollecting
                && !wait.items.contains { arbiter.isBeingWritten($0, exceptBy: wait.client) }
    }

    /// Whether a move has not been told yet to all who want to know.
    ///
    /// What moves without coordination is seen by every process that watches, and each says so; what moves in a
    /// coordinated access is announced by who moves it, and seen by the others.
    mutating func isNews(_ move: ItemMove, by client: ClientID, now: UInt64) -> Bool {
        announcedMoves.isFirst(move, by: client, now: now)
            || !arbiter.presenters(of: move.source).isEmpty
            || !arbiter.presenters(inside: move.source).isEmpty
    }

    /// So many batches of changes of one client may wait for others to finish.
    private static let quietWaitsMax = 1000
}

/// Moves that were announced lately.
struct AnnouncedMoves: Sendable {
    private struct Announced: Sendable {
        let source: ItemPath
        let target: ItemPath
        let time: UInt64
        /// Who has seen it for itself and said so.
        var witnesses: Set<ClientID>
    }

    private var moves: [Announced] = []

    /// Notes an announcement.
    ///
    /// - Parameter now: In nanoseconds.
    /// - Returns: False when another has announced the same move just now, and this client says only what it saw.
    mutating func isFirst(_ move: ItemMove, by client: ClientID, now: UInt64) -> Bool {
        moves.removeAll { $0.time + Self.memoryNanoseconds < now }
        let isSeen = move.purpose == .outsideChanges
        let known = moves.firstIndex { $0.source == move.source && $0.target == move.target }
        if isSeen, let known, moves[known].witnesses.insert(client).inserted { return false }
        // What comes to a place can leave it again the same way.
        moves.removeAll { $0.source == move.target || $0.source == move.source && $0.target == move.target }
        if moves.count >= Self.movesMax { moves.removeFirst() }
        let witnesses: Set<ClientID> = isSeen ? [client] : []
        moves.append(Announced(source: move.source, target: move.target, time: now, witnesses: witnesses))
        return true
    }

    /// Processes see a move within a fraction of a second; those that were busy or stopped, later.
    private static let memoryNanoseconds: UInt64 = 10_000_000_000
    private static let movesMax = 256
}
