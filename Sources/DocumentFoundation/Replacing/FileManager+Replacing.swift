internal import FileSystem
public import Foundation

extension FileManager {
    /// Puts a new item in the place of another, in one step; the one that was there goes, or stays as a backup.
    ///
    /// For those who save by themselves what no `UIDocument` saves: write the new item into the folder that
    /// `url(for: .itemReplacementDirectory, in: .userDomainMask, appropriateFor: originalItemURL, create: true)` makes, then
    /// call this. Whoever reads finds one of both items whole at any time, after a power cut too. Bookmarks, versions and
    /// presenters of the original are the new one's. Blocks on the disk; any thread. Does not coordinate: do this in a
    /// coordinated write. Contents of an original in a container that are not here are fetched first.
    ///
    /// - Parameters:
    ///   - originalItemURL: Whose place is taken. Something has to be there; a symbolic link is replaced itself.
    ///   - newItemURL: What takes it. Nothing is there afterwards.
    ///   - backupItemName: The original's name as a backup, in its folder; what has that name is replaced. No backup is made
    ///     unless the options say that it stays.
    ///   - options: `.usingNewMetadataOnly` leaves the original's permissions, owner, access list and extended attributes
    ///     behind, and with these what bookmarks and versions know it by; `.withoutDeletingBackupItem` keeps the backup.
    ///   - resultingURL: Where the new item's place is put, where one is given: the original's. Untouched on failure.
    /// - Throws: A `CocoaError` with the POSIX error underneath: `fileNoSuchFile` when one of both is not there. Both items are
    ///   where they were then; or the new one is in place and what is left of the original is where
    ///   `NSFileOriginalItemLocationKey` says.
    /// - Source: Apple's replaceItem(at:withItemAt:backupItemName:options:resultingItemURL:).
    /// - Differs from Darwin: works between volumes, too, by a copy. The date of creation is the new item's, as Linux sets
    ///   none. What happens to bear the backup's name stays when no backup is to stay. The last argument is a plain pointer:
    ///   Linux has no autoreleasing ones.
    public func replaceItem(
        at originalItemURL: URL,
        withItemAt newItemURL: URL,
        backupItemName: String?,
        options: FileManager.ItemReplacementOptions = [],
        resultingItemURL resultingURL: UnsafeMutablePointer<NSURL?>?
    ) throws {
        let replacing = ItemReplacing(original: originalItemURL, new: newItemURL)
        let url = try replacing.perform(backupItemName: backupItemName, options)
        resultingURL?.pointee = NSURL(fileURLWithPath: url.path, isDirectory: url.hasDirectoryPath)
    }

    /// As `replaceItem(at:withItemAt:backupItemName:options:resultingItemURL:)`; gives where the new item is:
    /// `try files.replaceItemAt(url, withItemAt: new)`.
    ///
    /// - Returns: Where the new item is; never nil.
    /// - Source: Apple's replaceItemAt(_:withItemAt:backupItemName:options:).
    /// - Differs from Darwin: the name of the backup is implicitly unwrapped, which makes no difference to who calls this. It
    ///   is what has the compiler prefer this method, in every context, to Foundation's for Linux, which makes nothing durable
    ///   and leaves the original where the new item was: of two methods that else take the same, the one whose optional is
    ///   implicitly unwrapped is the more special one. (A value that is called, as `URL.resourceValues` is, would not do: in
    ///   the closures of an async function the compiler takes Foundation's method then.)
    public func replaceItemAt(
        _ originalItemURL: URL,
        withItemAt newItemURL: URL,
        backupItemName: String! = nil,
        options: FileManager.ItemReplacementOptions = []
    ) throws -> URL? {
        let replacing = ItemReplacing(original: originalItemURL, new: newItemURL)
        return try replacing.perform(backupItemName: backupItemName, options)
    }

    /// As `replaceItemAt(_:withItemAt:backupItemName:options:)`, spelled as it was before Swift 3.
    @available(*, deprecated, renamed: "replaceItemAt(_:withItemAt:backupItemName:options:)")
    public func replaceItemAtURL(
        originalItemURL: NSURL,
        withItemAtURL newItemURL: NSURL,
        backupItemName: String? = nil,
        options: FileManager.ItemReplacementOptions = []
    ) throws -> NSURL? {
        var resulting: NSURL?
        try replaceItem(
            at: originalItemURL as URL,
            withItemAt: newItemURL as URL,
            backupItemName: backupItemName,
            options: options,
            resultingItemURL: &resulting
        )
        return resulting
    }
}

/// One replacement, with its errors as Apple's.
private struct ItemReplacing {
    let original: URL
    let new: URL

    /// - Returns: Where the new item is.
    func perform(backupItemName: String?, _ options: FileManager.ItemReplacementOptions) throws -> URL {
        let replaced: FileStamp
        // By a placeholder its item is meant.
        let original = UbiquityAccount.of(original).itemURL(of: original)
        let (place, source) = (try path(original), try path(new))
        // Its mark, its attributes and the backup are the original's.
        try NSFileCoordinator(filePresenter: nil).fetchContents(of: original)
        do {
            replaced = try FileStamp(of: place)
            let isFolder = try FileStamp(of: source).kind == .directory
            let replacement = ItemReplacement(
                of: place,
                by: source,
                backupName: options.contains(.withoutDeletingBackupItem) ? backupItemName : nil,
                leavesAttributes: options.contains(.usingNewMetadataOnly)
            )
            do { try replacement.perform() } catch { throw failure(error, replaced, source) }
            return place.url(isDirectory: isFolder)
        } catch let error as SystemError {
            throw CocoaError(error, while: .writing)
        }
    }

    private func path(_ url: URL) throws -> FilePath {
        guard let path = FilePath(url) else {
            throw CocoaError(.fileWriteUnsupportedScheme, userInfo: [NSURLErrorKey: url])
        }
        return path
    }

    private func failure(_ error: SystemError, _ replaced: FileStamp, _ source: FilePath) -> CocoaError {
        let failure = CocoaError(error, while: .writing)
        // What cannot be looked at is not known to be the original.
        guard error.isNewInPlace, let left = try? FileStamp.ifPresent(at: source),
            left.device == replaced.device, left.inode == replaced.inode
        else { return failure }
        let place = [Self.locationKey: source.url(isDirectory: left.kind == .directory)]
        return CocoaError(failure.code, userInfo: failure.userInfo.merging(place) { _, new in new })
    }

    /// Apple's key for where the original is.
    private static let locationKey = "NSFileOriginalItemLocationKey"
}
