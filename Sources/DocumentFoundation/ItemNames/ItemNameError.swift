internal import Foundation

/// A name that no item can be given, and why.
package struct ItemNameError: Error, Hashable, Sendable, LocalizedError {
    /// What is wrong with the name.
    package struct Code: Hashable, Sendable, CustomStringConvertible {
        private enum Kind { case empty, reserved, slash, controlCharacter, leadingDot, tooLong }
        private let kind: Kind

        /// Nothing but spaces.
        package static var empty: Code { Code(kind: .empty) }
        /// "." or "..", which mean folders.
        package static var reserved: Code { Code(kind: .reserved) }
        /// A slash, which parts folders.
        package static var slash: Code { Code(kind: .slash) }
        /// A NUL, a line break or another character that shows nothing.
        package static var controlCharacter: Code { Code(kind: .controlCharacter) }
        /// A dot at its start, which would hide the item.
        package static var leadingDot: Code { Code(kind: .leadingDot) }
        /// More bytes than a volume takes.
        package static var tooLong: Code { Code(kind: .tooLong) }
        package var description: String { "\(kind)" }
    }

    package var code: Code
    /// The name, less the spaces around it.
    package var name: String

    package init(code: Code, name: String) {
        self.code = code
        self.name = name
    }

    package var errorDescription: String? {
        switch code {
        case .empty: "An item cannot be without a name."
        case .reserved: "“\(name)” means a folder and cannot be a name."
        case .slash: "“\(name)” holds a slash, which cannot stand in a name."
        case .controlCharacter: "The name holds a line break or another character that cannot be seen."
        case .leadingDot: "“\(name)” begins with a dot, and the item would be hidden."
        default: "“\(shortName)” is too long: \(name.utf8.count) bytes."
        }
    }

    package var recoverySuggestion: String? {
        switch code {
        case .empty: "Type at least one letter."
        case .reserved: "Choose another name."
        case .slash: "Use another sign, such as a hyphen."
        case .controlCharacter: "Type the name again instead of pasting it."
        case .leadingDot: "Begin the name with a letter or a digit."
        default: "Use at most \(ItemNames.nameByteCountMax) bytes; an accented letter takes two or more."
        }
    }

    private var shortName: String { name.count > 32 ? name.prefix(31) + "…" : name }
}
