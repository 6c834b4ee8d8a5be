internal import Foundation

extension PredicateFormula {
    /// The formula as a format that is read to the same formula, if it holds no date, data or URL.
    var format: String {
        switch self {
        case .constant(let value): value ? "TRUEPREDICATE" : "FALSEPREDICATE"
        case .comparison(let comparison): comparison.format
        case .not(let formula): "NOT (\(formula.format))"
        case .and(let parts): parts.map { $0.format(inside: self) }.joined(separator: " AND ")
        case .or(let parts): parts.map { $0.format(inside: self) }.joined(separator: " OR ")
        }
    }

    private func format(inside outer: PredicateFormula) -> String {
        switch (outer, self) {
        case (_, .or), (.and, .and): "(\(format))"
        default: format
        }
    }
}

extension PredicateComparison {
    fileprivate var format: String {
        let letters = options.letters
        let relation = relation.rawValue + (letters.isEmpty ? "" : "[\(letters)]")
        let modifier = modifier == .direct ? "" : modifier.rawValue + " "
        return "\(modifier)\(left.format) \(relation) \(right.format)"
    }
}

extension PredicateOperand {
    fileprivate var format: String {
        switch self {
        case .constant(let value): value.format
        case .key(let key): PredicateParser.isReserved(key) ? "#" + key : key
        case .itself: "SELF"
        case .list(let members): "{" + members.map(\.format).joined(separator: ", ") + "}"
        }
    }
}

extension PredicateValue {
    fileprivate var format: String {
        switch self {
        case .null: "NULL"
        case .integer(let value): String(value)
        case .real(let value): String(value)
        case .string(let text): Self.quoted(text)
        case .date(let date): "CAST(\(date.timeIntervalSinceReferenceDate), \"NSDate\")"
        case .data(let data): Self.quoted(data.base64EncodedString())
        case .url(let url): Self.quoted(url.absoluteString)
        case .list(let values): "{" + values.map(\.format).joined(separator: ", ") + "}"
        }
    }

    private static func quoted(_ text: String) -> String {
        var quoted = "\""
        for character in text {
            switch character {
            case "\"", "\\": quoted += "\\\(character)"
            case "%": quoted += "%%"
            default: quoted.append(character)
            }
        }
        return quoted + "\""
    }
}
