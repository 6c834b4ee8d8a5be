/// Whether the agent says anything while this process waits for it.
///
/// A state machine without effects. Somebody who waits may have to wait long, for a writer that takes its time; but an
/// agent that is asked for a sign of life and gives none is stopped, or hangs. `tick` is to be called at intervals
/// while it says so: after an interval without a word the agent is asked, after another one it is given up. Nothing
/// runs while nobody waits.
struct AgentPulse: Sendable {
    /// What to do at the end of an interval.
    enum Step: Hashable, Sendable {
        /// Nobody waits: no further interval.
        case rest
        case goOn
        /// Ask the agent for a sign of life.
        case ask
        /// Fail what waits.
        case giveUp
    }

    /// How long one interval is: what waits fails after two to three of them.
    static let intervalSeconds = 2.5

    /// Whether somebody has begun to wait.
    var isNeeded = false
    private var isRunning = false
    private var hasHeard = true
    private var hasAsked = false

    /// Whether the first interval begins now.
    mutating func mustBegin() -> Bool {
        guard isNeeded, !isRunning else { return false }
        (isRunning, hasHeard, hasAsked) = (true, true, false)
        return true
    }

    /// The agent has said something, or is another one.
    mutating func heard() { hasHeard = true }

    /// An interval is over.
    mutating func tick(isWaiting: Bool) -> Step {
        defer { hasHeard = false }
        guard isWaiting else {
            (isNeeded, isRunning) = (false, false)
            return .rest
        }
        if hasHeard {
            hasAsked = false
            return .goOn
        }
        defer { hasAsked.toggle() }
        return hasAsked ? .giveUp : .ask
    }
}
