import Foundation
import TestThreads
import Testing

@testable import DocumentFoundation

@Suite("PassedTime", .onOwnThreads)
struct PassedTimeTests {
    private static let hour: TimeInterval = 3600
    private static let day: TimeInterval = 86400
    private static let begun = Date(timeIntervalSince1970: 1_800_000_000)

    /// The time that has passed, since the first reading, after some readings of clock and machine.
    private func passed(
        _ readings: [(clock: TimeInterval, running: TimeInterval)],
        isVouched: Bool = true
    ) -> [TimeInterval?] {
        var time = PassedTime(clock: Self.begun, running: 0, isVouched: isVouched)
        return readings.map { reading in
            time = time.reading(clock: Self.begun + reading.clock, running: reading.running)
            return time.moment?.timeIntervalSince(Self.begun)
        }
    }

    @Test("While nobody sets the clock, it is what the clock says")
    func undisturbed() {
        let moments = [1, Self.hour, Self.day, 3 * Self.day]
        #expect(passed(moments.map { ($0, $0) }) == moments)
    }

    @Test("A clock set forward counts after one to two days of running time, one that is put back at once")
    func setForward() {
        let (hour, day) = (Self.hour, Self.day)
        #expect(
            passed([
                (9 * day, hour), (10 * day, day), (11 * day - hour, 2 * day - hour), (11 * day, 2 * day),
                (2 * day + hour, 2 * day + hour),
            ]) == [hour, day, 2 * day - hour, 11 * day, 2 * day + hour]
        )
    }

    @Test("What the machine was off for counts in the end")
    func off() {
        let (hour, day) = (Self.hour, Self.day)
        let found = passed([(hour, hour), (10 * day, 60), (11 * day, day), (12 * day, 2 * day)])
        #expect(found == [hour, hour + 60, hour + day, 12 * day])
    }

    @Test("Nobody knows at first, and after a day one does")
    func unvouched() {
        let found = passed([(Self.hour, Self.hour), (Self.day, Self.day)], isVouched: false)
        #expect(found == [nil, Self.day])
    }

    @Test("It is never later than the clock says, nor grows by more than has gone by until a day is over")
    func bounds() {
        var generator = SystemRandomNumberGenerator()
        for _ in 0..<200 {
            var time = PassedTime(clock: Self.begun, running: 0, isVouched: true)
            var (clock, running, gone) = (TimeInterval(0), TimeInterval(0), TimeInterval(0))
            var story: [(TimeInterval, TimeInterval)] = []
            for _ in 0..<20 {
                let step = TimeInterval.random(in: 0..<4000, using: &generator)
                (clock, running, gone) = (clock + step, running + step, gone + step)
                if Bool.random(using: &generator) { clock += .random(in: -9e5..<9e5, using: &generator) }
                if .random(in: 0..<5, using: &generator) == 0 { running = 0 }
                story.append((clock, running))
                time = time.reading(clock: Self.begun + clock, running: running)
                let moment = time.moment?.timeIntervalSince(Self.begun) ?? .infinity
                #expect(moment <= clock + 1e-3 && moment <= gone + 1e-3, "\(story)")
            }
        }
    }

    @Test("What goes without saying is not noted")
    func noting() {
        let time = PassedTime(clock: Self.begun, running: 1000, isVouched: true)
        func isNoted(_ clock: TimeInterval, _ running: TimeInterval) -> Bool {
            time.reading(clock: Self.begun + clock, running: running).isWorthNoting(after: time)
        }
        #expect(!isNoted(500, 1500) && !isNoted(9e6, 1500) && !isNoted(470, 1500))
        #expect(isNoted(600, 1600) && isNoted(0, 999) && isNoted(430, 1500))
    }
}
