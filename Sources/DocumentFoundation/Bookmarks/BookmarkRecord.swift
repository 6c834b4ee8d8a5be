internal import FileSystem
internal import Foundation

/// What a bookmark holds.
struct BookmarkRecord: Hashable, Sendable {
    /// How it was made: raw `NSURL.BookmarkCreationOptions`.
    var options: UInt64
    var content: Content

    enum Content: Hashable, Sendable {
        /// A URL that names no file.
        case url(String)
        case item(BookmarkedItem)
    }
}

/// What a bookmark knows of an item.
struct BookmarkedItem: Hashable, Sendable {
    /// Where it was, links on the way resolved.
    var path: FilePath
    /// What to know it by.
    var taken: TakenIdentity
    /// The way to it from the item that the bookmark is relative to; nil for none.
    var relativePath: String?
    /// Resource values as a binary property list; empty for none.
    var values = Data()
}
