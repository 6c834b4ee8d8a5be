internal import Foundation

/// A predicate's formula, prepared to be asked about many things. Pure.
struct PredicateTest: Sendable {
    /// How a key's value that is a list is compared with one value.
    enum Lists: Sendable {
        /// As a whole, as `NSPredicate` does.
        case asWhole
        /// By any of its members, as metadata queries do: `kMDItemContentTypeTree == 'public.image'`.
        case byAnyMember
    }

    /// What is asked: values by key, and the value of the thing itself.
    protocol Subject {
        func value(of key: String) -> PredicateValue
        var itself: PredicateValue { get }
    }

    private indirect enum Node: Sendable {
        case constant(Bool)
        case not(Node)
        case all([Node])
        case any([Node])
        case compares(PredicateComparison, TextPattern?)
    }

    private let node: Node
    private let lists: Lists

    init(_ formula: PredicateFormula, lists: Lists = .asWhole) {
        node = Self.node(formula)
        self.lists = lists
    }

    private static func node(_ formula: PredicateFormula) -> Node {
        switch formula {
        case .constant(let value): return .constant(value)
        case .not(let inner): return .not(node(inner))
        case .and(let parts): return .all(parts.map(node))
        case .or(let parts): return .any(parts.map(node))
        case .comparison(let comparison):
            var prepared = comparison
            if case .constant(let value) = comparison.right {
                prepared.right = .constant(comparison.options.folded(value))
                if case .string(let text) = value {
                    let pattern = TextPattern(comparison.relation, text, comparison.options)
                    return .compares(prepared, pattern)
                }
            }
            return .compares(prepared, nil)
        }
    }

    /// Whether something is as the predicate says.
    func matches(_ subject: some Subject) -> Bool { matches(node, subject) }

    private func matches(_ node: Node, _ subject: some Subject) -> Bool {
        switch node {
        case .constant(let value): value
        case .not(let inner): !matches(inner, subject)
        case .all(let parts): parts.allSatisfy { matches($0, subject) }
        case .any(let parts): parts.contains { matches($0, subject) }
        case .compares(let comparison, let pattern): compares(comparison, pattern, subject)
        }
    }

    private func value(_ operand: PredicateOperand, _ subject: some Subject) -> PredicateValue {
        switch operand {
        case .constant(let value): value
        case .key(let key): subject.value(of: key)
        case .itself: subject.itself
        case .list(let members): .list(members.map { value($0, subject) })
        }
    }

    // MARK: Comparing

    private func compares(
        _ comparison: PredicateComparison,
        _ pattern: TextPattern?,
        _ subject: some Subject
    ) -> Bool {
        let left = value(comparison.left, subject)
        let right = value(comparison.right, subject)
        func holds(_ left: PredicateValue) -> Bool {
            Self.holds(left, comparison.relation, right, comparison.options, pattern)
        }
        switch comparison.modifier {
        case .any: return left.members.contains(where: holds)
        case .all: return left.members.allSatisfy(holds)
        case .none: return !left.members.contains(where: holds)
        case .direct: break
        }
        guard lists == .byAnyMember, case .list(let members) = left, comparison.relation != .contains,
            comparison.relation == .member || !right.isList
        else { return holds(left) }
        return comparison.relation == .unequal
            ? members.allSatisfy(holds) : members.contains(where: holds)
    }

    private static func holds(
        _ left: PredicateValue,
        _ relation: PredicateRelation,
        _ right: PredicateValue,
        _ options: PredicateOptions,
        _ pattern: TextPattern?
    ) -> Bool {
        switch relation {
        case .like, .matches, .beginsWith, .endsWith:
            return matchesText(left, relation, right, options, pattern)
        case .contains:
            if case .list(let members) = left { return has(members, right, options) }
            return matchesText(left, relation, right, options, pattern)
        case .member:
            if case .list(let members) = right { return has(members, left, options) }
            return matchesText(right, .contains, left, options, nil)
        case .between:
            guard case .list(let bounds) = right, bounds.count == 2 else { return false }
            return holds(left, .greaterOrEqual, bounds[0], options, nil)
                && holds(left, .lessOrEqual, bounds[1], options, nil)
        case .equal, .unequal, .less, .lessOrEqual, .greater, .greaterOrEqual:
            return holds(options.folded(left).order(before: options.folded(right)), relation)
        }
    }

    private static func holds(_ order: ComparisonResult?, _ relation: PredicateRelation) -> Bool {
        switch relation {
        case .equal: order == .orderedSame
        case .unequal: order != .orderedSame
        case .less: order == .orderedAscending
        case .lessOrEqual: order == .orderedAscending || order == .orderedSame
        case .greater: order == .orderedDescending
        case .greaterOrEqual: order == .orderedDescending || order == .orderedSame
        default: false
        }
    }

    private static func matchesText(
        _ left: PredicateValue,
        _ relation: PredicateRelation,
        _ right: PredicateValue,
        _ options: PredicateOptions,
        _ pattern: TextPattern?
    ) -> Bool {
        guard case .string(let text) = left else { return false }
        if let pattern { return pattern.matches(text) }
        guard case .string(let wanted) = right else { return false }
        return TextPattern(relation, wanted, options)?.matches(text) ?? false
    }

    private static func has(
        _ members: [PredicateValue],
        _ value: PredicateValue,
        _ options: PredicateOptions
    ) -> Bool {
        let value = options.folded(value)
        return members.contains { options.folded($0).order(before: value) == .orderedSame }
    }
}

extension PredicateValue {
    fileprivate var isList: Bool {
        if case .list = self { true } else { false }
    }
}
