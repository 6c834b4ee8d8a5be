internal import Foundation
internal import Locks

/// Memory for long answers, which is used again while they come one after another: to take as much from the system each time, page by
/// page, costs a tenth of what it takes to receive them. Nothing of it is kept when nobody has any.
///
/// Its state is in one struct under one lock.
final class AnswerMemory: Sendable {
    /// A piece of it.
    struct Piece: @unchecked Sendable {
        // Sendable because one at a time has it: an inbox, or whoever has what came in, who only reads it.
        let start: UnsafeMutableRawPointer
        let capacity: Int
    }
    private struct State {
        var spare: [Piece] = []
        /// How many somebody has.
        var usedCount = 0
    }

    /// Shorter answers are in memory like any other's.
    static let byteCountMin = 256 << 10
    private static let step = 512 << 10
    private static let spareCountMax = 3
    /// Larger ones than usual are kept by nobody.
    private static let spareCapacityMax = 4 << 20

    private let state = Locked(State())

    deinit { for piece in state.withLock({ $0.spare }) { free(piece.start) } }

    /// How many pieces are kept that nobody has.
    var spareCount: Int { state.withLock { $0.spare.count } }

    /// Takes a piece of so many bytes at least; nil where there is no memory.
    func take(_ byteCount: Int) -> Piece? {
        let spare = state.withLock { state -> Piece? in
            state.usedCount += 1
            let index = state.spare.firstIndex { $0.capacity >= byteCount }
            return index.map { state.spare.remove(at: $0) }
        }
        if let spare { return spare }
        let capacity = (byteCount + Self.step - 1) / Self.step * Self.step
        guard let start = malloc(capacity) else {
            state.withLock { $0.usedCount -= 1 }
            return nil
        }
        return Piece(start: start, capacity: capacity)
    }

    /// Gives a piece back.
    func giveBack(_ piece: Piece) {
        let unneeded = state.withLock { state -> [Piece] in
            state.usedCount -= 1
            if state.usedCount == 0 {
                defer { state.spare = [] }
                return state.spare + [piece]
            }
            guard piece.capacity <= Self.spareCapacityMax, state.spare.count < Self.spareCountMax else {
                return [piece]
            }
            state.spare.append(piece)
            return []
        }
        for piece in unneeded { free(piece.start) }
    }

    /// What is in a piece, which is given back when nobody has that any longer.
    func data(_ piece: Piece, byteCount: Int) -> Data {
        Data(
            bytesNoCopy: piece.start,
            count: byteCount,
            deallocator: .custom { _, _ in self.giveBack(piece) }
        )
    }
}
