internal import DocumentFoundation
internal import Foundation
internal import Locks

/// How a document answers what it is asked as a presenter: by itself, or by an override with `async`.
///
/// By itself it needs no thread of those that tasks run on, as an app may hold up all of them with blocking accesses.
enum AsyncAnswers {
    /// The four questions that have two spellings.
    static let saving = MethodSlot(overriding: Saving.self)
    static let deletion = MethodSlot(overriding: Deletion.self)
    static let eviction = MethodSlot(overriding: Eviction.self)
    static let subitemDeletion = MethodSlot(overriding: SubitemDeletion.self)

    // None of these is ever made.

    private final class Saving: UIDocument {
        nonisolated override func savePresentedItemChanges() async throws {}
    }

    private final class Deletion: UIDocument {
        nonisolated override func accommodatePresentedItemDeletion() async throws {}
    }

    private final class Eviction: UIDocument {
        nonisolated override func accommodatePresentedItemEviction() async throws {}
    }

    private final class SubitemDeletion: UIDocument {
        nonisolated override func accommodatePresentedSubitemDeletion(at url: URL) async throws {}
    }
}

extension UIDocument {
    /// Answers by an override with `async`, if the document's class has one.
    ///
    /// - Parameters:
    ///   - slot: Where that would stand.
    ///   - handler: Called with the answer.
    ///   - own: What the document does itself.
    ///   - override: Calls the override.
    nonisolated func answer(
        _ slot: MethodSlot,
        _ handler: @escaping @Sendable ((any Error)?) -> Void,
        own: (@escaping @Sendable ((any Error)?) -> Void) -> Void,
        override: @escaping @Sendable () async throws -> Void
    ) {
        guard slot.isOverridden(by: type(of: self)) else { return own(handler) }
        AsyncAnswer.give(to: handler, override)
    }

    /// Objects to an eviction.
    nonisolated func objectToEviction(_ answer: (any Error) -> Void) {
        let why = "“\(record.withLock { $0.fileURL }.lastPathComponent)” is open. Close it first."
        answer(
            CocoaError(
                .fileLocking,
                userInfo: [NSLocalizedDescriptionKey: why, NSLocalizedFailureReasonErrorKey: why]
            )
        )
    }
}
