/// One recorded edit of one object: what was done to it, on which device, when.
public struct ChangeSet: Hashable, Sendable {
    /// What was done to the object.
    public enum Action: UInt8, Hashable, Sendable {
        /// It was made. What its device had seen of an object of the same id, counters apart, is over.
        case add = 0
        /// Properties of it were changed.
        case modify = 1
        /// It was deleted.
        case delete = 2
    }

    /// What was done.
    public var action: Action
    /// The name of the object's type, 1 to 1,000 bytes.
    public var objectType: String
    /// Which object of its type, 1 to 1,000 bytes.
    public var objectID: String
    /// The changed properties; none in a deletion.
    public var changes: [PropertyChange]
    /// Who made the change.
    public let device: DeviceID
    /// The device's changes are numbered from 1, without a gap.
    public let sequence: UInt64
    /// When it was made.
    public let time: HybridTime
    /// What the device had seen of other devices by then, where that is more than at its change before.
    public let seen: VersionVector
}

/// What a change set does to one property.
public struct PropertyChange: Hashable, Sendable {
    /// How a property is changed.
    public enum Edit: Hashable, Sendable {
        /// It holds this value; of several that did not know of each other, the latest.
        case set(ChangeValue)
        /// A counter grows by this, or shrinks; all increments add up.
        case increment(Int64)
        /// A set has one more element.
        case insert(ChangeValue)
        /// A set lacks an element; one that was inserted unseen meanwhile stays.
        case remove(ChangeValue)
        /// A text has this in place of what it had; see ``Replica/splice(of:_:_:to:)``.
        case splice(TextSplice)
    }

    /// The property's name, 1 to 1,000 bytes.
    public var property: String
    /// What is done to it.
    public var edit: Edit

    /// A change of one property.
    public init(_ property: String, _ edit: Edit) {
        self.property = property
        self.edit = edit
    }
}

extension PropertyChange.Edit {
    /// The numbers that stand for the kinds of edits, in memory and in encodings.
    enum Kind: UInt8 {
        case set = 0
        case increment = 1
        case insert = 2
        case remove = 3
        case splice = 4
    }

    var parts: (kind: Kind, value: ChangeValue) {
        switch self {
        case .set(let value): (.set, value)
        case .increment(let number): (.increment, .integer(number))
        case .insert(let value): (.insert, value)
        case .remove(let value): (.remove, value)
        case .splice(let splice): (.splice, splice.value)
        }
    }
}
