import Foundation
import SeededNumbers
import Testing

@testable import DocumentFoundation

/// Formats nobody would write.
@Suite("Predicate formats, at random")
struct PredicateFuzzTests {
    private static let words = [
        "name", "size", "a.b", "SELF", "AND", "OR", "NOT", "(", ")", "{", "}", "[cd]", "[", "]", ",", "==",
        "!=", "<", ">=",
        "LIKE", "MATCHES", "BETWEEN", "IN", "CONTAINS", "ANY", "ALL", "'x*'", "\"y", "'", "5", "-1.5", "0x1F",
        "1e", "%@",
        "%K", "%d", "%", "%%", "#in", "#", "TRUEPREDICATE", "NULL", "YES", "$v", "\\", "é", "🙂", "@", "!",
    ]

    @Test(
        "Any pieces are read or refused with a place in the format, and what is read is written and read the same"
    )
    func soup() throws {
        let seed = UInt64.random(in: 0...UInt64.max)
        var numbers = SplitMix64(seed: seed)
        for round in 0..<1500 {
            let pieces = (0..<(1 + numbers.below(12))).map { _ in Self.words[numbers.below(Self.words.count)]
            }
            let format = pieces.joined(separator: numbers.below(3) == 0 ? "" : " ")
            do {
                let formula = try PredicateParser.formula(format, ["key", 5, "text"])
                #expect(
                    try PredicateParser.formula(formula.format) == formula,
                    "seed \(seed), round \(round): \(format)"
                )
            } catch {
                #expect((0...format.count).contains(error.position), "seed \(seed), round \(round): \(error)")
            }
        }
    }

    @Test("Any formula is written as a format that is read to the same formula")
    func formulas() throws {
        let seed = UInt64.random(in: 0...UInt64.max)
        var numbers = SplitMix64(seed: seed)
        for round in 0..<500 {
            let formula = Self.formula(&numbers, depth: 3)
            #expect(try PredicateParser.formula(formula.format) == formula, "seed \(seed), round \(round)")
        }
    }

    private static func formula(_ numbers: inout SplitMix64, depth: Int) -> PredicateFormula {
        switch depth == 0 ? 5 + numbers.below(5) : numbers.below(10) {
        case 0: .not(formula(&numbers, depth: depth - 1))
        case 1, 2: .and((0..<(2 + numbers.below(2))).map { _ in formula(&numbers, depth: depth - 1) })
        case 3, 4: .or((0..<(2 + numbers.below(2))).map { _ in formula(&numbers, depth: depth - 1) })
        case 5: .constant(numbers.below(2) == 0)
        default: .comparison(comparison(&numbers))
        }
    }

    private static func comparison(_ numbers: inout SplitMix64) -> PredicateComparison {
        let relation = PredicateRelation.allCases[numbers.below(PredicateRelation.allCases.count)]
        let right: PredicateOperand =
            switch relation {
            case .between: .constant(.list([value(&numbers), value(&numbers)]))
            case .like, .matches, .beginsWith, .endsWith: .constant(.string("a\\\"%'b é"))
            default: numbers.below(2) == 0 ? .constant(value(&numbers)) : .key("like")
            }
        return PredicateComparison(
            left: numbers.below(5) == 0
                ? .itself : .key(["a", "a.b", "in", "kMDItemFSName"][numbers.below(4)]),
            relation: relation,
            options: relation.takesOptions ? PredicateOptions(rawValue: numbers.below(4)) : [],
            right: right,
            modifier: [.direct, .any, .all, .none][numbers.below(4)]
        )
    }

    private static func value(_ numbers: inout SplitMix64) -> PredicateValue {
        switch numbers.below(5) {
        case 0: .null
        case 1: .integer(Int64(bitPattern: numbers.next()))
        case 2: .real(Double(numbers.below(1000)) / 8)
        case 3: .string(String(["", "'", "\\", "%@", "🙂"][numbers.below(5)]))
        default: .list([.integer(1), .string("x")])
        }
    }
}
