internal import Sync

/// Something that goes wrong as soon as a device is in a certain state: what passes within a letter or two is hardly ever met
/// by what goes wrong at any time.
struct Ambush {
    let state: Int
    let fault: Int
    let number: Int

    private static let states = [
        "refused", "loop", "merging", "contents lost", "conflict", "aside", "contents lost", "uniting",
    ]

    var stateName: String { Self.states[state % Self.states.count] }

    /// - Parameters:
    ///   - letter: One that is on its way from or to the device; nil for none.
    ///   - canWrite: Whether the hub has something to write, between which and its answer it can die.
    func deed(on index: Int, letter: Int?, canWrite: Bool) -> Deed? {
        switch fault % 9 {
        case 0: .loseLog(on: index)
        case 1: letter.map { .double(letter: $0) }
        case 2: .goOffline(on: index)
        case 3: .fillDisk(on: index)
        case 4: .kill(on: index)
        case 5: .restoreMemory(on: index)
        case 6: .crashHub(letter: number, hasWritten: false)
        case 7: canWrite ? .crashHub(letter: number, hasWritten: true) : nil
        default: .restoreHub(backup: number)
        }
    }
}

extension SyncWorld {
    /// So many wait at a time; the oldest is given up.
    private static let ambushCountMax = 8

    mutating func lay(_ ambush: Ambush) {
        ambushes.append(ambush)
        if ambushes.count > Self.ambushCountMax { ambushes.removeFirst() }
    }

    /// Has what waits for a state of a device happen, one thing at a time.
    mutating func springAmbush(on index: Int) {
        guard !ambushes.isEmpty else { return }
        let states = Coverage.states(of: devices[index].engine)
        let letter = letters.firstIndex { letter in
            switch letter {
            case .toHub(let other, _), .toDevice(let other, _): other == index
            }
        }
        let canWrite = written(0) != nil
        for (position, ambush) in ambushes.enumerated() where states.contains(ambush.stateName) {
            guard let deed = ambush.deed(on: index, letter: letter, canWrite: canWrite) else { continue }
            ambushes.remove(at: position)
            return apply(deed)
        }
    }
}
