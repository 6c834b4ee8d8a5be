import Dispatch
import Foundation
import Locks
import Testing

@testable import Threads

@Suite("Shared work", .timeLimit(.minutes(3)))
struct SharedWorkTests {
    @Test("Each piece is done once, and all are when the call returns", arguments: [0, 1, 2, 7, 1000])
    func pieces(count: Int) {
        for threadCountMax in 1...4 {
            let done = Locked([Int](repeating: 0, count: count))
            SharedWork.perform(count, threadCountMax: threadCountMax) { number in
                done.withLock { $0[number] += 1 }
            }
            #expect(done.withLock { $0 } == [Int](repeating: 1, count: count), "\(threadCountMax) threads")
        }
    }

    @Test("Pieces are under way at a time, one of them on the caller's thread")
    func threads() {
        let caller = pthread_self()
        let threads = Locked<[pthread_t]>([])
        let isMet = DispatchSemaphore(value: 0)
        SharedWork.perform(2, threadCountMax: 2) { _ in
            let isSecond = threads.withLock { threads in
                threads.append(pthread_self())
                return threads.count == 2
            }
            // Neither ends before both have begun.
            if isSecond { isMet.signal() } else { isMet.wait() }
        }
        let found = threads.withLock { $0 }
        #expect(found.count == 2 && found[0] != found[1] && found.contains(caller))
    }

    @Test("Pieces may be shared out themselves, more of them than there are threads to be had")
    func nested() {
        let count = Locked(0)
        SharedWork.perform(40, threadCountMax: 40) { _ in
            SharedWork.perform(40, threadCountMax: 40) { _ in
                SharedWork.perform(2, threadCountMax: 2) { _ in count.withLock { $0 += 1 } }
            }
        }
        #expect(count.withLock { $0 } == 3200)
    }
}
