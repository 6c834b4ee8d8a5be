import Dispatch
import Foundation
import Locks
import StandardStreams
import Testing

@Suite("Lines in bursts")
struct LineBurstsTests {
    @Test("All lines are written, in their order, some of them together")
    func ordered() async {
        let written = Locked<[String]>([])
        let lines = (0..<1000).map { "line \($0)\n" }
        let bursts = LineBursts { text, _ in written.withLock { $0.append(text) } }
        for line in lines { bursts.add(line) }
        bursts.flush(within: 60)
        let pieces = written.withLock { $0 }
        #expect(pieces.joined() == lines.joined())
        #expect(pieces.count < lines.count)
        bursts.flush(within: 60)
        #expect(written.withLock { $0 } == pieces)
    }

    @Test("A line is written though no other comes, and the next one as well")
    func alone() async {
        let (told, tell) = AsyncStream<String>.makeStream()
        let bursts = LineBursts { text, _ in tell.yield(text) }
        var next = told.makeAsyncIterator()
        for line in ["one\n", "two\n"] {
            bursts.add(line)
            #expect(await next.next() == line)
        }
    }

    @Test("What is wrong goes where it belongs, in its place among the others")
    func wrong() async {
        let written = Locked<[String]>([])
        let bursts = LineBursts { text, isWrong in written.withLock { $0.append((isWrong ? "!" : "") + text) }
        }
        for (line, isWrong) in [("a\n", false), ("b\n", true), ("c\n", true), ("d\n", false)] {
            bursts.add(line, isWrong: isWrong)
        }
        bursts.flush(within: 60)
        #expect(written.withLock { $0.joined() }.replacingOccurrences(of: "!", with: "") == "a\nb\nc\nd\n")
        let told = written.withLock { $0 }
        #expect(told.allSatisfy { $0.hasPrefix("!") == ($0.contains("b") || $0.contains("c")) }, "\(told)")
    }

    @Test("Who takes nothing holds up nobody, and is told how much was not shown")
    func untaken() async {
        let (gate, isHeld) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        let written = Locked<[String]>([])
        let bursts = LineBursts { text, _ in
            if written.withLock({ $0.isEmpty }) {
                isHeld.signal()
                gate.wait()
            }
            written.withLock { $0.append(text) }
        }
        bursts.add("first\n")
        await withCheckedContinuation { continuation in
            DispatchQueue.global().async {
                isHeld.wait()
                // A mebibyte waits, and ten lines do not.
                let line = String(repeating: "x", count: (1 << 16) - 1) + "\n"
                for _ in 0..<26 { bursts.add(line) }
                bursts.flush(within: 0.01)
                gate.signal()
                bursts.flush(within: 60)
                continuation.resume()
            }
        }
        let all = written.withLock { $0.joined() }
        #expect(all.hasPrefix("first\nx") && all.utf8.count { $0 == UInt8(ascii: "\n") } == 18)
        #expect(all.contains("10 more lines"))
    }
}
