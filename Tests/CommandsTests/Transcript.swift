import Foundation

/// What was written, from any thread.
final class Transcript: @unchecked Sendable {
    // Sendable because `written` is only touched with the lock held.
    private let lock = NSLock()
    private var written = ""

    var text: String { lock.withLock { written } }

    @Sendable func add(_ text: String) {
        lock.withLock { written += text }
    }
}
