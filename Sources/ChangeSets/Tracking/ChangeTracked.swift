/// A property of a model class whose changes are recorded by themselves.
///
///     final class Bookmark: ChangeTrackedObject {
///         @ChangeTracked var name = ""
///         @ChangeTracked var url: URL?
///         @ChangeTracked(.set) var tags: Set<String> = []
///         @ChangeTracked(.counter) var visits = 0
///     }
///
/// The property's name in change sets is that in the source: renaming it loses what is stored under the old one.
/// Recording begins when the object is inserted into a ``ChangeRecorder``, and happens on its executor.
@propertyWrapper
public struct ChangeTracked<Value: ChangeConvertible> {
    let cell: TrackedCell<Value>

    /// - Parameters:
    ///   - wrappedValue: What the property holds in a new object; it is recorded when that is inserted. In an object
    ///     for which it never was, say one that an older version of the app made, a set and a text are empty and a
    ///     counter is 0: edits of several devices go together only from what all of them begin with. A property with
    ///     another rule holds this there.
    ///   - rule: What becomes of edits that did not know of each other.
    public init(wrappedValue: Value, _ rule: TrackingRule = .latest) {
        cell = TrackedCell(wrappedValue, rule)
    }

    /// What the property holds.
    public var wrappedValue: Value {
        get { cell.value }
        nonmutating set {
            cell.value = newValue
            cell.changed?()
        }
    }
}

/// What becomes of edits of a tracked property that did not know of each other.
public enum TrackingRule {
    /// The latest counts; the others are among the conflicts.
    case latest
    /// A whole number: all that was added and subtracted adds up.
    case counter
    /// A set: every element that was inserted stays, unless it was removed by one who knew of it.
    case set
    /// A text: what several write into it at the same time is all there.
    case text
    /// The latest counts in the change sets, but what is shown is what this makes of all of them, from the oldest to
    /// the latest; it must answer the same on every device.
    case merged(by: ([ChangeValue]) -> ChangeValue)
}

/// A class whose tracked properties are recorded.
public protocol ChangeTrackedObject: AnyObject {
    /// An object that another device has made; its properties are set next.
    init()
    /// The type's name in change sets; the class's name unless said otherwise.
    static var changeType: String { get }
}

extension ChangeTrackedObject {
    /// The class's name.
    public static var changeType: String { "\(Self.self)" }
}

/// Where a tracked property's value lies.
final class TrackedCell<Value: ChangeConvertible> {
    var value: Value
    private let initial: Value
    let rule: TrackingRule
    var changed: (() -> Void)?

    init(_ value: Value, _ rule: TrackingRule) {
        self.value = value
        initial = value
        self.rule = rule
    }
}

/// A tracked property of any type.
protocol TrackedProperty {
    var rule: TrackingRule { get }
    var current: ChangeValue { get }
    func take(_ value: ChangeValue?)
    func watch(_ changed: (() -> Void)?)
}

extension ChangeTracked: TrackedProperty {
    var rule: TrackingRule { cell.rule }
    var current: ChangeValue { cell.value.changeValue }

    /// Takes another device's value. One of another kind, of another version of the app, is left where it is.
    func take(_ value: ChangeValue?) { cell.take(value) }

    func watch(_ changed: (() -> Void)?) { cell.changed = changed }
}

extension TrackedCell {
    func take(_ change: ChangeValue?) {
        guard let change else {
            return value = rule.valueOfNothing.flatMap { Value(changeValue: $0) } ?? initial
        }
        if let converted = Value(changeValue: change) { value = converted }
    }
}

extension TrackingRule {
    /// What a property holds for which nothing is stored: no element was put in, or all were taken out again. Edits begin
    /// there. Nil where they do not, and the class says what the property holds.
    var valueOfNothing: ChangeValue? {
        switch self {
        case .set: .list([])
        case .counter: .integer(0)
        case .text: .text("")
        case .latest, .merged: nil
        }
    }

    /// What leads from one value to another; nothing when they are the same.
    func edits(from old: ChangeValue?, to new: ChangeValue) -> [PropertyChange.Edit] {
        switch (self, new) {
        case (.counter, .integer(let number)):
            var before: Int64 = 0
            if case .integer(let old) = old { before = old }
            return number == before ? [] : [.increment(number &- before)]
        case (.set, .list(let elements)):
            var before: [ChangeValue] = []
            if case .list(let old) = old { before = old }
            let (now, then) = (Set(elements), Set(before))
            return elements.filter { !then.contains($0) }.map { .insert($0) }
                + before.filter { !now.contains($0) }.map { .remove($0) }
        default:
            return old.map { ChangeValue.isIdentical($0, new) } ?? false ? [] : [.set(new)]
        }
    }
}
