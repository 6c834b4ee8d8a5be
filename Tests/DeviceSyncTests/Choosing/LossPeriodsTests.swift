import TestThreads
import Testing

@testable import DeviceSync

/// When a period of counting large changes ends.
@Suite("Periods of losses", .onOwnThreads)
struct LossPeriodsTests {
    @Test("Periods follow one another, whenever somebody looks")
    func follow() {
        var periods = LossPeriods(begun: nil, boot: [1])
        #expect(periods.pass(to: 5000) == 0)
        #expect(periods.pass(to: 5599) == 0)
        // Late: the next one began at its time all the same, and ends at its.
        #expect(periods.pass(to: 6199) == 1)
        #expect(periods.pass(to: 6199.5) == 0)
        #expect(periods.pass(to: 6201) == 1)
        #expect(periods.pass(to: 14_000) == 2)
    }

    @Test("A period goes on over a start in the same boot")
    func sameBoot() {
        var periods = LossPeriods(begun: LossPeriods.Beginning(seconds: 5000, boot: [1]), boot: [1])
        #expect(periods.pass(to: 5599) == 0)
        #expect(periods.takeWritten() == nil)
        #expect(periods.pass(to: 5601) == 1)
        #expect(periods.takeWritten() == LossPeriods.Beginning(seconds: 5600, boot: [1]))
        #expect(periods.takeWritten() == nil)
    }

    @Test("A new boot ends a period, and the next one lasts as long as any")
    func otherBoot() {
        for seconds in [10.0, 90_000] {
            var periods = LossPeriods(begun: LossPeriods.Beginning(seconds: 5000, boot: [1]), boot: [2])
            #expect(periods.pass(to: seconds) == 1)
            #expect(periods.pass(to: seconds + 599) == 0)
            #expect(periods.pass(to: seconds + 601) == 1)
        }
    }
}
