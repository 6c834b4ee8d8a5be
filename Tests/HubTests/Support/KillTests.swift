import CrashHarness
import FileSystem
import Foundation
import HubHarness
import Testing

@Suite("A hub that is killed")
struct HubKillTests {
    /// The harness, built beside this test.
    private func executable() throws -> String {
        let own = try FileReading.symbolicLinkText(at: FilePath("/proc/self/exe"))
        return FilePath(own).parent.appending("hub-harness").string
    }

    @Test("Killed before a write, it has all that it promised")
    func kill() async throws {
        var run = HubKillRun(executable: try executable())
        run.stride = 61
        let report = try await run.run()
        print(report)
        #expect(report.lost == [])
        #expect(report.stateCount > 4)
    }

    @Test("The kill harness finds out promises that were made too early")
    func promisesTooEarly() async throws {
        var run = HubKillRun(executable: try executable())
        run.stride = 97
        run.promisesTooEarly = true
        #expect(try await run.run().lost.count > 0)
    }
}
