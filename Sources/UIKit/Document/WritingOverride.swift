/// Tells whether a document class writes by means of its own.
///
/// What `writeContents(_:to:for:originalContentsURL:)` gets is a place where it may do anything, which takes a
/// folder that is made and removed for each save. Few classes override it, and a lone file written by
/// `UIDocument` itself needs none.
enum WritingOverride {
    /// Whether a class overrides `writeContents(_:to:for:originalContentsURL:)`. Any thread.
    static func isOverridden(by type: UIDocument.Type) -> Bool { slot.isOverridden(by: type) }

    private static let slot = MethodSlot(overriding: Overriding.self)

    /// Never made.
    private final class Overriding: UIDocument {
        override func writeContents(
            _ contents: Any,
            to url: URL,
            for saveOperation: SaveOperation,
            originalContentsURL: URL?
        ) throws {
            throw DocumentError.notOverridden("init(fileURL:)", in: Overriding.self, at: url)
        }
    }
}
