import SeededNumbers
import Testing

@testable import ChangeSets

@Suite("Changed objects")
struct ChangedObjectsTests {
    /// Counts how often two are compared.
    private final class Comparisons {
        var count = 0
    }

    private struct Key: Hashable {
        let number: Int
        let comparisons: Comparisons

        static func == (left: Key, right: Key) -> Bool {
            left.comparisons.count += 1
            return left.number == right.number
        }

        func hash(into hasher: inout Hasher) { hasher.combine(number) }
    }

    @Test("However many objects are changed, each is compared with few others")
    func comparisons() {
        let (comparisons, count) = (Comparisons(), 5_000)
        var changed = ChangedObjects<Key>()
        for _ in 0..<2 {
            for number in 0..<count {
                changed.note("name", of: Key(number: number, comparisons: comparisons))
            }
        }
        var numbers: [Int] = []
        while let change = changed.takeFirst() { numbers.append(change.object.number) }
        #expect(numbers == Array(0..<count))
        // As a table has it, where a list would take twelve million.
        #expect(comparisons.count < count * 20)
    }

    @Test("Objects come in the order in which they were changed first, with all that was set of them")
    func order() throws {
        for seed in UInt64(1)...300 {
            var numbers = SplitMix64(seed: seed)
            var changed = ChangedObjects<Int>()
            var expected: [(object: Int, properties: [String])] = []
            for _ in 0..<60 {
                let isTaken = numbers.below(4) == 0
                guard isTaken, let change = changed.takeFirst() else {
                    #expect(isTaken ? expected.isEmpty : true, "seed \(seed)")
                    let (object, property) = (numbers.below(6), ["a", "b", "c"][numbers.below(3)])
                    changed.note(property, of: object)
                    let place = expected.firstIndex { $0.object == object }
                    if let place, !expected[place].properties.contains(property) {
                        expected[place].properties.append(property)
                    } else if place == nil {
                        expected.append((object, [property]))
                    }
                    continue
                }
                #expect(change == expected[0], "seed \(seed)")
                if numbers.below(2) == 0 { changed.putBack(change) } else { expected.removeFirst() }
            }
            #expect(changed.isEmpty == expected.isEmpty, "seed \(seed)")
        }
    }

    @Test("What is set of an object while its change is tried comes with that again")
    func setMeanwhile() throws {
        var changed = ChangedObjects<Int>()
        changed.note("a", of: 1)
        changed.note("a", of: 2)
        let taken = changed.takeFirst()
        let first = try #require(taken)
        changed.note("b", of: 1)
        changed.putBack(first)
        let (again, second) = (changed.takeFirst(), changed.takeFirst())
        #expect(again?.object == 1 && again?.properties == ["a", "b"])
        #expect(second?.object == 2 && second?.properties == ["a"])
    }
}
