internal import CrashHarness
internal import FileSystem
internal import Foundation

// Runs the crash harnesses by hand. Ends with 1 when something was lost.

func finish(_ report: HarnessReport) -> Never {
    print(report)
    for complaint in report.lost.prefix(20) { print("  " + complaint) }
    exit(report.lost.isEmpty ? 0 : 1)
}

let arguments = CommandLine.arguments
switch arguments.dropFirst().first {
case "kill": finish(try KillRun(executable: arguments[0]).run())
case "powercut":
    let seed = arguments.dropFirst(2).first.flatMap { UInt64($0) } ?? UInt64.random(in: 0 ... .max)
    print("seed \(seed)")
    finish(try PowerCut(seed: seed).run())
case "bench":
    for line in try SaveBenchmark.run(in: arguments.dropFirst(2).first.map { FilePath($0) }) { print(line) }
case "child" where arguments.count == 5:
    let scenarios = SaveScenario.all + [KillRun.removesFirst]
    guard let scenario = scenarios.first(where: { $0.name == arguments[2] }), let number = Int(arguments[4])
    else { exit(2) }
    try KillRun.runChild(scenario, in: FilePath(arguments[3]), callNumber: number)
default:
    print("usage: save-harness kill | powercut [seed] | bench [folder]")
    exit(2)
}
