public import UIKit

/// One random edit that a test has made of a document, and how to see whether it is still there.
public struct ConflictEdit<Document: UIDocument> {
    /// What was done, for the message of a failure.
    public let description: String
    /// Whether a document shows the edit.
    public let isThere: @MainActor (Document) -> Bool

    /// - Parameters:
    ///   - description: What was done, as “inserted ‘w7’ at 3”.
    ///   - isThere: Whether a document shows it: in its contents, or among conflicts that it keeps by itself. Asked on the
    ///     main actor, of the edited document and of the base first: what a later edit of the same side has undone, and
    ///     what was so before, does not count.
    public init(_ description: String, isThere: @escaping @MainActor (Document) -> Bool) {
        self.description = description
        self.isThere = isThere
    }
}

/// One of the versions that a ``ConflictSuite`` makes.
public enum ConflictVersion: Hashable, Sendable, CaseIterable {
    /// The common ancestor.
    case base
    /// One device's.
    case mine
    /// The other device's.
    case theirs
    /// What the merge came to, loaded to be looked at.
    case merged
}
