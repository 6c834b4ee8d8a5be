internal import Dispatch
internal import Locks

/// Lines that come in bursts, written some at a time: to write each by itself costs about as much as what it tells of.
///
/// Sendable; any thread.
package final class LineBursts: Sendable {
    private struct Burst {
        var text = ""
        var isDue = false
    }

    private let burst = Locked(Burst())
    /// Where lines are written, so that they come in their order.
    private let queue = DispatchQueue(label: "sheaf.lines")
    private let write: @Sendable (String) -> Void

    /// So long a line waits for others: nobody sees it.
    private static let wait = DispatchTimeInterval.milliseconds(5)
    /// Who does not take more holds up whoever says more.
    private static let byteCountMax = 1 << 20

    /// - Parameter write: Gets whole lines; on a queue of its own, one call after the other. It must add none.
    package init(write: @escaping @Sendable (String) -> Void) { self.write = write }

    /// Has lines written soon.
    package func add(_ lines: String) {
        let (isFirst, isMuch) = burst.withLock { burst in
            burst.text += lines
            defer { burst.isDue = true }
            return (!burst.isDue, burst.text.utf8.count > Self.byteCountMax)
        }
        if isFirst { queue.asyncAfter(deadline: .now() + Self.wait) { [self] in writeWaiting() } }
        if isMuch { flush() }
    }

    /// Writes what waits. What was added before is written when this returns.
    package func flush() { queue.sync { writeWaiting() } }

    private func writeWaiting() {
        let text = burst.withLock { burst in
            defer { burst = Burst() }
            return burst.text
        }
        if !text.isEmpty { write(text) }
    }
}
