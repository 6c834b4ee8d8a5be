import DocumentFoundation
import Foundation
import TestThreads
import Testing

@Suite("Leaving the agent", .onOwnThreads)
struct LeavingAgentTests {
    @Test("Who has left does nothing in the runtime folder any more, however early it was")
    func early() throws {
        try withScene { scene in
            for round in 0..<200 {
                let runtime = scene.root.appendingPathComponent("run \(round)")
                let registry = try FileAccessRegistry(
                    presenterTimeLimitSeconds: 5,
                    runtimeFolder: runtime.path,
                    agentProgram: nil
                )
                registry.add(NotingPresenter(scene.root.appendingPathComponent("note.txt")))
                registry.leaveAgent()
                try FileManager.default.removeItem(at: runtime)
            }
            #expect(try FileManager.default.contentsOfDirectory(atPath: scene.root.path) == ["run"])
        }
    }
}
