import Foundation
import Testing

@testable import DocumentFoundation

@Suite("NSSortDescriptor by key")
struct SortDescriptorTests {
    private let things = NSArray(array: [
        ["name": "b", "size": 2], ["name": "a", "size": 2], ["name": "c", "size": 1], ["name": "d"],
    ])

    private func names(_ descriptors: NSSortDescriptor...) -> String {
        things.sortedArray(using: descriptors).compactMap { ($0 as? [String: Any])?["name"] as? String }
            .joined()
    }

    @Test("Sorts by one key and then another, either way, what has no value first")
    func keys() {
        #expect(names(NSSortDescriptor(key: "name", ascending: true)) == "abcd")
        #expect(names(NSSortDescriptor(key: "name", ascending: false)) == "dcba")
        let size = NSSortDescriptor(key: "size", ascending: true)
        #expect(names(size, NSSortDescriptor(key: "name", ascending: true)) == "dcab")
        #expect(size.key == "size")
        #expect(NSSortDescriptor(keyPath: \String.count, ascending: true).key == nil)
    }

    @Test("Reversed and copied it sorts by the same key")
    func reversed() throws {
        let name = NSSortDescriptor(key: "name", ascending: true)
        let reversed = try #require(name.reversedSortDescriptor as? NSSortDescriptor)
        #expect(reversed.key == "name")
        #expect(names(reversed) == "dcba")
        #expect((name.copy() as? NSSortDescriptor)?.key == "name")
    }

    @Test("A comparator orders values, and nil sorts the things themselves")
    func comparator() {
        let byLength = NSSortDescriptor(key: nil, ascending: true) { first, second in
            let (first, second) = ((first as? String ?? "").count, (second as? String ?? "").count)
            return first < second ? .orderedAscending : first > second ? .orderedDescending : .orderedSame
        }
        let words = NSArray(array: ["ccc", "a", "bb"])
        #expect(words.sortedArray(using: [byLength]) as? [String] == ["a", "bb", "ccc"])
        let plain = NSSortDescriptor(key: nil, ascending: false)
        #expect(words.sortedArray(using: [plain]) as? [String] == ["ccc", "bb", "a"])
    }

    @Test("Texts, numbers and dates each have their order; things of different kinds have one among them")
    func values() {
        let values: [PredicateValue] = [
            .null, .integer(1), .real(1.5), .integer(2), .string("a"), .string("b"),
            .date(Date(timeIntervalSince1970: 1)), .date(Date(timeIntervalSince1970: 2)),
        ]
        for (place, value) in values.enumerated() {
            for (otherPlace, other) in values.enumerated() {
                let wanted: ComparisonResult =
                    place < otherPlace
                    ? .orderedAscending : place > otherPlace ? .orderedDescending : .orderedSame
                #expect(value.sortOrder(before: other) == wanted, "\(value) \(other)")
            }
        }
    }
}
