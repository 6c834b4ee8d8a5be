public import Foundation

/// What a tracked property can hold: it becomes a ``ChangeValue`` and comes back from one.
public protocol ChangeConvertible {
    /// The value for a change set.
    var changeValue: ChangeValue { get }
    /// What a change set's value stands for; nil when it is of another kind.
    init?(changeValue: ChangeValue)
}

extension String: ChangeConvertible {
    /// A text.
    public var changeValue: ChangeValue { .text(self) }
    /// Of a text.
    public init?(changeValue: ChangeValue) {
        guard case .text(let text) = changeValue else { return nil }
        self = text
    }
}

extension Int: ChangeConvertible {
    /// A whole number.
    public var changeValue: ChangeValue { .integer(Int64(self)) }
    /// Of a whole number.
    public init?(changeValue: ChangeValue) {
        guard case .integer(let number) = changeValue else { return nil }
        self.init(exactly: number)
    }
}

extension Bool: ChangeConvertible {
    /// Yes or no.
    public var changeValue: ChangeValue { .flag(self) }
    /// Of yes or no.
    public init?(changeValue: ChangeValue) {
        guard case .flag(let flag) = changeValue else { return nil }
        self = flag
    }
}

extension Double: ChangeConvertible {
    /// A number.
    public var changeValue: ChangeValue { .real(self) }
    /// Of a number.
    public init?(changeValue: ChangeValue) {
        guard case .real(let real) = changeValue else { return nil }
        self = real.number
    }
}

extension Data: ChangeConvertible {
    /// Bytes.
    public var changeValue: ChangeValue { .bytes(Array(self)) }
    /// Of bytes.
    public init?(changeValue: ChangeValue) {
        guard case .bytes(let bytes) = changeValue else { return nil }
        self.init(bytes)
    }
}

extension Date: ChangeConvertible {
    /// A number: seconds since the reference date, 2001.
    public var changeValue: ChangeValue { .real(timeIntervalSinceReferenceDate) }
    /// Of seconds since the reference date.
    public init?(changeValue: ChangeValue) {
        guard let seconds = Double(changeValue: changeValue) else { return nil }
        self.init(timeIntervalSinceReferenceDate: seconds)
    }
}

extension UUID: ChangeConvertible {
    /// A text.
    public var changeValue: ChangeValue { .text(uuidString) }
    /// Of a text.
    public init?(changeValue: ChangeValue) {
        guard case .text(let text) = changeValue else { return nil }
        self.init(uuidString: text)
    }
}

extension URL: ChangeConvertible {
    /// A text.
    public var changeValue: ChangeValue { .text(absoluteString) }
    /// Of a text.
    public init?(changeValue: ChangeValue) {
        guard case .text(let text) = changeValue else { return nil }
        self.init(string: text)
    }
}

extension Optional: ChangeConvertible where Wrapped: ChangeConvertible {
    /// The value, or `none`.
    public var changeValue: ChangeValue { self?.changeValue ?? .none }
    /// Of a value, or `none`.
    public init?(changeValue: ChangeValue) {
        if case .none = changeValue {
            self = .none
        } else if let wrapped = Wrapped(changeValue: changeValue) {
            self = .some(wrapped)
        } else {
            return nil
        }
    }
}

extension Array: ChangeConvertible where Element: ChangeConvertible {
    /// A list.
    public var changeValue: ChangeValue { .list(map(\.changeValue)) }
    /// Of a list of such elements.
    public init?(changeValue: ChangeValue) {
        guard case .list(let values) = changeValue else { return nil }
        let elements = values.compactMap { Element(changeValue: $0) }
        guard elements.count == values.count else { return nil }
        self = elements
    }
}

extension Set: ChangeConvertible where Element: ChangeConvertible {
    /// A list, in an order that is the same on every device.
    public var changeValue: ChangeValue { .list(map(\.changeValue).sorted(by: ChangeValue.precedes)) }
    /// Of a list of such elements.
    public init?(changeValue: ChangeValue) {
        guard let elements = [Element](changeValue: changeValue) else { return nil }
        self = Set(elements)
    }
}
