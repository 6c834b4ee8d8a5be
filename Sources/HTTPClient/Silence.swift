/// How long nothing has gone or come of a request. Pure.
///
/// libcurl would look once a second whether something has: a device that waits for its hub's news does nothing else.
struct Silence {
    private let secondsMax: Double?
    private var byteCount: Int64 = 0
    private var since: Double

    /// - Parameters:
    ///   - secondsMax: How long is too long; nil where all may be.
    ///   - now: In seconds of a clock that is never set.
    init(secondsMax: Double?, at now: Double) { (self.secondsMax, since) = (secondsMax, now) }

    /// - Parameter byteCount: How many bytes have gone and come so far.
    mutating func note(byteCount: Int64, at now: Double) {
        guard byteCount != self.byteCount else { return }
        (self.byteCount, since) = (byteCount, now)
    }

    /// How long it may still last; nil for any time, nothing or less for too long.
    func secondsLeft(at now: Double) -> Double? { secondsMax.map { $0 - (now - since) } }
}
