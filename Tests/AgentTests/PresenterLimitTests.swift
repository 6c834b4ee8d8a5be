import Agent
import Coordination
import DocumentFoundation
import TestThreads
import Testing

@Suite("PresenterLimit", .onOwnThreads)
struct PresenterLimitTests {
    @Test("A presenter has five seconds in one process as between all, unless something else is said")
    func usual() {
        #expect(PresenterLimit.usualSeconds == 5)
        #expect(AgentProcess.Options().presenterLimitSeconds == PresenterLimit.usualSeconds)
        #expect(AgentCore.Limits().presenter == 5_000_000_000)
        #expect(AgentServer.Options().limits.presenter == AgentCore.Limits().presenter)
    }

    @Test("A process has no other limit before it says so")
    func unsaid() async {
        await #expect(processExitsWith: .success) {
            #expect(NSFileCoordinator.presenterTimeLimitSeconds == PresenterLimit.usualSeconds)
        }
    }
}
