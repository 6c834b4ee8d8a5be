internal import CFileCalls
internal import CrashHarness
internal import DeviceHarness
internal import Foundation

// Cuts the power under a whole device, or gives its parsers what nobody has written. Ends with 1 when something was lost, or is
// wrong.
//
//     device-harness powercut [STORIES [FIRSTSEED [FLAW]]]
//     device-harness bytes [ROUNDS [FIRSTSEED [PARSER]]]     a round gives bytes to each parser of bytes of others; what a round
//                                                            comes to is told by its seed alone

let arguments = CommandLine.arguments

if arguments.dropFirst().first == "bytes" {
    let numbers = arguments.dropFirst(2)
    let roundCount = numbers.first.flatMap { UInt64($0) } ?? 1000
    let seed = numbers.dropFirst().first.flatMap { UInt64($0) } ?? .random(in: 0..<(1 << 40))
    // First, as nothing may come after it.
    print("seeds from \(seed)")
    fflush(nil)
    var bytes = OutsideBytes(seed: seed, roundCount: roundCount)
    bytes.only = numbers.dropFirst(2).first
    let report = try bytes.run()
    print(report)
    for complaint in report.lost.prefix(20) { print("  " + complaint) }
    exit(report.lost.isEmpty && report.stateCount > 0 ? 0 : 1)
}
guard arguments.dropFirst().first == "powercut" else {
    print("usage: device-harness powercut [STORIES [FIRSTSEED [FLAW]]] | bytes [ROUNDS [FIRSTSEED [PARSER]]]")
    exit(2)
}
let numbers = arguments.dropFirst(2)
let storyCount = numbers.first.flatMap { UInt64($0) } ?? 1
let firstSeed = numbers.dropFirst().first.flatMap { UInt64($0) } ?? .random(in: 0 ... .max - 1000)
guard let flaw = DevicePowerCut.Flaw(rawValue: numbers.dropFirst(2).first ?? "none") else {
    print("flaws: \(DevicePowerCut.Flaw.allCases.map(\.rawValue).joined(separator: " "))")
    exit(2)
}
kill_before_write(0)
// An agent would outlive this, and all that is coordinated is in this process.
setenv("SHEAF_AGENT", "off", 1)
var total = HarnessReport(title: "device-powercut")
for seed in firstSeed..<firstSeed + storyCount {
    var run = DevicePowerCut(seed: seed)
    run.flaw = flaw
    let report = try run.run()
    total.scenarioCount += report.scenarioCount
    total.stateCount += report.stateCount
    total.lost += report.lost
    // One is enough to show that a flaw is noticed.
    if flaw != .none, !total.lost.isEmpty { break }
}
print("seeds \(firstSeed)..<\(firstSeed + storyCount)")
print(total)
for complaint in total.lost.prefix(20) { print("  " + complaint) }
// A story without a write would prove nothing.
exit(total.lost.isEmpty && write_count() > 100 ? 0 : 1)
