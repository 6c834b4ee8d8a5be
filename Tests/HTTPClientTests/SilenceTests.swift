import Testing

@testable import HTTPClient

@Suite("Silence")
struct SilenceTests {
    @Test("It begins anew with each byte, and is too long after its time")
    func counted() {
        var silence = Silence(secondsMax: 10, at: 100)
        #expect(silence.secondsLeft(at: 104) == 6)
        silence.note(byteCount: 1, at: 105)
        #expect(silence.secondsLeft(at: 105) == 10)
        silence.note(byteCount: 1, at: 112)
        #expect(silence.secondsLeft(at: 112) == 3)
        #expect(silence.secondsLeft(at: 116) == -1)
        silence.note(byteCount: 2, at: 117)
        #expect(silence.secondsLeft(at: 118) == 9)
    }

    @Test("Where it may last any time, it is never too long")
    func endless() {
        #expect(Silence(secondsMax: nil, at: 0).secondsLeft(at: 1e9) == nil)
    }
}
