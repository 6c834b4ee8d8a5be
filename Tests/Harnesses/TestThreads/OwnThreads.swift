package import Testing

/// Has the tests of a suite run on threads that they may block.
///
/// The pool of the tasks has as many threads as the machine has processors. Two tests that wait there for a device, a process or a
/// hub keep from running whatever else is a task: the hub's answers, and the tests that measure how soon they come.
package struct OwnThreads: SuiteTrait, TestTrait, TestScoping {
    package var isRecursive: Bool { true }

    @concurrent package func provideScope(
        for test: Test,
        testCase: Test.Case?,
        performing function: @concurrent @Sendable () async throws -> Void
    ) async throws {
        try await withTaskExecutorPreference(ThreadExecutor.shared) { try await function() }
    }
}

extension Trait where Self == OwnThreads {
    /// The tests block, and run on threads that are theirs.
    package static var onOwnThreads: Self { Self() }
}
