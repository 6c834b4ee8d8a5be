/// How often what happens in one story. Drawn from its seed, as a fault at a time shows what many at once hide.
struct StoryHabits: Sendable {
    private let deviceCount: Int
    private let evictions: Int
    private let openings: Int
    private let troubles: [(weight: Int, trouble: Trouble)]
    /// Of ten deeds so many are followed by another device's of the same to the same item.
    private let meetings: Int
    private let rests: Int
    /// In how many of ten moments that are meant for it all troubles end.
    private let ends: Int
    /// The only device on which anybody does anything; nil for all of them.
    private let onlyActor: Int?

    private enum Trouble: CaseIterable {
        case line, messages, full, broken, clock, stop, kill, power, hub, hubCrash, backup, crash, release,
            hubRoom
    }

    init(deviceCount: Int, using numbers: inout SeededGenerator) {
        self.deviceCount = deviceCount
        evictions = [0, 0, 1, 3][Int.random(in: 0..<4, using: &numbers)]
        openings = [0, 1, 3][Int.random(in: 0..<3, using: &numbers)]
        onlyActor =
            Int.random(in: 0..<8, using: &numbers) == 0
            ? Int.random(in: 0..<deviceCount, using: &numbers) : nil
        meetings =
            deviceCount > 1 && onlyActor == nil ? [0, 2, 5][Int.random(in: 0..<3, using: &numbers)] : 0
        rests = [0, 1, 3][Int.random(in: 0..<3, using: &numbers)]
        ends = [0, 3, 6][Int.random(in: 0..<3, using: &numbers)]
        troubles = Trouble.allCases.map { ([0, 0, 1, 3][Int.random(in: 0..<4, using: &numbers)], $0) }
    }

    /// Adds what happens next.
    func next(to deeds: inout [WorldDeed], using numbers: inout SeededGenerator) {
        let index = Int.random(in: 0..<deviceCount, using: &numbers)
        switch Int.random(in: 0..<20, using: &numbers) {
        case 0..<3: deeds.append(.pass(milliseconds: 1 << Int.random(in: 0..<6, using: &numbers)))
        case 3..<(3 + rests): deeds.append(.rest)
        case 6..<10: if let trouble = trouble(on: index, using: &numbers) { deeds.append(trouble) }
        case 10 where Int.random(in: 0..<10, using: &numbers) < ends: deeds.append(.endTroubles)
        default:
            let deed = person(on: onlyActor ?? index, using: &numbers)
            deeds.append(deed)
            if Int.random(in: 0..<10, using: &numbers) < meetings,
                let same = same(deed, as: index, using: &numbers)
            {
                deeds.append(same)
            }
        }
    }

    private func person(on index: Int, using numbers: inout SeededGenerator) -> WorldDeed {
        let item = Int.random(in: 0..<64, using: &numbers)
        let folder = Int.random(in: 0..<8, using: &numbers)
        let name = Int.random(in: 0..<8, using: &numbers)
        switch Int.random(in: 0..<(15 + openings + 2 * evictions), using: &numbers) {
        case 0..<3: return .make(on: index, kind: item, folder: folder, name: name)
        case 3: return .makeFolder(on: index, folder: folder, name: name)
        case 4..<9: return .edit(on: index, item: item)
        case 9..<12: return .move(on: index, item: item, folder: folder, name: name)
        case 12: return .remove(on: index, item: item)
        case 13: return .settle(on: index, item: item)
        case 14:
            let isSo = Int.random(in: 0..<3, using: &numbers) > 0
            return .makeExecutable(on: index, item: item, isSo: isSo)
        case 15..<(15 + openings):
            return switch Int.random(in: 0..<4, using: &numbers) {
            case 0: .close(on: index, document: item)
            case 1: .type(on: index, document: item)
            default: .open(on: index, item: item)
            }
        default:
            return Int.random(in: 0..<3, using: &numbers) == 0
                ? .download(on: index, item: item) : .evict(on: index, item: item)
        }
    }

    /// The same on another device: mostly of the same item.
    private func same(
        _ deed: WorldDeed,
        as index: Int,
        using numbers: inout SeededGenerator
    ) -> WorldDeed? {
        let other = (index + Int.random(in: 1..<max(2, deviceCount), using: &numbers)) % deviceCount
        switch deed {
        case .make(_, let kind, let folder, let name):
            return .make(on: other, kind: kind, folder: folder, name: name)
        case .edit(_, let item): return .edit(on: other, item: item)
        case .move(_, let item, let folder, let name):
            return .move(on: other, item: item, folder: folder + 1, name: name)
        case .remove(_, let item): return .edit(on: other, item: item)
        default: return nil
        }
    }

    private func trouble(on index: Int, using numbers: inout SeededGenerator) -> WorldDeed? {
        let sum = troubles.reduce(0) { $0 + $1.weight }
        guard sum > 0 else { return nil }
        var at = Int.random(in: 0..<sum, using: &numbers)
        let isBad = Int.random(in: 0..<5, using: &numbers) < 2
        let number = Int.random(in: -10...10, using: &numbers)
        for (weight, trouble) in troubles {
            at -= weight
            if at >= 0 { continue }
            switch trouble {
            case .line: return isBad ? .goOffline(on: index) : .goOnline(on: index)
            case .messages: return isBad ? .disturbLine(on: index) : .calmLine(on: index)
            case .full: return isBad ? .fillDisk(on: index) : .freeDisk(on: index)
            case .broken: return isBad ? .breakDisk(on: index, reading: number < 0) : .mendDisk(on: index)
            case .clock: return .setClock(on: index, years: number)
            case .stop: return isBad ? .stop(on: index) : .start(on: index)
            case .kill: return .kill(on: index)
            case .power: return .cutPower(on: index)
            case .hub: return isBad ? .restoreHub : .backUpHub
            case .hubCrash:
                // An edit is some two writes: few of them, and it dies in the midst of one.
                return isBad ? .crashHub(afterWrites: abs(number) / 2, isLastAnswered: number < 0) : .startHub
            case .crash:
                // An edit is some dozens of writes.
                let count = Int.random(in: 0..<(1 << Int.random(in: 0..<8, using: &numbers)), using: &numbers)
                return isBad ? .crash(on: index, afterWrites: count) : .start(on: index)
            case .release: return .deleteReleased
            case .hubRoom: return isBad ? .fillHub : .freeHub
            case .backup: return isBad ? .restore(on: index) : .backUp(on: index)
            }
        }
        return nil
    }
}
