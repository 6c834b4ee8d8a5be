internal import Foundation

/// A query's predicate, of which blocks may be parts.
///
/// Not Sendable: a block belongs to the queue that the query is used on, and is asked there alone. What must hold at the
/// least is a formula, which any thread asks, so that blocks are asked only about what may still match.
struct QueryPredicate {
    private indirect enum Node {
        case formula(PredicateTest)
        /// A block's, or one of a class of the caller's.
        case foreign(NSPredicate)
        case not(Node)
        case all([Node])
        case any([Node])
    }

    private let node: Node
    /// What holds of everything that the predicate holds of.
    let least: PredicateFormula
    /// Whether `least` says all.
    let isFormula: Bool

    init(_ predicate: NSPredicate) {
        node = Self.node(predicate)
        isFormula = PredicateFormula(predicate) != nil
        least = Self.bound(predicate, holds: true)
    }

    private static func node(_ predicate: NSPredicate) -> Node {
        if let formula = PredicateFormula(predicate) {
            return .formula(PredicateTest(formula, lists: .byAnyMember))
        }
        guard let compound = predicate as? NSCompoundPredicate else { return .foreign(predicate) }
        let parts = compound.subpredicates.map(node)
        return switch compound.compoundPredicateType {
        case .not: .not(parts[0])
        case .and: .all(parts)
        case .or: .any(parts)
        }
    }

    /// The predicate with every block taken to say what makes it hold, or not hold.
    private static func bound(_ predicate: NSPredicate, holds: Bool) -> PredicateFormula {
        if let formula = PredicateFormula(predicate) { return formula }
        guard let compound = predicate as? NSCompoundPredicate else { return .constant(holds) }
        switch compound.compoundPredicateType {
        case .not: return .not(bound(compound.subpredicates[0], holds: !holds))
        case .and: return .and(compound.subpredicates.map { bound($0, holds: holds) })
        case .or: return .or(compound.subpredicates.map { bound($0, holds: holds) })
        }
    }

    /// Whether an item is as the predicate says. Parts are asked in their order, and no more of them than decide.
    func matches(_ item: NSMetadataItem) -> Bool { Self.matches(node, item) }

    private static func matches(_ node: Node, _ item: NSMetadataItem) -> Bool {
        switch node {
        case .formula(let test): test.matches(AskedItem(item: item))
        case .foreign(let predicate): predicate.evaluate(with: item)
        case .not(let inner): !matches(inner, item)
        case .all(let parts): parts.allSatisfy { matches($0, item) }
        case .any(let parts): parts.contains { matches($0, item) }
        }
    }

    /// An item, as a formula asks it.
    private struct AskedItem: PredicateTest.Subject {
        let item: NSMetadataItem
        var itself: PredicateValue { .null }
        func value(of key: String) -> PredicateValue { item.value(of: key) }
    }
}
