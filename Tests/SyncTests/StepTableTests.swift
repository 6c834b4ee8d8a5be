import SeededNumbers
import Testing

@testable import Sync

/// What is being done is found by what it is about as if all of it were gone through.
@Suite("Sync: steps by what they are about")
struct StepTableTests {
    private typealias Step = SyncEngine.Step

    private static let items = (1...6).map { ItemID(1, UInt64($0)) }
    // Two of the names look alike.
    private static let places = ["a", "caf\u{E9}", "cafe\u{301}"].flatMap { name in
        [ItemPlace(.root, name), ItemPlace(items[0], name)]
    }

    private static func id(_ number: Int) -> Commit.ID { Commit.ID(DeviceID(1), session: 1, UInt64(number)) }

    private static func step(_ item: ItemID, _ random: inout SplitMix64) -> Step? {
        let place = places[random.below(places.count)]
        let state = ItemState(.document, at: place, content: ContentName("\(random.below(3))"))
        switch random.below(5) {
        case 0: return .place(state, agreedAs: nil)
        case 1: return .place(nil, agreedAs: nil)
        case 2: return .commit(Commit(id(random.below(8)), item, on: 0, state))
        case 3: return .merge
        default: return nil
        }
    }

    /// The items with a step that puts something at a place.
    private static func arriving(_ place: ItemPlace, in steps: StepTable) -> [ItemID] {
        steps.all.keys.filter {
            if case .place(let state?, _) = steps[$0] { state.place == place } else { false }
        }
    }

    /// The commits of a name.
    private static func commits(_ id: Commit.ID, in steps: StepTable) -> [Commit] {
        steps.all.values.compactMap {
            if case .commit(let commit) = $0, commit.id == id { commit } else { nil }
        }
    }

    @Test("Places and commits are found, whenever somebody asks for them first")
    func found() {
        var random = seededNumbers(for: "steps")
        for _ in 0..<300 {
            var steps = StepTable()
            let askedFrom = random.below(20)
            for number in 0..<40 {
                let item = Self.items[random.below(Self.items.count)]
                let step = Self.step(item, &random)
                // No two items have a commit of one name.
                if case .commit(let commit) = step,
                    Self.commits(commit.id, in: steps).contains(where: { $0.item != item })
                {
                    continue
                }
                steps[item] = random.below(10) == 0 ? steps[item] : step
                guard number >= askedFrom else { continue }
                for place in Self.places {
                    #expect(steps.isAwaited(place) == !Self.arriving(place, in: steps).isEmpty)
                }
                for number in 0..<8 {
                    #expect(steps.commit(Self.id(number)) == Self.commits(Self.id(number), in: steps).first)
                }
            }
            for item in Self.items { steps[item] = nil }
            #expect(steps.all.isEmpty && Self.places.allSatisfy { !steps.isAwaited($0) })
        }
    }
}
