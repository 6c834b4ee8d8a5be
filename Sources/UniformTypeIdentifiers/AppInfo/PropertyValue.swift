package import Foundation

/// A value of an Info.plist, whether it was written as a property list or as JSON.
package enum PropertyValue: Hashable, Sendable {
    case string(String)
    case bool(Bool)
    case integer(Int)
    case real(Double)
    case date(Date)
    case data(Data)
    case array([PropertyValue])
    case dictionary([String: PropertyValue])

    /// The text, if it is one.
    package var string: String? { if case .string(let value) = self { value } else { nil } }

    /// The truth value; also of the texts and numbers that property lists have been given in its place.
    package var bool: Bool? {
        switch self {
        case .bool(let value): value
        case .integer(let value): value != 0
        case .string(let value):
            switch value.lowercased() {
            case "yes", "true", "1": true
            case "no", "false", "0": false
            default: nil
            }
        default: nil
        }
    }

    /// The whole number, if it is one.
    package var integer: Int? { if case .integer(let value) = self { value } else { nil } }

    /// The elements, if it is an array.
    package var array: [PropertyValue]? { if case .array(let value) = self { value } else { nil } }

    /// The entries, if it is a dictionary.
    package var dictionary: [String: PropertyValue]? {
        if case .dictionary(let value) = self { value } else { nil }
    }

    /// The texts of an array, or a text alone as an array of one.
    ///
    /// Other elements are left out.
    package var strings: [String] {
        if case .string(let value) = self { return [value] }
        return array?.compactMap(\.string) ?? []
    }

    /// The value as Foundation's property lists have it.
    package var plain: any Sendable {
        switch self {
        case .string(let value): value
        case .bool(let value): value
        case .integer(let value): value
        case .real(let value): value
        case .date(let value): value
        case .data(let value): value
        case .array(let value): value.map(\.plain)
        case .dictionary(let value): value.mapValues(\.plain)
        }
    }
}

extension PropertyValue: Decodable {
    /// Reads any value; `null` is left out of arrays and dictionaries.
    package init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        // Each kind refuses the values of the others, so the one that does not throw is the right one; only
        // the last attempt's error is passed on.
        if let value = try? container.decode(Bool.self) {
            self = .bool(value)
        } else if let value = try? container.decode(Int.self) {
            self = .integer(value)
        } else if let value = try? container.decode(Double.self) {
            self = .real(value)
        } else if let value = try? container.decode(String.self) {
            self = .string(value)
        } else if let value = try? container.decode([PropertyValue?].self) {
            self = .array(value.compactMap(\.self))
        } else if let value = try? container.decode([String: PropertyValue?].self) {
            self = .dictionary(value.compactMapValues(\.self))
        } else if let value = try? container.decode(Date.self) {
            self = .date(value)
        } else {
            self = .data(try container.decode(Data.self))
        }
    }
}
