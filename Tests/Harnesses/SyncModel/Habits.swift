package import SeededNumbers

/// How often what happens in one world. Drawn from its seed, as a fault at a time shows what many at once hide.
package struct Habits: Sendable {
    private let deviceCount: Int
    /// Whether people are on the first device only: all that they do has to come out as they did it.
    private let isAlone: Bool
    private var people: Int
    private var evictions: Int
    private var pauses: Int
    /// How often people go back: to what an item held, and a tenth as often to a copy of the folder.
    private var returns: Int
    private var losses: Int
    private var doublings: Int
    private var logLosses: Int
    /// How often two put folders into each other.
    private var crossings: Int
    /// How often somebody brings along what another has.
    private var bringings: Int
    /// How often of ten times another device's person does the same to the same item at once.
    private var meetings: Int
    private let ambushCount: Int
    private var troubles: [(weight: Int, trouble: Trouble)]
    private var isOnline: [Bool]
    private var isFull: [Bool]

    private enum Trouble: CaseIterable {
        case line, disk, kill, oldMemory, crash, oldHub
    }

    package init(deviceCount: Int, using random: inout SplitMix64) {
        self.deviceCount = deviceCount
        isAlone = random.below(6) == 0
        people = 1 + random.below(5)
        evictions = [0, 1, 4][random.below(3)]
        pauses = [0, 0, 1, 3][random.below(4)]
        returns = [0, 0, 1, 3][random.below(4)]
        losses = [0, 3, 6, 15][random.below(4)]
        doublings = [0, 3, 6, 15][random.below(4)]
        logLosses = [0, 0, 3, 10][random.below(4)]
        crossings = isAlone ? 0 : [0, 0, 1, 4][random.below(4)]
        bringings = isAlone ? 0 : [0, 0, 1, 3][random.below(4)]
        meetings = isAlone ? 0 : [0, 0, 3, 6][random.below(4)]
        ambushCount = [0, 8][random.below(2)]
        troubles = Trouble.allCases.map { ([0, 0, 1, 3][random.below(4)], $0) }
        isOnline = Array(repeating: true, count: deviceCount)
        isFull = Array(repeating: false, count: deviceCount)
    }

    /// Adds what waits from the beginning, and in some worlds what leads into a state that comes seldom by itself.
    package func begin(_ deeds: inout [Deed], using random: inout SplitMix64) {
        for _ in 0..<ambushCount {
            deeds.append(
                .ambush(state: random.below(64), fault: random.below(72), number: random.below(64))
            )
        }
        guard !isAlone, let opening = [nil, nil, Opening.loop, .refusal][random.below(4)] else { return }
        begin(opening, &deeds, using: &random)
    }

    private enum Opening { case loop, refusal }

    private func begin(_ opening: Opening, _ deeds: inout [Deed], using random: inout SplitMix64) {
        let isFolder = opening == .loop
        for name in 0..<2 { deeds.append(.make(on: 0, isFolder: isFolder, folder: 0, name: name)) }
        carryOn(for: 8, &deeds)
        let fault = random.below(72)
        deeds.append(.ambush(state: isFolder ? 1 : 0, fault: fault, number: random.below(64)))
        switch opening {
        case .loop: deeds.append(.cross(on: 0, and: 1, folder: random.below(2)))
        case .refusal:
            let item = random.below(2)
            deeds += [.edit(on: 0, item: item), .edit(on: 1, item: item)]
        }
        // The second hears of the first one's too late.
        for _ in 0..<6 {
            for _ in 0..<3 { deeds += [.hear(on: 0), .deliver(letter: 0)] }
            deeds += [.loseLog(on: 1), .hear(on: 1)]
        }
    }

    /// Has all that is under way arrive, mostly.
    private func carryOn(for roundCount: Int, _ deeds: inout [Deed]) {
        for _ in 0..<roundCount {
            for index in 0..<deviceCount { deeds += [.hear(on: index), .hear(on: index), .work(on: index)] }
            for _ in 0..<(2 * deviceCount) { deeds.append(.deliver(letter: 0)) }
        }
    }

    /// Adds what happens next.
    package mutating func next(to deeds: inout [Deed], using random: inout SplitMix64) {
        let index = random.below(deviceCount)
        switch random.below(40) {
        case 0..<people:
            let deed = person(on: isAlone ? 0 : index, using: &random)
            deeds.append(deed)
            if random.below(10) < meetings, let same = same(deed, as: index, using: &random) {
                deeds.append(same)
            }
        case people..<12: for _ in 0..<4 { deeds.append(.hear(on: index)) }
        case 12..<20: for _ in 0..<2 { deeds.append(.work(on: index)) }
        case 20..<36: for _ in 0..<4 { deeds.append(letter(to: index, using: &random)) }
        case 36..<38: deeds.append(.readLog(on: index, count: 1 + random.below(9)))
        case 38: deeds.append(preparation(on: index, using: &random))
        default: if let trouble = trouble(on: index, using: &random) { deeds.append(trouble) }
        }
    }

    private func person(on index: Int, using random: inout SplitMix64) -> Deed {
        let (item, folder, name) = (random.below(64), random.below(8), random.below(SyncWorld.names.count))
        let isReturn = random.below(16) < returns
        if isReturn {
            return random.below(10) == 0 ? .restoreFolder(on: index) : .undo(on: index, item: item)
        }
        switch random.below(12 + 2 * evictions + 2 * pauses + crossings + bringings) {
        case 0..<2: return .make(on: index, isFolder: random.below(3) == 0, folder: folder, name: name)
        case 2..<6: return .edit(on: index, item: item)
        case 6..<8: return .move(on: index, item: item, folder: folder, name: name)
        case 8: return .remove(on: index, item: item)
        case 9: return .settle(on: index, item: item)
        case 10:
            let choice = random.below(3)
            return choice == 0 ? .wantBack(on: index) : .decide(on: index, goesOn: choice == 1)
        case 11:
            return .replace(
                on: index,
                item: item,
                isFolder: random.below(2) == 0,
                isHeardFirst: random.below(2) == 0
            )
        case 12..<(12 + 2 * evictions):
            return random.below(3) == 0 ? .download(on: index, item: item) : .evict(on: index, item: item)
        case (12 + 2 * evictions + 2 * pauses + crossings)...:
            return .bring(to: index, from: (index + 1 + random.below(deviceCount - 1)) % deviceCount)
        case (12 + 2 * evictions + 2 * pauses)...:
            let other = (index + 1 + random.below(deviceCount - 1)) % deviceCount
            return .cross(on: index, and: other, folder: item)
        default:
            switch random.below(5) {
            case 0..<2: return .pause(on: index, item: item)
            case 2..<4: return .resume(on: index, item: item)
            default: return .offerPaused(on: index, item: item)
            }
        }
    }

    /// The same on another device: mostly of the same item.
    private func same(_ deed: Deed, as index: Int, using random: inout SplitMix64) -> Deed? {
        let other = (index + 1 + random.below(deviceCount - 1)) % deviceCount
        switch deed {
        case .edit(_, let item): return .edit(on: other, item: item)
        case .move(_, let item, let folder, let name):
            return .move(on: other, item: item, folder: folder + 1, name: name)
        case .make(_, true, let folder, let name):
            return .make(on: other, isFolder: true, folder: folder, name: name)
        default: return nil
        }
    }

    private func letter(to index: Int, using random: inout SplitMix64) -> Deed {
        let letter = random.below(64)
        switch random.below(100) {
        case 0..<losses: return .lose(letter: letter)
        case losses..<(losses + doublings): return .double(letter: letter)
        case (losses + doublings)..<(losses + doublings + logLosses): return .loseLog(on: index)
        default: return .deliver(letter: letter)
        }
    }

    private func preparation(on index: Int, using random: inout SplitMix64) -> Deed {
        switch random.below(4) {
        case 0: .backUpHub
        case 1: .beginPeriod(on: index)
        default: .backUp(on: index)
        }
    }

    private mutating func trouble(on index: Int, using random: inout SplitMix64) -> Deed? {
        var at = random.below(max(1, troubles.reduce(0) { $0 + $1.weight }) + 1)
        for (weight, trouble) in troubles {
            at -= weight
            if at >= 0 { continue }
            switch trouble {
            case .line:
                isOnline[index].toggle()
                return isOnline[index] ? .goOnline(on: index) : .goOffline(on: index)
            case .disk:
                isFull[index].toggle()
                return isFull[index] ? .fillDisk(on: index) : .freeDisk(on: index)
            case .kill: return .kill(on: index)
            case .oldMemory: return .restoreMemory(on: index)
            case .crash: return .crashHub(letter: random.below(64), hasWritten: random.below(2) == 0)
            case .oldHub: return .restoreHub(backup: random.below(64))
            }
        }
        return nil
    }
}
