import Testing

@testable import UIKit

@Suite("AutosaveSchedule")
struct AutosaveScheduleTests {
    private static let new = AutosaveSchedule(delay: 0.5, delayMax: 2)

    @Test("Nothing is due until something changes")
    func idle() {
        #expect(Self.new.deadline == nil)
    }

    @Test("A change is due after the delay; more changes put it off, but never beyond the longest wait")
    func debounce() {
        var schedule = Self.new
        schedule.changed(at: 10)
        #expect(schedule.deadline == 10.5)
        schedule.changed(at: 10.4)
        #expect(schedule.deadline == 10.9)
        for tenth in 1...40 { schedule.changed(at: 10.4 + Double(tenth) / 10) }
        #expect(schedule.deadline == 12)
    }

    @Test("A save that holds everything leaves nothing due; a change during it is due after it")
    func saving() {
        var schedule = Self.new
        schedule.changed(at: 1)
        schedule.saveStarted()
        #expect(schedule.deadline == nil)
        schedule.saveSucceeded(at: 2)
        #expect(schedule.deadline == nil)

        schedule.changed(at: 3)
        schedule.saveStarted()
        schedule.changed(at: 3.2)
        schedule.saveSucceeded(at: 3.4)
        #expect(schedule.deadline == 3.9)
    }

    @Test("After a failure it is tried again, less and less often, up to once a minute, typing or not")
    func failures() throws {
        var schedule = Self.new
        schedule.changed(at: 0)
        var now = 0.0
        var pauses: [Double] = []
        for _ in 0..<8 {
            schedule.saveStarted()
            schedule.saveFailed(at: now)
            schedule.changed(at: now + 0.1)
            let due = try #require(schedule.deadline)
            pauses.append(due - now)
            now = due
        }
        #expect(pauses == [4, 8, 16, 32, 60, 60, 60, 60])
        schedule.saveStarted()
        schedule.saveSucceeded(at: now)
        schedule.changed(at: now)
        #expect(schedule.deadline == now + 0.5)
    }

    @Test("Clearing takes everything back")
    func cleared() {
        var schedule = Self.new
        schedule.changed(at: 1)
        schedule.cleared()
        #expect(schedule.deadline == nil)
    }
}
