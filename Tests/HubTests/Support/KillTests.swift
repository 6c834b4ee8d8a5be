import CrashHarness
import FileSystem
import Foundation
import HubHarness
import TestThreads
import Testing

/// The harness, built beside this test.
private func executable() throws -> String {
    let own = try FileReading.symbolicLinkText(at: FilePath("/proc/self/exe"))
    return FilePath(own).parent.appending("hub-harness").string
}

@Suite("A hub that is killed", .onOwnThreads)
struct HubKillTests {
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

@Suite("A hub whose power is cut", .onOwnThreads)
struct HubPowerCutTests {
    private func run(_ flaw: HubPowerCut.Flaw, momentCount: Int) async throws -> HarnessReport {
        let seed = UInt64.random(in: 0 ... .max)
        print("seed \(seed)")
        var run = HubPowerCut(executable: try executable(), seed: seed)
        (run.flaw, run.momentCount) = (flaw, momentCount)
        return try await run.run()
    }

    @Test("It has all that it promised")
    func powerCut() async throws {
        let report = try await run(.none, momentCount: 10)
        #expect(report.lost == [])
        #expect(report.stateCount > 50)
    }

    @Test(
        "The harness finds out what is not synced, and what is promised too early",
        arguments: [
            HubPowerCut.Flaw.promisesTooEarly, .promisesKeysTooEarly, .promisesDevicesTooEarly,
            .skipsBlobSync, .skipsDatabaseSync, .skipsFolderSync,
        ]
    )
    func flaws(flaw: HubPowerCut.Flaw) async throws {
        #expect(try await run(flaw, momentCount: 0).lost.count > 0)
    }
}
