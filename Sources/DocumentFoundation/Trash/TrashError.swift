package import Foundation

/// Why an item could not be put back from the trash.
package struct TrashError: Error, Hashable, Sendable, LocalizedError {
    /// What is in the way.
    package struct Code: Hashable, Sendable, CustomStringConvertible {
        private enum Kind { case notInTrash, noteUnreadable, folderMissing }
        private let kind: Kind

        /// The item is in no trash, or not any more.
        package static var notInTrash: Code { Code(kind: .notInTrash) }
        /// The note about where the item was cannot be understood.
        package static var noteUnreadable: Code { Code(kind: .noteUnreadable) }
        /// The folder that held the item is no more.
        package static var folderMissing: Code { Code(kind: .folderMissing) }
        package var description: String { "\(kind)" }
    }

    package var code: Code
    /// The item in the trash; for `folderMissing`, where it was.
    package var url: URL

    package var errorDescription: String? {
        let name = "“\(url.lastPathComponent)”"
        return switch code {
        case .notInTrash: "\(name) is not in the trash any more."
        case .noteUnreadable: "The trash does not know where \(name) was."
        default: "The folder of \(name), “\(url.deletingLastPathComponent().path)”, is no more."
        }
    }

    package var recoverySuggestion: String? {
        switch code {
        case .notInTrash: "It may have been put back or removed for good by another program."
        case .noteUnreadable: "Move it out of the trash with a file manager."
        default: "Make that folder again, or put it back first."
        }
    }
}
