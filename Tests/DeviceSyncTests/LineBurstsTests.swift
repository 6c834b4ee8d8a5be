import DeviceSync
import Foundation
import Locks
import Testing

@Suite("Lines in bursts")
struct LineBurstsTests {
    @Test("All lines are written, in their order, some of them together")
    func ordered() async {
        let written = Locked<[String]>([])
        let lines = (0..<1000).map { "line \($0)\n" }
        let bursts = LineBursts { text in written.withLock { $0.append(text) } }
        for line in lines { bursts.add(line) }
        bursts.flush()
        let pieces = written.withLock { $0 }
        #expect(pieces.joined() == lines.joined())
        #expect(pieces.count < lines.count)
        bursts.flush()
        #expect(written.withLock { $0 } == pieces)
    }

    @Test("A line is written though no other comes, and the next one as well")
    func alone() async {
        let (told, tell) = AsyncStream<String>.makeStream()
        let bursts = LineBursts { tell.yield($0) }
        var next = told.makeAsyncIterator()
        for line in ["one\n", "two\n"] {
            bursts.add(line)
            #expect(await next.next() == line)
        }
    }
}
