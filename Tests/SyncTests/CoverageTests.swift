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
}
