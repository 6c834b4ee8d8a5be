public import Foundation

extension NSURL {
    private var url: URL { self as URL }

    /// As `URL.bookmarkData(options:includingResourceValuesForKeys:relativeTo:)`.
    public func bookmarkData(
        options: BookmarkCreationOptions = [],
        includingResourceValuesForKeys keys: [URLResourceKey]?,
        relativeTo relativeURL: URL?
    ) throws -> Data {
        try url.bookmarkData(
            options: options,
            includingResourceValuesForKeys: keys.map(Set.init),
            relativeTo: relativeURL
        )
    }

    /// As `URL.init(resolvingBookmarkData:options:relativeTo:bookmarkDataIsStale:)`.
    public convenience init(
        resolvingBookmarkData bookmarkData: Data,
        options: BookmarkResolutionOptions = [],
        relativeTo relativeURL: URL?,
        bookmarkDataIsStale isStale: UnsafeMutablePointer<ObjCBool>?
    ) throws {
        var isOld = false
        let url = try URL(
            resolvingBookmarkData: bookmarkData,
            options: options,
            relativeTo: relativeURL,
            bookmarkDataIsStale: &isOld
        )
        isStale?.pointee = ObjCBool(isOld)
        self.init(same: url)
    }

    /// As `URL.init(resolvingAliasFileAt:options:)`.
    public convenience init(
        resolvingAliasFileAt url: URL,
        options: BookmarkResolutionOptions = []
    ) throws {
        self.init(same: try URL(resolvingAliasFileAt: url, options: options))
    }

    /// The same URL, made by an initializer that can be delegated to.
    private convenience init(same url: URL) {
        if url.isFileURL {
            self.init(fileURLWithPath: url.path, isDirectory: url.hasDirectoryPath)
        } else {
            self.init(dataRepresentation: url.dataRepresentation, relativeTo: nil)
        }
    }

    /// Values that bookmark data keeps of its item, as they were when it was made. Looks at no item.
    ///
    /// The name, the path and the kind of the item are always kept.
    ///
    /// - Returns: Nil when the data is no bookmark of this user.
    public class func resourceValues(
        forKeys keys: [URLResourceKey],
        fromBookmarkData bookmarkData: Data
    ) -> [URLResourceKey: Any]? {
        // Nil is the only answer that there is for data that cannot be used.
        guard let record = try? BookmarkKeeper.opening(bookmarkData).open(bookmarkData),
            case .item(let item) = record.content,
            let values = try? BookmarkValues.decode(item)
        else { return nil }
        return values.filter { keys.contains($0.key) }
    }

    /// As `URL.writeBookmarkData(_:to:)`.
    ///
    /// - Parameter options: There is nothing to choose; 0.
    public class func writeBookmarkData(
        _ bookmarkData: Data,
        to bookmarkFileURL: URL,
        options: BookmarkFileCreationOptions
    ) throws {
        try URL.writeBookmarkData(bookmarkData, to: bookmarkFileURL)
    }

    /// As `URL.bookmarkData(withContentsOf:)`.
    public class func bookmarkData(withContentsOf bookmarkFileURL: URL) throws -> Data {
        try URL.bookmarkData(withContentsOf: bookmarkFileURL)
    }

    /// As `URL.startAccessingSecurityScopedResource()`.
    public func startAccessingSecurityScopedResource() -> Bool {
        url.startAccessingSecurityScopedResource()
    }

    /// As `URL.stopAccessingSecurityScopedResource()`.
    public func stopAccessingSecurityScopedResource() {
        url.stopAccessingSecurityScopedResource()
    }

    /// As `URL.checkPromisedItemIsReachable()`; what is wrong goes where the pointer leads.
    public func checkPromisedItemIsReachableAndReturnError(_ error: NSErrorPointer) -> Bool {
        do { return try url.checkPromisedItemIsReachable() } catch let problem {
            error?.pointee = problem as NSError
            return false
        }
    }

    /// As `URL.promisedItemResourceValues(forKeys:)`.
    public func promisedItemResourceValues(forKeys keys: [URLResourceKey]) throws -> [URLResourceKey: Any] {
        try url.promisedItemResourceValues(forKeys: Set(keys)).allValues
    }

    /// As of a `URL`: `try (url as NSURL).resourceValues(forKeys: [.isUbiquitousItemKey])`.
    ///
    /// - Source: Apple's resourceValues(forKeys:).
    /// - Differs from Darwin: a value that is called, as `URL.resourceValues` is; in a closure of one expression within an async
    ///   function the compiler takes Foundation's method, which knows nothing of containers.
    public var resourceValues: ItemResourceListReader { ItemResourceListReader(url: url) }

    /// One of the values that `resourceValues(forKeys:)` gives: `try url.getResourceValue(&value, forKey: .isUbiquitousItemKey)`.
    ///
    /// - Parameters:
    ///   - value: Where it is put; nil where the item has no such value. Untouched on failure. (That it is implicitly unwrapped
    ///     has the compiler prefer this method to Foundation's, which knows nothing of containers.)
    ///   - key: Which one.
    /// - Throws: `CocoaError` when nothing is there, not even a placeholder.
    /// - Source: Apple's getResourceValue(_:forKey:).
    public func getResourceValue(_ value: inout AnyObject!, forKey key: URLResourceKey) throws {
        try getPromisedItemResourceValue(&value, forKey: key)
    }

    /// One of the values that `promisedItemResourceValues(forKeys:)` gives: `try url.getPromisedItemResourceValue(&value,
    /// forKey: .fileSizeKey)`.
    ///
    /// - Parameters:
    ///   - value: Where it is put; nil where the item has no such value. Untouched on failure.
    ///   - key: Which one.
    /// - Throws: `CocoaError` when nothing is there, not even a placeholder.
    /// - Differs from Darwin: the first argument is a plain pointer, as Linux has no autoreleasing ones.
    public func getPromisedItemResourceValue(
        _ value: UnsafeMutablePointer<AnyObject?>,
        forKey key: URLResourceKey
    ) throws {
        value.pointee = try url.promisedItemResourceValues(forKeys: [key]).allValues[key].map {
            $0 as AnyObject
        }
    }
}
