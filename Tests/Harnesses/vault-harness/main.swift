internal import CrashHarness
internal import FileSystem
internal import Foundation
internal import VaultHarness

// Runs the harnesses of the vault by hand. Ends with 1 when something was lost.

func finish(_ report: HarnessReport) -> Never {
    print(report)
    for complaint in report.lost.prefix(20) { print("  " + complaint) }
    exit(report.lost.isEmpty ? 0 : 1)
}

let arguments = CommandLine.arguments

/// The seed that was given, or a new one; said, so that the run can be had again.
func seed(_ index: Int) -> UInt64 {
    let seed = arguments.dropFirst(index).first.flatMap { UInt64($0) } ?? UInt64.random(in: 0 ... .max)
    print("seed \(seed)")
    return seed
}

switch arguments.dropFirst().first {
case "kill":
    var run = VaultKillRun(executable: arguments[0])
    run.stride = arguments.dropFirst(2).first.flatMap { Int($0) } ?? 1
    finish(try run.run())
case "powercut":
    finish(try VaultPowerCut(seed: seed(2)).run())
case "rot":
    var rot = BitRot(seed: seed(3))
    rot.stride = arguments.dropFirst(2).first.flatMap { Int($0) } ?? 1
    finish(try rot.run())
case "race":
    let seconds = arguments.dropFirst(2).first.flatMap { Double($0) } ?? 600
    finish(try RaceRun(executable: arguments[0], seed: seed(3), seconds: seconds).run())
case "child" where arguments.count == 5:
    let scenarios = VaultScenario.all + [VaultScenario.promisesTooEarly]
    guard let scenario = scenarios.first(where: { $0.name == arguments[2] }), let number = Int(arguments[4])
    else { exit(2) }
    try VaultKillRun.runChild(scenario, in: FilePath(arguments[3]), callNumber: number)
case "race-child" where arguments.count == 6:
    guard let seed = UInt64(arguments[4]), let callNumber = Int(arguments[5]) else { exit(2) }
    let folder = FilePath(arguments[2])
    func work() throws {
        var worker = try RaceWorker(folder: folder, name: arguments[3], seed: seed)
        try worker.run()
    }
    if callNumber == 0 {
        try work()
    } else {
        let killer = Killer(callNumber: callNumber, refusesExchange: false)
        try SystemCallObservation.withObserver(killer) { try work() }
    }
default:
    print(
        "usage: vault-harness kill [stride] | powercut [seed] | rot [stride [seed]] | race [seconds [seed]]"
    )
    exit(2)
}
