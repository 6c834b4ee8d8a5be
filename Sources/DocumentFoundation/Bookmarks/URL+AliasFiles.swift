internal import FileSystem
public import Foundation

extension URL {
    /// The extension that alias files have.
    private static var aliasExtension: String { "alias" }

    /// Writes an alias file: one that leads to another item wherever that is.
    ///
    /// The file is there whole or not at all. Blocks on the disk; any thread.
    ///
    /// - Parameters:
    ///   - data: A bookmark made with `suitableForBookmarkFile`.
    ///   - url: Where. A name that does not end in ".alias" gets that added.
    /// - Throws: A `CocoaError`; nothing has been written then.
    public static func writeBookmarkData(_ data: Data, to url: URL) throws {
        let record = try BookmarkKeeper.opening(data).open(data)
        guard record.creationOptions.contains(.suitableForBookmarkFile) else {
            throw BookmarkErrors.notForFiles(url)
        }
        let isNamed = url.pathExtension.lowercased() == aliasExtension
        let target = isNamed ? url : url.appendingPathExtension(aliasExtension)
        guard let path = FilePath(target.absoluteURL) else {
            throw CocoaError(.fileWriteUnsupportedScheme, userInfo: [NSURLErrorKey: url])
        }
        do {
            let save = try StagedSave(item: path)
            try save.write(data)
            try save.commit()
        } catch {
            throw CocoaError(error, while: .writing, url: target)
        }
    }

    /// The bookmark data in an alias file.
    ///
    /// - Throws: `CocoaError.fileReadCorruptFile` when the file is no alias, or was altered.
    public static func bookmarkData(withContentsOf url: URL) throws -> Data {
        guard let data = try aliasContents(of: url) else {
            throw BookmarkErrors.unreadable(BookmarkSeal.Failure.notABookmark)
        }
        _ = try BookmarkKeeper.opening(data).open(data)
        return data
    }

    /// What an alias file leads to; the URL itself when it is no alias.
    ///
    /// - Throws: As `init(resolvingBookmarkData:options:relativeTo:bookmarkDataIsStale:)`.
    public init(resolvingAliasFileAt url: URL, options: BookmarkResolutionOptions = []) throws {
        guard let data = try Self.aliasContents(of: url) else {
            self = url
            return
        }
        var isStale = false
        try self.init(resolvingBookmarkData: data, options: options, bookmarkDataIsStale: &isStale)
    }

    /// - Returns: Nil when the item is no alias file.
    private static func aliasContents(of url: URL) throws -> Data? {
        guard let path = FilePath(url.absoluteURL) else { return nil }
        do {
            let stamp = try FileStamp(of: path, followsSymbolicLink: true)
            guard stamp.kind == .regular, stamp.byteCount <= BookmarkSeal.byteCountMax else { return nil }
            let data = try FileReading.contents(of: path)
            return BookmarkSeal.isBookmark(data) ? data : nil
        } catch {
            throw CocoaError(error, while: .reading, url: url)
        }
    }
}
