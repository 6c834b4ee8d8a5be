import Dispatch
import Foundation
import Locks
import Testing

@testable import Threads

@Suite("Threads of their own", .timeLimit(.minutes(1)))
struct OwnThreadTests {
    /// Says when it is let go.
    private final class Held: Sendable {
        let gone: DispatchSemaphore
        init(_ gone: DispatchSemaphore) { self.gone = gone }
        deinit { gone.signal() }
    }

    private static let none: OwnThread.Maker = { _, _ in EAGAIN }

    @Test("What is to be done is done on another thread, which has the name's beginning, and is let go then")
    func start() throws {
        let gone = DispatchSemaphore(value: 0)
        let found = Locked<(thread: pthread_t, name: String)?>(nil)
        try OwnThread.start("a name that is long") { [held = Held(gone)] in
            let name = try? String(contentsOfFile: "/proc/thread-self/comm", encoding: .utf8)
            found.withLock { $0 = (pthread_self(), name ?? "") }
            withExtendedLifetime(held) {}
        }
        gone.wait()
        let thread = try #require(found.withLock { $0 })
        #expect(thread.thread != pthread_self() && thread.name == "a name that is \n")
    }

    @Test("Where there is no thread it is said, with what helps, and what it would have held is let go")
    func shortage() {
        let (gone, isDone) = (DispatchSemaphore(value: 0), Locked(false))
        let expected = ThreadShortage(name: "sheaf log", errno: EAGAIN)
        #expect(throws: expected) {
            try OwnThread.$make.withValue(Self.none) {
                try OwnThread.start("sheaf log") { [held = Held(gone)] in
                    withExtendedLifetime(held) { isDone.withLock { $0 = true } }
                }
            }
        }
        #expect(gone.wait(timeout: .now()) == .success)
        #expect(!isDone.withLock { $0 })
        #expect(expected.description.contains("“sheaf log”") && expected.description.contains("TasksMax="))
    }

    @Test("What nobody could be told of is done all the same, once there is a thread")
    func inTime() {
        let isDone = DispatchSemaphore(value: 0)
        OwnThread.$make.withValue(Self.none) { OwnThread.startInTime("test") { isDone.signal() } }
        isDone.wait()
        OwnThread.startInTime("test") { isDone.signal() }
        isDone.wait()
    }
}
