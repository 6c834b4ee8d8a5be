public import Foundation

// Foundation on Linux has `NSPredicate` with blocks, constants and compounds; formats it declares and marks as
// unavailable. We add formats to its class rather than declare a class of our own, so that what is made here is an
// `NSPredicate` everywhere. An initialiser of a protocol's extension may give `self` an object of a subclass, and
// where Foundation's own are unavailable, overload resolution takes ours: so `NSPredicate(format:)` gives a
// `FormatPredicate`, which remembers its formula. A convenience initialiser that hands a block to
// `init(block:)` would lose it, and a query could neither read nor run it off the main thread.

/// What `NSPredicate` has of ours. Not for other types.
public protocol PredicateFormatting {}

extension NSPredicate: PredicateFormatting {}

extension PredicateFormatting where Self: NSPredicate {
    /// A predicate from a format such as `"%K LIKE[c] %@ AND kMDItemFSSize > 1000"`.
    ///
    /// Read are: `==`, `!=`, `<`, `<=`, `>`, `>=` and their other spellings, `BETWEEN`, `IN`, `BEGINSWITH`,
    /// `ENDSWITH`, `CONTAINS`, `LIKE`, `MATCHES`, with `[c]`, `[d]`, `[n]` and `[l]`; `AND`, `OR`, `NOT`; `ANY`, `ALL`,
    /// `NONE`; `TRUEPREDICATE`, `FALSEPREDICATE`; texts, numbers, also with `0x`, `0o` or `0b` before them, `NULL`, `YES`,
    /// `NO`, `SELF`, lists in braces, keys and paths of keys; `%@`, `%K` and C's conversions of numbers, also `%%` for a
    /// percent sign in a text. A path may go on into a text, a URL or a date: `%K.pathExtension`,
    /// `kMDItemURL.URLByDeletingLastPathComponent.path`.
    ///
    /// - Parameters:
    ///   - predicateFormat: The format. One that cannot be read is a programmer's error and traps with a sentence
    ///     that names the place.
    ///   - args: Texts, numbers, dates, data, URLs, lists of such, and nil.
    /// - Source: Apple's Predicate Format String Syntax.
    /// - Differs from Darwin: arithmetic, functions, variables, `SUBQUERY`, `CAST`, members of lists by their places and
    ///   `UTI-CONFORMS-TO` are not read. Asked of are dictionaries, lists of them and metadata items by key, and single
    ///   values as `SELF`; there is no key-value coding of other objects here, and of texts, URLs and dates only that of
    ///   what paths, lengths, letters' case and times are. `[l]` changes nothing. Strings need not be bridged to be
    ///   arguments.
    public init(format predicateFormat: String, _ args: Any?...) {
        self.init(checking: FormatPredicate.reading(predicateFormat, args))
    }

    /// A predicate from a format, with its arguments in a list; see `init(format:_:)`.
    public init(format predicateFormat: String, argumentArray arguments: [Any]?) {
        self.init(checking: FormatPredicate.reading(predicateFormat, arguments ?? []))
    }

    private init(checking predicate: FormatPredicate) {
        guard let predicate = predicate as? Self else {
            fatalError("a format was given to \(Self.self): only NSPredicate itself reads formats")
        }
        self = predicate
    }
}

/// A predicate that remembers its formula.
///
/// Not Sendable, as Foundation's class is not; its formula is.
final class FormatPredicate: NSPredicate {
    let formula: PredicateFormula

    init(_ formula: PredicateFormula) {
        self.formula = formula
        let test = PredicateTest(formula)
        super.init { object, _ in
            guard let subject = AskedObject(object) else {
                fatalError("the predicate \(formula.format) was asked of \(String(describing: object))")
            }
            return test.matches(subject)
        }
    }

    /// Reads a format; traps where it cannot be read.
    static func reading(_ format: String, _ arguments: [Any?]) -> FormatPredicate {
        do { return FormatPredicate(try PredicateParser.formula(format, arguments)) } catch {
            fatalError("\(error)")
        }
    }

    override var predicateFormat: String { formula.format }

    override func copy(with zone: NSZone? = nil) -> Any { self }

    override func isEqual(_ object: Any?) -> Bool { (object as? FormatPredicate)?.formula == formula }

    override var hash: Int { formula.hashValue }
}

extension PredicateFormula {
    /// The formula of a predicate; nil for a block's, and for one of a class that is not known.
    init?(_ predicate: NSPredicate) {
        switch predicate {
        case let predicate as FormatPredicate: self = predicate.formula
        case let predicate as NSCompoundPredicate:
            var parts: [PredicateFormula] = []
            for part in predicate.subpredicates {
                guard let formula = PredicateFormula(part) else { return nil }
                parts.append(formula)
            }
            switch predicate.compoundPredicateType {
            case .not: self = .not(parts.first ?? .constant(false))
            case .and: self = parts.count == 1 ? parts[0] : .and(parts)
            case .or: self = parts.count == 1 ? parts[0] : .or(parts)
            }
        // A constant is known by being equal to one; a block is equal to nothing but itself. An object of another class may
        // be equal to one as well, and say something else.
        case NSPredicate(value: true) where type(of: predicate) == NSPredicate.self: self = .constant(true)
        case NSPredicate(value: false) where type(of: predicate) == NSPredicate.self: self = .constant(false)
        default: return nil
        }
    }
}

/// What `NSPredicate.evaluate(with:)` is given.
///
/// A dictionary has its values by key, and dictionaries in it by paths of keys, also those in a list: of that a path leads to
/// the list of what it leads to of each. Anything else is a value by itself.
struct AskedObject: PredicateTest.Subject {
    private let object: Any?
    private let holder: (any PredicateAttributes)?

    /// Nil for what has neither values by key nor a value that can be compared.
    init?(_ object: Any?) {
        self.object = object
        holder = object as? any PredicateAttributes
        if holder == nil, Self.dictionary(object) == nil, PredicateValue(object) == nil { return nil }
    }

    var itself: PredicateValue { PredicateValue(object) ?? .null }

    func value(of key: String) -> PredicateValue {
        if let holder { return holder.predicateValue(of: key) }
        return Self.value(at: key.split(separator: ".")[...], of: object, key)
    }

    /// - Parameters:
    ///   - path: What is left of the key.
    ///   - key: All of it, for who is told.
    private static func value(
        at path: ArraySlice<Substring>,
        of object: Any?,
        _ key: String
    ) -> PredicateValue {
        guard let name = path.first else {
            guard let value = PredicateValue(object) else {
                fatalError("a predicate cannot compare the value of “\(key)”")
            }
            return value
        }
        guard let object else { return .null }
        if let dictionary = Self.dictionary(object) {
            return Self.value(at: path.dropFirst(), of: dictionary[String(name)], key)
        }
        if let members = Self.members(object), members.contains(where: { Self.dictionary($0) != nil }) {
            return .list(members.map { Self.value(at: path, of: $0, key) })
        }
        guard let value = PredicateValue(object)?.value(atPath: path.joined(separator: ".")) else {
            fatalError("a predicate asked for “\(key)” of a value that has no keys")
        }
        return value
    }

    private static func members(_ object: Any) -> [Any]? {
        switch object {
        case let list as [Any]: list
        case let list as NSArray: list.map { $0 }
        case let set as NSSet: set.allObjects
        default: nil
        }
    }

    private static func dictionary(_ object: Any?) -> [String: Any]? {
        if let dictionary = object as? [String: Any] { return dictionary }
        guard let dictionary = object as? NSDictionary else { return nil }
        var named: [String: Any] = [:]
        for (key, value) in dictionary { if let key = key as? String { named[key] = value } }
        return named
    }
}

/// What has values by key besides dictionaries.
protocol PredicateAttributes {
    func predicateValue(of key: String) -> PredicateValue
}
