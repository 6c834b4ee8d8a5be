import SeededNumbers
import Testing

@testable import Sync

@Suite("Sync: items' states")
struct ItemStateTests {
    private struct Parts: Hashable {
        var kind: ItemState.Kind
        var place: ItemPlace
        var content: ContentName?
        var conflicts: Set<ContentName>

        var state: ItemState { ItemState(kind, at: place, content: content, conflicts: conflicts) }
    }

    private static let names = [
        "", "a", "a.txt", "caf\u{E9}", "cafe\u{301}", String(repeating: "long ", count: 60),
    ]

    private func content(_ random: inout SplitMix64) -> ContentName {
        let count = random.below(4) == 0 ? 300 : random.below(6)
        return random.below(2) == 0
            ? ContentName(["", "a", "no digits", "caf\u{E9}"][random.below(4)])
            : ContentName(digitsOf: (0..<count).map { _ in UInt8(random.below(2)) })
    }

    private func parts(_ random: inout SplitMix64) -> Parts {
        Parts(
            kind: random.below(4) == 0 ? .folder : .document,
            place: ItemPlace(ItemID(1, UInt64(random.below(2))), Self.names[random.below(Self.names.count)]),
            content: random.below(3) == 0 ? nil : content(&random),
            conflicts: random.below(3) > 0 ? [] : Set((0..<random.below(4)).map { _ in content(&random) })
        )
    }

    @Test("A state is what it was made of, and equal to what is")
    func parts() {
        var random = seededNumbers(for: "item states")
        var states: [(Parts, ItemState)] = []
        for _ in 0..<200 {
            let parts = parts(&random)
            states.append((parts, parts.state))
        }
        for (parts, state) in states {
            #expect(state.kind == parts.kind && state.place == parts.place)
            #expect(state.parent == parts.place.parent)
            #expect(state.place.name.utf8.elementsEqual(parts.place.name.utf8))
            #expect(state.content == parts.content && state.hasContent == (parts.content != nil))
            #expect(state.conflicts == parts.conflicts && state.hasConflicts == !parts.conflicts.isEmpty)
            var keys: [ContentKey] = []
            state.forEachContentKey { keys.append($0) }
            #expect(Set(keys) == Set(state.contents.map { ContentKey($0) }))
            for (otherParts, other) in states {
                // Not by what is tested here: names that only look alike are two.
                let areSame =
                    parts.kind == otherParts.kind && parts.place.parent == otherParts.place.parent
                    && parts.place.name.utf8.elementsEqual(otherParts.place.name.utf8)
                    && parts.content == otherParts.content && parts.conflicts == otherParts.conflicts
                #expect((state == other) == areSame)
                #expect(state != other || state.hashValue == other.hashValue)
                #expect(state.hasContent(of: other) == (parts.content == otherParts.content))
                #expect(
                    state.hasContents(of: other)
                        == (parts.content == otherParts.content && parts.conflicts == otherParts.conflicts)
                )
                var name = otherParts.place.name
                let isJust = name.withUTF8 { name in
                    (otherParts.content?.packed ?? []).withUnsafeBytes { packed in
                        state.isJust(
                            otherParts.kind,
                            in: otherParts.place.parent,
                            UnsafeRawBufferPointer(name),
                            otherParts.content == nil ? nil : packed
                        )
                    }
                }
                var plain = otherParts
                plain.conflicts = []
                #expect(isJust == (state == plain.state))
            }
        }
    }

    @Test("Places are the same in one folder under the very same bytes only, and have one hash then")
    func places() {
        for one in Self.names {
            for other in Self.names {
                for parent in [ItemID.root, ItemID(1, 1)] {
                    let places = (ItemPlace(.root, one), ItemPlace(parent, other))
                    let areSame = parent == .root && Array(one.utf8) == Array(other.utf8)
                    #expect((places.0 == places.1) == areSame)
                    #expect(!areSame || places.0.hashValue == places.1.hashValue)
                }
            }
        }
        #expect(Set(Self.names.map { ItemPlace(.root, $0) }).count == Self.names.count)
    }

    @Test("What is put into a copy is not in what it was copied from")
    func copies() {
        var random = seededNumbers(for: "copies of item states")
        for _ in 0..<200 {
            let (parts, other) = (parts(&random), parts(&random))
            let state = parts.state
            var (copy, wanted) = (state, parts)
            switch random.below(4) {
            case 0: (copy.place, wanted.place) = (other.place, other.place)
            case 1: (copy.place.name, wanted.place.name) = (other.place.name, other.place.name)
            case 2: (copy.content, wanted.content) = (other.content, other.content)
            default: (copy.conflicts, wanted.conflicts) = (other.conflicts, other.conflicts)
            }
            #expect(copy == wanted.state && state == parts.state)
            copy.share(state)
            #expect(copy == wanted.state)
        }
    }
}
