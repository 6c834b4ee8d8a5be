import Foundation
import Testing

@testable import DeviceSync

/// When a period of counting large changes ends.
@Suite("Periods of losses")
struct LossPeriodsTests {
    private func date(_ seconds: Double) -> Date { Date(timeIntervalSince1970: 1_000_000 + seconds) }

    @Test("Periods follow one another, whenever somebody looks")
    func follow() {
        var periods = LossPeriods(begunSeconds: nil)
        #expect(periods.pass(to: date(0)) == 0)
        #expect(periods.pass(to: date(599)) == 0)
        // Late: the next one began at its time all the same, and ends at its.
        #expect(periods.pass(to: date(1199)) == 1)
        #expect(periods.pass(to: date(1199.5)) == 0)
        #expect(periods.pass(to: date(1201)) == 1)
        #expect(periods.pass(to: date(9_000)) == 2)
    }

    @Test("A clock that is set ends a period, and the next one lasts as long as any")
    func set() {
        var periods = LossPeriods(begunSeconds: date(0).timeIntervalSince1970)
        #expect(periods.pass(to: date(-100_000)) == 2)
        #expect(periods.pass(to: date(-99_500)) == 0)
        #expect(periods.pass(to: date(-99_400)) == 1)
        #expect(periods.takeWritten() != nil)
        #expect(periods.takeWritten() == nil)
    }
}
