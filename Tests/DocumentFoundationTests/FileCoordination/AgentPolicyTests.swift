import Foundation
import TestThreads
import Testing

@testable import DocumentFoundation

@Suite("AgentPolicy", .onOwnThreads)
struct AgentPolicyTests {
    @Test("The agent's program is the named one, else the one beside this program, else the one in PATH")
    func program() {
        func program(_ environment: [String: String], there: Set<String>) -> String? {
            AgentPolicy.program(
                environment: environment,
                executable: "/apps/Scrapbook",
                isExecutable: { there.contains($0) }
            )
        }
        let all: Set = ["/apps/sheaf", "/usr/bin/sheaf"]
        #expect(program(["SHEAF_AGENT": "/mine", "PATH": "/usr/bin"], there: all) == "/mine")
        #expect(program(["PATH": "/usr/bin"], there: all) == "/apps/sheaf")
        #expect(program(["PATH": "/bin:/usr/bin"], there: ["/usr/bin/sheaf"]) == "/usr/bin/sheaf")
        #expect(program(["PATH": "bin"], there: ["bin/sheaf"]) == nil)
        #expect(program([:], there: []) == nil)
    }

    @Test("No agent is used when it is off, nor by a test bundle that says nothing")
    func off() throws {
        #expect(try AgentPolicy(environment: ["SHEAF_AGENT": "off"], executable: "/a") == nil)
        #expect(try AgentPolicy(environment: [:], executable: "/a/b.xctest") == nil)
    }
}
