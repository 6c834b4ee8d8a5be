import TestThreads
import Testing

@testable import LocalSockets

@Suite("Wakefulness", .onOwnThreads)
struct WakefulnessTests {
    /// The number of waits asleep before the next one that is tried.
    private func sleeps(_ wakefulness: inout Wakefulness) -> Int {
        var count = 0
        while !wakefulness.isToBeTried() { count += 1 }
        return count
    }

    @Test("A wait that was awake in vain doubles the number of those asleep, up to a limit")
    func inVain() {
        var wakefulness = Wakefulness(isPossible: true)
        for expected in [0, 1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024, 1024] {
            let count = sleeps(&wakefulness)
            #expect(count == expected)
            wakefulness.tried(false)
        }
    }

    @Test("A wait that was awake for a reason halves the number of those asleep")
    func forAReason() {
        var wakefulness = Wakefulness(isPossible: true)
        for _ in 0..<4 {
            _ = sleeps(&wakefulness)
            wakefulness.tried(false)
        }
        for expected in [8, 4, 2, 1, 0, 0] {
            let count = sleeps(&wakefulness)
            #expect(count == expected)
            wakefulness.tried(true)
        }
    }

    @Test("What is there at once is no reason to be awake the next time, and none against it")
    func atOnce() {
        var wakefulness = Wakefulness(isPossible: true)
        for _ in 0..<3 {
            _ = sleeps(&wakefulness)
            wakefulness.tried(false)
        }
        while !wakefulness.isToBeTried() {}
        for _ in 0..<2 {
            let isThere = wakefulness.wait { true }
            #expect(isThere)
        }
        wakefulness.tried(false)
        #expect(sleeps(&wakefulness) == 8)
    }

    @Test("A wait that is awake gets what comes meanwhile")
    func meanwhile() {
        var wakefulness = Wakefulness(isPossible: true, limitNanoseconds: 20_000_000_000)
        wakefulness.tried(false)
        // The next one sleeps.
        let isAwake = wakefulness.wait { true }
        #expect(!isAwake)
        var looks = 0
        let hasCome = wakefulness.wait {
            looks += 1
            return looks == 3
        }
        #expect(hasCome && looks == 3)
        #expect(sleeps(&wakefulness) == 0)
    }

    @Test("A wait that is awake gives up in time")
    func givesUp() {
        var wakefulness = Wakefulness(isPossible: true, limitNanoseconds: 1000)
        let hasCome = wakefulness.wait { false }
        #expect(!hasCome)
        #expect(sleeps(&wakefulness) == 1)
    }

    @Test("With one core nobody waits awake")
    func oneCore() {
        var wakefulness = Wakefulness(isPossible: false)
        for _ in 0..<3000 {
            let isTried = wakefulness.isToBeTried()
            #expect(!isTried)
        }
    }
}
