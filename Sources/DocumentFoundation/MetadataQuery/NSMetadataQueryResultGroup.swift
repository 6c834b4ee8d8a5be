public import Foundation

/// How often a value occurs among a query's results.
public final class NSMetadataQueryAttributeValueTuple: NSObject {
    /// The attribute.
    public let attribute: String
    /// The value; nil for results that have none.
    public let value: Any?
    /// How many results have it.
    public let count: Int

    init(_ attribute: String, _ value: Any?, _ count: Int) {
        self.attribute = attribute
        self.value = value
        self.count = count
    }
}

/// The results of a query that have the same value of an attribute.
///
/// As the results were when the query was asked for its groups.
public final class NSMetadataQueryResultGroup: NSObject {
    /// The attribute that it groups by.
    public let attribute: String
    /// The value that its results have in common; `NSNull` for none.
    public let value: Any
    /// The groups in it; nil for the last attribute of the query's `groupingAttributes`.
    public let subgroups: [NSMetadataQueryResultGroup]?
    /// Its results, in the query's order.
    public let results: [Any]

    init(_ attribute: String, _ value: Any, _ subgroups: [NSMetadataQueryResultGroup]?, _ results: [Any]) {
        self.attribute = attribute
        self.value = value
        self.subgroups = subgroups
        self.results = results
    }

    /// How many results it has.
    public var resultCount: Int { results.count }

    /// One of its results. Traps when there is none at the index.
    public func result(at idx: Int) -> Any { results[idx] }
}

/// Puts results together by values. Pure.
enum ResultGrouping {
    /// Values in their order, each with the places of the results that have it. A list counts for each of its members.
    static func places(_ values: [PredicateValue]) -> [(value: PredicateValue, places: [Int])] {
        var places: [PredicateValue: [Int]] = [:]
        for (place, value) in values.enumerated() {
            if case .list(let members) = value {
                for member in Set(members) { places[member, default: []].append(place) }
            } else {
                places[value, default: []].append(place)
            }
        }
        return places.map { (value: $0, places: $1) }
            .sorted { $0.value.sortOrder(before: $1.value) == .orderedAscending }
    }
}
