public import Foundation

// A question comes in the spelling with a completion handler. Whoever implements only the one with `async` is asked by it.
extension NSFilePresenter {
    /// Asks `savePresentedItemChanges()`: without one there is nothing to save.
    public func savePresentedItemChanges(completionHandler: @escaping @Sendable ((any Error)?) -> Void) {
        let asked = AskedPresenter(presenter: self)
        AsyncAnswer.give(to: completionHandler) { try await asked.presenter.savePresentedItemChanges() }
    }

    /// Has nothing to save.
    public func savePresentedItemChanges() async throws {}

    /// Asks `accommodatePresentedItemDeletion()`: without one the item goes.
    public func accommodatePresentedItemDeletion(
        completionHandler: @escaping @Sendable ((any Error)?) -> Void
    ) {
        let asked = AskedPresenter(presenter: self)
        AsyncAnswer.give(to: completionHandler) {
            try await asked.presenter.accommodatePresentedItemDeletion()
        }
    }

    /// Lets the item go.
    public func accommodatePresentedItemDeletion() async throws {}

    /// Asks `accommodatePresentedItemEviction()`: without one the contents go.
    public func accommodatePresentedItemEviction(
        completionHandler: @escaping @Sendable ((any Error)?) -> Void
    ) {
        let asked = AskedPresenter(presenter: self)
        AsyncAnswer.give(to: completionHandler) {
            try await asked.presenter.accommodatePresentedItemEviction()
        }
    }

    /// Lets the contents go.
    public func accommodatePresentedItemEviction() async throws {}

    /// Asks `accommodatePresentedSubitemDeletion(at:)`: without one the subitem goes.
    public func accommodatePresentedSubitemDeletion(
        at url: URL,
        completionHandler: @escaping @Sendable ((any Error)?) -> Void
    ) {
        let asked = AskedPresenter(presenter: self)
        AsyncAnswer.give(to: completionHandler) {
            try await asked.presenter.accommodatePresentedSubitemDeletion(at: url)
        }
    }

    /// Lets the subitem go.
    public func accommodatePresentedSubitemDeletion(at url: URL) async throws {}
}

/// A presenter that is asked something in a task.
private struct AskedPresenter: @unchecked Sendable {
    // Sendable because its method says itself which actor it belongs to; one that belongs to none runs, as on Apple's systems,
    // wherever tasks do.
    let presenter: any NSFilePresenter
}

/// An answer that may take a while, for a completion handler.
package enum AsyncAnswer {
    /// Begins to answer on the calling thread; one that waits for nothing is given before this returns.
    ///
    /// - Parameters:
    ///   - completionHandler: Called once: with nil, or with what `answer` threw.
    ///   - answer: What there is to do.
    package static func give(
        to completionHandler: @escaping @Sendable ((any Error)?) -> Void,
        _ answer: @escaping @Sendable () async throws -> Void
    ) {
        _ = Task.immediate {
            do { try await answer() } catch { return completionHandler(error) }
            completionHandler(nil)
        }
    }

    /// Waits for an answer that is given to a completion handler.
    ///
    /// - Throws: What the handler was given.
    package static func take(
        from begin: (@escaping @Sendable ((any Error)?) -> Void) -> Void
    ) async throws {
        try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
            begin { error in continuation.resume(with: error.map { .failure($0) } ?? .success(())) }
        }
    }
}
