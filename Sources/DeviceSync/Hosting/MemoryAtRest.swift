internal import Dispatch
internal import LocalSockets
internal import Locks

/// Has a process that has come to rest give back to the system what it does not need there: free memory, of which a start, and
/// many changes at once, leave more than what is kept; and the code that only they need.
///
/// Sendable; all calls may come from any thread.
final class MemoryAtRest: Sendable {
    private static let delay = DispatchTimeInterval.seconds(2)

    private let later: @Sendable (@escaping @Sendable () -> Void) -> Void
    private let giveBack: @Sendable () -> Void
    private let restCount = Locked(0)

    /// - Parameters:
    ///   - later: Does something in a while, on a thread on which nobody is waited for.
    ///   - giveBack: Gives it back.
    init(
        later: @escaping @Sendable (@escaping @Sendable () -> Void) -> Void = { body in
            DispatchQueue(label: "sheaf.rest", qos: .background).asyncAfter(
                deadline: .now() + delay,
                execute: body
            )
        },
        giveBack: @escaping @Sendable () -> Void = {
            ProcessMemory.returnFreePages()
            ProcessMemory.returnProgramPages()
        }
    ) {
        (self.later, self.giveBack) = (later, giveBack)
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
        giveBackLater(count, unless: isAtWork)
    }

    private func giveBackLater(_ count: Int, unless isAtWork: @escaping @Sendable () -> Bool) {
        later { [self] in
            guard restCount.withLock({ $0 }) == count else { return }
            if isAtWork() { giveBackLater(count, unless: isAtWork) } else { giveBack() }
        }
    }
}
