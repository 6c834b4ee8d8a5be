internal import Shrinking

/// Many worlds by seed, until one goes wrong.
package struct ModelRun: Sendable {
    package private(set) var worldCount = 0
    package private(set) var eventCount = 0
    package private(set) var grantCount = 0
    package private(set) var cycleCount = 0
    /// What went wrong: the seed, the complaint, and the shortest program found that goes wrong.
    package private(set) var failure: String?

    package static let stepsPerWorld = 250

    package init() {}

    /// Tries the worlds of consecutive seeds until so many events have happened.
    package mutating func run(from seed: UInt64, eventCount wanted: Int) {
        var seed = seed
        repeat {
            runWorld(seed)
            seed += 1
        } while failure == nil && eventCount < wanted
    }

    /// Tries the world of one seed.
    package mutating func runWorld(_ seed: UInt64) {
        let program = Step.program(seed: seed, count: Self.stepsPerWorld)
        var world = World()
        world.run(program)
        worldCount += 1
        eventCount += world.eventCount
        grantCount += world.grantCount
        cycleCount += world.cycleCount
        guard world.complaint != nil else { return }
        let short = Self.shortened(program)
        var retold = World(Story(isWritten: true))
        retold.run(short)
        failure = """
            COORDINATION_SEED=\(seed): \(world.complaint ?? "")
            \(short.count) of its \(program.count) steps go wrong too:
            \(retold.story.lines.joined(separator: "\n"))
            \(retold.complaint ?? "but not when told")
            """
    }

    /// Leaves out steps, ever fewer at once, as long as something still goes wrong.
    static func shortened(_ program: [Step]) -> [Step] {
        Shrinking.pass(over: program) { fewer in
            var world = World()
            world.run(fewer)
            return world.complaint != nil
        }
        .elements
    }
}
