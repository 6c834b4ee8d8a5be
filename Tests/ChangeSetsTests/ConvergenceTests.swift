import SeededNumbers
import Testing

@testable import ChangeSets

@Suite("Replicas")
struct ConvergenceTests {
    @Test("Replicas that heard of the same changes in any order hold what the changes alone say")
    func oracle() throws {
        for seed in UInt64(1)...24 {
            var fleet = Fleet(2 + Int(seed % 3), seed: seed)
            try fleet.run(steps: 60)
            try fleet.settle()
            let expected = ChangeOracle(fleet.all, fleet.rules).picture
            for replica in fleet.replicas {
                #expect(replica.picture == expected, "seed \(seed)")
                #expect(replica.waitingCount == 0, "seed \(seed)")
                #expect(replica.dataBytes == fleet.replicas[0].dataBytes, "seed \(seed)")
                #expect(replica.conflicts == fleet.replicas[0].conflicts, "seed \(seed)")
            }
        }
    }

    @Test("No value disappears: what no edit has replaced that knew of it counts, or is among the conflicts")
    func nothingDisappears() throws {
        for seed in UInt64(100)...115 {
            var fleet = Fleet(3, seed: seed)
            try fleet.run(steps: 50)
            try fleet.settle()
            let replica = fleet.replicas[0]
            var found: [String: Set<ChangeValue>] = [:]
            for (object, properties) in replica.picture {
                for case (let property, let value) in properties where ["name", "url"].contains(property) {
                    found["\(object) \(property)", default: []].insert(value)
                }
            }
            for conflict in replica.conflicts {
                guard case .values(let property, let sides) = conflict.kind else { continue }
                let place = "\(conflict.objectType) \(conflict.objectID) \(property)"
                found[place, default: []].formUnion(sides.map(\.value))
                #expect(
                    sides.last?.value == replica.value(of: property, conflict.objectType, conflict.objectID)
                )
            }
            #expect(found == ChangeOracle(fleet.all, fleet.rules).survivors, "seed \(seed)")
        }
    }

    @Test("Merging states is symmetric, idempotent and associative, to the byte")
    func states() throws {
        for seed in UInt64(200)...215 {
            var fleet = Fleet(3, seed: seed)
            try fleet.run(steps: 60)
            let states = fleet.replicas.map { $0.encodedState() }
            let (first, second, third) = (states[0], states[1], states[2])
            let both = try Replica.mergedState(first, second)
            #expect(try both == Replica.mergedState(second, first), "seed \(seed)")
            #expect(try Replica.mergedState(first, first) == first, "seed \(seed)")
            #expect(try Replica.mergedState(both, second) == both, "seed \(seed)")
            let left = try Replica.mergedState(both, third)
            let right = try Replica.mergedState(first, Replica.mergedState(second, third))
            #expect(left == right, "seed \(seed)")
            let merged = try Replica(state: left, device: Fleet.device(9), deletionRules: fleet.rules)
            try fleet.settle()
            #expect(merged.picture == fleet.replicas[0].picture, "seed \(seed)")
            #expect(merged.conflicts == fleet.replicas[0].conflicts, "seed \(seed)")
        }
    }

    @Test("Logs are compacted, devices evicted and welcomed back, and all agree in the end")
    func compaction() throws {
        var evictedCount = 0
        for seed in UInt64(300)...318 {
            var fleet = Fleet(3, seed: seed)
            for _ in 0..<6 {
                try fleet.run(steps: 15)
                let device = fleet.numbers.below(3)
                fleet.pass(milliseconds: UInt64(fleet.numbers.below(4)) * 86_400_000)
                fleet.replicas[device].compact(at: fleet.now(device))
                let other = (device + 1) % 3
                let vector = fleet.replicas[other].vector
                if fleet.replicas[device].encodedChanges(since: vector) == nil { evictedCount += 1 }
            }
            try fleet.settle()
            let expected = ChangeOracle(fleet.all, fleet.rules).picture
            for replica in fleet.replicas {
                #expect(replica.picture == expected, "seed \(seed)")
                #expect(replica.dataBytes == fleet.replicas[0].dataBytes, "seed \(seed)")
            }
        }
        #expect(evictedCount > 0)
    }

    @Test("A copy that is loaded from its state goes on as the one that wrote it")
    func reloading() throws {
        for seed in UInt64(400)...410 {
            var fleet = Fleet(3, seed: seed)
            for _ in 0..<5 {
                try fleet.run(steps: 12)
                let device = fleet.numbers.below(3)
                let before = fleet.replicas[device]
                fleet.replicas[device] = try Replica(
                    state: before.encodedState(),
                    device: before.device,
                    deletionRules: fleet.rules
                )
                #expect(fleet.replicas[device].encodedState() == before.encodedState())
            }
            try fleet.settle()
            let expected = ChangeOracle(fleet.all, fleet.rules).picture
            for replica in fleet.replicas { #expect(replica.picture == expected, "seed \(seed)") }
        }
    }
}
