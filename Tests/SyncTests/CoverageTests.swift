import Sync
import SyncModel
import Testing

/// What a run of worlds says of itself: what has never happened in it.
@Suite("Coverage of faults and states")
struct CoverageTests {
    @Test("A fault that a state has never met is a gap, until it does")
    func gaps() {
        var coverage = Coverage()
        #expect(coverage.gaps.count == Deed.faults.count * Coverage.states.count)
        coverage.note("kill", SyncEngine(device: DeviceID(1), session: 1))
        #expect(!coverage.gaps.contains("kill / at rest"))
        #expect(coverage.gaps.count == Deed.faults.count * Coverage.states.count - 1)
    }

    @Test("What waits for a state comes when a device is in it, and once")
    func ambush() {
        // Two put two folders into each other; the second is killed as soon as it hears of that.
        var deeds: [Deed] = []
        for name in [0, 2] { deeds.append(.make(on: 0, isFolder: true, folder: 0, name: name)) }
        for _ in 0..<8 {
            for index in 0...1 { deeds += [.hear(on: index), .hear(on: index), .work(on: index)] }
            for _ in 0..<4 { deeds.append(.deliver(letter: 0)) }
        }
        deeds += [.ambush(state: 1, fault: 4, number: 0), .cross(on: 0, and: 1, folder: 0)]
        for _ in 0..<6 {
            for _ in 0..<3 { deeds += [.hear(on: 0), .deliver(letter: 0)] }
            deeds.append(.hear(on: 1))
        }
        let ending = Story(deviceCount: 2, restSeed: 1, deeds: deeds).run(tells: true, coverage: Coverage())
        #expect(ending.faults == [])
        #expect(ending.told.filter { $0.contains("killed") }.count == 1, "\(ending.told)")
        #expect(ending.coverage?.meetings["kill"]?["loop"] == 1)
    }

    @Test("A fault that does nothing does not count: of what is lost there has to be something")
    func effects() {
        func count(_ deeds: [Deed]) -> Int? {
            Story(deviceCount: 2, restSeed: 1, deeds: deeds).run(coverage: Coverage()).coverage?.faultCount
        }
        #expect(count([.lose(letter: 0), .double(letter: 0), .loseLog(on: 0)]) == 0)
        #expect(count([.goOffline(on: 0), .goOffline(on: 0), .fillDisk(on: 1), .fillDisk(on: 1)]) == 2)
        #expect(count([.restoreMemory(on: 0), .restoreHub(backup: 0)]) == 0)
        #expect(count([.crashHub(letter: 0, hasWritten: true)]) == 0)
        #expect(count([.crashHub(letter: 0, hasWritten: false), .kill(on: 0)]) == 2)
        let make = Deed.make(on: 0, isFolder: false, folder: 0, name: 0)
        #expect(count([make, .hear(on: 0), .hear(on: 0), .hear(on: 0), .lose(letter: 0)]) == 1)
    }

    @Test("Who goes back to what an item held, or to a copy of the folder, has it everywhere")
    func returns() {
        var deeds: [Deed] = [
            .make(on: 0, isFolder: false, folder: 0, name: 0), .backUp(on: 0), .edit(on: 0, item: 0),
        ]
        func carryOn() {
            for _ in 0..<12 {
                for index in 0...1 { deeds += [.hear(on: index), .hear(on: index), .work(on: index)] }
                for _ in 0..<4 { deeds.append(.deliver(letter: 0)) }
            }
        }
        carryOn()
        deeds += [.make(on: 1, isFolder: false, folder: 0, name: 1), .undo(on: 0, item: 0)]
        carryOn()
        deeds.append(.restoreFolder(on: 0))
        let ending = Story(deviceCount: 2, restSeed: 1, deeds: deeds).run(tells: true)
        #expect(ending.faults == [])
        #expect(ending.told.contains { $0.contains("back to 1") }, "\(ending.told)")
        #expect(ending.told.contains { $0.contains("has its folder put back") })
        #expect(ending.told.last { $0.contains("removes") } != nil, "\(ending.told)")
    }

    @Test("A plan that goes wrong is told in fewer and smaller choices, and as a test")
    func plans() throws {
        let wrong = (UInt64(1)...500).lazy.compactMap { seed -> [Int]? in
            var scene = PlannerScene(seed: seed, bug: .oneSidedMerge)
            scene.run()
            return scene.faults.isEmpty ? nil : scene.choices
        }
        let numbers = try #require(wrong.first)
        let short = PlannerScene.shrunk(numbers, bug: .oneSidedMerge)
        #expect(short.count < numbers.count && short.reduce(0, +) < numbers.reduce(0, +))
        let test = PlannerScene.test(short, bug: .oneSidedMerge)
        #expect(
            test.contains("// Wrong: ")
                && test.contains("PlannerScene(choices: \(short), bug: .oneSidedMerge)")
        )
        var scene = PlannerScene(choices: short)
        scene.run()
        #expect(scene.faults == [])
        // What is played again is the same.
        var (one, two) = (PlannerScene(seed: 7), PlannerScene(seed: 7))
        one.run()
        two = PlannerScene(choices: one.choices)
        two.run()
        #expect(one.trace == two.trace && one.effectCount == two.effectCount)
    }
}
