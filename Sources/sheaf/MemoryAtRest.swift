internal import Dispatch
internal import LocalSockets
internal import Locks

/// Has a process that has come to rest give its free memory back to the system: a start, and many changes at once, leave more
/// of it than what is kept.
final class MemoryAtRest: Sendable {
    private static let delay = DispatchTimeInterval.seconds(2)
    private let restCount = Locked(0)

    /// Something has come to rest; should nothing else do so soon, all is at rest.
    func noteRest() {
        let count = restCount.withLock { count in
            count += 1
            return count
        }
        DispatchQueue.global(qos: .background).asyncAfter(deadline: .now() + Self.delay) { [self] in
            if restCount.withLock({ $0 }) == count { ProcessMemory.returnFreePages() }
        }
    }
}
