internal import FileSystem
public import Foundation
internal import LocalSockets
internal import SyncMessages

extension FileManager {
    /// Asks for an item's contents, and returns. A folder's are those of all in it.
    ///
    /// `ubiquitousItemDownloadingStatus` of `URL.resourceValues(forKeys:)` says when they are here. What cannot come now is
    /// tried again when there is a line to the hub, whenever `sheaf up` runs, until it is here or is evicted.
    ///
    /// - Throws: `CocoaError`: `ubiquitousFileUbiquityServerNotAvailable` when `sheaf up` does not run; `fileNoSuchFile`;
    ///   `ubiquitousFileUnavailable` for what is in no container.
    /// - Source: Apple's startDownloadingUbiquitousItem(at:).
    public func startDownloadingUbiquitousItem(at url: URL) throws {
        try ask(about: url) { .download(path: $0, isAwaited: false) }
    }

    /// Has an item's contents leave this device; those of a folder are those of all in it. A placeholder takes the place
    /// of each: a hidden file, `.NAME.icloud`. Whoever reads the item in a coordinated way gets the contents back first.
    ///
    /// What `startDownloadingUbiquitousItem(at:)` has asked for and is not here yet is asked for no more.
    ///
    /// Only what the hub has as it is here goes. Presenters are asked before
    /// (`accommodatePresentedItemEviction(completionHandler:)`). Blocks until it is done; not inside a coordinated access
    /// of the item.
    ///
    /// - Throws: `CocoaError`: `ubiquitousFileUbiquityServerNotAvailable` when `sheaf up` does not run; `fileWriteUnknown`
    ///   for what is not at the hub yet, is in conflict, or comes as somebody waits for it; `fileLocking` when a presenter objects, or the item was just
    ///   changed; `fileNoSuchFile`; `ubiquitousFileUnavailable` for what is in no container.
    /// - Source: Apple's evictUbiquitousItem(at:).
    public func evictUbiquitousItem(at url: URL) throws { try ask(about: url) { .evict(path: $0) } }

    private func ask(about url: URL, _ question: (String) -> SyncQuestion) throws {
        let account = UbiquityAccount.of(url)
        do {
            guard let (_, path) = account.place(of: url) else {
                throw SyncRefusal(.notInContainer, "“\(url.path)” is in no folder that is kept in step.")
            }
            let handleMessages = FileAccessRegistry.shared.messagesMeanwhile
            try SyncQuery.perform(question(path.string), in: try account.runtime()) {
                try $0.next(handleMessages)
            }
        } catch {
            throw CocoaError.asking(about: url, error)
        }
    }
}
