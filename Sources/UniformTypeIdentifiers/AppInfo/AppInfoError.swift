package import Foundation

/// An error from reading the app's Info.plist.
package struct AppInfoError: Error, Sendable, LocalizedError, CustomStringConvertible {
    /// What failed, coarse enough to switch over.
    package struct Code: Hashable, Sendable, CustomStringConvertible {
        private enum Kind { case unreadable, malformed }
        private let kind: Kind

        /// The file is there and cannot be read.
        package static var unreadable: Code { Code(kind: .unreadable) }
        /// The file is neither a property list nor JSON with a dictionary at its top.
        package static var malformed: Code { Code(kind: .malformed) }
        package var description: String { "\(kind)" }
    }

    package let code: Code
    /// The file.
    package let url: URL
    /// What was tried, on which file, and what to do.
    package let detail: String

    package var description: String { detail }
    package var errorDescription: String? { detail }
}
