internal import Foundation
internal import Locks

/// Matches that only the query's own queue can decide, as its predicate has blocks in it.
///
/// They wait in the order in which they were found, and the core hears of them in that order. Each time the query's queue
/// gets to it some are decided, then what is due is told: an app whose main queue it is goes on to work in between.
extension QueryRun {
    /// What may match.
    struct Candidate: Sendable {
        var match: MetadataQueryCore.Match
        var attributes: ItemAttributes
    }

    /// What was found and is not decided yet.
    enum Finding: Sendable {
        case gathered([Candidate])
        case changed([Candidate], gone: Set<Int>)
        case finished
    }

    /// How many blocks are asked about at once.
    static let candidatesPerStep = 256

    func found(_ matches: [MetadataQueryCore.Match]) {
        guard plan.isUndecided else { return update { $0.core.gathered(matches) } }
        update { state in
            for part in parts(matches, &state) { state.undecided.append(.gathered(part)) }
        }
    }

    func foundAll() {
        update { state in
            if plan.isUndecided { state.undecided.append(.finished) } else { state.core.finished() }
        }
    }

    func found(put: [MetadataQueryCore.Match], gone: Set<Int>) {
        guard plan.isUndecided else { return update { $0.core.change(put: put, drop: gone) } }
        update { state in
            let parts = parts(put, &state)
            for (index, part) in parts.enumerated() {
                state.undecided.append(.changed(part, gone: index == 0 ? gone : []))
            }
            if parts.isEmpty { state.undecided.append(.changed([], gone: gone)) }
        }
    }

    private func parts(_ matches: [MetadataQueryCore.Match], _ state: inout State) -> [[Candidate]] {
        let candidates = matches.compactMap { match in
            attributes(of: match.id, &state).map { Candidate(match: match, attributes: $0) }
        }
        return stride(from: 0, to: candidates.count, by: Self.candidatesPerStep).map {
            Array(candidates[$0..<min($0 + Self.candidatesPerStep, candidates.count)])
        }
    }

    /// Decides what was found first. Called on the query's own queue, without a lock: a block may do what it likes.
    func decide(_ holds: (Candidate) -> Bool) {
        let next = state.withLock { $0.undecided.popFirst() }
        switch next {
        case .gathered(let candidates):
            let matches = candidates.filter(holds).map(\.match)
            state.withLock { $0.core.gathered(matches) }
        case .changed(let candidates, let gone):
            let put = candidates.filter(holds).map(\.match)
            let kept = Set(put.map(\.id))
            let others = candidates.filter { !kept.contains($0.match.id) && isAtItsPlace($0.attributes) }
            state.withLock { $0.core.change(put: put, drop: gone.union(others.map(\.match.id))) }
        case .finished: state.withLock { $0.core.finished() }
        case nil: break
        }
    }
}
