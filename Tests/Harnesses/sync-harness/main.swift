internal import Foundation
internal import SeededNumbers
internal import SyncModel

// Random worlds of devices and a hub, and what comes of them. Ends with 1 when something is wrong.
//
//     sync-harness worlds COUNT [SEED]    stories one after another; one that goes wrong is told again, shorter, as a test;
//                                         of 2,000 and more every fault has to have met every state of an engine
//     sync-harness plans COUNT [SEED]     one device and a random disk, log and memory each; as worlds, one that goes wrong is
//                                         told as a test; of 100,000 and more whatever an item can be here has to have met
//                                         whatever it can be there
//     sync-harness bugs COUNT [SEED [told]]    plants each bug: how many stories find it, and how short it can be told

/// Seeds from a first one on.
struct Seeds {
    let first: UInt64
    let count: Int

    init(_ arguments: [String]) {
        count = arguments.first.flatMap { Int($0) } ?? 2_000
        first = arguments.dropFirst().first.flatMap { UInt64($0) } ?? .random(in: 0..<(1 << 40))
        print("seeds from \(first)")
    }

    /// The story of a seed: two to five devices, short or long.
    func story(_ offset: Int) -> Story {
        var random = SplitMix64(seed: first &+ UInt64(offset))
        let deviceCount = [2, 3, 3, 4, 5][random.below(5)]
        return Story(seed: random.next(), deviceCount: deviceCount, stepCount: 40 + random.below(800))
    }
}

func seconds(since start: ContinuousClock.Instant) -> Double { (ContinuousClock.now - start) / .seconds(1) }

/// Tells stories until one goes wrong, each twice: both times the same must happen.
func tellWorlds(_ seeds: Seeds) -> Bool {
    let start = ContinuousClock.now
    var coverage = Coverage()
    var trace = TraceHash()
    for offset in 0..<seeds.count {
        let story = seeds.story(offset)
        let ending = story.run(coverage: Coverage())
        if let more = ending.coverage { coverage.add(more) }
        coverage.worldCount += 1
        trace.mix(ending.trace.value)
        if !ending.faults.isEmpty {
            print("seed \(seeds.first &+ UInt64(offset)): \(ending.faults)\n")
            print(story.shrunk().test())
            return false
        }
        if story.run().trace != ending.trace {
            print("seed \(seeds.first &+ UInt64(offset)): told twice, it is not the same story")
            return false
        }
    }
    let time = seconds(since: start)
    print(coverage.table)
    print(
        "worlds \(coverage.worldCount), each twice, deeds \(coverage.deedCount), faults \(coverage.faultCount), "
            + "trace \(String(trace.value, radix: 16)), \(String(format: "%.1f", time)) s"
    )
    return judge(coverage)
}

/// From so many worlds on every fault has to have met every state: none of these pairs is impossible, and the rarest comes some
/// ten times in so many.
let judgedWorldCount = 2_000

func judge(_ coverage: Coverage) -> Bool {
    let gaps = coverage.gaps
    guard coverage.worldCount >= judgedWorldCount, !gaps.isEmpty else { return true }
    print(
        "never met: \(gaps.joined(separator: ", ")). What the worlds tell of that is nothing; see Habits and Ambush."
    )
    return false
}

/// Tells stories with each bug until one goes wrong.
func plantBugs(_ seeds: Seeds, tells: Bool) -> Bool {
    var allFound = true
    for bug in PlantedBug.allCases {
        guard let offset = (0..<seeds.count).first(where: { !seeds.story($0).run(bug: bug).faults.isEmpty })
        else {
            print("\(bug): none of \(seeds.count) stories shows it")
            allFound = false
            continue
        }
        let (story, short) = (seeds.story(offset), seeds.story(offset).shrunk(bug: bug))
        print(
            "\(bug): found in story \(offset + 1), \(story.deeds.count) deeds, told in \(short.deeds.count)"
        )
        if tells { print(short.test(bug: bug)) }
    }
    return allFound
}

/// From so many plans on whatever has become of an item here has to have met whatever has become of it there: the rarest pair
/// comes some hundred times in so many.
let judgedPlanCount = 100_000

/// Lets single devices plan until one goes wrong, each twice: both times the same must happen.
func plan(_ seeds: Seeds) -> Bool {
    let start = ContinuousClock.now
    var kinds: [PlannerScene.Kinds: Int] = [:]
    var effectCount = 0
    var trace = TraceHash()
    for offset in 0..<seeds.count {
        let seed = seeds.first &+ UInt64(offset)
        var scene = PlannerScene(seed: seed)
        scene.run()
        guard scene.faults.isEmpty else {
            print("seed \(seed): \(scene.faults)\n")
            print(PlannerScene.test(PlannerScene.shrunk(scene.choices)))
            return false
        }
        var again = PlannerScene(seed: seed)
        again.run()
        guard again.trace == scene.trace else {
            print("seed \(seed): planned twice, it is not the same")
            return false
        }
        effectCount += scene.effectCount
        trace.mix(scene.trace.value)
        for kind in scene.kinds { kinds[kind, default: 0] += 1 }
    }
    for here in PlannerScene.Kind.allCases {
        let counts = PlannerScene.Kind.allCases.compactMap { there in
            kinds[PlannerScene.Kinds(here: here, there: there)].map { "\(there) \($0)" }
        }
        if !counts.isEmpty { print("\(here) here; there \(counts.joined(separator: ", "))") }
    }
    let time = seconds(since: start)
    print(
        "plans \(seeds.count), each twice, effects \(effectCount), trace \(String(trace.value, radix: 16)), "
            + "\(String(format: "%.1f", time)) s"
    )
    guard seeds.count >= judgedPlanCount else { return true }
    let gaps = PlannerScene.possibleKinds.filter { kinds[$0] == nil }.map {
        "\($0.here) here, \($0.there) there"
    }
    if !gaps.isEmpty { print("never met: \(gaps.joined(separator: "; ")). The plans tell nothing of that.") }
    return gaps.isEmpty
}

let arguments = Array(CommandLine.arguments.dropFirst())
let isFine: Bool
switch arguments.first {
case "worlds": isFine = tellWorlds(Seeds(Array(arguments.dropFirst())))
case "plans": isFine = plan(Seeds(Array(arguments.dropFirst())))
case "bugs": isFine = plantBugs(Seeds(Array(arguments.dropFirst())), tells: arguments.contains("told"))
default:
    print("usage: sync-harness worlds|plans|bugs COUNT [SEED]")
    isFine = false
}
exit(isFine ? 0 : 1)
