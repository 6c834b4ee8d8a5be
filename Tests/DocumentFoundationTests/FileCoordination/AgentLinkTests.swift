import Coordination
import Testing

@testable import DocumentFoundation

/// What follows where no agent could be joined.
@Suite("The link to the agent")
struct AgentLinkTests {
    private func consequence(_ error: any Error, _ isAgentThere: Bool) -> AgentLink.Consequence {
        AgentLink.Consequence(of: error, isAgentThere: isAgentThere)
    }

    @Test("An agent that comes just after none was found refuses nobody: it is searched for")
    func comesLate() {
        let none = AgentFinder.Absence.nobody
        #expect(consequence(none, true) == .searches && consequence(none, false) == .isAlone)
    }

    @Test("One that refuses does so though it has gone; what else goes wrong is nobody's refusal without one")
    func refused() {
        let farewell = AgentConnection.Farewell(goodbye: .versionUnknown, reason: "It is older.")
        let refusal = AgentFinder.Refusal(farewell, 1...2)
        #expect(consequence(refusal, true) == .isRefused && consequence(refusal, false) == .isRefused)
        let other = CancellationError()
        #expect(consequence(other, true) == .isRefused && consequence(other, false) == .isAlone)
    }
}
