internal import Dispatch
internal import LocalSockets
internal import Locks

/// Has a process that has come to rest give back to the system what it does not need there: free memory, of which a start, and
/// many changes at once, leave more than what is kept; and the code that only they need.
///
/// Sendable; all calls may come from any thread.
final class MemoryAtRest: Sendable {
    private static let delay = DispatchTimeInterval.seconds(2)
    /// Longer than the last look takes whether something can be done that could not.
    private static let delayOfCode = DispatchTimeInterval.seconds(12)

    /// What is given back, one step after another, while all is at rest. Each is once for each time that it comes to rest:
    /// nobody wakes up for it later.
    struct Step: Sendable {
        /// Does something in a while, on a thread on which nobody is waited for.
        let later: @Sendable (@escaping @Sendable () -> Void) -> Void
        let giveBack: @Sendable () -> Void
    }

    private let steps: [Step]
    private let turn: Step
    private let restCount = Locked(0)
    private let isTurnDue = Locked(false)

    /// - Parameter turn: What is given back after the little that is done at rest now and then.
    init(_ steps: [Step] = MemoryAtRest.usual, turn: Step = MemoryAtRest.usualTurn) {
        (self.steps, self.turn) = (steps, turn)
    }

    private static let usual = [
        Step(later: { after(delay, $0) }) {
            ProcessMemory.returnLargePieces()
            ProcessMemory.returnFreePages()
            ProcessMemory.returnProgramPages()
        },
        // What a little work after that has needed of it.
        Step(later: { after(delayOfCode, $0) }) { ProcessMemory.returnProgramPages() },
    ]
    private static let usualTurn = Step(later: { after(delay, $0) }) { ProcessMemory.returnProgramPages() }

    private static func after(_ delay: DispatchTimeInterval, _ body: @escaping @Sendable () -> Void) {
        DispatchQueue(label: "sheaf.rest", qos: .background).asyncAfter(
            deadline: .now() + delay,
            execute: body
        )
    }

    /// Something has come to rest. Should nothing else do so soon, and nothing be at work then, all is at rest. What is at
    /// work then may say nothing when it has ended: it is asked again.
    ///
    /// - Parameter isAtWork: Whether anything is; asked later.
    func noteRest(unless isAtWork: @escaping @Sendable () -> Bool) {
        let count = restCount.withLock { count in
            count += 1
            return count
        }
        take(steps[...], count, unless: isAtWork)
    }

    /// Something has been done that is done at rest now and then, such as to ask the hub again. What that needed would stay until
    /// the next time.
    ///
    /// - Parameter isAtWork: Whether anything is; asked later.
    func noteTurn(unless isAtWork: @escaping @Sendable () -> Bool) {
        let isDue = isTurnDue.withLock { isDue in
            defer { isDue = true }
            return isDue
        }
        guard !isDue else { return }
        turn.later { [self] in
            isTurnDue.withLock { $0 = false }
            // There is a next turn, if what is at work then says nothing when it has ended.
            if !isAtWork() { turn.giveBack() }
        }
    }

    private func take(
        _ steps: ArraySlice<Step>,
        _ count: Int,
        unless isAtWork: @escaping @Sendable () -> Bool
    ) {
        guard let step = steps.first else { return }
        step.later { [self] in
            guard restCount.withLock({ $0 }) == count else { return }
            if isAtWork() { return take(steps, count, unless: isAtWork) }
            step.giveBack()
            take(steps.dropFirst(), count, unless: isAtWork)
        }
    }
}
