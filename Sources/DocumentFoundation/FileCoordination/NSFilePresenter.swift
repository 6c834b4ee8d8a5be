public import FilePresenting
public import Foundation

/// Something that shows or edits an item, and hears of other accesses to it through `NSFileCoordinator`.
///
/// It also hears of what is done by programs that coordinate nothing: the kernel tells that the item was
/// written, moved or removed, and the steps of an editor's way of saving come as one change. A file counts as
/// written when its writer closes it. Its own coordinated accesses it does not hear of.
///
/// Every message but the two first properties arrives on `presentedItemOperationQueue`. All but those two
/// have a default: one that asks for an answer is answered at once, and a message about something inside a
/// package becomes `presentedItemDidChange()`.
///
/// What has a completion handler can be implemented with `async throws` instead (`AsyncFilePresenter`), on the main actor too.
/// It begins on the presenter's queue and goes on wherever it belongs; what it coordinates after it has waited for something
/// is not seen as part of the answer, so that a deadlock which it is part of ends by the time limit only. One that waits for
/// something goes on only when a thread of those that tasks run on is free, or the main thread for one of the main actor:
/// neither may wait for access meanwhile.
///
/// - Differs from Darwin: nothing is optional, so a default is a method and not an absence; a class that
///   others subclass must implement what its subclasses are to override, in both spellings. Implemented in both, a question
///   is asked with the completion handler.
public protocol NSFilePresenter: AsyncFilePresenter {
    /// The item; nil while there is none. Asked on any thread: when the presenter is added and after each
    /// coordinated write done for it. The old place, named while the news of a move is on its way, does not count.
    var presentedItemURL: URL? { get }

    /// The item that this one belongs to: a film's, where this presents its subtitles.
    ///
    /// - Differs from Darwin: nothing here asks for it. On macOS it opens the sandbox for items that have the same name as one
    ///   that a person has chosen, and another extension; there is no sandbox here that would have to be opened.
    var primaryPresentedItemURL: URL? { get }

    /// Where all other messages arrive. Asked on any thread.
    ///
    /// - Differs from Darwin: code on a serial queue, or on the main queue, that waits for access gets the
    ///   messages for that queue meanwhile, nested in its call, where Darwin would deadlock.
    var presentedItemOperationQueue: OperationQueue { get }

    /// Someone waits to read: make way, then call `reader`, with what to run when reading is over or nil.
    func relinquishPresentedItem(toReader reader: @escaping @Sendable ((@Sendable () -> Void)?) -> Void)

    /// Someone waits to write: make way, then call `writer`, with what to run when writing is over or nil.
    /// Messages about what the writer did may come before that is run.
    func relinquishPresentedItem(toWriter writer: @escaping @Sendable ((@Sendable () -> Void)?) -> Void)

    /// Someone waits for the item's latest contents: write them, coordinated by a coordinator made for this
    /// presenter, then call the handler. An error ends the other's access.
    func savePresentedItemChanges(completionHandler: @escaping @Sendable ((any Error)?) -> Void)

    /// The item is about to go: let it, then call the handler. An error ends the other's access.
    ///
    /// When someone who coordinates nothing has removed the item, it is gone already: nobody waits for the
    /// answer then. Should an item come back at the place, `presentedItemDidChange()` says so.
    func accommodatePresentedItemDeletion(completionHandler: @escaping @Sendable ((any Error)?) -> Void)

    /// The item's contents are about to leave this machine, as they are at the hub: make do without them, then call the
    /// handler. An error keeps them here.
    func accommodatePresentedItemEviction(completionHandler: @escaping @Sendable ((any Error)?) -> Void)

    /// Something in the presented package is about to go: let it, then call the handler.
    ///
    /// Once it has gone, `presentedSubitemDidChange(at:)` says so. That is all that the presenter of a plain folder hears of it.
    func accommodatePresentedSubitemDeletion(
        at url: URL,
        completionHandler: @escaping @Sendable ((any Error)?) -> Void
    )

    /// The item is elsewhere now, and may have another extension.
    func presentedItemDidMove(to newURL: URL)

    /// Someone wrote the item.
    func presentedItemDidChange()

    /// Something new is in the presented directory, at any depth.
    func presentedSubitemDidAppear(at url: URL)

    /// Something in the presented directory has moved.
    func presentedSubitem(at oldURL: URL, didMoveTo newURL: URL)

    /// Someone wrote something in the presented directory, at any depth, or removed it.
    func presentedSubitemDidChange(at url: URL)

    /// A version of the item has been added: a state was kept, or lost a conflict.
    ///
    /// Unlike all other messages the three about versions also reach the presenter that they were done for.
    func presentedItemDidGain(_ version: NSFileVersion)

    /// A version of the item has been removed; only what tells it from others is left of it.
    func presentedItemDidLose(_ version: NSFileVersion)

    /// Somebody has settled the conflict that a version of the item had lost.
    func presentedItemDidResolveConflict(_ version: NSFileVersion)

    /// A version of something in the presented directory has been added.
    func presentedSubitem(at url: URL, didGain version: NSFileVersion)

    /// A version of something in the presented directory has been removed.
    func presentedSubitem(at url: URL, didLose version: NSFileVersion)

    /// Somebody has settled the conflict that a version of something in the presented directory had lost.
    func presentedSubitem(at url: URL, didResolve version: NSFileVersion)

    /// Which changes of the item's attributes in the cloud to hear of. Asked once, on being added.
    var observedPresentedItemUbiquityAttributes: Set<URLResourceKey> { get }

    /// Some of the observed attributes have changed: `sheaf up` says so of an item in a container, or somebody by
    /// `NSFileCoordinator.item(at:didChangeUbiquityAttributes:)`.
    func presentedItemDidChangeUbiquityAttributes(_ attributes: Set<URLResourceKey>)
}

extension NSFilePresenter {
    /// None.
    public var primaryPresentedItemURL: URL? { nil }

    /// Makes way at once.
    public func relinquishPresentedItem(
        toReader reader: @escaping @Sendable ((@Sendable () -> Void)?) -> Void
    ) {
        reader(nil)
    }

    /// Makes way at once.
    public func relinquishPresentedItem(
        toWriter writer: @escaping @Sendable ((@Sendable () -> Void)?) -> Void
    ) {
        writer(nil)
    }

    /// Does nothing.
    public func presentedItemDidMove(to newURL: URL) {}

    /// Does nothing.
    public func presentedItemDidChange() {}

    /// Calls `presentedItemDidChange()` when the presented directory is a package.
    public func presentedSubitemDidAppear(at url: URL) { packageDidChange() }

    /// Calls `presentedItemDidChange()` when the presented directory is a package.
    public func presentedSubitem(at oldURL: URL, didMoveTo newURL: URL) { packageDidChange() }

    /// Calls `presentedItemDidChange()` when the presented directory is a package.
    public func presentedSubitemDidChange(at url: URL) { packageDidChange() }

    /// Does nothing.
    public func presentedItemDidGain(_ version: NSFileVersion) {}

    /// Does nothing.
    public func presentedItemDidLose(_ version: NSFileVersion) {}

    /// Does nothing.
    public func presentedItemDidResolveConflict(_ version: NSFileVersion) {}

    /// Does nothing.
    public func presentedSubitem(at url: URL, didGain version: NSFileVersion) {}

    /// Does nothing.
    public func presentedSubitem(at url: URL, didLose version: NSFileVersion) {}

    /// Does nothing.
    public func presentedSubitem(at url: URL, didResolve version: NSFileVersion) {}

    /// All attributes of items in the cloud.
    public var observedPresentedItemUbiquityAttributes: Set<URLResourceKey> {
        [
            .isUbiquitousItemKey, .ubiquitousItemHasUnresolvedConflictsKey, .ubiquitousItemIsDownloadingKey,
            .ubiquitousItemIsUploadedKey, .ubiquitousItemIsUploadingKey, .ubiquitousItemDownloadingStatusKey,
            .ubiquitousItemDownloadingErrorKey, .ubiquitousItemUploadingErrorKey,
            .ubiquitousItemDownloadRequestedKey, .ubiquitousItemIsSyncPausedKey,
        ]
    }

    /// Does nothing.
    public func presentedItemDidChangeUbiquityAttributes(_ attributes: Set<URLResourceKey>) {}

    private func packageDidChange() {
        if let url = presentedItemURL, PackageDirectories.isPackage(url) { presentedItemDidChange() }
    }
}
