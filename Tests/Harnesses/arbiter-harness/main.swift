internal import ArbiterModel
internal import Dispatch
internal import Foundation
internal import Locks

// Holds the arbiter against the rules in random worlds. Ends with 1 when one breaks a rule.
//
//     arbiter-harness [events]                    2,000,000 unless said; prints the seeds it begins with
//     COORDINATION_SEED=<seed> arbiter-harness    the world of one seed

/// Tries worlds on every core, each core from a seed of its own.
func tryWorlds(eventCount: Int) -> [ModelRun] {
    let runs = Locked<[ModelRun]>([])
    let coreCount = ProcessInfo.processInfo.activeProcessorCount
    let seeds = (0..<coreCount).map { _ in UInt64.random(in: 0..<(1 << 40)) }
    print("seeds from \(seeds.map { "\($0)" }.joined(separator: ", "))")
    DispatchQueue.concurrentPerform(iterations: coreCount) { core in
        var run = ModelRun()
        run.run(from: seeds[core], eventCount: eventCount / coreCount)
        runs.withLock { $0.append(run) }
    }
    return runs.withLock { $0 }
}

func total(_ runs: [ModelRun], _ count: KeyPath<ModelRun, Int>) -> Int {
    runs.reduce(0) { $0 + $1[keyPath: count] }
}

let start = ContinuousClock.now
var runs: [ModelRun]
if let seed = ProcessInfo.processInfo.environment["COORDINATION_SEED"].flatMap({ UInt64($0) }) {
    var run = ModelRun()
    run.runWorld(seed)
    runs = [run]
} else {
    runs = tryWorlds(eventCount: CommandLine.arguments.dropFirst().first.flatMap { Int($0) } ?? 2_000_000)
}
let seconds = (ContinuousClock.now - start) / .seconds(1)
print(
    "worlds \(total(runs, \.worldCount)), events \(total(runs, \.eventCount)), "
        + "grants \(total(runs, \.grantCount)), deadlocks broken \(total(runs, \.cycleCount)), "
        + "\(String(format: "%.1f", seconds)) s"
)
for failure in runs.compactMap(\.failure) { print(failure) }
exit(runs.contains { $0.failure != nil } ? 1 : 0)
