import Foundation
import Locks
import Testing

@Suite("Locked")
struct LockedTests {
    @Test("Increments from many threads are all counted")
    func countsEveryIncrement() {
        let counter = Locked(0)
        DispatchQueue.concurrentPerform(iterations: 8) { _ in
            for _ in 0..<1000 { counter.withLock { $0 += 1 } }
        }
        #expect(counter.withLock { $0 } == 8000)
    }

    @Test("An error leaves the lock open")
    func errorUnlocks() {
        let value = Locked(1)
        #expect(throws: CocoaError.self) {
            try value.withLock { _ throws(CocoaError) in throw CocoaError(.fileNoSuchFile) }
        }
        #expect(value.withLock { $0 } == 1)
    }
}
