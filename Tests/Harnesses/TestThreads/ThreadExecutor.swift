import Foundation
import Locks

/// Runs each job at once: on a thread that has nothing to do, or on a new one.
final class ThreadExecutor: TaskExecutor {
    static let shared = ThreadExecutor()

    private struct Work {
        var jobs: [UnownedJob] = []
        var idleCount = 0
    }

    private let work = Locked(Work())
    private let jobs = DispatchSemaphore(value: 0)

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        let isThreadFree = work.withLock { work in
            work.jobs.append(job)
            guard work.idleCount > 0 else { return false }
            work.idleCount -= 1
            return true
        }
        if !isThreadFree { Thread.detachNewThread { self.run() } }
        jobs.signal()
    }

    /// A thread's life. It counts as idle while it is promised to no job.
    private func run() {
        while true {
            jobs.wait()
            let job = work.withLock { $0.jobs.removeFirst() }
            job.runSynchronously(on: asUnownedTaskExecutor())
            work.withLock { $0.idleCount += 1 }
        }
    }
}
