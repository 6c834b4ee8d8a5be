internal import Foundation

/// The time that has certainly come, whatever the clock says just now. Pure.
///
/// A clock may be ahead by hours or days, after another system has set it or a virtual machine has been resumed, and be set right
/// a moment later: what went as too old meanwhile is gone for good. So ages are counted by the machine's running time, to which
/// the clock's lead is added that it has had all along, for a day of running time at least. A clock that is put back is believed
/// at once: ages become smaller by that. One that goes forward is believed after one to two such days, as it rightly does so, too,
/// when the machine has been off. By then whatever was dated by it has its age by it.
///
/// Invariants: 1. `elapsed` grows by no more than the time that has gone by, whichever boot a reading is of. 2. `vouchedLead` is
/// none of which a reading of the last `vouchingSeconds` was less.
struct PassedTime: Codable, Hashable, Sendable {
    /// For how long the clock must have stood so, in seconds of running time.
    static let vouchingSeconds: TimeInterval = 86400
    /// What is noted may be older than this by so many seconds, which a machine's end makes count as not gone by.
    private static let notingSeconds: TimeInterval = 600
    /// A clock that is slowed down a little is not put back.
    private static let toleranceSeconds: TimeInterval = 60

    private(set) var version = 1
    /// Since the boot it was in, in seconds, when the clock was read last.
    private var running: TimeInterval
    /// In seconds, since whenever the first reading was.
    private var elapsed: TimeInterval = 0
    /// By how much the clock, in seconds since 1970, is ahead of `elapsed` and may be; nil while nobody knows.
    private var vouchedLead: TimeInterval?
    /// The least by which it has been ahead since `begun`.
    private var leastLead: TimeInterval
    private var begun: TimeInterval = 0

    /// - Parameters:
    ///   - clock: What it says.
    ///   - running: The machine's running time, in seconds, its sleep included.
    ///   - isVouched: Whether the clock may be believed at once, as nothing is there that it could be too late for.
    init(clock: Date, running: TimeInterval, isVouched: Bool) {
        self.running = running
        leastLead = clock.timeIntervalSince1970
        vouchedLead = isVouched ? leastLead : nil
    }

    /// What time it is at least; nil while nobody can tell.
    var moment: Date? { vouchedLead.map { Date(timeIntervalSince1970: elapsed + $0) } }

    /// After one more reading.
    func reading(clock: Date, running: TimeInterval) -> PassedTime {
        var next = self
        // Less than there was: it is another boot's. More, and it may be one's too, which has then run for longer than that.
        next.elapsed += running < self.running ? running : running - self.running
        next.running = running
        let lead = clock.timeIntervalSince1970 - next.elapsed
        next.leastLead = min(leastLead, lead)
        next.vouchedLead = vouchedLead.map { min($0, lead) }
        if next.elapsed - begun >= Self.vouchingSeconds {
            next.vouchedLead = next.leastLead
            (next.begun, next.leastLead) = (next.elapsed, lead)
        }
        return next
    }

    /// Whether this says what a former reading would not come to by itself.
    func isWorthNoting(after former: PassedTime) -> Bool {
        begun != former.begun || leastLead < former.leastLead - Self.toleranceSeconds
            || running < former.running || running - former.running >= Self.notingSeconds
    }
}
