internal import Foundation

/// Has what tabs do handled in order, each in a turn of its own.
///
/// The main queue runs all that waits in one pass of the run loop, and what is undone in one step is what happened in one
/// pass: two things that a person did one after the other, heard of late and together, would be undone as one. So the
/// next is handled when the pass of the one before has ended.
@MainActor
enum EventTurns {
    private static var waiting: [@MainActor () -> Void] = []
    private static var isTaken = false

    /// Handles an event in its turn. Any thread; events of one thread keep their order.
    nonisolated static func add(_ event: @escaping @MainActor @Sendable () -> Void) {
        DispatchQueue.main.async {
            MainActor.assumeIsolated {
                waiting.append(event)
                handleNext()
            }
        }
    }

    private static func handleNext() {
        guard !isTaken, !waiting.isEmpty else { return }
        isTaken = true
        waiting.removeFirst()()
        // Behind what the event has left for the end of its pass.
        let end: @Sendable () -> Void = {
            MainActor.assumeIsolated {
                isTaken = false
                handleNext()
            }
        }
        if RunLoop.main.currentMode != nil {
            RunLoop.main.perform(inModes: [.default], block: end)
        } else {
            DispatchQueue.main.async(execute: end)
        }
    }
}
