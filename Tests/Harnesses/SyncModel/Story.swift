internal import SeededNumbers
internal import Shrinking

/// What happens in one world, from the beginning to rest: it can be told again, and shorter.
package struct Story: Sendable {
    package var deviceCount: Int
    /// In which order letters arrive at the end.
    package var restSeed: UInt64
    /// Of how many items of a hundred, removed or written over, a person is asked; nil for never.
    package var brakePercent: Int?
    package var deeds: [Deed]

    package init(deviceCount: Int, restSeed: UInt64, brakePercent: Int? = nil, deeds: [Deed]) {
        (self.deviceCount, self.restSeed, self.deeds) = (deviceCount, restSeed, deeds)
        self.brakePercent = brakePercent
    }

    /// The story of a seed.
    package init(seed: UInt64, deviceCount: Int, stepCount: Int) {
        var random = SplitMix64(seed: seed)
        var habits = Habits(deviceCount: deviceCount, using: &random)
        self.init(
            deviceCount: deviceCount,
            restSeed: random.next(),
            brakePercent: [nil, nil, 10, 40][random.below(4)],
            deeds: []
        )
        habits.begin(&deeds, using: &random)
        for _ in 0..<stepCount { habits.next(to: &deeds, using: &random) }
    }

    package struct Ending: Sendable {
        package var faults: [String]
        package var told: [String]
        package var trace: TraceHash
        package var coverage: Coverage?
    }

    package func run(bug: PlantedBug? = nil, tells: Bool = false, coverage: Coverage? = nil) -> Ending {
        var world = SyncWorld(
            deviceCount: deviceCount,
            brakePercent: brakePercent,
            bug: bug,
            coverage: coverage
        )
        world.tells = tells
        for deed in deeds { world.apply(deed) }
        world.tell { _ in "all troubles are over" }
        let faults =
            world.settle(seed: restSeed)
            ? world.faults : ["it does not come to rest"] + world.broken + world.unrest
        return Ending(faults: faults, told: world.told, trace: world.trace, coverage: world.coverage)
    }

    /// The shortest story found that goes wrong too: with deeds left out, first many at a time, then each by itself.
    package func shrunk(bug: PlantedBug? = nil) -> Story {
        var story = self
        func goesWrong(_ story: Story) -> Bool { !story.run(bug: bug).faults.isEmpty }
        var isShorter = true
        while isShorter {
            (story.deeds, isShorter) = Shrinking.pass(over: story.deeds) { deeds in
                var shorter = story
                shorter.deeds = deeds
                return goesWrong(shorter)
            }
            for index in story.deeds.indices {
                for simpler in story.deeds[index].simpler {
                    var other = story
                    other.deeds[index] = simpler
                    if goesWrong(other) { story = other; break }
                }
            }
            while story.deviceCount > 2 {
                var other = story
                other.deviceCount -= 1
                guard other.deeds.allSatisfy({ ($0.device ?? 0) < other.deviceCount }), goesWrong(other)
                else { break }
                (story, isShorter) = (other, true)
            }
        }
        return story
    }

    /// The story as a test that can be pasted, with what happens in it as a comment.
    package func test(bug: PlantedBug? = nil) -> String {
        let ending = run(bug: bug, tells: true)
        let lines = ending.told.map { "    // \($0)" } + ending.faults.map { "    // Wrong: \($0)" }
        return """
            @Test("...")
            func shrunk() {
            \(lines.joined(separator: "\n"))
                let story = Story(
                    deviceCount: \(deviceCount),
                    restSeed: \(restSeed),
                    brakePercent: \(brakePercent.map { "\($0)" } ?? "nil"),
                    deeds: [
            \(deeds.map { "            .\($0)," }.joined(separator: "\n"))
                    ]
                )
                #expect(story.run(\(bug.map { "bug: .\($0)" } ?? "")).faults == [])
            }
            """
    }
}

extension Deed {
    /// On which device it happens, if on one.
    var device: Int? {
        switch self {
        case .make(let index, _, _, _), .edit(let index, _), .undo(let index, _), .restoreFolder(let index),
            .move(let index, _, _, _), .remove(let index, _),
            .replace(let index, _, _, _), .settle(let index, _), .loseLog(let index), .decide(let index, _),
            .wantBack(let index), .beginPeriod(let index),
            .evict(let index, _),
            .download(let index, _),
            .pause(let index, _), .resume(let index, _), .offerPaused(let index, _),
            .hear(let index), .work(let index),
            .readLog(let index, _),
            .backUp(let index), .goOffline(let index), .goOnline(let index), .fillDisk(let index),
            .freeDisk(let index), .kill(let index), .restoreMemory(let index):
            index
        // Told with the higher of the two: as many devices have to be there.
        case .cross(let index, let other, _), .bring(let index, let other): max(index, other)
        case .deliver, .lose, .double, .backUpHub, .crashHub, .restoreHub, .ambush: nil
        }
    }

    /// The same with smaller numbers.
    var simpler: [Deed] {
        switch self {
        case .make(let index, let isFolder, let folder, let name) where folder + name > 0:
            [
                .make(on: index, isFolder: isFolder, folder: 0, name: 0),
                .make(on: index, isFolder: isFolder, folder: 0, name: name),
            ]
        case .edit(let index, let item): (0..<min(item, 4)).map { .edit(on: index, item: $0) }
        case .undo(let index, let item): (0..<min(item, 4)).map { .undo(on: index, item: $0) }
        case .move(let index, let item, let folder, let name):
            (0..<min(item, 4)).map { .move(on: index, item: $0, folder: folder, name: name) }
        case .remove(let index, let item): (0..<min(item, 4)).map { .remove(on: index, item: $0) }
        case .replace(let index, let item, let isFolder, let isHeardFirst):
            (0..<min(item, 4)).map {
                .replace(on: index, item: $0, isFolder: isFolder, isHeardFirst: isHeardFirst)
            }
        case .cross(let index, let other, let folder):
            (0..<min(folder, 4)).map { .cross(on: index, and: other, folder: $0) }
        case .settle(let index, let item): (0..<min(item, 4)).map { .settle(on: index, item: $0) }
        case .evict(let index, let item): (0..<min(item, 4)).map { .evict(on: index, item: $0) }
        case .download(let index, let item): (0..<min(item, 4)).map { .download(on: index, item: $0) }
        case .pause(let index, let item): (0..<min(item, 4)).map { .pause(on: index, item: $0) }
        case .resume(let index, let item): (0..<min(item, 4)).map { .resume(on: index, item: $0) }
        case .offerPaused(let index, let item): (0..<min(item, 4)).map { .offerPaused(on: index, item: $0) }
        case .deliver(let letter): (0..<min(letter, 4)).map { .deliver(letter: $0) }
        case .lose(let letter): (0..<min(letter, 4)).map { .lose(letter: $0) }
        case .double(let letter): (0..<min(letter, 4)).map { .double(letter: $0) }
        case .crashHub(let letter, let hasWritten):
            (0..<min(letter, 4)).map { .crashHub(letter: $0, hasWritten: hasWritten) }
        case .restoreHub(let backup): (0..<min(backup, 8)).map { .restoreHub(backup: $0) }
        default: []
        }
    }
}
