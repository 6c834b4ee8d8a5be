internal import Dispatch
internal import Locks

/// Lines that come in bursts, written some at a time: to write each by itself costs about as much as what it tells of.
///
/// Nobody who adds one waits for who reads them: a terminal that is held, or a pipe that is full, stops nothing else. What is more than
/// may wait is not written, and how many lines that were is.
///
/// Sendable; any thread.
package final class LineBursts: Sendable {
    /// Lines that go to one place.
    private struct Piece {
        var text: String
        var isWrong: Bool
    }

    private struct Burst {
        var pieces: [Piece] = []
        var byteCount = 0
        var lostCount = 0
        var isDue = false
    }

    private let burst = Locked(Burst())
    /// Where lines are written, so that they come in their order.
    private let queue = DispatchQueue(label: "sheaf.lines")
    private let write: @Sendable (_ lines: String, _ isWrong: Bool) -> Void

    /// So long a line waits for others: nobody sees it.
    private static let wait = DispatchTimeInterval.milliseconds(5)
    /// So much may wait for who reads it.
    private static let byteCountMax = 1 << 20

    /// - Parameter write: Gets whole lines, and whether they are about what is wrong; on a queue of its own, one call after the other.
    ///   It must add none.
    package init(write: @escaping @Sendable (_ lines: String, _ isWrong: Bool) -> Void) { self.write = write }

    /// Has lines written soon.
    ///
    /// - Parameter isWrong: Whether they are about what is wrong.
    package func add(_ lines: String, isWrong: Bool = false) {
        let isFirst = burst.withLock { burst in
            defer { burst.isDue = true }
            guard burst.byteCount + lines.utf8.count <= Self.byteCountMax else {
                burst.lostCount += lines.utf8.count { $0 == UInt8(ascii: "\n") }
                return !burst.isDue
            }
            burst.byteCount += lines.utf8.count
            if burst.pieces.last?.isWrong == isWrong {
                burst.pieces[burst.pieces.count - 1].text += lines
            } else {
                burst.pieces.append(Piece(text: lines, isWrong: isWrong))
            }
            return !burst.isDue
        }
        if isFirst { queue.asyncAfter(deadline: .now() + Self.wait) { [self] in writeWaiting() } }
    }

    /// Writes what waits. What was added before is written when this returns, if somebody takes it within a time.
    ///
    /// - Parameter seconds: That time.
    package func flush(within seconds: Double = 1) {
        let done = DispatchSemaphore(value: 0)
        queue.async { [self] in
            writeWaiting()
            done.signal()
        }
        // Who takes nothing keeps nobody from ending.
        _ = done.wait(timeout: .now() + seconds)
    }

    private func writeWaiting() {
        let waiting = burst.withLock { burst in
            defer { burst = Burst() }
            return burst
        }
        for piece in waiting.pieces { write(piece.text, piece.isWrong) }
        if waiting.lostCount > 0 {
            write(
                "\(waiting.lostCount) more lines were not taken here, and are not shown\n",
                true
            )
        }
    }
}
