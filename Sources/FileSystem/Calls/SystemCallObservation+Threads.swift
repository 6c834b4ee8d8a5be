internal import Locks
internal import Threads

extension SystemCallObservation {
    /// Makes calls on another thread for this one, whose observer sees them too.
    package static func forThisThread() -> @Sendable (() throws -> Void) throws -> Void {
        let observer = ofThisThread
        return { body in
            guard let observer else { return try body() }
            try withObserver(observer, body)
        }
    }

    /// Makes calls on several threads, which the observer of this one sees too, and waits for all of them.
    ///
    /// - Parameters:
    ///   - count: How many pieces of work there are.
    ///   - work: Does one. After the first failure no other piece is begun.
    /// - Throws: The first failure.
    static func shareOut(
        _ count: Int,
        _ work: @Sendable (Int) throws(SystemError) -> Void
    ) throws(SystemError) {
        let failure = Locked<SystemError?>(nil)
        let observer = ofThisThread
        SharedWork.perform(count) { index in
            guard failure.withLock({ $0 == nil }) else { return }
            func attempt() -> Result<Void, SystemError> {
                Result { () throws(SystemError) in try work(index) }
            }
            let outcome = observer.map { withObserver($0, attempt) } ?? attempt()
            if case .failure(let error) = outcome { failure.withLock { $0 = $0 ?? error } }
        }
        if let failure = failure.withLock({ $0 }) { throw failure }
    }
}
