internal import Foundation

/// What a text is held against, prepared once for many texts.
///
/// Sendable: what it holds never changes, and NSRegularExpression matches on any thread.
struct TextPattern: Sendable {
    /// Simple patterns of `LIKE` are told by their shape; only the others are played through.
    private enum Shape: Sendable {
        case anything
        case text(String)
        case prefix(String)
        case suffix(String)
        case part(String)
        case wildcards([Wildcard])
        case regular(NSRegularExpression)
        /// No regular expression; nothing matches it.
        case unreadable
    }

    private enum Wildcard: Equatable, Sendable {
        case many, one
        case character(Character)
    }

    private let shape: Shape
    private let options: PredicateOptions

    /// Prepares what stands right of a relation; nil for a relation that does not compare texts so.
    init?(_ relation: PredicateRelation, _ text: String, _ options: PredicateOptions) {
        self.options = options
        let folded = options.folded(text)
        switch relation {
        case .beginsWith: shape = .prefix(folded)
        case .endsWith: shape = .suffix(folded)
        case .contains: shape = .part(folded)
        case .like: shape = Self.shape(ofWildcards: Self.wildcards(folded))
        case .matches:
            // What is no regular expression is found when a format is read; here it can only come from a key.
            let pattern = "^(?:\(Self.withoutDiacritics(text, options)))$"
            let expression = try? NSRegularExpression(pattern: pattern, options: Self.flags(options))
            shape = expression.map(Shape.regular) ?? .unreadable
        default: return nil
        }
    }

    /// Whether a text is as the pattern says.
    func matches(_ text: String) -> Bool {
        if case .anything = shape { return true }
        if case .regular(let expression) = shape {
            return Self.matchesWhole(expression, Self.withoutDiacritics(text, options))
        }
        let text = options.folded(text)
        switch shape {
        case .anything, .regular, .unreadable: return false
        case .text(let wanted): return text == wanted
        case .prefix(let wanted): return text.hasPrefix(wanted)
        case .suffix(let wanted): return text.hasSuffix(wanted)
        case .part(let wanted): return wanted.isEmpty || text.range(of: wanted) != nil
        case .wildcards(let wildcards): return Self.matches(Array(text), wildcards)
        }
    }

    // MARK: Regular expressions

    /// A text, or a pattern for it, without the diacritics that are overlooked; case is the expression's own matter.
    private static func withoutDiacritics(_ text: String, _ options: PredicateOptions) -> String {
        options.subtracting(.caseInsensitive).folded(text)
    }

    private static func flags(_ options: PredicateOptions) -> NSRegularExpression.Options {
        var flags: NSRegularExpression.Options = [.dotMatchesLineSeparators]
        if options.overlooks(.caseInsensitive) { flags.insert(.caseInsensitive) }
        return flags
    }

    private static func matchesWhole(_ expression: NSRegularExpression, _ text: String) -> Bool {
        let whole = NSRange(location: 0, length: text.utf16.count)
        let match = expression.firstMatch(in: text, options: [.anchored], range: whole)
        return match.map { $0.range == whole } ?? false
    }

    // MARK: Wildcards

    private static func wildcards(_ text: String) -> [Wildcard] {
        var wildcards: [Wildcard] = []
        var isEscaped = false
        for character in text {
            switch character {
            case "\\" where !isEscaped:
                isEscaped = true
                continue
            case "*" where !isEscaped:
                if wildcards.last != .many { wildcards.append(.many) }
            case "?" where !isEscaped: wildcards.append(.one)
            default: wildcards.append(.character(character))
            }
            isEscaped = false
        }
        return wildcards
    }

    private static func shape(ofWildcards wildcards: [Wildcard]) -> Shape {
        var inner = wildcards[...]
        let begins = inner.first == .many
        if begins { inner.removeFirst() }
        let ends = inner.last == .many
        if ends { inner.removeLast() }
        var text = ""
        for wildcard in inner {
            guard case .character(let character) = wildcard else { return .wildcards(wildcards) }
            text.append(character)
        }
        if inner.isEmpty { return begins || ends ? .anything : .text("") }
        return switch (begins, ends) {
        case (false, false): .text(text)
        case (false, true): .prefix(text)
        case (true, false): .suffix(text)
        case (true, true): .part(text)
        }
    }

    /// Goes back to the last `*` where it does not go on; never further, which keeps it quadratic at worst.
    private static func matches(_ text: [Character], _ wildcards: [Wildcard]) -> Bool {
        var (place, wild) = (0, 0)
        var (lastMany, lastPlace): (Int?, Int) = (nil, 0)
        while place < text.count {
            if wild < wildcards.count, wildcards[wild] == .many {
                (lastMany, lastPlace) = (wild, place)
                wild += 1
            } else if wild < wildcards.count,
                wildcards[wild] == .one || wildcards[wild] == .character(text[place])
            {
                (place, wild) = (place + 1, wild + 1)
            } else if let many = lastMany {
                lastPlace += 1
                (place, wild) = (lastPlace, many + 1)
            } else {
                return false
            }
        }
        return wildcards[wild...].allSatisfy { $0 == .many }
    }
}
