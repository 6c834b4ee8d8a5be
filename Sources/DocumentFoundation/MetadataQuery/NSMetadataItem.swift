internal import FileSystem
public import Foundation
internal import Locks

/// What a query has found: a file, a folder, a package or a symbolic link, and what is known of it.
///
/// Values that the disk has to tell, sizes and dates, are read when they are asked for first, and again once the query
/// has told of a change; whether there are unresolved conflicts is asked each time. That may block. One item is one object
/// for as long as its query runs, through renames, too. Any thread.
///
/// A class of an app's own may be derived from it, which a test hands to code that takes items: made by `init()` it has no
/// values but those that its `value(forAttribute:)` gives, which predicates ask for, too.
///
/// - Source: Apple's NSMetadataItem.
/// - Differs from Darwin: there is no index of contents, so only the keys that are declared here have values.
open class NSMetadataItem: NSObject, @unchecked Sendable {
    // Sendable because what varies is under one lock.
    private struct State {
        /// Nil for an item that nothing is known of.
        var attributes: ItemAttributes?
        var known: [String: PredicateValue] = [:]
        /// How often it was refreshed: a value that was read before is not kept.
        var refreshCount = 0
    }

    private let state: Locked<State>
    /// The query's number for it; nil for one that was made by itself.
    let number: Int?

    /// An item without any values, for classes derived from this one.
    public override init() {
        state = Locked(State(attributes: nil))
        number = nil
    }

    init(_ attributes: ItemAttributes, number: Int?) {
        state = Locked(State(attributes: attributes))
        self.number = number
    }

    /// What is at a place now; nil when nothing is there, or the URL is no file's.
    public init?(url: URL) {
        guard let path = FilePath(url), let folder = try? path.parent.resolved(),
            let item = try? FolderScan.listing(of: [path.name], in: folder).first
        else { return nil }
        let types = ItemTypes()
        let form = ItemForm(item, types)
        let attributes = ItemAttributes(folder: folder, name: item.name, form: form, types: types)
        state = Locked(State(attributes: attributes))
        number = nil
    }

    /// Takes in that it has changed, or is elsewhere.
    func refresh(_ attributes: ItemAttributes) {
        state.withLock { $0 = State(attributes: attributes, refreshCount: $0.refreshCount + 1) }
    }

    func value(of key: String) -> PredicateValue {
        let (known, attributes, count) = state.withLock { ($0.known[key], $0.attributes, $0.refreshCount) }
        if let known { return known }
        guard let attributes else { return .null }
        let value = attributes.value(of: key)
        // A conflict may be settled without a change of a file, and where nobody keeps the item in step nothing tells of it.
        guard key != NSMetadataUbiquitousItemHasUnresolvedConflictsKey else { return value }
        state.withLock { state in
            // Of a time before the query told of a change: not to be kept.
            if state.refreshCount == count { state.known[key] = value }
        }
        return value
    }

    /// The value of an attribute; nil where there is none.
    open func value(forAttribute key: String) -> Any? {
        guard let attributes = state.withLock({ $0.attributes }) else { return nil }
        return attributes.ubiquity?.error(of: key, at: attributes.path) ?? value(of: key).object
    }

    /// The values of some attributes, those left out that have none.
    open func values(forAttributes keys: [String]) -> [String: Any]? {
        var values: [String: Any] = [:]
        for key in keys { values[key] = value(forAttribute: key) }
        return values
    }

    /// The attributes that have a value.
    open var attributes: [String] {
        (ItemAttributes.keys + UbiquityStates.keys).filter { value(of: $0) != .null }
    }
}

extension NSMetadataItem: PredicateAttributes {
    func predicateValue(of key: String) -> PredicateValue {
        if type(of: self) == NSMetadataItem.self { return value(of: key) }
        // A derived class may give values of its own; one that cannot be compared is none. It need not know paths of keys.
        if let value = PredicateValue(value(forAttribute: key)), value != .null { return value }
        guard let dot = key.firstIndex(of: "."),
            let value = PredicateValue(value(forAttribute: String(key[..<dot])))
        else { return .null }
        return value.value(atPath: key[key.index(after: dot)...]) ?? .null
    }
}
