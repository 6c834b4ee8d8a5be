/// Why a predicate's format cannot be read.
///
/// A programmer's error: where Foundation has an exception for it, we trap with `description`.
struct PredicateFormatError: Error, Hashable, CustomStringConvertible {
    /// What is wrong.
    enum Code: Hashable, Sendable {
        /// A character that begins nothing, or a text without its end.
        case unreadable
        /// Something else was expected here.
        case unexpected
        /// The format wants more arguments than were given.
        case argumentMissing
        /// The argument cannot be what the format wants of it.
        case argumentUnfit
        /// What Foundation's formats may have and ours may not.
        case unsupported
        /// Parentheses are nested too deeply.
        case tooDeep
    }

    var code: Code
    var format: String
    /// Where in the format, in characters from its beginning.
    var position: Int
    /// What is wrong and what would be right, as a sentence.
    var detail: String

    var description: String {
        "The predicate format “\(format)” cannot be read at character \(position): \(detail)"
    }
}
