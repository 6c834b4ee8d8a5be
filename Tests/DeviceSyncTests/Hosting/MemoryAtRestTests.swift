import DocumentTesting
import Locks
import SyncMessages
import TestThreads
import Testing

@testable import DeviceSync

/// When a process gives its free memory back.
@Suite("Memory at rest", .onOwnThreads, .timeLimit(.minutes(2)))
struct MemoryAtRestTests {
    private let pause = While()
    private let secondPause = While()
    private let turnPause = While()
    private let givenBack = Locked([0, 0, 0])
    private let isAtWork = Locked(false)
    private let memory: MemoryAtRest

    init() {
        let steps = [pause, secondPause, turnPause].enumerated().map { [givenBack] number, pause in
            MemoryAtRest.Step(later: { pause.later($0) }) { givenBack.withLock { $0[number] += 1 } }
        }
        memory = MemoryAtRest(Array(steps[..<2]), turn: steps[2])
    }

    private func noteRest() { memory.noteRest { [isAtWork] in isAtWork.withLock { $0 } } }
    private func noteTurn() { memory.noteTurn { [isAtWork] in isAtWork.withLock { $0 } } }
    private var count: Int { givenBack.withLock { $0[0] } }
    private var secondCount: Int { givenBack.withLock { $0[1] } }
    private var turnCount: Int { givenBack.withLock { $0[2] } }

    @Test("It is given back a while after all has come to rest, once, and again after the next time")
    func rest() {
        noteRest()
        #expect(count == 0)
        pause.end()
        pause.end()
        #expect(count == 1)
        // Of several that come to rest one after another the last one counts.
        for _ in 0..<3 { noteRest() }
        pause.end()
        #expect(count == 2)
    }

    @Test("What was needed right after that is given back another while later, once, and then nothing is due")
    func secondStep() {
        noteRest()
        #expect(secondPause.count == 0)
        pause.end()
        #expect(secondPause.count == 1 && secondCount == 0)
        secondPause.end()
        #expect(count == 1 && secondCount == 1)
        #expect(pause.count == 0 && secondPause.count == 0)
        // What comes to rest in between begins anew.
        noteRest()
        pause.end()
        noteRest()
        secondPause.end()
        #expect(secondCount == 1)
        pause.end()
        isAtWork.withLock { $0 = true }
        secondPause.end()
        #expect(count == 3 && secondCount == 1)
        isAtWork.withLock { $0 = false }
        secondPause.end()
        #expect(count == 3 && secondCount == 2 && secondPause.count == 0)
    }

    @Test("It is not given back while something is at work, but when that has come to rest")
    func work() {
        noteRest()
        isAtWork.withLock { $0 = true }
        pause.end()
        #expect(count == 0)
        pause.end()
        #expect(count == 0)
        // It need not say that it has ended.
        isAtWork.withLock { $0 = false }
        pause.end()
        pause.end()
        #expect(count == 1)
        // What comes to rest meanwhile is waited for instead.
        noteRest()
        isAtWork.withLock { $0 = true }
        pause.end()
        noteRest()
        isAtWork.withLock { $0 = false }
        pause.end()
        #expect(count == 2)
    }

    @Test(
        "What is done at rest now and then has what it needed given back a while later, once for several, if all rests then"
    )
    func turns() {
        for _ in 0..<3 { noteTurn() }
        #expect(turnPause.count == 1 && turnCount == 0)
        turnPause.end()
        #expect(turnPause.count == 0 && turnCount == 1)
        noteTurn()
        isAtWork.withLock { $0 = true }
        turnPause.end()
        #expect(turnPause.count == 0 && turnCount == 1)
        isAtWork.withLock { $0 = false }
        noteTurn()
        turnPause.end()
        #expect(turnCount == 2)
        // It is no rest, and is in the way of none.
        #expect(pause.count == 0 && count == 0)
        noteRest()
        noteTurn()
        pause.end()
        secondPause.end()
        #expect(count == 1 && secondCount == 1)
    }

    @Test("A container is at work while it sends, and not while it waits or all is in step")
    func container() throws {
        let pair = try DevicePair()
        let one = pair.one
        pair.wait { pair.isSettled && one.running?.isAtWork == false }
        // Longer than the test takes.
        one.slowDown(toSeconds: 3600)
        try one.write("text", to: "a.txt")
        pair.wait { one.running?.item("a.txt")?.isUploaded == false && one.running?.isAtWork == true }
        #expect(one.running?.isAtWork == true)
        one.line.cut()
        // A look may still be due.
        pair.wait { one.status?.line == .down && one.running?.isAtWork == false }
        #expect(one.status?.isSettled == false)
        one.slowDown(toSeconds: 0)
        one.line.mend()
        pair.wait { pair.two.text("a.txt") == "text" && pair.isSettled && one.running?.isAtWork == false }
        pair.end()
    }
}
