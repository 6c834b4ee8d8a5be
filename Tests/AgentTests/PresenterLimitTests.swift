import Agent
import Coordination
import DocumentFoundation
import TestThreads
import Testing

@Suite("PresenterLimit", .onOwnThreads, .serialized)
struct PresenterLimitTests {
    @Test("A presenter has five seconds in one process as between all, unless something else is said")
    func usual() {
        #expect(PresenterLimit.usualSeconds == 5)
        #expect(AgentProcess.Options().presenterLimitSeconds == PresenterLimit.usualSeconds)
        #expect(AgentCore.Limits().presenter == 5_000_000_000)
        #expect(AgentServer.Options().limits.presenter == AgentCore.Limits().presenter)
    }

    @Test("Who sets no limit at all has the longest that an agent takes")
    func endless() throws {
        try withScene { scene in
            let registry = try scene.registry()
            let joiner = NotingPresenter(scene.root)
            let agent = try ScriptedAgent(in: scene.runtime) { registry.add(joiner) }
            while !registry.isJoined {}
            registry.presenterTimeLimitSeconds = .infinity
            var limits: [UInt64] = []
            while limits.count < 2 {
                if case .timeLimit(let milliseconds) = try agent.next() { limits.append(milliseconds) }
            }
            #expect(limits == [5000, 3_600_000])
        }
    }

    @Test("A process has no other limit before it says so")
    func unsaid() async {
        await #expect(processExitsWith: .success) {
            #expect(NSFileCoordinator.presenterTimeLimitSeconds == PresenterLimit.usualSeconds)
        }
    }
}
