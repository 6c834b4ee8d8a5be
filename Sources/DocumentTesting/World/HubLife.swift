internal import DeviceSync

/// Whether a make-believe hub runs, and when it dies; pure.
///
///     running ──end──▶ about to die ──(its last write is done, or one more is asked for)──▶ down ──begin──▶ running
///        └───────────────────────────────────────stop─────────────────────────────────────────▲
///
/// A write is what a hub does in one transaction: the commits of a request, its blobs, keys for a device, that a device is shut
/// out, that blobs are released or are kept again. Of each it has done all or nothing, wherever it dies.
struct HubLife: Sendable {
    private(set) var isDown = false
    /// How often it has died.
    private(set) var crashCount = 0
    /// How often it has ended, be it that it has died or that somebody has stopped it: no connection outlasts that.
    private(set) var endCount = 0
    /// How many writes it does yet; nil for as many as it is asked for.
    private var writeCount: Int?
    /// Whether it dies only as one more is asked for.
    private var isLastAnswered = false

    private static let failure = LineFailure("the hub does not run")

    /// Has it die after so many writes more.
    mutating func end(afterWrites count: Int, isLastAnswered: Bool) {
        guard !isDown else { return }
        (writeCount, self.isLastAnswered) = (count, isLastAnswered)
        if count == 0, !isLastAnswered { die() }
    }

    /// Has it run again, or go on running.
    mutating func begin() { (isDown, writeCount) = (false, nil) }

    /// Has somebody end it in good order.
    mutating func stop() {
        guard !isDown else { return }
        (isDown, writeCount) = (true, nil)
        endCount += 1
    }

    private mutating func die() {
        stop()
        crashCount += 1
    }

    /// - Throws: `LineFailure` where nobody is there to be asked.
    func check() throws {
        if isDown { throw Self.failure }
    }

    /// Something is about to be written.
    ///
    /// - Throws: `LineFailure` where it dies before: nothing is written then.
    mutating func willWrite() throws {
        try check()
        guard writeCount == 0 else { return }
        die()
        throw Self.failure
    }

    /// It is written.
    ///
    /// - Throws: `LineFailure` where it dies before it has answered.
    mutating func didWrite() throws {
        guard let count = writeCount else { return }
        writeCount = count - 1
        guard count == 1, !isLastAnswered else { return }
        die()
        throw Self.failure
    }
}
