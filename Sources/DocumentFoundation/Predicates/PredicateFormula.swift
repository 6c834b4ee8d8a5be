internal import Foundation

/// What a predicate's format says, taken apart.
indirect enum PredicateFormula: Hashable, Sendable {
    case constant(Bool)
    case comparison(PredicateComparison)
    case not(PredicateFormula)
    /// All of at least two.
    case and([PredicateFormula])
    /// One of at least two.
    case or([PredicateFormula])
}

/// One comparison of two operands.
struct PredicateComparison: Hashable, Sendable {
    var left: PredicateOperand
    var relation: PredicateRelation
    var options: PredicateOptions = []
    var right: PredicateOperand
    var modifier: PredicateModifier = .direct
}

/// One side of a comparison.
indirect enum PredicateOperand: Hashable, Sendable {
    case constant(PredicateValue)
    /// The value of a key, or of a path of keys with dots between them.
    case key(String)
    /// What the predicate is asked about.
    case itself
    case list([PredicateOperand])
}

/// How two operands are compared. The raw value is how it is written.
enum PredicateRelation: String, CaseIterable, Hashable, Sendable {
    case equal = "=="
    case unequal = "!="
    case less = "<"
    case lessOrEqual = "<="
    case greater = ">"
    case greaterOrEqual = ">="
    case between = "BETWEEN"
    case member = "IN"
    case beginsWith = "BEGINSWITH"
    case endsWith = "ENDSWITH"
    case contains = "CONTAINS"
    case like = "LIKE"
    case matches = "MATCHES"

    /// As a format may write it: words in any case of letters, and signs in either order.
    init?(written text: String) {
        let aliases = ["=": "==", "<>": "!=", "=<": "<=", "=>": ">="]
        self.init(rawValue: aliases[text] ?? text.uppercased())
    }

    /// Whether it can be told to overlook case and diacritics.
    var takesOptions: Bool {
        switch self {
        case .between: false
        default: true
        }
    }
}

/// What a comparison of texts overlooks.
struct PredicateOptions: OptionSet, Hashable, Sendable {
    let rawValue: Int

    /// `[c]`
    static let caseInsensitive = PredicateOptions(rawValue: 1)
    /// `[d]`
    static let diacriticInsensitive = PredicateOptions(rawValue: 2)
    /// `[n]`: the texts are such already that nothing of them is to be overlooked.
    static let normalized = PredicateOptions(rawValue: 4)
    /// `[l]`: as people of the user's language compare; which changes nothing here.
    static let localeSensitive = PredicateOptions(rawValue: 8)

    private static let letters: [(Character, PredicateOptions)] = [
        ("c", .caseInsensitive), ("d", .diacriticInsensitive), ("n", .normalized), ("l", .localeSensitive),
    ]

    /// Nil for a letter that is none of them.
    static func option(_ letter: Character) -> PredicateOptions? { letters.first { $0.0 == letter }?.1 }

    /// As they are written.
    var letters: String { String(Self.letters.filter { contains($0.1) }.map(\.0)) }

    /// Whether a comparison overlooks case, or diacritics.
    func overlooks(_ option: PredicateOptions) -> Bool { contains(option) && !contains(.normalized) }

    private var overlooksNothing: Bool {
        !overlooks(.caseInsensitive) && !overlooks(.diacriticInsensitive)
    }

    /// A text without what is overlooked.
    func folded(_ text: String) -> String {
        guard !overlooksNothing else { return text }
        if text.utf8.allSatisfy({ $0 < 0x80 }) {
            return overlooks(.caseInsensitive) ? text.lowercased() : text
        }
        var options: String.CompareOptions = []
        if overlooks(.caseInsensitive) { options.insert(.caseInsensitive) }
        if overlooks(.diacriticInsensitive) { options.insert(.diacriticInsensitive) }
        return text.folding(options: options, locale: nil)
    }

    /// A value in which no text has what is overlooked.
    func folded(_ value: PredicateValue) -> PredicateValue {
        guard !overlooksNothing else { return value }
        return switch value {
        case .string(let text): .string(folded(text))
        case .list(let values): .list(values.map { folded($0) })
        default: value
        }
    }
}

/// How many members of a list on the left must compare so. The raw value is how it is written.
enum PredicateModifier: String, Hashable, Sendable {
    case direct = ""
    case any = "ANY"
    case all = "ALL"
    case none = "NONE"

    /// As a format may write it.
    init?(written text: String) {
        let text = text.uppercased()
        guard !text.isEmpty else { return nil }
        self.init(rawValue: text == "SOME" ? "ANY" : text)
    }
}
