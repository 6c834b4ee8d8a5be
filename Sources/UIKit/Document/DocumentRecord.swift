internal import FileSystem
internal import Foundation

/// What a document knows of its file, for any thread to ask.
struct DocumentRecord {
    var fileURL: URL
    /// Where it was before others moved it, and when the document followed.
    var leftPlace: (url: URL, seconds: Double)?
    var modificationDate: Date?
    /// What the item looked like when this document read or wrote it last; nil when it never did.
    var stamp: FileStamp? { didSet { stampCount += 1 } }
    /// How often the document has read or written the item: what was seen before tells nothing of now.
    private(set) var stampCount = 0
    /// How the item looked when it was found that it does not merge.
    var unmergedStamp: FileStamp?
    /// The change of the item that the document was told of last: what it knew, and what was found.
    var toldChange: Change?
    /// Whether something lost against the document, and nobody has settled it.
    var isInConflict = false
    /// Whether someone has removed the file, and nothing is at its place.
    var isFileGone = false
    /// Who changed the item last without coordinating, where the kernel tells.
    var lastWriter: WriterProcess?
    /// Whether the document presents its item now.
    var isPresenting = false
    /// Whether the program that had it open has ended, and it was not opened again.
    var hasEnded = false

    struct Change: Equatable {
        var known: FileStamp?
        var found: FileStamp
    }
}
