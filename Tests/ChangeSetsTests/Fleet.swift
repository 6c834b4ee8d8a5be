import Foundation
import SeededNumbers

@testable import ChangeSets

/// Several devices that edit the same few objects, hear of each other late and in any order, and have clocks that
/// are wrong.
struct Fleet {
    var numbers: SplitMix64
    var replicas: [Replica]
    /// Every change that was ever recorded.
    var all: [ChangeSet] = []
    /// How far each device's wall clock is off.
    private let skews: [UInt64]
    private var milliseconds: UInt64 = 1_790_000_000_000
    let rules: [String: DeletionRule]
    var types = ["Bookmark", "Folder", "Tag"]

    static let allRules: [String: DeletionRule] = ["Folder": .deletionWins, "Tag": .latestWins]

    init(_ count: Int, seed: UInt64, rules: [String: DeletionRule] = Fleet.allRules) {
        var numbers = SplitMix64(seed: seed)
        self.rules = rules
        replicas = (0..<count).map { Replica(device: Fleet.device($0, seed), deletionRules: rules) }
        skews = (0..<count).map { _ in UInt64(numbers.below(10_000_000)) }
        self.numbers = numbers
    }

    /// Ids whose order is not that of the numbers.
    static func device(_ number: Int, _ seed: UInt64 = 0) -> DeviceID {
        var numbers = SplitMix64(seed: seed &+ UInt64(number) &* 77)
        return DeviceID(high: numbers.next(), low: UInt64(number))
    }

    mutating func pick<Element>(_ list: [Element]) -> Element { list[numbers.below(list.count)] }

    func now(_ device: Int) -> UInt64 { milliseconds + skews[device] }

    mutating func pass(milliseconds more: UInt64) { milliseconds += more }

    /// One random edit of one device.
    mutating func edit(_ device: Int) throws {
        milliseconds += UInt64(numbers.below(3))
        let (type, id) = (pick(types), "\(numbers.below(4))")
        let isThere = replicas[device].contains(type, id)
        let action: ChangeSet.Action =
            !isThere ? .add : pick([.modify, .modify, .modify, .modify, .delete, .add])
        var changes = action == .delete ? [] : (0...numbers.below(2)).map { _ in change() }
        if action != .delete, numbers.below(3) == 0, let edit = writing(device, action, type, id) {
            changes.append(PropertyChange("notes", edit))
        }
        all.append(try replicas[device].record(action, type, id, changes, at: now(device)))
    }

    /// A word put into a text, or some of it taken away.
    private mutating func writing(
        _ device: Int,
        _ action: ChangeSet.Action,
        _ type: String,
        _ id: String
    ) -> PropertyChange.Edit? {
        var text: [Character] = []
        if action == .modify, case .text(let old) = replicas[device].value(of: "notes", type, id) {
            text = Array(old)
        }
        let place = numbers.below(text.count + 1)
        let end = min(text.count, place + numbers.below(3))
        text.replaceSubrange(place..<end, with: Array(pick(["sea", "é", "🌊!", ""])))
        return action == .add
            ? Replica.splice(of: String(text))
            : replicas[device].splice(of: "notes", type, id, to: String(text))
    }

    private mutating func change() -> PropertyChange {
        switch numbers.below(4) {
        case 0: PropertyChange("count", .increment(Int64(numbers.below(9)) - 4))
        case 1: PropertyChange("tags", .insert(.text(pick(["a", "b", "c"]))))
        case 2: PropertyChange("tags", .remove(.text(pick(["a", "b", "c"]))))
        default: PropertyChange(pick(["name", "url"]), .set(.integer(Int64(numbers.below(50)))))
        }
    }

    /// A device hears of some changes of another, by chance some that rest on others that it has not heard of.
    mutating func hear(_ listener: Int, from speaker: Int) throws {
        guard var changes = replicas[speaker].changeSets(since: replicas[listener].vector) else {
            return try replicas[listener].merge(state: replicas[speaker].encodedState())
        }
        if numbers.below(3) == 0 { changes.shuffle(using: &numbers) }
        changes.removeLast(changes.isEmpty ? 0 : numbers.below(changes.count))
        try replicas[listener].apply(changes)
    }

    /// All hear all, in random order.
    mutating func settle() throws {
        for _ in 0..<2 {
            for listener in replicas.indices.shuffled(using: &numbers) {
                for speaker in replicas.indices.shuffled(using: &numbers) where speaker != listener {
                    if let batch = replicas[speaker].encodedChanges(since: replicas[listener].vector) {
                        try replicas[listener].apply(batch)
                    } else {
                        try replicas[listener].merge(state: replicas[speaker].encodedState())
                    }
                }
            }
        }
    }

    mutating func run(steps: Int) throws {
        for _ in 0..<steps {
            let device = numbers.below(replicas.count)
            if numbers.below(3) > 0 {
                try edit(device)
            } else {
                let speaker = numbers.below(replicas.count)
                if speaker != device { try hear(device, from: speaker) }
            }
        }
    }
}

extension Replica {
    /// The state's bytes as they are when all have heard that all have seen all.
    var dataBytes: [UInt8] {
        var contents = contents
        for device in contents.matrix.devices.indices {
            contents.matrix.noteAllSeen(by: device)
            contents.matrix.noteHeard(device, HybridTime.bitsMax)
        }
        var encoder = StateEncoder(contents)
        return encoder.encode()
    }

    /// The data as others see it, for comparison.
    var picture: [String: [String: ChangeValue]] {
        var picture: [String: [String: ChangeValue]] = [:]
        for type in ["Bookmark", "Folder", "Tag"] {
            forEachObject(ofType: type) { picture["\(type) \($0)"] = $1 }
        }
        return picture
    }
}
