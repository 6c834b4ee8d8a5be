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

    @Test(
        "When the line breaks little is under way at a time, and more again once some of it has got through"
    )
    mutating func breaks() {
        for _ in 0..<10 {
            pace.noteAnswer(after: .seconds(1))
            pace.noteSent(after: .seconds(1))
        }
        #expect(pace.byteCount == 2 << 20)
        pace.noteBreak()
        #expect(pace.aheadCount == 1 && pace.sendingCount == 1 && pace.byteCount == 1 << 20)
        for _ in 0..<10 { pace.noteBreak() }
        #expect(pace.requestByteCount == 256 << 10)
        pace.noteSent(after: .milliseconds(1))
        #expect(pace.sendingCount == 2 && pace.requestByteCount == 256 << 10)
        for _ in 0..<3 { pace.noteSent(after: .milliseconds(1)) }
        #expect(pace.sendingCount == 2 && pace.requestByteCount == 512 << 10)
        // Those that got through before a break say nothing after it.
        for _ in 0..<3 { pace.noteSent(after: .milliseconds(1)) }
        pace.noteBreak()
        for _ in 0..<3 { pace.noteSent(after: .milliseconds(1)) }
        #expect(pace.requestByteCount == 256 << 10)
        for _ in 0..<100 { pace.noteAnswer(after: .zero) }
        #expect(pace.byteCount == 2 << 20 && pace.aheadCount == 1)
    }

    @Test("What is too large for a proxy is not sent again, as long as smaller requests are to be had")
    mutating func tooLarge() {
        var isWorthIt = pace.noteTooLarge(byteCount: 2_100_000)
        #expect(isWorthIt && pace.requestByteCount == 1 << 20 && pace.byteCount == 2 << 20)
        // One that ended earlier says more.
        isWorthIt = pace.noteTooLarge(byteCount: 600 << 10)
        #expect(isWorthIt && pace.requestByteCount == 300 << 10)
        isWorthIt = pace.noteTooLarge(byteCount: 310 << 10)
        #expect(isWorthIt && pace.requestByteCount == 256 << 10)
        isWorthIt = pace.noteTooLarge(byteCount: 310 << 10)
        #expect(!isWorthIt)
        for _ in 0..<100 { pace.noteSent(after: .seconds(1)) }
        #expect(pace.requestByteCount == 256 << 10)
        pace = LinePace()
        isWorthIt = pace.noteTooLarge(byteCount: 20 << 10)
        #expect(!isWorthIt && pace.requestByteCount == 2 << 20)
    }
}
