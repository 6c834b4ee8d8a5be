import Foundation
import SeededNumbers
import Testing

@testable import Merging

/// Lists whose elements carry no identity.
@Suite("Merging lists by order")
struct ListMergeTests {
    private let merger = JSONMerger()

    @Test("Where elements came and went beside an edited one, it is a conflict: no edit goes to a neighbour")
    func shifted() throws {
        let merged = lawfulMerge(
            merger,
            "[{\"t\":\"a\",\"d\":false},{\"t\":\"b\",\"d\":false}]",
            "[{\"t\":\"b\",\"d\":false},{\"t\":\"c\",\"d\":false}]",
            "[{\"t\":\"a\",\"d\":false},{\"t\":\"b\",\"d\":true}]"
        )
        #expect(!merged.text.contains("\"c\",\"d\":true"))
        let conflict = try #require(merged.conflicts.first)
        #expect(merged.conflicts.count == 1)
        #expect(conflict.place == [.index(0)])
        #expect(conflict.mine?.text == "{\"t\":\"b\",\"d\":false},{\"t\":\"c\",\"d\":false}")
        #expect(conflict.theirs?.text == "{\"t\":\"a\",\"d\":false},{\"t\":\"b\",\"d\":true}")
    }

    @Test("One edited, another put in its place: that is a conflict at this element")
    func replaced() {
        let merged = lawfulMerge(
            merger,
            "[{\"t\":\"a\",\"d\":0},{\"t\":\"b\",\"d\":0}]",
            "[{\"t\":\"b\",\"d\":1},{\"t\":\"c\",\"d\":0}]",
            "[{\"t\":\"a\",\"d\":0},{\"t\":\"b\",\"d\":2}]"
        )
        #expect(merged.conflicts.map(\.place) == [[.index(1)]])
        #expect(!merged.text.contains("\"c\",\"d\":2"))
    }

    @Test("An element that both edited, and both left at its place, has both edits")
    func edited() {
        let merged = lawfulMerge(
            merger,
            "[{\"t\":\"a\",\"d\":0},{\"t\":\"b\",\"d\":0}]",
            "[{\"t\":\"a\",\"d\":0},{\"t\":\"b\",\"d\":1}]",
            "[{\"t\":\"a\",\"d\":0},{\"t\":\"b\",\"d\":0,\"x\":5}]"
        )
        #expect(merged.text == "[{\"t\":\"a\",\"d\":0},{\"t\":\"b\",\"d\":1,\"x\":5}]")
        #expect(merged.conflicts.isEmpty)
    }

    @Test("Of numbers side by side nobody makes what neither has written")
    func numbersSideBySide() throws {
        let date = lawfulMerge(merger, "[2026,1,31]", "[2026,2,31]", "[2026,1,30]")
        #expect(date.text == "[2026,2,31]")
        let conflict = try #require(date.conflicts.first)
        #expect(date.conflicts.count == 1 && conflict.place == [.index(1)])
        #expect(
            [conflict.base, conflict.mine, conflict.theirs].map { $0?.text } == ["1,31", "2,31", "1,30"]
        )
        let place = "{\"at\":[-1.5, 2e3]}"
        let moved = (
            place.replacingOccurrences(of: "-1.5", with: "-1.75"),
            place.replacingOccurrences(of: "2e3", with: "0")
        )
        #expect(
            lawfulMerge(merger, place, moved.0, moved.1).conflicts.map(\.place) == [[.key("at"), .index(0)]]
        )
        // What one has changed altogether, and the other in part alike, is as that one has it.
        let alike = lawfulMerge(merger, "[2026,1,31]", "[2026,2,28]", "[2026,2,31]")
        #expect(alike.text == "[2026,2,28]" && alike.conflicts.isEmpty)
        // Texts and flags are each for itself, and so are numbers apart.
        let texts = lawfulMerge(merger, "[\"a\",false,\"1\"]", "[\"b\",false,\"1\"]", "[\"a\",true,\"2\"]")
        #expect(texts.text == "[\"b\",true,\"2\"]" && texts.conflicts.isEmpty)
        #expect(lawfulMerge(merger, "[1,0,1]", "[2,0,1]", "[1,0,2]").text == "[2,0,2]")
    }

    /// An element that only the test knows again; `o` is no key that the merger takes for an identity.
    private struct Item {
        var origin: Int
        var fields = [0, 0]

        var json: String { "{\"o\":\(origin),\"a\":\(fields[0]),\"b\":\(fields[1])}" }
    }

    /// Items edited, put in, taken away. Every edit writes a number of its own, and notes whose it is.
    private static func edited(
        _ base: [Item],
        _ first: Int,
        _ owners: inout [Int: Int],
        _ numbers: inout SplitMix64
    ) -> [Item] {
        var items = base
        for edit in first..<first + 1 + numbers.below(3) {
            let place = numbers.below(items.count + 1)
            switch numbers.below(4) {
            case 0 where place < items.count: items.remove(at: place)
            case 1 where place < items.count, 2 where place < items.count:
                items[place].fields[numbers.below(2)] = edit
                owners[edit] = items[place].origin
            default: items.insert(Item(origin: edit), at: place)
            }
        }
        return items
    }

    private static func json(_ items: [Item]) -> String {
        "[" + items.map(\.json).joined(separator: ",") + "]"
    }

    @Test("Without a conflict every edit is in the element that it was made to, and all edits are there")
    func origins() throws {
        var quietCount = 0
        for seed in UInt64(1)...400 {
            var numbers = SplitMix64(seed: seed)
            let base = (0..<3 + numbers.below(8)).map { Item(origin: $0) }
            var owners: [Int: Int] = [:]
            let mine = Self.edited(base, 100_000, &owners, &numbers)
            let theirs = Self.edited(base, 200_000, &owners, &numbers)
            let merged = lawfulMerge(
                merger,
                Self.json(base),
                Self.json(mine),
                Self.json(theirs),
                "seed \(seed)"
            )
            let told =
                merged.text
                + merged.conflicts.map { ($0.mine?.text ?? "") + ($0.theirs?.text ?? "") }.joined()
            for number in (mine + theirs).flatMap({ [$0.origin] + $0.fields }) where number >= 100_000 {
                #expect(told.contains("\(number)"), "seed \(seed): \(number)")
            }
            guard merged.conflicts.isEmpty else { continue }
            quietCount += 1
            let items = try JSONDecoder().decode([[String: Int]].self, from: Data(merged.text.utf8))
            let origins = items.compactMap { $0["o"] }
            #expect(Set(origins).count == items.count, "seed \(seed): \(merged.text)")
            for item in items {
                for value in [item["a"], item["b"]].compactMap({ $0 }) where value > 0 {
                    #expect(owners[value] == item["o"], "seed \(seed): \(merged.text)")
                }
            }
            let kept = Set(mine.map(\.origin)).intersection(theirs.map(\.origin))
            for origin in origins where origin < base.count {
                #expect(kept.contains(origin), "seed \(seed): \(origin) was taken away")
            }
        }
        #expect(quietCount > 40)
    }

    @Test("An element that both moved is there once, where the standing side has it, and is told")
    func movedTwice() throws {
        let merged = lawfulMerge(merger, "[1,2,3,4]", "[2,3,1,4]", "[2,3,4,1]")
        #expect(merged.text == "[2,3,4,1]")
        let conflict = try #require(merged.conflicts.first)
        #expect(merged.conflicts.count == 1)
        #expect(conflict.place == [.index(0)])
        #expect([conflict.base, conflict.mine, conflict.theirs].map { $0?.text } == ["1", "1", "1"])
        #expect(conflict.theirs?.range == 7..<8)
        #expect(conflict.standing == .theirs)
    }

    @Test("Elements that both moved together are one conflict")
    func blockMovedTwice() {
        let merged = lawfulMerge(
            merger,
            "[1,2,3,4,5,6,7,8]",
            "[3,4,5,1,2,6,7,8]",
            "[3,4,5,6,7,8,1,2]"
        )
        #expect(merged.text == "[3,4,5,6,7,8,1,2]")
        #expect(merged.conflicts.map { $0.mine?.text } == ["1,2"])
    }

    @Test("An element that one side moved and the other took away stays where it was moved to, and is told")
    func movedAndDeleted() throws {
        let merged = lawfulMerge(merger, "[1,2,3,4]", "[2,3,4,1]", "[2,3,4]")
        #expect(merged.text == "[2,3,4,1]")
        let conflict = try #require(merged.conflicts.first)
        #expect(merged.conflicts.count == 1 && conflict.place == [.index(0)] && conflict.standing == .mine)
        #expect([conflict.base, conflict.mine, conflict.theirs].map { $0?.text } == ["1", "1", nil])
        #expect(conflict.mine?.range == 7..<8)
        let keyed = lawfulMerge(merger, "{\"a\":[1,2,3,4]}", "{\"a\":[2,3,4]}", "{\"a\":[2,4,3,1]}")
        #expect(keyed.conflicts.map(\.place) == [[.key("a"), .index(0)]])
    }

    @Test(
        "An element that one side moved and the other moved and edited is a conflict: nobody has it twice unasked"
    )
    func movedAndMovedEdited() {
        let items = { (names: [String]) in
            "[" + names.map { "{\"n\":\"\($0.prefix(1))\",\"d\":\($0.count)}" }.joined(separator: ",") + "]"
        }
        let merged = lawfulMerge(
            merger,
            items(["P", "Q", "R"]),
            items(["Q", "P", "R"]),
            items(["Q", "R", "P'"])
        )
        #expect(merged.text == items(["Q", "P", "R", "P'"]))
        #expect(merged.conflicts.map(\.place) == [[.index(0)]])
        #expect(merged.conflicts.first?.theirs == nil)
    }

    @Test(
        "Without a conflict each element is there once, and none that a side took away, however both moved them"
    )
    func movesAndDeletions() throws {
        var (quietCount, toldCount) = (0, 0)
        for seed in UInt64(1)...1_500 {
            var numbers = SplitMix64(seed: seed)
            let base = Array(0..<3 + numbers.below(9))
            let sides = [100, 200].map { Self.rearranged(base, $0, &numbers) }
            let merged = lawfulMerge(
                merger,
                "\(base)",
                "\(sides[0])",
                "\(sides[1])",
                "seed \(seed)"
            )
            guard merged.conflicts.isEmpty else {
                toldCount += 1
                continue
            }
            quietCount += 1
            let elements = try JSONDecoder().decode([Int].self, from: Data(merged.text.utf8))
            let kept = base.filter { sides[0].contains($0) && sides[1].contains($0) }
            let added = sides.flatMap { $0 }.filter { $0 >= 100 }
            #expect(
                elements.sorted() == (kept + added).sorted(),
                "seed \(seed): \(base) \(sides) \(elements)"
            )
        }
        #expect(quietCount > 100 && toldCount > 100)
    }

    /// Elements moved, taken away and put in.
    private static func rearranged(_ base: [Int], _ first: Int, _ numbers: inout SplitMix64) -> [Int] {
        var elements = base
        for edit in 0..<1 + numbers.below(3) where !elements.isEmpty {
            let place = numbers.below(elements.count)
            switch numbers.below(4) {
            case 0: elements.remove(at: place)
            case 1: elements.insert(first + edit, at: place)
            default:
                elements.insert(elements.remove(at: place), at: numbers.below(elements.count + 1))
            }
        }
        return elements
    }

    @Test("What one side moved, and the other left where it was, is where it was moved to")
    func movedOnce() {
        let merged = lawfulMerge(merger, "[1,2,3,4,5,6]", "[2,3,1,4,5,6]", "[1,2,3,4,5,7,6]")
        #expect(merged.text == "[2,3,1,4,5,7,6]")
        #expect(merged.conflicts.isEmpty)
    }

    @Test("However both put the elements into another order, each is there once")
    func permutations() throws {
        for seed in UInt64(1)...600 {
            var numbers = SplitMix64(seed: seed)
            let base = Array(0..<2 + numbers.below(9))
            var sides = [base, base]
            for index in sides.indices {
                if numbers.below(3) == 0 {
                    sides[index].shuffle(using: &numbers)
                } else {
                    for _ in 0...numbers.below(3) {
                        let element = sides[index].remove(at: numbers.below(base.count))
                        sides[index].insert(element, at: numbers.below(base.count))
                    }
                }
            }
            let merged = lawfulMerge(
                merger,
                "\(base)",
                "\(sides[0])",
                "\(sides[1])",
                "seed \(seed)"
            )
            let elements = try JSONDecoder().decode([Int].self, from: Data(merged.text.utf8))
            #expect(elements.sorted() == base, "seed \(seed): \(base) \(sides) \(elements)")
        }
    }

    @Test(
        "Many short lists that both changed cost by their own lengths, and not by all that is in the file",
        .timeLimit(.minutes(3))
    )
    func manyLists() {
        let json = { (row: (Int) -> String) -> [UInt8] in
            Array(("[" + (0..<20_000).map(row).joined(separator: ",") + "]").utf8)
        }
        let merged = merger.merge(
            base: json { "[\($0),0,0]" },
            mine: json { "[\($0 + 1_000_000),0,0]" },
            theirs: json { "[\($0),0,7]" }
        )
        let isRight = merged.contents == json { "[\($0 + 1_000_000),0,7]" }
        #expect(isRight)
        #expect(merged.conflicts.isEmpty)
    }
}
