internal import Foundation

/// A value that a predicate compares, or that a result is sorted by.
enum PredicateValue: Hashable, Sendable {
    case null
    /// Integers, and truth as 1 and 0.
    case integer(Int64)
    case real(Double)
    case string(String)
    case date(Date)
    case data(Data)
    case url(URL)
    case list([PredicateValue])

    /// What code gives as a value; nil when a predicate cannot compare its like.
    ///
    /// Sets become lists in no order; an unsigned integer beyond `Int64` a real number.
    init?(_ value: Any?) {
        guard let value else {
            self = .null
            return
        }
        guard let known = Self.plain(value) ?? Self.object(value) ?? Self.members(value) else { return nil }
        self = known
    }

    /// Of Swift's own types. A class is asked first, as the runtime would bridge any of them to a number.
    private static func plain(_ value: Any) -> PredicateValue? {
        guard !(type(of: value) is AnyClass) else { return nil }
        return switch value {
        case let value as PredicateValue: value
        case let value as String: .string(value)
        case let value as Substring: .string(String(value))
        case let value as Bool: .integer(value ? 1 : 0)
        case let value as any BinaryInteger:
            Int64(exactly: value).map(PredicateValue.integer) ?? .real(Double(value))
        case let value as any BinaryFloatingPoint: .real(Double(value))
        case let value as Date: .date(value)
        case let value as Data: .data(value)
        case let value as URL: .url(value)
        default: nil
        }
    }

    private static func object(_ value: Any) -> PredicateValue? {
        guard type(of: value) is AnyClass else { return nil }
        return switch value {
        case is NSNull: .null
        case let value as NSString: .string(String(describing: value))
        case let value as NSNumber: number(value)
        case let value as NSDate:
            .date(Date(timeIntervalSinceReferenceDate: value.timeIntervalSinceReferenceDate))
        case let value as NSData: .data(Data(referencing: value))
        case let value as NSURL: .url(value as URL)
        case let value as NSArray: PredicateValue(list: value.map { $0 })
        case let value as NSSet: PredicateValue(list: value.allObjects)
        default: nil
        }
    }

    private static func number(_ value: NSNumber) -> PredicateValue {
        let kind = String(cString: value.objCType)
        if kind == "f" || kind == "d" { return .real(value.doubleValue) }
        return kind == "Q" && value.uint64Value > UInt64(Int64.max)
            ? .real(value.doubleValue) : .integer(value.int64Value)
    }

    private static func members(_ value: Any) -> PredicateValue? {
        switch value {
        case let value as [Any]: PredicateValue(list: value)
        case let value as Set<AnyHashable>: PredicateValue(list: value.map(\.base))
        default: nil
        }
    }

    private init?(list: [Any]) {
        var members: [PredicateValue] = []
        for member in list {
            guard let value = PredicateValue(member) else { return nil }
            members.append(value)
        }
        self = .list(members)
    }

    /// The same as code gets it; nil for null.
    var object: Any? {
        switch self {
        case .null: nil
        case .integer(let value): NSNumber(value: value)
        case .real(let value): NSNumber(value: value)
        case .string(let value): value
        case .date(let value): value
        case .data(let value): value
        case .url(let value): value
        case .list(let values): values.compactMap(\.object)
        }
    }

    /// What is in a list; a single value is a list of itself, and null is one of nothing.
    var members: [PredicateValue] {
        switch self {
        case .list(let values): values
        case .null: []
        default: [self]
        }
    }

    /// Which of two values comes first; nil when they cannot be compared.
    func order(before other: PredicateValue) -> ComparisonResult? {
        switch (self, other) {
        case (.null, .null): .orderedSame
        case (.integer(let value), .integer(let other)): Self.order(value, other)
        case (.integer(let value), .real(let other)): Self.order(Double(value), other)
        case (.real(let value), .integer(let other)): Self.order(value, Double(other))
        case (.real(let value), .real(let other)): Self.order(value, other)
        case (.string(let value), .string(let other)): Self.order(value, other)
        case (.date(let value), .date(let other)): Self.order(value, other)
        case (.url(let value), .url(let other)): Self.order(Self.text(value), Self.text(other))
        case (.data(let value), .data(let other)): value == other ? .orderedSame : nil
        case (.list(let value), .list(let other)): value == other ? .orderedSame : nil
        default: nil
        }
    }

    private static func order<Value: Comparable>(_ value: Value, _ other: Value) -> ComparisonResult? {
        if value == other { return .orderedSame }
        if value < other { return .orderedAscending }
        return value > other ? .orderedDescending : nil
    }

    /// Files are the same whether or not their URLs end in a slash.
    private static func text(_ url: URL) -> String { url.isFileURL ? url.path : url.absoluteString }
}
