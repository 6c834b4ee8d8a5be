public import Foundation

extension FileManager {
    /// Puts an item into the trash, from which file managers, and people, can put it back.
    ///
    /// Files, folders and packages go whole and in one step; a symbolic link goes itself. Blocks on the disk;
    /// any thread. Does not coordinate: do this in a coordinated write with `.forDeleting`. Contents in a container that are not
    /// here are fetched first, as a trash without them could give nothing back; those of what is in a folder cannot come while
    /// the folder is accessed so: have them come before (`startDownloadingUbiquitousItem(at:)`).
    ///
    /// - Parameters:
    ///   - url: The item.
    ///   - outResultingURL: Where the item's place in the trash is put, where one is given. The name differs
    ///     from the item's when the trash holds one of that name already. Untouched on failure.
    /// - Throws: `CocoaError.featureUnsupported` when the item's volume can have no trash; what keeps contents from being
    ///   fetched; else Apple's writing codes with the POSIX error underneath. The item is where it was then.
    /// - Differs from Darwin: the trash is that of the FreeDesktop specification (`$XDG_DATA_HOME/Trash`, or
    ///   the volume's). The second argument is a plain pointer: Linux has no autoreleasing ones.
    public func trashItem(
        at url: URL,
        resultingItemURL outResultingURL: UnsafeMutablePointer<NSURL?>?
    ) throws {
        // By a placeholder its item is meant.
        let url = UbiquityAccount.of(url).itemURL(of: url)
        try NSFileCoordinator(filePresenter: nil).fetchContents(of: url, isDeep: true)
        let resulting = try Trash(.forItem(at: url)).discard(url)
        outResultingURL?.pointee = NSURL(
            fileURLWithPath: resulting.path,
            isDirectory: resulting.hasDirectoryPath
        )
    }
}
