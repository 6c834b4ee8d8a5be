import Foundation
import SeededNumbers
import Testing

@testable import Merging

@Suite("JSONMerger")
struct JSONMergerTests {
    private let merger = JSONMerger()

    @Test("Keys merge one by one; what nobody touched stays to the byte, numbers with all their digits")
    func keys() {
        let base = """
            {
              "big": 1e400, "small": 0.10,
              "a": 1,
              "b": {"c": [1,  2], "d": "\\u00e9"}
            }

            """
        let mine = base.replacingOccurrences(of: "\"a\": 1", with: "\"a\": 2")
        let theirs = base.replacingOccurrences(of: "[1,  2]", with: "[1,  2, 12345678901234567890]")
        let merged = lawfulMerge(merger, base, mine, theirs)
        #expect(
            merged.text == mine.replacingOccurrences(of: "[1,  2]", with: "[1,  2, 12345678901234567890]")
        )
        #expect(merged.conflicts.isEmpty)
    }

    @Test("Keys put in by both are both there, behind what was before them")
    func newKeys() {
        let merged = lawfulMerge(
            merger,
            "{\n  \"a\": 1,\n  \"z\": 2\n}",
            "{\n  \"a\": 1,\n  \"m\": 3,\n  \"z\": 2\n}",
            "{\n  \"first\": 0,\n  \"a\": 1,\n  \"z\": 2,\n  \"last\": 4\n}"
        )
        #expect(merged.text == "{\n  \"first\": 0,\n  \"a\": 1,\n  \"m\": 3,\n  \"z\": 2,\n  \"last\": 4\n}")
        #expect(lawfulMerge(merger, "{}", "{\"a\":1}", "{\"b\":2}").conflicts.isEmpty)
    }

    @Test("A key taken away goes, unless the other side changed it: then it stays, and is told")
    func removedKeys() {
        let gone = lawfulMerge(
            merger,
            "{\"a\":1,\"b\":2,\"c\":3}",
            "{\"a\":1,\"c\":3}",
            "{\"a\":9,\"b\":2,\"c\":3}"
        )
        #expect(gone.text == "{\"a\":9,\"c\":3}")
        let kept = lawfulMerge(merger, "{\"a\":1,\"b\":2}", "{\"a\":1}", "{\"a\":1,\"b\":7}")
        #expect(kept.text == "{\"a\":1,\"b\":7}")
        #expect(kept.conflicts.count == 1)
        #expect(kept.conflicts.first?.place == [.key("b")])
        #expect(kept.conflicts.first?.mine == nil)
        #expect(kept.conflicts.first?.standing == .theirs)
    }

    @Test("One value changed in two ways is a conflict at its place")
    func conflict() throws {
        let merged = lawfulMerge(merger, "{\"a\":{\"b\":1}}", "{\"a\":{\"b\":2}}", "{\"a\":{\"b\":3}}")
        let conflict = try #require(merged.conflicts.first)
        #expect(conflict.place == [.key("a"), .key("b")])
        #expect([conflict.base, conflict.mine, conflict.theirs].map { $0?.text } == ["1", "2", "3"])
        #expect(merged.text == "{\"a\":{\"b\":3}}")
    }

    @Test(
        "Two new objects that got the same id are a conflict, not a third one; the same one added twice is none"
    )
    func addedTwice() throws {
        let note = "{\"id\":2,\"kind\":\"note\",\"body\":\"call Bob\"}"
        let image = "{\"id\":2,\"kind\":\"note\",\"image\":\"cat.png\"}"
        let first = "{\"id\":1,\"kind\":\"note\"}"
        for rest in [first + ",", ""] {
            let base = rest.isEmpty ? "[]" : "[\(first)]"
            let merged = lawfulMerge(merger, base, "[\(rest)\(note)]", "[\(rest)\(image)]")
            #expect(merged.text == "[\(rest)\(image)]")
            let conflict = try #require(merged.conflicts.first)
            #expect(merged.conflicts.count == 1 && conflict.place == [.identity("2")])
            #expect(conflict.base == nil && conflict.mine?.text == note && conflict.theirs?.text == image)
            let same = lawfulMerge(
                merger,
                base,
                "[\(rest)\(note)]",
                "[\(note)\(rest.isEmpty ? "" : ",")\(rest.dropLast())]"
            )
            #expect(same.conflicts.isEmpty)
        }
        // A list that both have begun has no older elements either.
        let begun = lawfulMerge(merger, "{}", "{\"l\":[\(note)]}", "{\"l\":[\(image)]}")
        #expect(begun.text == "{\"l\":[\(image)]}" && begun.conflicts.count == 1)
        // Of one that was there before each key is for itself.
        let old = lawfulMerge(merger, "[{\"id\":2,\"kind\":\"note\"}]", "[\(note)]", "[\(image)]")
        #expect(old.conflicts.isEmpty && old.text.contains("call Bob") && old.text.contains("cat.png"))
    }

    @Test("Lists whose objects carry an id merge by it, in the order of who changed it")
    func identity() {
        let merged = lawfulMerge(
            merger,
            "[{\"id\":1,\"n\":\"a\"},{\"id\":2,\"n\":\"b\"},{\"id\":3,\"n\":\"c\"}]",
            "[{\"id\":3,\"n\":\"c\"},{\"id\":1,\"n\":\"A\"},{\"id\":2,\"n\":\"b\"}]",
            "[{\"id\":1,\"n\":\"a\",\"x\":0},{\"id\":3,\"n\":\"c\"},{\"id\":4,\"n\":\"d\"}]"
        )
        #expect(
            merged.text == "[{\"id\":3,\"n\":\"c\"},{\"id\":4,\"n\":\"d\"},{\"id\":1,\"n\":\"A\",\"x\":0}]"
        )
        #expect(merged.conflicts.isEmpty)
        let both = lawfulMerge(
            merger,
            "[{\"id\":\"p\",\"n\":1}]",
            "[{\"id\":\"p\",\"n\":2}]",
            "[{\"id\":\"p\",\"n\":3}]"
        )
        #expect(both.conflicts.first?.place == [.identity("\"p\""), .key("n")])
    }

    @Test("Other lists merge by order")
    func lists() {
        let merged = lawfulMerge(merger, "[1, 2, 3, 4]", "[0, 1, 2, 3, 4]", "[1, 2, 4, 5]")
        #expect(merged.text == "[0, 1, 2, 4, 5]" || merged.text == "[0,1, 2, 4, 5]")
        #expect(merged.conflicts.isEmpty)
        let conflict = lawfulMerge(merger, "[1, 2]", "[1, 3, 2]", "[1, 4, 5, 2]")
        #expect(conflict.conflicts.count == 1)
        #expect(conflict.conflicts.first?.theirs?.text == "4, 5")
    }

    @Test("Order of keys and white space alone are no change against one")
    func formatting() {
        let merged = lawfulMerge(merger, "{\"a\":1,\"b\":2}", "{\"b\": 2, \"a\": 1}", "{\"a\":1,\"b\":3}")
        #expect(merged.conflicts.isEmpty)
        #expect(merged.text == "{\"a\":1,\"b\":3}")
    }

    @Test("White space that one side changed beside a value stays as it is now")
    func reformatting() {
        let merged = lawfulMerge(
            merger,
            "{\"a\":[1,2],\"b\":1,\"c\":1}",
            "{\"a\":[1, 2],\"b\":1,\"c\":3}",
            "{\"a\":[1,2],\"b\":2,\"c\":1}"
        )
        #expect(merged.text == "{\"a\":[1, 2],\"b\":2,\"c\":3}")
    }

    @Test(
        "What is broken or doubled is a conflict as a whole",
        arguments: [
            "{\"a\":1,\"a\":2}", "{\"a\":1,\"\\u0061\":2}", "{", "", "[1,]", "{\"a\" 1}", "01", "1.", "-",
            "\"\\x\"",
            "\"\\u12\"", "[1] 2", "\"a\nb\"", "nul",
        ]
    )
    func broken(_ text: String) {
        let merged = lawfulMerge(merger, "{\"a\":0}", text, "{\"a\":5}")
        #expect(merged.conflicts.count == 1)
        #expect(merged.conflicts.first?.place == [])
    }

    @Test("So is what is too deep", arguments: [(100_000, 0), (201, 201)])
    func tooDeep(begun: Int, ended: Int) {
        broken(String(repeating: "[", count: begun) + String(repeating: "]", count: ended))
    }

    @Test(
        "So are more values than there is room for in all versions together; what one side changed is taken"
    )
    func tooMany() {
        let json = { (first: Int, last: Int) in "[\(first),{\"a\":0},true,\"x\",null,\(last)]" }
        // Eight values each.
        for (countMax, isMerged) in [(24, true), (23, false), (8, false), (0, false)] {
            var merger = JSONMerger()
            merger.nodeCountMax = countMax
            let merged = lawfulMerge(merger, json(0, 0), json(1, 0), json(0, 2), "\(countMax)")
            #expect(merged.conflicts.isEmpty == isMerged, "\(countMax)")
            #expect(merged.text == (isMerged ? json(1, 2) : json(1, 0)), "\(countMax)")
        }
    }

    @Test("Surrogates, whole and half, are read")
    func surrogates() {
        let base = "{\"\\ud83c\\udf0a\":1,\"\\ud800\":2,\"\\ud800x\":3}"
        let merged = lawfulMerge(
            merger,
            base,
            base.replacingOccurrences(of: ":1", with: ":9"),
            base.replacingOccurrences(of: "\\ud83c\\udf0a", with: "🌊").replacingOccurrences(
                of: ":3",
                with: ":4"
            )
        )
        #expect(merged.conflicts.isEmpty)
        #expect(merged.text.contains(":9") && merged.text.contains(":4"))
    }

    @Test("The laws hold for random trees; the outcome is JSON, and no value disappears")
    func random() throws {
        for seed in UInt64(1)...150 {
            var numbers = SplitMix64(seed: seed)
            let base = RandomTree.make(&numbers, depth: 3)
            let mine = base.edited("m", &numbers)
            let theirs = base.edited("t", &numbers)
            let merged = lawfulMerge(merger, base.json, mine.json, theirs.json, "seed \(seed)")
            var known = NumberedValues()
            #expect(JSONSyntax.parse(Array(merged.text.utf8), &known) != nil, "seed \(seed): \(merged.text)")
            let told =
                merged.text
                + merged.conflicts.map { ($0.mine?.text ?? "") + ($0.theirs?.text ?? "") }.joined()
            for word in mine.news + theirs.news { #expect(told.contains(word), "seed \(seed): \(word)") }
        }
    }

    @Test("Damaged JSON never harms")
    func fuzz() {
        for seed in UInt64(500)...560 {
            var numbers = SplitMix64(seed: seed)
            let base = RandomTree.make(&numbers, depth: 3)
            var mine = Array(base.edited("m", &numbers).json.utf8)
            for _ in 0...numbers.below(3) where !mine.isEmpty {
                let place = numbers.below(mine.count)
                if numbers.below(2) == 0 {
                    mine.remove(at: place)
                } else {
                    mine[place] = Array("{}[]\",:\\u0".utf8)[numbers.below(10)]
                }
            }
            lawfulMerge(
                merger,
                Array(base.json.utf8),
                mine,
                Array(base.edited("t", &numbers).json.utf8),
                "seed \(seed)"
            )
        }
    }
}

/// A tree for tests, to be written as JSON or as a property list.
indirect enum RandomTree {
    case text(String)
    case number(Int)
    case list([RandomTree])
    case dictionary([(String, RandomTree)])

    static func make(_ numbers: inout SplitMix64, depth: Int) -> RandomTree {
        switch numbers.below(depth > 0 ? 4 : 2) {
        case 0: return .text(["sea", "sky"][numbers.below(2)])
        case 1: return .number(numbers.below(5))
        case 2: return .list((0..<numbers.below(4)).map { _ in make(&numbers, depth: depth - 1) })
        default:
            let keys = ["a", "b", "c", "id"].filter { _ in numbers.below(2) == 0 }
            return .dictionary(keys.map { ($0, make(&numbers, depth: depth - 1)) })
        }
    }

    /// With some values changed, put in, taken away; every new one is one of a kind.
    func edited(_ tag: String, _ numbers: inout SplitMix64) -> RandomTree {
        let new = RandomTree.text("\(tag)#\(numbers.below(1_000_000))")
        switch self {
        case .text, .number: return numbers.below(3) == 0 ? new : self
        case .list(var members):
            for index in members.indices { members[index] = members[index].edited(tag, &numbers) }
            if numbers.below(4) == 0 { members.insert(new, at: numbers.below(members.count + 1)) }
            if !members.isEmpty, numbers.below(4) == 0 { members.remove(at: numbers.below(members.count)) }
            return .list(members)
        case .dictionary(var members):
            for index in members.indices { members[index].1 = members[index].1.edited(tag, &numbers) }
            if numbers.below(3) == 0 { members.insert((tag + "\(numbers.below(3))", new), at: 0) }
            if !members.isEmpty, numbers.below(4) == 0 { members.remove(at: numbers.below(members.count)) }
            return .dictionary(members)
        }
    }

    var news: [String] {
        switch self {
        case .text(let text): text.contains("#") ? [text] : []
        case .number: []
        case .list(let members): members.flatMap(\.news)
        case .dictionary(let members): members.flatMap { $0.1.news }
        }
    }

    var json: String {
        switch self {
        case .text(let text): "\"\(text)\""
        case .number(let number): "\(number)"
        case .list(let members): "[" + members.map(\.json).joined(separator: ", ") + "]"
        case .dictionary(let members):
            "{" + members.map { "\"\($0.0)\": \($0.1.json)" }.joined(separator: ",\n ") + "}"
        }
    }

    var xml: String {
        switch self {
        case .text(let text): "<string>\(text)</string>"
        case .number(let number): "<integer>\(number)</integer>"
        case .list(let members): "<array>\n" + members.map { $0.xml + "\n" }.joined() + "</array>"
        case .dictionary(let members):
            "<dict>\n" + members.map { "\t<key>\($0.0)</key>\n\t\($0.1.xml)\n" }.joined() + "</dict>"
        }
    }

    var any: Any {
        switch self {
        case .text(let text): text
        case .number(let number): number
        case .list(let members): members.map(\.any)
        case .dictionary(let members): Dictionary(members.map { ($0.0, $0.1.any) }) { first, _ in first }
        }
    }
}
