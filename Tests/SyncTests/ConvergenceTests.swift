import Foundation
import SeededNumbers
import Sync
import Testing

/// Random people on several devices, a bad network: what holds when all has come to rest.
@Suite("Sync: convergence")
struct ConvergenceTests {
    /// What is wrong with a world at rest.
    private func faults(of world: SyncWorld) -> [String] {
        var faults = world.broken
        let items = world.devices[0].disk
        for (index, device) in world.devices.enumerated() where device.disk != items {
            faults.append("device \(index) has other items than the first")
        }
        let kept = items.values.flatMap(\.contents).reduce(into: Set<Int>()) {
            $0.formUnion(world.marks[$1] ?? [])
        }
        let lost = Set(1...max(1, world.markCount)).subtracting(kept).subtracting(world.discarded)
        if world.markCount > 0, !lost.isEmpty { faults.append("edits \(lost.sorted()) are lost") }
        for (item, state) in items
        where !state.conflicts.isEmpty && world.editors[item]?.count == 1 && !world.hasForgotten {
            faults.append("\(item) is in conflict, and only one device has ever edited it")
        }
        for (item, state) in items where state.place.name.hasPrefix(".") {
            faults.append("\(item) stands aside for ever")
        }
        for item in items.keys where item.high != 1 || item.low > world.itemCount {
            faults.append("nobody has made \(item)")
        }
        let places = items.values.map(\.place)
        if Set(places).count < places.count { faults.append("two items have one name") }
        return faults
    }

    private func run(_ seed: UInt64, deviceCount: Int, steps: Int, bug: PlantedBug? = nil) -> [String] {
        var world = SyncWorld(seed: seed, deviceCount: deviceCount, bug: bug)
        for _ in 0..<steps { world.step() }
        guard world.settle() else {
            return ["it does not come to rest"] + world.broken + world.unrest + world.deeds
        }
        let faults = faults(of: world)
        return faults.isEmpty ? [] : faults + world.deeds
    }

    @Test("Devices and log agree, no edit is lost, and no conflict is made up", arguments: [2, 3, 5])
    func converges(_ deviceCount: Int) {
        let environment = ProcessInfo.processInfo.environment
        let first = environment["SYNC_SEED"].flatMap { UInt64($0) } ?? .random(in: 0 ... .max)
        let count = environment["SYNC_COUNT"].flatMap { UInt64($0) } ?? 60
        for offset in 0..<count {
            let seed = first &+ offset
            let faults = run(seed, deviceCount: deviceCount, steps: 40 + Int(seed % 400))
            #expect(faults.isEmpty, "SYNC_SEED=\(seed) SYNC_COUNT=1, \(deviceCount) devices: \(faults)")
            if !faults.isEmpty { return }
        }
    }

    @Test("Every bug that is planted is found", arguments: PlantedBug.allCases)
    func finds(_ bug: PlantedBug) {
        let first = UInt64.random(in: 0 ... .max)
        let isFound = (0..<400).contains { offset in
            !run(first &+ offset, deviceCount: 3, steps: 200, bug: bug).isEmpty
        }
        #expect(isFound, "none of 400 worlds from seed \(first) shows it")
    }

    @Test("People evict and download, edited items and moved ones among them")
    func evictions() {
        var deeds: [String] = []
        for seed in UInt64(1)...20 {
            var world = SyncWorld(seed: seed, deviceCount: 3)
            for _ in 0..<300 { world.step() }
            deeds += world.deeds
        }
        #expect(deeds.count { $0.contains(": evicts") } >= 20)
        #expect(deeds.count { $0.contains(": downloads") } >= 5)
    }

    @Test("One seed is one story")
    func replays() {
        func deeds() -> [String] {
            var world = SyncWorld(seed: 7, deviceCount: 3)
            for _ in 0..<300 { world.step() }
            return world.deeds + ["\(world.log.entries)"]
        }
        #expect(deeds() == deeds())
    }
}
