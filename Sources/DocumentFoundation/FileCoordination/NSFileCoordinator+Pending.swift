internal import Coordination
package import Foundation

extension NSFileCoordinator {
    /// What came of asking for items with a limit to waiting.
    package enum Outcome<Value> {
        /// It has been done.
        case done(Value)
        /// Others are to make way first; it is told when they have.
        case waiting(PendingAccess)
    }

    /// Has items written, if others make way for it soon. Else the thread goes on, which is a queue's that has others to serve,
    /// and it is told when they have.
    ///
    /// - Parameters:
    ///   - items: The items: file URLs.
    ///   - deadline: Until when the thread waits at most.
    ///   - later: Called once, on any thread, if the thread has not waited: with access, or the error. Access ends when it is
    ///     used or dropped.
    ///   - accessor: Run on this thread, if it has waited.
    /// - Throws: Why there is no access; what `accessor` throws.
    package func coordinate<Value>(
        writing items: [(url: URL, options: WritingOptions)],
        until deadline: DispatchTime,
        later: @escaping @Sendable (Result<HeldAccess, any Error>) -> Void,
        byAccessor accessor: () throws -> Value
    ) throws -> Outcome<Value> {
        let registry = registry
        let begun = try registry.begin(
            items.map { RequestedItem(writing: $0.url, $0.options) },
            by: caller,
            until: deadline
        ) { result in
            later(
                Result {
                    let access = try result.get()
                    if let error = registry.endIfLost(access) { throw error }
                    return HeldAccess(access, in: registry)
                }
            )
        }
        switch begun {
        case .granted(let access): return .done(try HeldAccess(access, in: registry).run(accessor))
        case .waiting(let id): return .waiting(PendingAccess(id, in: registry))
        }
    }
}
