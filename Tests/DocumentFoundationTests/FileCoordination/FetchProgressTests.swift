import Foundation
import Locks
import SyncMessages
import TestThreads
import Testing

@testable import DocumentFoundation

@Suite("The progress of contents that are fetched", .onOwnThreads, .timeLimit(.minutes(5)))
struct FetchProgressTests {
    /// Notes on which threads it is changed.
    private final class Noting: Progress, @unchecked Sendable {
        // Sendable because what is noted is locked, and the rest is not changed by two threads, as the test finds.
        let areOnMain = Locked<[Bool]>([])

        override var completedUnitCount: Int64 {
            get { super.completedUnitCount }
            set {
                areOnMain.withLock { $0.append(MainQueue.isCurrent) }
                super.completedUnitCount = newValue
            }
        }
    }

    @Test("One that is shown is changed on the main actor alone, and can be cancelled as soon as it is shown")
    func shown() throws {
        let noting = Noting(parent: nil, userInfo: nil)
        let (canCancel, cancelled) = (Locked(false), DispatchSemaphore(value: 0))
        let progress = FetchProgress(
            noting,
            { shown in
                canCancel.withLock { $0 = shown.isCancellable }
                shown.cancel()
            },
            cancel: { cancelled.signal() }
        )
        progress.note(.init(4, of: 8))
        progress.end()
        #expect(cancelled.wait(timeout: .now() + 120) == .success)
        let changed = DispatchSemaphore(value: 0)
        DispatchQueue.main.async { changed.signal() }
        #expect(changed.wait(timeout: .now() + 120) == .success)
        #expect(canCancel.withLock { $0 })
        #expect(noting.areOnMain.withLock { $0 } == [true, true])
        #expect(noting.completedUnitCount == 8 && noting.totalUnitCount == 8)
    }

    @Test("Another is changed by the thread that waits, at once, and can be cancelled")
    func ofThread() {
        let noting = Noting(parent: nil, userInfo: nil)
        let progress = FetchProgress(noting, nil, cancel: {})
        progress.note(.init(4, of: 8))
        #expect(noting.completedUnitCount == 4 && noting.isCancellable)
        #expect(noting.areOnMain.withLock { $0 } == [false])
    }
}
