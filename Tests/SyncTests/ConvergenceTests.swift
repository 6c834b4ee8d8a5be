import Foundation
import SyncModel
import Testing

/// Random people on several devices, a bad network: what holds when all has come to rest.
@Suite("Sync: convergence")
struct ConvergenceTests {
    private var environment: [String: String] { ProcessInfo.processInfo.environment }

    @Test("Devices and log agree, no edit is lost, and no conflict is made up", arguments: [2, 3, 5])
    func converges(_ deviceCount: Int) {
        let first = environment["SYNC_SEED"].flatMap { UInt64($0) } ?? .random(in: 0 ... .max)
        let count = environment["SYNC_COUNT"].flatMap { UInt64($0) } ?? 15
        for offset in 0..<count {
            let seed = first &+ offset
            let story = Story(seed: seed, deviceCount: deviceCount, stepCount: 40 + Int(seed % 400))
            let faults = story.run().faults
            guard !faults.isEmpty else { continue }
            Issue.record("SYNC_SEED=\(seed) SYNC_COUNT=1, \(deviceCount) devices: \(faults)")
            print(story.shrunk().test())
            return
        }
    }

    @Test("One device alone plans what comes to rest, and loses nothing")
    func plans() {
        let first = UInt64.random(in: 0 ... .max)
        for offset in 0..<UInt64(300) {
            var scene = PlannerScene(seed: first &+ offset)
            scene.run()
            #expect(scene.faults == [], "seed \(first &+ offset)")
        }
    }

    @Test("One seed is one story")
    func replays() {
        let story = Story(seed: 7, deviceCount: 3, stepCount: 300)
        #expect(story.run().trace == story.run().trace)
        #expect(story.run().trace != Story(seed: 8, deviceCount: 3, stepCount: 300).run().trace)
    }
}
