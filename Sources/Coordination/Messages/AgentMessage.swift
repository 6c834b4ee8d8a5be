/// What the agent sends to a client.
package enum AgentMessage: Hashable, Sendable {
    /// The client is taken; this version is spoken from now on.
    case welcome(version: UInt64)
    /// The agent will not speak to the client any longer.
    case goodbye(Goodbye, reason: String)
    /// A presenter is asked, for an access that may be another client's, and must answer under the ticket.
    case asked(PresenterMessage, PresenterID, for: AccessID, Ticket)
    case told(PresenterID, PresenterNotice)
    /// An access runs. The items are where they are now; none when all are where they were asked for.
    /// `isObserved`: someone will want to know whether its items were there before and after.
    case granted(AccessID, [ItemPath], isObserved: Bool)
    case failed(AccessID, AgentFailure)
    /// What the answer to this message left behind is to be run.
    case reacquire(Ticket)
    case attributesChanged(PresenterID, [String])
    /// An access that another agent granted cannot go on: others have been let in meanwhile.
    case claimLost(AccessID)
    /// A part of a `CoordinationReport` as JSON; the report is whole when the last part is there.
    case report([UInt8], isLast: Bool)
    /// No other client writes now what the client asked about under this number.
    case quiet(UInt64)
    /// Somebody waits for the end of this access: it is to be said at once.
    case awaited(AccessID)
}

/// Why the agent ends a connection.
package enum Goodbye: UInt8, Hashable, Sendable {
    /// It ends itself: come back to the next one.
    case agentEnds = 0
    /// The client did what the format does not allow.
    case protocolBroken = 1
    /// There is no version that both speak.
    case versionUnknown = 2
    /// The client does not take what it is sent.
    case tooSlow = 3
}

/// Why an access that the agent was asked for does not run.
package enum AgentFailure: Hashable, Sendable {
    case cancelled
    /// A presenter answered with this error.
    case presenterFailed(ErrorFacts)
    /// A presenter did not answer this message in time.
    case presenterTimedOut(PresenterParty, PresenterMessage)
    /// It was the youngest of several that would have waited for one another for ever: a `BrokenCycle` as JSON.
    case deadlock([UInt8])
}

/// A presenter as another process can know it.
package struct PresenterParty: Hashable, Sendable {
    package let id: PresenterID
    package let typeName: String
    package let processID: UInt64
    package let processName: String
    /// Where it was registered; nil when that is not known.
    package let place: String?

    package init(
        id: PresenterID,
        typeName: String,
        processID: UInt64,
        processName: String,
        place: String? = nil
    ) {
        self.id = id
        self.typeName = typeName
        self.processID = processID
        self.processName = processName
        self.place = place
    }
}
