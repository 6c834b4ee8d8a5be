internal import FileSystem
public import Foundation

extension URL {
    /// Makes data that finds the item again after it was renamed, moved or saved anew.
    ///
    /// The item is marked with an extended attribute, once, where its volume and its permissions allow;
    /// contents and modification time stay as they are. Blocks on the disk; any thread. The data is sealed
    /// with a key of the user: it can be resolved by all of this user's programs on this machine, and is
    /// refused when it was altered. The bookmark of a URL that names no file holds just the URL.
    ///
    /// - Parameters:
    ///   - options: How. Without `withoutImplicitSecurityScope` the data gives access to the item.
    ///   - keys: Which resource values to keep in it; those that a property list cannot hold are left out.
    ///   - url: What the data is relative to: a folder, or a document beside which the item is found. Both
    ///     can then be moved together. With `withSecurityScope` and a folder, the item must be in it.
    /// - Returns: Data for `init(resolvingBookmarkData:options:relativeTo:bookmarkDataIsStale:)`.
    /// - Throws: `CocoaError.fileReadNoSuchFile` when nothing is there, and others with the POSIX error
    ///   underneath.
    /// - Differs from Darwin: a symbolic link above the item is resolved; one at the end is bookmarked itself.
    public func bookmarkData(
        options: BookmarkCreationOptions = [],
        includingResourceValuesForKeys keys: Set<URLResourceKey>? = nil,
        relativeTo url: URL? = nil
    ) throws -> Data {
        try BookmarkKeeper.of(self).make(of: self, options, keys: keys ?? [], relativeTo: url)
    }

    /// Finds what bookmark data is of.
    ///
    /// It is looked for at its place, then by the kernel's handle where the process is privileged, then where
    /// it was seen last, then near its place and among the documents; that last search is bounded, to 20,000
    /// items and a quarter of a second. An item without the mark at the very place is taken for it; one with
    /// a mark of its own, or of another kind, is not. Blocks on the disk; any thread.
    ///
    /// Resolving begins an access to the item, as on iOS; end it with
    /// `stopAccessingSecurityScopedResource()`. It does not with `withSecurityScope` or
    /// `withoutImplicitStartAccessing`.
    ///
    /// - Parameters:
    ///   - data: What `bookmarkData(options:includingResourceValuesForKeys:relativeTo:)` gave.
    ///   - options: How.
    ///   - url: The item that the data was made relative to. Without it, a bookmark without `withSecurityScope`
    ///     is looked for at the item's old place.
    ///   - isStale: Set to whether the item was moved or renamed, or lost or changed its mark: the URL is
    ///     good, make new data of it.
    /// - Throws: `CocoaError.fileNoSuchFile` with the item when it cannot be found,
    ///   `CocoaError.fileReadCorruptFile` when the data was altered or is another user's,
    ///   `CocoaError.fileReadNoPermission` when it leads out of the folder that it is good for.
    public init(
        resolvingBookmarkData data: Data,
        options: BookmarkResolutionOptions = [],
        relativeTo url: URL? = nil,
        bookmarkDataIsStale isStale: inout Bool
    ) throws {
        let resolved = try BookmarkKeeper.opening(data).resolve(data, options, relativeTo: url)
        SecurityScope.shared.take(resolved, options)
        isStale = resolved.isStale
        self = resolved.url
    }

    /// Values that bookmark data keeps of its item, as they were when it was made. Looks at no item.
    ///
    /// - Returns: Nil when the data is no bookmark of this user.
    /// - Differs from Darwin: `URLResourceValues` cannot be filled from outside of Foundation but for the name
    ///   and dates; `NSURL.resourceValues(forKeys:fromBookmarkData:)` gives all.
    public static func resourceValues(
        forKeys keys: Set<URLResourceKey>,
        fromBookmarkData data: Data
    ) -> URLResourceValues? {
        guard let kept = NSURL.resourceValues(forKeys: Array(keys), fromBookmarkData: data) else {
            return nil
        }
        var values = URLResourceValues()
        if let name = kept[.nameKey] as? String { values.name = name }
        if let date = kept[.creationDateKey] as? Date { values.creationDate = date }
        if let date = kept[.contentModificationDateKey] as? Date { values.contentModificationDate = date }
        if let date = kept[.contentAccessDateKey] as? Date { values.contentAccessDate = date }
        return values
    }
}

extension SecurityScope {
    /// Takes the access that a bookmark gives, and begins it where that is not left to the app.
    func take(_ resolved: BookmarkKeeper.Resolved, _ options: NSURL.BookmarkResolutionOptions) {
        guard resolved.scope.isGranted else { return }
        grant(resolved.url, isReadOnly: resolved.scope.isReadOnly)
        if options.isDisjoint(with: [.withSecurityScope, .withoutImplicitStartAccessing]) {
            _ = start(resolved.url)
        }
    }
}
