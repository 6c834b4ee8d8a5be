import Cryptography
import DocumentTesting
import HubProtocol
import Sealing
import TestThreads
import Testing

@testable import DeviceSync

/// A log as a device opens it, page by page.
@Suite("The desk at which a log is read", .onOwnThreads, .timeLimit(.minutes(2)))
struct LogDeskTests {
    @Test("What stands once more in a place of a page changes nothing of what is remembered of that place")
    func doubled() throws {
        let container = ContainerName(unchecked: (0..<16).map { _ in .random(in: 0...255) })
        let line = try HubInMemory(container).line()
        let (first, second) = (
            try DeviceIdentity(random: RandomBytes.make), try DeviceIdentity(random: RandomBytes.make)
        )
        let keys = try Founding.found(container, by: first, named: "first", at: line)
        try Founding.add(second.publicIdentity(named: "second"), to: keys, by: first, at: line)
        let page = try line.log(after: 0, waitSeconds: 0)
        var again = page.entries[0]
        again.hash = LogHash(unchecked: Array(repeating: 7, count: LogHash.byteCount))
        let desk = try LogDesk(KeyRing(keys) { _ in }, by: first, known: [])
        let reading = try desk.read(LogPage(page.entries + [again], head: page.head))
        #expect(reading.finding != nil)
        #expect(reading.heard.map(\.hash) == page.entries.map(\.hash))
        #expect(desk.head == page.head)
        // Whoever starts again with that finds the log as it was.
        let next = try LogDesk(KeyRing(keys) { _ in }, by: first, known: reading.heard)
        #expect(try next.read(line.log(after: 2, waitSeconds: 0)).finding == nil)
    }
}
