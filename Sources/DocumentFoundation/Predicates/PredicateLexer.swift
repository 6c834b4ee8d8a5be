internal import Foundation

/// A piece of a predicate's format, with the arguments already in it.
enum PredicateToken: Hashable, Sendable {
    /// A name, a path of names, or a word of the language in any case.
    case word(String)
    /// A name that is no word of the language, whatever it looks like: of `%K` or after `#`.
    case key(String)
    /// A literal or an argument.
    case value(PredicateValue)
    /// A sign of one or two characters.
    case sign(String)
    case end
}

/// Cuts a predicate's format into pieces.
///
/// Texts in quotes are taken as they are, but that `\` takes away the next character's meaning and `%%` is one
/// percent sign; an argument is never put into one.
struct PredicateLexer {
    typealias Piece = (token: PredicateToken, position: Int)

    private let format: String
    private let characters: [Character]
    private var index = 0
    private var arguments: ArraySlice<Any?>

    init(_ format: String, _ arguments: [Any?]) {
        self.format = format
        characters = Array(format)
        self.arguments = arguments[...]
    }

    /// All pieces, the end last.
    ///
    /// Arguments that the format does not ask for are ignored.
    mutating func pieces() throws(PredicateFormatError) -> [Piece] {
        var pieces: [Piece] = []
        while true {
            while let next, next.isWhitespace { index += 1 }
            let position = index
            let token = try token()
            pieces.append((token, position))
            if token == .end { return pieces }
        }
    }

    private var next: Character? { index < characters.count ? characters[index] : nil }

    private func error(
        _ code: PredicateFormatError.Code,
        at position: Int? = nil,
        _ detail: String
    ) -> PredicateFormatError {
        PredicateFormatError(code: code, format: format, position: position ?? index, detail: detail)
    }

    private mutating func token() throws(PredicateFormatError) -> PredicateToken {
        guard let first = next else { return .end }
        switch first {
        case "%":
            let token = try argument()
            guard case .key(let key) = token else { return token }
            return .key(try path(from: key))
        case "'", "\"": return .value(.string(try quoted(first)))
        case "#":
            index += 1
            guard let next, Self.beginsName(next) else { throw error(.unreadable, "a name must follow “#”.") }
            return .key(try path(from: name()))
        case "$": throw error(.unsupported, "variables are not read; give the value as an argument, by “%@”.")
        case "@": throw error(.unsupported, "functions of lists are not read.")
        case "+", "*", "/": throw error(.unsupported, "arithmetic is not read; give its outcome by “%@”.")
        case "-", ".",
            "0"..."9" where first.isASCII:
            return .value(try number())
        default: break
        }
        if Self.beginsName(first) { return .word(try word()) }
        return .sign(try sign(first))
    }

    /// What is not read although it begins as a name says so itself: what is in it would be told of instead.
    private mutating func word() throws(PredicateFormatError) -> String {
        let start = index
        let word = try path(from: name())
        let upper = word.uppercased()
        if upper == "UTI", next == "-" {
            throw error(.unsupported, at: start, "types are not compared; ask for “kMDItemContentTypeTree”.")
        }
        if Self.functions.contains(upper), characters[index...].first(where: { !$0.isWhitespace }) == "(" {
            throw error(.unsupported, at: start, "“\(word)” is not read.")
        }
        return word
    }

    private static let functions: Set<String> = ["CAST", "FETCH", "FUNCTION", "SUBQUERY", "TERNARY"]

    // MARK: Names and signs

    private static func beginsName(_ character: Character) -> Bool { character.isLetter || character == "_" }

    private mutating func name() -> String {
        let start = index
        while let next, Self.beginsName(next) || next.isNumber || next == "." { index += 1 }
        return String(characters[start..<index])
    }

    /// Goes on with a path of keys, of which some may be arguments: `%K.pathExtension`, `cover.%K`.
    private mutating func path(from key: String) throws(PredicateFormatError) -> String {
        var path = key
        while true {
            if path.hasSuffix("."), next == "%" {
                let start = index
                guard case .key(let key) = try argument() else {
                    throw error(.unreadable, at: start, "in a path of keys an argument is given by “%K”.")
                }
                path += key
            } else if next == ".", index + 1 < characters.count,
                Self.beginsName(characters[index + 1]) || characters[index + 1] == "%"
            {
                index += 1
                path += "." + name()
            } else {
                return path
            }
        }
    }

    private mutating func sign(_ first: Character) throws(PredicateFormatError) -> String {
        let two = String(characters[index..<min(index + 2, characters.count)])
        if ["==", "!=", "<=", ">=", "=<", "=>", "<>", "&&", "||"].contains(two) {
            index += 2
            return two
        }
        guard "=<>!(){}[],".contains(first) else { throw error(.unreadable, "“\(first)” begins nothing.") }
        index += 1
        return String(first)
    }

    // MARK: Literals

    private mutating func quoted(_ quote: Character) throws(PredicateFormatError) -> String {
        let start = index
        var text = ""
        index += 1
        while let character = next {
            index += 1
            switch character {
            case quote: return text
            case "\\":
                guard let escaped = next else { break }
                index += 1
                text.append(Self.escapes[escaped] ?? escaped)
            case "%":
                if next == "%" { index += 1 }
                text.append("%")
            default: text.append(character)
            }
        }
        throw error(.unreadable, at: start, "the text that begins here has no end.")
    }

    private static let escapes: [Character: Character] = ["n": "\n", "t": "\t", "r": "\r"]

    private mutating func number() throws(PredicateFormatError) -> PredicateValue {
        let start = index
        if next == "-" { index += 1 }
        while let character = next {
            let isSigned =
                (character == "-" || character == "+") && "eE".contains(characters[index - 1])
                && !characters[start..<index].contains { $0 == "x" || $0 == "X" }
            guard character.isASCII, character.isLetter || character.isNumber || character == "." || isSigned
            else { break }
            index += 1
        }
        let text = String(characters[start..<index])
        let digits = text.drop { $0 == "-" }
        let radix = Self.radixes[digits.prefix(2).lowercased()]
        if let radix, let value = Int64(digits.dropFirst(2), radix: radix) {
            return .integer(text.hasPrefix("-") ? -value : value)
        }
        if let value = Int64(text) { return .integer(value) }
        guard !digits.lowercased().contains("x"), digits.first?.isLetter == false, let value = Double(text)
        else { throw error(.unreadable, at: start, "“\(text)” is no number.") }
        return .real(value)
    }

    /// By what stands before the digits.
    private static let radixes = ["0x": 16, "0o": 8, "0b": 2]

    // MARK: Arguments

    private static let conversions = [
        "@", "K", "d", "D", "i", "u", "U", "x", "X", "o", "O", "f", "F", "e", "E", "g", "G", "c", "C", "s",
    ]

    private mutating func argument() throws(PredicateFormatError) -> PredicateToken {
        let start = index
        index += 1
        while let next, "hlqLzt".contains(next) { index += 1 }
        guard let next, Self.conversions.contains(String(next)) else {
            throw error(.unreadable, at: start, "“%” must be followed by “@”, “K” or a C conversion.")
        }
        index += 1
        guard let given = arguments.popFirst() else {
            throw error(.argumentMissing, at: start, "there is no argument left for it.")
        }
        guard let value = PredicateValue(given) else {
            let type = given.map { "\(Swift.type(of: $0))" } ?? "nil"
            throw error(.argumentUnfit, at: start, "a predicate cannot compare a value of type \(type).")
        }
        switch (next, value) {
        case ("@", _): return .value(value)
        case ("K", .string(let key)): return .key(key)
        case ("K", _): throw error(.argumentUnfit, at: start, "the argument of “%K” must be a text.")
        case ("s", .string): return .value(value)
        case (_, .integer), (_, .real): return .value(try numeric(value, as: next, at: start))
        default:
            throw error(.argumentUnfit, at: start, "the argument of “%\(next)” must be a number.")
        }
    }

    private func numeric(
        _ value: PredicateValue,
        as conversion: Character,
        at start: Int
    ) throws(PredicateFormatError) -> PredicateValue {
        switch value {
        case .integer(let value) where "fFeEgG".contains(conversion): return .real(Double(value))
        case .integer(let code) where "cC".contains(conversion):
            guard let scalar = UInt32(exactly: code).flatMap(Unicode.Scalar.init) else { break }
            return .string(String(Character(scalar)))
        case .integer where conversion != "s": return value
        case .real where "fFeEgG".contains(conversion): return value
        default: break
        }
        throw error(.argumentUnfit, at: start, "the argument does not fit “%\(conversion)”.")
    }
}
