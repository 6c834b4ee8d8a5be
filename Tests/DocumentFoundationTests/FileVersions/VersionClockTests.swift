import DocumentFoundation
import Foundation
import TestThreads
import Testing

/// Versions whose ages a wrong clock tells.
@Suite("Versions and clocks that are wrong", .onOwnThreads, .timeLimit(.minutes(3)))
struct VersionClockTests {
    private static let day: TimeInterval = 86400

    private let first: VersionStage

    init() throws { first = try VersionStage() }

    /// A save of a process that has thinned nothing yet.
    private func save(_ text: String) throws {
        let stage = try VersionStage(root: first.root, clock: first.clock)
        try stage.save(text, at: "a.txt")
        #expect(stage.reports.all == [])
    }

    private var others: [String] { get throws { try first.texts(first.place("a.txt")) } }

    /// Saves every ten minutes, a little after an hour has begun.
    private func saveForAnHour() throws {
        let begun = first.clock.now.timeIntervalSince1970
        first.clock.advance((begun / 3600).rounded(.up) * 3600 - begun + 60)
        for number in 1...6 {
            try save("\(number)")
            first.clock.advance(540)
        }
    }

    @Test("A save while the clock is ahead removes no version", arguments: [7200.0, 172_800, 34_560_000])
    func ahead(seconds: TimeInterval) throws {
        try saveForAnHour()
        first.clock.set(forwardBy: seconds)
        try save("7")
        first.clock.set(forwardBy: -seconds)
        #expect(try others == (1...6).map(String.init))
        try save("8")
        #expect(Set(try others).isSuperset(of: (1...6).map(String.init)))
    }

    @Test("A clock that stays ahead for a day is believed, and what was saved within the last hour stays")
    func aheadForLong() throws {
        try saveForAnHour()
        first.clock.set(forwardBy: 40 * Self.day)
        try save("7")
        first.clock.advance(Self.day)
        try save("8")
        // One an hour, by what the clock said then.
        #expect(try others == ["6", "7"])
        // The window that began with a right clock is over; one of the wrong one's is yet to come.
        first.clock.advance(Self.day)
        try saveForAnHour()
        #expect(Set(try others).isSuperset(of: (1...5).map(String.init)))
    }

    @Test("A clock that was behind makes no version of the last hour older than it is")
    func behind() throws {
        try save("0")
        first.clock.set(forwardBy: -2 * Self.day)
        try saveForAnHour()
        first.clock.set(forwardBy: 2 * Self.day)
        try save("7")
        #expect(Set(try others) == Set((0...6).map(String.init)))
    }

    @Test("A machine that is off for days thins its versions, when it has run for two days in all")
    func off() throws {
        try saveForAnHour()
        for _ in 1...7 {
            first.clock.turnOff(for: 3 * Self.day)
            try save("later")
            #expect(try others.count >= 6)
            first.clock.advance(Self.day / 3)
        }
        try save("at last")
        #expect(Set(try others).intersection((1...6).map(String.init)).count == 1)
    }

    @Test(
        "Where nobody knows how the clock has stood, versions are thinned a day later",
        arguments: [nil, "", "{}", #"{"version":2}"#]
    )
    func unknown(note: String?) throws {
        try saveForAnHour()
        first.clock.advance(5 * Self.day)
        let place = first.root.appendingPathComponent("state/sheaf/clock")
        try FileManager.default.removeItem(at: place)
        if let note { try Data(note.utf8).write(to: place) }
        try save("7")
        first.clock.advance(Self.day - 60)
        try save("8")
        #expect(try others == (1...7).map(String.init))
        first.clock.advance(60)
        try save("9")
        #expect(try others.count < 4)
    }
}
