public import Foundation

// As for formats of predicates (see FormatPredicate.swift): Foundation's NSSortDescriptor on Linux sorts by Swift key
// paths only, and marks the initialisers with a key as unavailable. Ours give an object of a subclass, so that what is
// made here is an NSSortDescriptor everywhere.

/// What `NSSortDescriptor` has of ours. Not for other types.
public protocol KeySorting {}

extension NSSortDescriptor: KeySorting {}

extension KeySorting where Self: NSSortDescriptor {
    /// Sorts by the value of a key: numbers, texts, dates and URLs by their own order; what has no value comes first.
    ///
    /// - Parameters:
    ///   - key: The key, or a path of keys with dots between them; nil sorts the things themselves.
    ///   - ascending: Whether the least comes first.
    /// - Differs from Darwin: sorted are dictionaries, metadata items and single values, as there is no key-value
    ///   coding of other objects here. There are no selectors; give a comparator instead.
    public init(key: String?, ascending: Bool) {
        self.init(checking: KeySortDescriptor(sortKey: key, ascending: ascending, order: nil))
    }

    /// Sorts by the value of a key, in an order of the caller's.
    ///
    /// - Parameters:
    ///   - key: As of `init(key:ascending:)`.
    ///   - ascending: Whether what the comparator puts first comes first.
    ///   - cmptr: Compares two values; `NSNull` stands for none.
    public init(key: String?, ascending: Bool, comparator cmptr: @escaping Comparator) {
        self.init(checking: KeySortDescriptor(sortKey: key, ascending: ascending, order: cmptr))
    }

    private init(checking descriptor: KeySortDescriptor) {
        guard let descriptor = descriptor as? Self else {
            fatalError("a key was given to \(Self.self): only NSSortDescriptor itself sorts by keys")
        }
        self = descriptor
    }

    /// The key by whose value is sorted; nil for the things themselves, and where a Swift key path is used.
    public var key: String? { (self as? KeySortDescriptor)?.sortKey }
}

/// A sort descriptor that remembers its key.
final class KeySortDescriptor: NSSortDescriptor {
    let sortKey: String?
    private let order: Comparator?
    /// Whether values are compared in their own order.
    var isPlain: Bool { order == nil }

    init(sortKey key: String?, ascending: Bool, order: Comparator?) {
        sortKey = key
        self.order = order
        super.init(keyPath: \Any.self, ascending: ascending) { first, second in
            let (first, second) = (Self.value(of: key, in: first), Self.value(of: key, in: second))
            if let order { return order(first.object ?? NSNull(), second.object ?? NSNull()) }
            return first.sortOrder(before: second)
        }
    }

    override var reversedSortDescriptor: Any {
        KeySortDescriptor(sortKey: sortKey, ascending: !ascending, order: order)
    }

    private static func value(of key: String?, in object: Any) -> PredicateValue {
        guard let subject = AskedObject(object) else {
            fatalError("a sort descriptor was given \(object), which has no keys and cannot be compared")
        }
        return key.map { subject.value(of: $0) } ?? subject.itself
    }
}

extension PredicateValue {
    /// Which of two values comes first when all are sorted: null before anything else, and things of different kinds
    /// by their kinds.
    func sortOrder(before other: PredicateValue) -> ComparisonResult {
        if let order = order(before: other) { return order }
        let (own, its) = (rank, other.rank)
        return own < its ? .orderedAscending : own > its ? .orderedDescending : .orderedSame
    }

    private var rank: Int {
        switch self {
        case .null: 0
        case .integer, .real: 1
        case .string: 2
        case .date: 3
        case .url: 4
        case .data: 5
        case .list: 6
        }
    }
}
