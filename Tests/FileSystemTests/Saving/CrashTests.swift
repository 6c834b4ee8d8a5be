import CrashHarness
import FileSystem
import Foundation
import TestThreads
import Testing

@Suite("Crash", .onOwnThreads)
struct CrashTests {
    /// The harness, built beside this test.
    static func executable() throws -> String {
        let own = try FileReading.symbolicLinkText(at: FilePath("/proc/self/exe"))
        return FilePath(own).parent.appending("save-harness").string
    }

    @Test("A save killed before any of its calls leaves the old contents or the new")
    func kill() throws {
        let report = try KillRun(executable: try Self.executable()).run()
        print(report)
        #expect(report.lost == [])
        #expect(report.stateCount > report.scenarioCount * 5)
    }

    @Test("The kill harness finds out a save that removes the old contents first")
    func brokenKill() throws {
        var run = KillRun(executable: try Self.executable())
        run.scenarios = [KillRun.removesFirst]
        #expect(try run.run().lost.count > 0)
    }

    @Test("A save without power at any time leaves the old contents or the new, and then only the new")
    func powerCut() throws {
        let seed = UInt64.random(in: 0 ... .max)
        let report = try PowerCut(seed: seed).run()
        print("\(report), seed \(seed)")
        #expect(report.lost == [], "seed \(seed)")
    }

    @Test(
        "The power cut harness finds out a save that cuts a corner",
        arguments: [PowerCut.Flaw.skipsFileSync, .removesBeforeRename, .skipsFolderSync]
    )
    func brokenPowerCut(flaw: PowerCut.Flaw) throws {
        var powerCut = PowerCut(seed: 1)
        powerCut.flaw = flaw
        powerCut.scenarios = SaveScenario.all.filter { $0.name == "file overwrite" }
        #expect(try powerCut.run().lost.count > 0)
    }
}
