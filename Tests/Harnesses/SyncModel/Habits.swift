package import SeededNumbers

/// How often what happens in one world. Drawn from its seed, as a fault at a time shows what many at once hide.
package struct Habits: Sendable {
    private let deviceCount: Int
    /// Whether people are on the first device only: all that they do has to come out as they did it.
    private let isAlone: Bool
    private var people: Int
    private var evictions: Int
    private var pauses: Int
    private var losses: Int
    private var doublings: Int
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
        losses = [0, 3, 6, 15][random.below(4)]
        doublings = [0, 3, 6, 15][random.below(4)]
        troubles = Trouble.allCases.map { ([0, 0, 1, 3][random.below(4)], $0) }
        isOnline = Array(repeating: true, count: deviceCount)
        isFull = Array(repeating: false, count: deviceCount)
    }

    /// Adds what happens next.
    package mutating func next(to deeds: inout [Deed], using random: inout SplitMix64) {
        let index = random.below(deviceCount)
        switch random.below(40) {
        case 0..<people: deeds.append(person(on: isAlone ? 0 : index, using: &random))
        case people..<12: for _ in 0..<4 { deeds.append(.hear(on: index)) }
        case 12..<20: for _ in 0..<2 { deeds.append(.work(on: index)) }
        case 20..<36: for _ in 0..<4 { deeds.append(letter(using: &random)) }
        case 36..<38: deeds.append(.readLog(on: index, count: 1 + random.below(9)))
        case 38: deeds.append(preparation(on: index, using: &random))
        default: if let trouble = trouble(on: index, using: &random) { deeds.append(trouble) }
        }
    }

    private func person(on index: Int, using random: inout SplitMix64) -> Deed {
        let (item, folder, name) = (random.below(64), random.below(8), random.below(3))
        switch random.below(12 + 2 * evictions + 2 * pauses) {
        case 0..<2: return .make(on: index, isFolder: random.below(3) == 0, folder: folder, name: name)
        case 2..<6: return .edit(on: index, item: item)
        case 6..<8: return .move(on: index, item: item, folder: folder, name: name)
        case 8: return .remove(on: index, item: item)
        case 9: return .settle(on: index, item: item)
        case 10: return .decide(on: index, goesOn: random.below(2) == 0)
        case 11:
            return .replace(
                on: index,
                item: item,
                isFolder: random.below(2) == 0,
                isHeardFirst: random.below(2) == 0
            )
        case 12..<(12 + 2 * evictions):
            return random.below(3) == 0 ? .download(on: index, item: item) : .evict(on: index, item: item)
        default:
            switch random.below(5) {
            case 0..<2: return .pause(on: index, item: item)
            case 2..<4: return .resume(on: index, item: item)
            default: return .offerPaused(on: index, item: item)
            }
        }
    }

    private func letter(using random: inout SplitMix64) -> Deed {
        let letter = random.below(64)
        switch random.below(100) {
        case 0..<losses: return .lose(letter: letter)
        case losses..<(losses + doublings): return .double(letter: letter)
        default: return .deliver(letter: letter)
        }
    }

    private func preparation(on index: Int, using random: inout SplitMix64) -> Deed {
        random.below(3) == 0 ? .backUpHub : .backUp(on: index)
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
