import Dispatch
import Locks
import TestThreads
import Testing

@testable import DeviceSync

/// What is handed over together, and how much of it at a time.
@Suite("Batches of work", .onOwnThreads, .timeLimit(.minutes(1)))
struct BatchQueueTests {
    /// What is under way, each piece until it is let go.
    private final class Work: Sendable {
        let begun = Locked<[[Int]]>([])
        private let news = DispatchSemaphore(value: 0)
        private let room = DispatchSemaphore(value: 0)

        func perform(_ batch: [Int]) {
            begun.withLock { $0.append(batch) }
            news.signal()
            room.wait()
        }

        /// Waits until one more piece has begun.
        func awaitNext() { news.wait() }

        func letGo(_ count: Int = 1) { for _ in 0..<count { room.signal() } }

        /// Those that have begun, the order of which nothing says.
        var batches: [[Int]] { begun.withLock { $0 }.sorted { $0.first ?? 0 < $1.first ?? 0 } }
    }

    private let work = Work()

    private func queue(widthMax: Int, countMax: Int = 3, weightMax: Int = .max) -> BatchQueue<Int, Int> {
        BatchQueue(
            "test",
            widthMax: widthMax,
            countMax: countMax,
            weightMax: weightMax,
            weight: { $0 },
            key: { $0 }
        ) {
            [work] in work.perform($0)
        }
    }

    @Test("One after another: what comes while one is under way is together in the next")
    func oneByOne() {
        let queue = queue(widthMax: 1)
        queue.add([1])
        work.awaitNext()
        queue.add([2, 3])
        queue.add([4, 5])
        #expect(work.batches == [[1]])
        work.letGo(3)
        work.awaitNext()
        work.awaitNext()
        #expect(work.batches == [[1], [2, 3, 4], [5]])
    }

    @Test("Two at a time: the second begins though the first is under way, a third does not")
    func twoAtATime() {
        let queue = queue(widthMax: 2)
        queue.add(Array(1...8))
        work.awaitNext()
        work.awaitNext()
        #expect(work.batches == [[1, 2, 3], [4, 5, 6]])
        work.letGo()
        work.awaitNext()
        #expect(work.batches == [[1, 2, 3], [4, 5, 6], [7, 8]])
        work.letGo(2)
    }

    @Test("What is heavy waits for what is under way, and goes by itself however heavy it is")
    func heavy() {
        let queue = queue(widthMax: 2, weightMax: 10)
        queue.add([6, 5, 4, 30, 1])
        work.awaitNext()
        #expect(work.batches == [[6]])
        work.letGo()
        work.awaitNext()
        #expect(work.batches == [[5, 4], [6]])
        work.letGo()
        work.awaitNext()
        #expect(work.batches == [[5, 4], [6], [30]])
        work.letGo()
        work.awaitNext()
        #expect(work.batches == [[1], [5, 4], [6], [30]])
        work.letGo()
    }

    @Test("What waits already is not taken once more, and what is under way is")
    func twice() {
        let queue = queue(widthMax: 1)
        queue.add([1])
        work.awaitNext()
        queue.add([2, 3])
        queue.add([3, 1, 2, 1])
        work.letGo(2)
        work.awaitNext()
        #expect(work.batches == [[1], [2, 3, 1]])
        queue.clear()
        queue.add([2])
        work.awaitNext()
        #expect(work.batches.count == 3)
        work.letGo()
    }

    @Test("What waits is dropped, and what is under way is not")
    func cleared() {
        let queue = queue(widthMax: 2)
        queue.add(Array(1...8))
        work.awaitNext()
        work.awaitNext()
        queue.clear()
        work.letGo(2)
        queue.add([9])
        work.awaitNext()
        #expect(work.batches == [[1, 2, 3], [4, 5, 6], [9]])
        queue.close()
        queue.add([10])
        work.letGo()
        #expect(work.batches.count == 3)
    }
}
