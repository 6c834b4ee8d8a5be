import TestThreads
import Testing

@testable import DocumentFoundation

@Suite("AgentPulse", .onOwnThreads)
struct AgentPulseTests {
    @Test("An agent is asked after an interval without a word, and given up after another one")
    func silence() {
        var pulse = AgentPulse()
        #expect(begins(&pulse) == false)
        pulse.isNeeded = true
        #expect(begins(&pulse))
        #expect(begins(&pulse) == false)
        let steps = (0..<6).map { _ in pulse.tick(isWaiting: true) }
        #expect(steps == [.goOn, .ask, .giveUp, .ask, .giveUp, .ask])
    }

    @Test("An agent that says anything is not given up, however long it takes")
    func life() {
        var pulse = AgentPulse()
        pulse.isNeeded = true
        _ = pulse.mustBegin()
        for _ in 0..<100 {
            _ = pulse.tick(isWaiting: true)
            #expect(tick(&pulse, true) == .ask)
            pulse.heard()
        }
    }

    @Test("Nothing runs while nobody waits, and it begins anew with who waits next")
    func rest() {
        var pulse = AgentPulse()
        pulse.isNeeded = true
        _ = pulse.mustBegin()
        #expect(tick(&pulse, true) == .goOn)
        #expect(tick(&pulse, true) == .ask)
        #expect(tick(&pulse, false) == .rest)
        #expect(begins(&pulse) == false)
        pulse.isNeeded = true
        #expect(begins(&pulse))
        #expect(tick(&pulse, true) == .goOn)
    }

    private func begins(_ pulse: inout AgentPulse) -> Bool { pulse.mustBegin() }

    private func tick(_ pulse: inout AgentPulse, _ isWaiting: Bool) -> AgentPulse.Step {
        pulse.tick(isWaiting: isWaiting)
    }
}
