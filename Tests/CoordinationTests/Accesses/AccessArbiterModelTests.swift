import ArbiterModel
import Foundation
import Testing

@Suite("AccessArbiter model")
struct AccessArbiterModelTests {
    /// Replay one world with `COORDINATION_SEED=<seed> swift test --filter AccessArbiterModelTests`; many more
    /// are tried by `arbiter-harness`.
    @Test("In worlds of random accesses, presenters, answers, moves, crashes and deadlocks every rule holds")
    func everyRuleHolds() {
        let wanted = ProcessInfo.processInfo.environment["COORDINATION_SEED"].flatMap { UInt64($0) }
        var run = ModelRun()
        if let wanted {
            run.runWorld(wanted)
        } else {
            run.run(from: UInt64.random(in: 0..<(1 << 40)), eventCount: 10_000)
            #expect(run.failure != nil || run.cycleCount > 10)
        }
        if let failure = run.failure { Issue.record("\(failure)") }
    }
}
