import DocumentFoundation
import Foundation
import TestThreads
import Testing

/// What raises on Apple's systems ends the process here.
@Suite("NSFileVersion's preconditions", .onOwnThreads)
struct NSFileVersionTrapTests {
    @Test("A conflict cannot be made unresolved again")
    func unresolved() async {
        await #expect(processExitsWith: .signal(SIGILL)) {
            NSFileVersion.currentVersionOfItem(at: URL(fileURLWithPath: "/"))?.isResolved = false
        }
    }

    @Test("A version cannot be made undiscardable")
    func undiscardable() async {
        await #expect(processExitsWith: .signal(SIGILL)) {
            NSFileVersion.currentVersionOfItem(at: URL(fileURLWithPath: "/"))?.isDiscardable = false
        }
    }

    @Test("The current version can neither be discarded nor removed")
    func current() async {
        await #expect(processExitsWith: .signal(SIGILL)) {
            _ = NSFileVersion.currentVersionOfItem(at: URL(fileURLWithPath: "/"))?.isDiscardable
        }
        await #expect(processExitsWith: .signal(SIGILL)) {
            try NSFileVersion.currentVersionOfItem(at: URL(fileURLWithPath: "/"))?.remove()
        }
    }
}
