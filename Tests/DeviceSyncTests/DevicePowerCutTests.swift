import FileSystem
import Foundation
import Testing

/// What a device comes to when its power is cut anywhere; see `DevicePowerCut`.
@Suite("A device whose power is cut", .timeLimit(.minutes(5)))
struct DevicePowerCutTests {
    /// Runs the harness, which is built beside this test: only in a process of its own are all calls seen.
    private func run(stories: Int, flaw: String) throws -> (status: Int32, said: String) {
        let own = try FileReading.symbolicLinkText(at: FilePath("/proc/self/exe"))
        let child = Process()
        child.executableURL = FilePath(own).parent.appending("device-harness").url(isDirectory: false)
        let seed = UInt64.random(in: 0...UInt64.max / 2)
        child.arguments = ["powercut", "\(stories)", "\(seed)", flaw]
        let output = Pipe()
        child.standardOutput = output
        try child.run()
        let said = output.fileHandleForReading.readDataToEndOfFile()
        child.waitUntilExit()
        return (child.terminationStatus, String(decoding: said, as: UTF8.self))
    }

    @Test(
        "It comes in step again, nothing that was in step is gone or sent older, and nothing is sent that nobody has edited"
    )
    func powerCut() throws {
        let (status, said) = try run(stories: 1, flaw: "none")
        print(said)
        #expect(status == 0, "\(said)")
        #expect(said.contains("lost 0") && !said.contains("states 0"))
    }

    @Test(
        "The harness finds out what is not synced, and what is remembered or sent too early",
        arguments: [
            "skipsFileSync", "skipsFolderSync", "skipsVolumeSync", "skipsMemorySync", "skipsVaultSync",
            "remembersTooEarly",
        ]
    )
    func flaws(flaw: String) throws {
        let (status, said) = try run(stories: 6, flaw: flaw)
        #expect(status == 1 && said.contains("lost ") && !said.contains("lost 0"), "\(said)")
    }
}
