import Testing

@testable import DeviceSync

/// How many requests are under way at a time.
@Suite("The pace of a line")
struct LinePaceTests {
    private var pace = LinePace()

    @Test("Over a short line one comes while another is worked on, and no more memory is taken")
    mutating func short() {
        for _ in 0..<1000 {
            pace.noteAnswer(after: .milliseconds(8))
            pace.noteSent(after: .milliseconds(20))
        }
        #expect(pace.aheadCount == 1 && pace.sendingCount == 2)
    }

    @Test("Over a long one there are more, up to what a gigabit holds")
    mutating func long() {
        pace.noteAnswer(after: .milliseconds(100))
        pace.noteSent(after: .milliseconds(100))
        #expect(pace.aheadCount == 2 && pace.sendingCount == 3)
        for _ in 0..<1000 {
            pace.noteAnswer(after: .seconds(1))
            pace.noteSent(after: .seconds(1))
        }
        #expect(pace.aheadCount == 4 && pace.sendingCount == 4)
    }
}
