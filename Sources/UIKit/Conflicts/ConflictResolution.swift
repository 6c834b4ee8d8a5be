public import DocumentFoundation

/// Which of the versions in conflict is to be the document. Ours.
public enum ConflictResolution: Hashable, Sendable {
    /// The document stays as it is.
    case current
    /// A version that lost takes the document's place.
    case version(NSFileVersion)
    /// The document stays as it is, and each version that lost becomes a document of its own beside it.
    case both
    /// All become one; where two have changed the same, one side's stands, the same one on every device. What lost against another
    /// device is merged without what both came from, which only some documents can be: packages and replicas can, texts cannot.
    /// Copies that are kept beside the document stay that, and in conflict with it.
    case merged
}
