internal import CKillPoint
internal import CrashHarness
internal import Foundation
internal import HubHarness

// Kills a hub's stores before each of their writes. Ends with 1 when something was lost.
//
//     hub-harness kill [STRIDE]

let arguments = CommandLine.arguments

switch arguments.dropFirst().first {
case "kill":
    var run = HubKillRun(executable: arguments[0])
    run.stride = arguments.dropFirst(2).first.flatMap { Int($0) } ?? 1
    let report = try await run.run()
    print(report)
    for complaint in report.lost.prefix(20) { print("  " + complaint) }
    exit(report.lost.isEmpty ? 0 : 1)
case "child" where arguments.count >= 4:
    let story = HubStory(in: arguments[2], promisesTooEarly: arguments.last == "early") { promise in
        FileHandle.standardOutput.write(Data((promise.line + "\n").utf8))
    }
    kill_before_write(Int(arguments[3]) ?? 0)
    try await story.run()
    // A story without a write would prove nothing.
    exit(write_count() > 100 ? 0 : 3)
default:
    print("usage: hub-harness kill [STRIDE]")
    exit(2)
}
