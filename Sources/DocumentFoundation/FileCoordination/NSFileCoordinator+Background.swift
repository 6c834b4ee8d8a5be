internal import Coordination
package import Dispatch
package import Foundation

extension NSFileCoordinator {
    /// Asks for one item and returns; the thread that asks is free while others make way.
    ///
    /// A queue that must stay able to answer others cannot wait in a coordinated call: two documents on one item
    /// would wait for each other's queues.
    ///
    /// - Parameters:
    ///   - intent: The item.
    ///   - queue: Where `accessor` runs.
    ///   - show: Shows the progress of fetching contents that are not here, which only the main actor changes then.
    ///   - accessor: Run once: with the item's place when access is given, which ends when it returns; or with
    ///     the error.
    package func coordinate(
        _ intent: NSFileAccessIntent,
        on queue: DispatchQueue,
        show: (@MainActor @Sendable (Progress) -> Void)? = nil,
        byAccessor accessor: @escaping @Sendable (Result<URL, any Error>) -> Void
    ) {
        let registry = registry
        beginWithContents([intent.item], show: show) { [self] result in
            queue.async { [self] in
                switch result {
                case .success(let access):
                    do { try endIfUnwanted(access) } catch { return accessor(.failure(error)) }
                    ThreadNesting.enter(.granted(access), of: registry) {
                        accessor(.success(access.urls[0]))
                    }
                    if let error = registry.end(access) { FileAccessRegistry.log(error) }
                case .failure(let error):
                    accessor(.failure(error))
                }
            }
        }
    }
}
