import Foundation
import Testing

@Suite("AccessArbiter model")
struct AccessArbiterModelTests {
    /// Replay one world with `COORDINATION_SEED=<seed> swift test --filter AccessArbiterModelTests`.
    @Test("In worlds of random accesses, presenters, answers, moves and failures every rule holds")
    func everyRuleHolds() {
        let wanted = ProcessInfo.processInfo.environment["COORDINATION_SEED"].flatMap { UInt64($0) }
        let first = wanted ?? UInt64.random(in: 0..<(1 << 40))
        let worldCount: UInt64 = wanted == nil ? Self.worldCount : 1
        var stepCount = 0
        for seed in first..<(first + worldCount) {
            var world = ArbiterWorld(seed: seed)
            world.run(stepCount: Self.stepsPerWorld)
            stepCount += world.stepCount
            guard let complaint = world.complaint else { continue }
            Issue.record("COORDINATION_SEED=\(seed): \(complaint)")
            return
        }
        #expect(wanted != nil || stepCount > 10_000)
    }

    private static let worldCount: UInt64 = 100
    private static let stepsPerWorld = 150
}
