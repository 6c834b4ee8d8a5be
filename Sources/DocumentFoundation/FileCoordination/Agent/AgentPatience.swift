/// How long a process waits for its agent, in seconds, before it does something about it.
package struct AgentPatience: Sendable {
    /// How often an agent that is waited for is asked for a sign of life.
    package var pulseSeconds = AgentPulse.intervalSeconds
    /// How long others wait while it is not known whether there will be an agent.
    package var searchSeconds = 5.0
    /// How long they do for one that has taken its place and does not listen yet.
    ///
    /// Nobody may do without it then. A machine that has much else to do may need long to start one.
    package var startSeconds = 30.0

    package init() {}
}
