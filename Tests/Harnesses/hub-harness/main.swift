internal import CFileCalls
internal import CFileTrace
internal import CrashHarness
internal import Foundation
internal import HubHarness

// Kills a hub's stores before each of their writes, or cuts the power under them. Ends with 1 when something was lost.
//
//     hub-harness kill [STRIDE]
//     hub-harness powercut [SEED [MOMENTS]]

let arguments = CommandLine.arguments

/// - Returns: Never: ends the process with what was found.
func end(with report: HarnessReport) -> Never {
    print(report)
    for complaint in report.lost.prefix(20) { print("  " + complaint) }
    exit(report.lost.isEmpty ? 0 : 1)
}

switch arguments.dropFirst().first {
case "kill":
    var run = HubKillRun(executable: arguments[0])
    run.stride = arguments.dropFirst(2).first.flatMap { Int($0) } ?? 1
    end(with: try await run.run())
case "powercut":
    let seed = arguments.dropFirst(2).first.flatMap { UInt64($0) } ?? .random(in: 0 ... .max)
    print("seed \(seed)")
    var run = HubPowerCut(executable: arguments[0], seed: seed)
    if let count = arguments.dropFirst(3).first.flatMap({ Int($0) }) { run.momentCount = count }
    end(with: try await run.run())
case "record" where arguments.count >= 4:
    write_down_changes(arguments[2], arguments[3])
    let early = arguments.last.flatMap { HubStory.Early(rawValue: $0) }
    let story = HubStory(in: arguments[2], early: early) { promise in
        write_down_note(promise.line)
    }
    try await story.run()
case "child" where arguments.count >= 4:
    let early = arguments.last.flatMap { HubStory.Early(rawValue: $0) }
    let story = HubStory(in: arguments[2], early: early) { promise in
        FileHandle.standardOutput.write(Data((promise.line + "\n").utf8))
    }
    kill_before_write(Int(arguments[3]) ?? 0)
    try await story.run()
    // A story without a write would prove nothing.
    exit(write_count() > 100 ? 0 : 3)
default:
    print("usage: hub-harness kill [STRIDE] | powercut [SEED [MOMENTS]]")
    exit(2)
}
