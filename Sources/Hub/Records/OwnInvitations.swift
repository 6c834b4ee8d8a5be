internal import HubProtocol

/// The invitations that this process has made, and until when each is good by a clock that never goes back: a clock that is set
/// while they are makes them neither too old nor good for longer. Pure.
struct OwnInvitations {
    private var ends: [[UInt8]: Double] = [:]

    /// One is made.
    mutating func add(_ hash: [UInt8], uptime: Double) {
        ends = ends.filter { $0.value > uptime }
        ends[hash] = uptime + Double(HubLimits.invitationSeconds)
    }

    func contains(_ hash: [UInt8]) -> Bool { ends[hash] != nil }

    /// The time after which an invitation has to end to be good, in seconds since 1970.
    ///
    /// - Parameter now: What it is by the clock, which counts for those that others have made, or this process before it was
    ///   started anew.
    func time(for hash: [UInt8], now: Int, uptime: Double?) -> Int {
        guard let uptime, let end = ends[hash] else { return now }
        return end > uptime ? .min : .max
    }
}
