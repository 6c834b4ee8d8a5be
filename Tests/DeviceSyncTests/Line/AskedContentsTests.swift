import Sync
import TestThreads
import Testing

@testable import DeviceSync

/// How long a device may count on the hub to keep what it was asked for.
@Suite("Asked contents", .onOwnThreads)
struct AskedContentsTests {
    private let a = ContentName("a")
    private let b = ContentName("b")
    private let c = ContentName("c")

    @Test("An answer counts for half an hour, until it is used up")
    func time() {
        var asked = AskedContents()
        #expect(!asked.isKept(a, on: nil, now: 0))
        asked.note(a, on: nil, at: 100)
        #expect(asked.isKept(a, on: b, now: 1899) && asked.isKept(a, on: nil, now: 1899))
        #expect(!asked.isKept(a, on: nil, now: 1900))
        #expect(AskedContents.seconds <= 3600 / 2, "the hub spares it for an hour from when it hears of it")
        asked.remove(a)
        #expect(!asked.isKept(a, on: nil, now: 101))
    }

    @Test("What was left out as an item has it counts for as long as the item has that")
    func base() {
        var asked = AskedContents()
        asked.note(a, on: b, at: 0)
        #expect(asked.isKept(a, on: b, now: 1))
        #expect(!asked.isKept(a, on: c, now: 1) && !asked.isKept(a, on: nil, now: 1))
    }

    @Test("What was asked for long ago is let go of")
    func prune() {
        var asked = AskedContents()
        for number in 0..<10_000 { asked.note(ContentName("\(number)"), on: nil, at: Double(number)) }
        #expect(asked.count < 5000)
        #expect(asked.isKept(ContentName("9000"), on: nil, now: 10_000))
    }
}
