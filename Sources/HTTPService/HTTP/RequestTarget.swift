internal import Foundation

/// What a request line asks for: a path and a query, decoded once and checked.
///
/// A target with a `.` or `..` component, an empty component before the last, a NUL, an encoded slash or
/// bytes that are no UTF-8 does not come into being, so no later code has to think of them.
package struct RequestTarget: Hashable, Sendable {
    /// The components between the slashes, decoded; empty for `/`.
    package let components: [String]
    /// Whether the path ended in a slash behind its last component.
    package let endsWithSlash: Bool
    private let query: [String: [String]]

    /// Reads the target of a request line, in origin form; nil if it is not one that we serve.
    package init?(_ text: String) {
        guard text.hasPrefix("/"), !text.contains("#") else { return nil }
        let parts = text.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
        guard let path = parts.first else { return nil }
        var names = path.dropFirst().split(separator: "/", omittingEmptySubsequences: false)
        endsWithSlash = names.count > 1 && names.last?.isEmpty == true
        if names.last?.isEmpty == true { names.removeLast() }
        var components: [String] = []
        for name in names {
            guard let component = Self.decoded(name, plusIsSpace: false), Self.isPlain(component) else {
                return nil
            }
            components.append(component)
        }
        self.components = components
        guard let query = Self.query(parts.count > 1 ? parts[1] : "") else { return nil }
        self.query = query
    }

    /// The value of a query member; nil where it is absent, and where it is given twice and so says nothing.
    package func value(_ name: String) -> String? {
        guard let values = query[name], values.count == 1 else { return nil }
        return values.first
    }

    /// How often a query member is given.
    package func count(of name: String) -> Int { query[name]?.count ?? 0 }

    private static func query(_ text: Substring) -> [String: [String]]? {
        var query: [String: [String]] = [:]
        for member in text.split(separator: "&") {
            let sides = member.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard
                let name = decoded(sides[0], plusIsSpace: true),
                let value = decoded(sides.count > 1 ? sides[1] : "", plusIsSpace: true)
            else { return nil }
            query[name, default: []].append(value)
        }
        return query
    }

    private static func isPlain(_ component: String) -> Bool {
        !component.isEmpty && component != "." && component != ".."
            && !component.utf8.contains(UInt8(ascii: "/"))
            && !component.utf8.contains(0)
    }

    /// Undoes percent encoding; nil for a stray `%` and for what is no UTF-8 afterwards.
    private static func decoded(_ text: Substring, plusIsSpace: Bool) -> String? {
        var bytes: [UInt8] = []
        var rest = text.utf8[...]
        while let byte = rest.popFirst() {
            switch byte {
            case UInt8(ascii: "%"):
                guard let high = rest.popFirst()?.hexadecimalValue,
                    let low = rest.popFirst()?.hexadecimalValue
                else { return nil }
                bytes.append(high << 4 | low)
            case UInt8(ascii: "+") where plusIsSpace: bytes.append(UInt8(ascii: " "))
            default: bytes.append(byte)
            }
        }
        return String(validating: bytes, as: UTF8.self)
    }
}
