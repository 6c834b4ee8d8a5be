internal import Foundation

/// Reads a predicate's format. Pure.
///
///     or         = and { ("OR" | "||") and }
///     and        = not { ("AND" | "&&") not }
///     not        = ("NOT" | "!") not | "(" or ")" | "TRUEPREDICATE" | "FALSEPREDICATE" | comparison
///     comparison = ["ANY" | "SOME" | "ALL" | "NONE"] operand relation ["[" options "]"] operand
///     operand    = literal | argument | key | "SELF" | "{" [operand { "," operand }] "}" | "(" operand ")"
///
/// Words of the language may be written in any case. A key that looks like one is written with `#` before it, or
/// given by `%K`.
struct PredicateParser {
    /// How deep parentheses, lists and `NOT` may be nested: each takes a few calls of the stack.
    static let depthMax = 128

    private let format: String
    private let pieces: [PredicateLexer.Piece]
    private var index = 0
    private var depth = 0

    /// Reads a format.
    ///
    /// - Parameters:
    ///   - format: As `NSPredicate(format:)` has it.
    ///   - arguments: For its `%`, in order.
    static func formula(
        _ format: String,
        _ arguments: [Any?] = []
    ) throws(PredicateFormatError) -> PredicateFormula {
        var lexer = PredicateLexer(format, arguments)
        var parser = PredicateParser(format: format, pieces: try lexer.pieces())
        let formula = try parser.or()
        guard parser.token == .end else { throw parser.unexpected("“AND”, “OR” or the end") }
        return formula
    }

    private init(format: String, pieces: [PredicateLexer.Piece]) {
        self.format = format
        self.pieces = pieces
    }

    // MARK: Pieces

    private var token: PredicateToken { pieces[index].token }

    private func error(_ code: PredicateFormatError.Code, _ detail: String) -> PredicateFormatError {
        PredicateFormatError(code: code, format: format, position: pieces[index].position, detail: detail)
    }

    private func unexpected(_ wanted: String) -> PredicateFormatError {
        error(.unexpected, "\(wanted) was expected here.")
    }

    /// Takes the next piece if it is one of some words or signs.
    private mutating func take(_ wanted: String...) -> Bool {
        switch token {
        case .word(let text) where wanted.contains(text.uppercased()): break
        case .sign(let text) where wanted.contains(text): break
        default: return false
        }
        index += 1
        return true
    }

    private mutating func nested<Value>(
        _ body: (inout PredicateParser) throws(PredicateFormatError) -> Value
    ) throws(PredicateFormatError) -> Value {
        guard depth < Self.depthMax else {
            throw error(.tooDeep, "it is nested more than \(Self.depthMax) times.")
        }
        depth += 1
        defer { depth -= 1 }
        return try body(&self)
    }

    // MARK: Connected

    private mutating func or() throws(PredicateFormatError) -> PredicateFormula {
        var parts = [try and()]
        while take("OR", "||") { parts.append(try and()) }
        return parts.count == 1 ? parts[0] : .or(parts)
    }

    private mutating func and() throws(PredicateFormatError) -> PredicateFormula {
        var parts = [try not()]
        while take("AND", "&&") { parts.append(try not()) }
        return parts.count == 1 ? parts[0] : .and(parts)
    }

    private mutating func not() throws(PredicateFormatError) -> PredicateFormula {
        if take("NOT", "!") {
            return try nested { (parser) throws(PredicateFormatError) in .not(try parser.not()) }
        }
        if take("TRUEPREDICATE") { return .constant(true) }
        if take("FALSEPREDICATE") { return .constant(false) }
        guard token == .sign("(") else { return try comparison() }
        return try parenthesized()
    }

    /// What is in parentheses is a formula, or else an operand.
    private mutating func parenthesized() throws(PredicateFormatError) -> PredicateFormula {
        let start = index
        do {
            return try nested { (parser) throws(PredicateFormatError) in
                parser.index += 1
                let formula = try parser.or()
                guard parser.take(")") else { throw parser.unexpected("“)”") }
                return formula
            }
        } catch {
            index = start
            // Of two ways that fail the one that comes further says what is wrong.
            do { return try comparison() } catch let other {
                throw other.position > error.position ? other : error
            }
        }
    }

    // MARK: Comparisons

    private mutating func comparison() throws(PredicateFormatError) -> PredicateFormula {
        var modifier = PredicateModifier.direct
        if case .word(let word) = token, let written = PredicateModifier(written: word) {
            modifier = written
            index += 1
        }
        let left = try operand()
        let relation = try relation()
        let options = try options(of: relation)
        let place = index
        let right = try operand()
        try check(right, of: relation, at: place)
        return .comparison(
            PredicateComparison(
                left: left,
                relation: relation,
                options: options,
                right: right,
                modifier: modifier
            )
        )
    }

    private mutating func relation() throws(PredicateFormatError) -> PredicateRelation {
        let text: String
        switch token {
        case .word(let word): text = word
        case .sign("["): throw error(.unsupported, "members of lists are not read by their places.")
        case .sign(let sign): text = sign
        default: throw unexpected("a comparison such as “==” or “LIKE”")
        }
        guard let relation = PredicateRelation(written: text) else {
            throw unexpected("a comparison such as “==” or “LIKE”")
        }
        index += 1
        return relation
    }

    private mutating func options(
        of relation: PredicateRelation
    ) throws(PredicateFormatError) -> PredicateOptions {
        guard token == .sign("[") else { return [] }
        guard relation.takesOptions else { throw unexpected("no “[”, but a list of two") }
        index += 1
        let wanted = "“c”, “d”, “cd”, “n” or “l”"
        guard case .word(let letters) = token else { throw unexpected(wanted) }
        var options: PredicateOptions = []
        for letter in letters.lowercased() {
            guard let option = PredicateOptions.option(letter) else { throw unexpected(wanted) }
            options.insert(option)
        }
        index += 1
        guard take("]") else { throw unexpected("“]”") }
        return options
    }

    /// Finds what could never be compared.
    private func check(
        _ right: PredicateOperand,
        of relation: PredicateRelation,
        at place: Int
    ) throws(PredicateFormatError) {
        func unfit(_ detail: String) -> PredicateFormatError {
            PredicateFormatError(
                code: .argumentUnfit,
                format: format,
                position: pieces[place].position,
                detail: detail
            )
        }
        switch (relation, right) {
        case (.between, .list(let bounds)):
            guard bounds.count == 2 else { throw unfit("“BETWEEN” takes a list of two.") }
        case (.between, .constant(let value)):
            guard case .list(let bounds) = value, bounds.count == 2 else {
                throw unfit("“BETWEEN” takes a list of two.")
            }
        case (.matches, .constant(.string(let pattern))):
            do { _ = try NSRegularExpression(pattern: pattern) } catch {
                throw unfit("“\(pattern)” is no regular expression.")
            }
        case (.beginsWith, .constant(let value)), (.endsWith, .constant(let value)),
            (.like, .constant(let value)), (.matches, .constant(let value)):
            guard case .string = value else { throw unfit("“\(relation.rawValue)” takes a text.") }
        default: break
        }
    }

    // MARK: Operands

    private mutating func operand() throws(PredicateFormatError) -> PredicateOperand {
        let current = token
        switch current {
        case .value(let value):
            index += 1
            return .constant(value)
        case .key(let key):
            index += 1
            return .key(key)
        case .word(let word): return try named(word)
        case .sign("{"):
            return try nested { (parser) throws(PredicateFormatError) in try parser.list() }
        case .sign("("):
            return try nested { (parser) throws(PredicateFormatError) in
                parser.index += 1
                let operand = try parser.operand()
                guard parser.take(")") else { throw parser.unexpected("“)”") }
                return operand
            }
        case .sign, .end: throw unexpected("a key or a value")
        }
    }

    /// Words that cannot be keys, as they connect or compare.
    private static let reserved: Set<String> = [
        "AND", "OR", "NOT", "ANY", "SOME", "ALL", "NONE", "TRUEPREDICATE", "FALSEPREDICATE",
    ]

    static func isReserved(_ word: String) -> Bool {
        let word = word.uppercased()
        return reserved.contains(word) || PredicateRelation(rawValue: word) != nil || literals[word] != nil
    }

    private static let literals: [String: PredicateOperand] = [
        "TRUE": .constant(.integer(1)), "YES": .constant(.integer(1)), "FALSE": .constant(.integer(0)),
        "NO": .constant(.integer(0)), "NULL": .constant(.null), "NIL": .constant(.null), "SELF": .itself,
    ]

    private mutating func named(_ word: String) throws(PredicateFormatError) -> PredicateOperand {
        if let literal = Self.literals[word.uppercased()] {
            index += 1
            return literal
        }
        guard !Self.isReserved(word) else { throw unexpected("a key or a value, and no “\(word)”") }
        guard !word.hasSuffix("."), !word.contains("..") else {
            throw error(.unexpected, "“\(word)” is no path of keys.")
        }
        index += 1
        guard token != .sign("(") else { throw error(.unsupported, "functions are not read.") }
        return .key(word.uppercased().hasPrefix("SELF.") ? String(word.dropFirst(5)) : word)
    }

    private mutating func list() throws(PredicateFormatError) -> PredicateOperand {
        index += 1
        var members: [PredicateOperand] = []
        if !take("}") {
            repeat { members.append(try operand()) } while take(",")
            guard take("}") else { throw unexpected("“,” or “}”") }
        }
        var values: [PredicateValue] = []
        for case .constant(let value) in members { values.append(value) }
        return values.count == members.count ? .constant(.list(values)) : .list(members)
    }
}
