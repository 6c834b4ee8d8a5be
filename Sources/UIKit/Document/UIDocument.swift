internal import FileSystem
internal import Locks
internal import UniformTypeIdentifiers

/// One file or package that an app edits: read, written, watched and saved without being asked.
///
/// Subclass it and override two methods: `contents(forType:)` hands over a snapshot of your model,
/// `load(fromContents:ofType:)` takes one in. Tell it of edits through `undoManager` or
/// `updateChangeCount(_:)`; it saves by itself, on closing, when the last tab goes and when the process is told
/// to end.
///
/// Isolation: the main actor, but for the members marked `nonisolated`: `read(from:)` and both
/// `writeContents` run on the document's own file queue, the presenter's methods on its presenter queue.
///
/// Differs from Darwin: state changes cannot be observed by key path, there being no Objective-C runtime;
/// observe `stateChangedNotification`.
@MainActor @preconcurrency
open class UIDocument: NSObject, nonisolated NSFilePresenter, UIUserActivityRestoring {
    /// Seconds of quiet after an edit before the document saves itself.
    ///
    /// Ours; Apple's is not documented.
    public nonisolated static let autosaveDelay: TimeInterval = 0.5

    /// Seconds that an edit waits at most to be saved while others keep coming.
    public nonisolated static let autosaveDelayMax: TimeInterval = 2

    /// Posted on the main actor whenever `documentState` changes. The object is the document.
    public nonisolated static let stateChangedNotification = NSNotification.Name(
        "UIDocumentStateChangedNotification"
    )

    /// The key under which an activity keeps the document's place.
    public nonisolated static let userActivityURLKey = "NSUserActivityDocumentURLKey"

    nonisolated let record: Locked<DocumentRecord>
    nonisolated let fileAccess: DocumentFileAccess
    /// On which make-believe device of a test it was made: there it calls back.
    nonisolated let deviceContext: DeviceContext?
    nonisolated let presenterQueue: OperationQueue

    var lifecycle = DocumentLifecycle()
    var changeLine = ChangeLine()
    /// Where the document stood when it last took contents in: what was edited since is unsaved.
    var loadedPlace: ChangeLine.Place?
    var isCountingUndoable = false
    var isForgettingUndo = false
    var schedule = AutosaveSchedule(delay: UIDocument.autosaveDelay, delayMax: UIDocument.autosaveDelayMax)
    var scheduleTimer = 0
    var work = DocumentWork()
    var download: Progress?
    var upload: UploadFollowing?
    var unsettled = DocumentConflicts()
    /// How many view controllers show the document.
    var viewControllerCount = 0
    var storedUndoManager: UndoManager?
    var undoObservers = NotificationTokens()

    /// Makes a document for a place. Nothing is read or written.
    ///
    /// - Parameter url: A file URL. An empty path traps, as Apple's raises. A placeholder's is its item's.
    public init(fileURL url: URL) {
        precondition(
            url.isFileURL && !url.path.isEmpty,
            "UIDocument needs a file URL with a path, not \(url)"
        )
        PackageTypes.install()
        record = Locked(DocumentRecord(fileURL: UIDocument.place(meantBy: url)))
        deviceContext = .current(for: url)
        fileAccess = DocumentFileAccess(VersionStore.of(url))
        presenterQueue = OperationQueue()
        presenterQueue.maxConcurrentOperationCount = 1
        presenterQueue.name = "UIDocument presenter"
        super.init()
        fileAccess.versions.setWanted(Swift.type(of: self).keepsVersions)
    }

    // MARK: What it is

    /// Where the document is. Follows moves and saves to another place. Any thread.
    public nonisolated var fileURL: URL { record.withLock { $0.fileURL } }

    /// The document's name for people: the file's name without its extension.
    open var localizedName: String { fileURL.deletingPathExtension().lastPathComponent }

    /// The identifier of the document's type, told by the extension of its name; nil without one.
    open var fileType: String? { PackageTypes.identifier(of: fileURL) }

    /// The type to write from now on. Other than `fileType`, the next save gives the name the extension of it.
    open var savingFileType: String? { fileType }

    /// When the file changed last as far as this document knows: what it read or wrote itself. Any thread.
    public nonisolated var fileModificationDate: Date? {
        get { record.withLock { $0.modificationDate } }
        set { record.withLock { $0.modificationDate = newValue } }
    }

    /// How the document stands.
    public var documentState: State { lifecycle.state }

    /// The progress of a download of the contents, or of an upload of what was saved, in bytes; nil while there is neither.
    /// `documentState` says `progressAvailable` then.
    ///
    /// Cancelling a download's ends the opening with false; an upload's cannot be cancelled. Of an upload whoever keeps the folder
    /// in step tells while the document is open.
    open var progress: Progress? { download ?? upload?.progress }

    /// Where edits are registered to be undone. Made when first asked for; set nil to get a new one.
    ///
    /// The document counts a change whenever a group closes, is undone or redone.
    open var undoManager: UndoManager! {
        get { undoManagerMadeIfNeeded() }
        set { adopt(newValue) }
    }

    // MARK: What a person does with it

    /// What a person is doing with the document; nil for nothing that could be gone on with.
    ///
    /// The document keeps it up to date: when it is set, and whenever the document is at another place, it sets
    /// `needsSave` and calls `updateUserActivityState(_:)`. Differs from Darwin: the app makes it, as there is no cloud
    /// that the document could make it for.
    open var userActivity: NSUserActivity? { didSet { updateActivity() } }

    /// Brings an activity up to date: puts the document's place under `userActivityURLKey`. Called on the main actor.
    ///
    /// Override to add what is needed to come back to where the person is, and call `super`.
    ///
    /// - Parameter userActivity: The document's.
    open func updateUserActivityState(_ userActivity: NSUserActivity) {
        userActivity.addUserInfoEntries(from: [UIDocument.userActivityURLKey: fileURL])
    }

    /// Goes on with an activity. Called by an app; does nothing by itself.
    ///
    /// - Parameter userActivity: What was being done.
    open func restoreUserActivityState(_ userActivity: NSUserActivity) {}

    // MARK: Opening

    /// Reads the document's file, registers the document as its presenter and makes it editable.
    ///
    /// Opening an open document succeeds at once; while it is being opened, both handlers get the one answer.
    ///
    /// - Parameter completionHandler: Called on the main actor with whether it is open now.
    open func open(completionHandler: ((Bool) -> Void)? = nil) {
        beginOpening(completionHandler)
    }

    /// Reads the document's file and makes it editable; false when it could not be read.
    @discardableResult
    open func open() async -> Bool {
        await withCheckedContinuation { continuation in
            open { continuation.resume(returning: $0) }
        }
    }

    /// Reads an item and hands its contents to `load(fromContents:ofType:)`.
    ///
    /// Called on the file queue inside a coordinated read. A directory gives a lazy `FileWrapper`, all else
    /// `Data`. Override to read in another way; calling `super` is not required then.
    ///
    /// - Parameter url: The item; not always `fileURL`, as a revert may come from elsewhere.
    nonisolated open func read(from url: URL) throws {
        try readContents(at: url)
    }

    /// Takes contents into the model. Override; throw to make opening or reverting fail.
    ///
    /// Called on the main actor while the file queue waits; where the main actor itself waits for coordinated access just then,
    /// nested in that call, as the access may be one that waits for this reading.
    ///
    /// - Parameters:
    ///   - contents: `Data`, or a `FileWrapper` for a package.
    ///   - typeName: The identifier of the document's type.
    open func load(fromContents contents: Any, ofType typeName: String?) throws {
        throw DocumentError.notOverridden("load(fromContents:ofType:)", in: Swift.type(of: self), at: fileURL)
    }

    // MARK: Editing

    /// Whether something in memory is not on disk. An override must override the two token methods too.
    open var hasUnsavedChanges: Bool { changeLine.hasUnsavedChanges || hasOpenUndoGroup }

    /// Tells the document of a change that `undoManager` does not know of.
    open func updateChangeCount(_ change: ChangeKind) {
        count(change)
    }

    /// A mark of what a save that begins now will hold. Called first in every save.
    open func changeCountToken(for saveOperation: SaveOperation) -> Any {
        changeLine.current
    }

    /// Called when a save has ended well: clean if nothing changed since the token was taken.
    open func updateChangeCount(withToken changeCountToken: Any, for saveOperation: SaveOperation) {
        guard let place = changeCountToken as? ChangeLine.Place else { return }
        changeLine.saved(at: place)
    }

    /// Called when edits would be lost from now on. Does nothing here.
    open func disableEditing() {}

    /// Called when edits are safe again. Does nothing here.
    open func enableEditing() {}

    // MARK: Saving

    /// Saves when there is something to save. Called by the schedule, on closing, and when the app leaves the
    /// foreground; override to tune.
    ///
    /// - Parameter completionHandler: Called on the main actor with whether all is on disk.
    open func autosave(completionHandler: ((Bool) -> Void)? = nil) {
        guard hasUnsavedChanges else {
            completionHandler?(true)
            return
        }
        work.isAutosaving = true
        defer { work.isAutosaving = false }
        save(to: fileURL, for: .forOverwriting, completionHandler: completionHandler)
    }

    /// Saves when there is something to save.
    @discardableResult
    open func autosave() async -> Bool {
        await withCheckedContinuation { continuation in
            autosave { continuation.resume(returning: $0) }
        }
    }

    /// Writes the document.
    ///
    /// Called on the main actor: `changeCountToken(for:)`, `fileNameExtension(forType:saveOperation:)` where the
    /// type changes, `fileAttributesToWrite(to:for:)`, `contents(forType:)`. Then on the file queue, inside a
    /// coordinated write: `writeContents(_:andAttributes:safelyTo:for:)`. Then on the main actor:
    /// `updateChangeCount(withToken:for:)` and the handler. When `true` is answered, the bytes are on stable
    /// storage.
    ///
    /// A document never opened is open after its first save for creating. Whatever else is found at the place,
    /// or was changed there by others since this document read it, is kept as a version that is in conflict with it;
    /// where no versions are kept, beside it under a name of its own. Written to another place, the document is another item from
    /// then on: the former one keeps its versions and its bookmarks.
    ///
    /// Differs from Darwin: when `contents(forType:)` throws, the handler is called with false; Apple's
    /// documentation says it is not called at all.
    ///
    /// - Parameters:
    ///   - url: Where to: a file URL.
    ///   - saveOperation: Whether the document is new there.
    ///   - completionHandler: Called on the main actor with whether the document was written.
    open func save(to url: URL, for saveOperation: SaveOperation, completionHandler: ((Bool) -> Void)? = nil)
    {
        beginSaving(to: url, for: saveOperation, completionHandler)
    }

    /// Writes the document; false when it could not be written.
    @discardableResult
    open func save(to url: URL, for saveOperation: SaveOperation) async -> Bool {
        await withCheckedContinuation { continuation in
            save(to: url, for: saveOperation) { continuation.resume(returning: $0) }
        }
    }

    /// The extension that names of this type end in.
    open func fileNameExtension(forType typeName: String?, saveOperation: SaveOperation) -> String {
        typeName.flatMap { UTType($0)?.preferredFilenameExtension } ?? fileURL.pathExtension
    }

    /// What to set on the file beside its contents, as `FileManager` attributes. Nothing here.
    open func fileAttributesToWrite(
        to url: URL,
        for saveOperation: SaveOperation
    ) throws -> [AnyHashable: Any] {
        [:]
    }

    /// A snapshot of the model to be written. Override.
    ///
    /// - Parameter typeName: The identifier of the type to write.
    /// - Returns: `Data`, or a `FileWrapper`. It must not change afterwards: it is written in the background.
    open func contents(forType typeName: String) throws -> Any {
        throw DocumentError.notOverridden("contents(forType:)", in: Swift.type(of: self), at: fileURL)
    }

    /// Writes contents beside the item and puts them in its place in one step.
    ///
    /// Called on the file queue inside a coordinated write. A reader sees the old item or the new one; on any
    /// error the old one is in place.
    nonisolated open func writeContents(
        _ contents: Any,
        andAttributes additionalFileAttributes: [AnyHashable: Any]? = nil,
        safelyTo url: URL,
        for saveOperation: SaveOperation
    ) throws {
        try writeSafely(contents, attributes: additionalFileAttributes, to: url, for: saveOperation)
    }

    /// Writes contents to a place where nothing is.
    ///
    /// Called on the file queue by the method above, with a place beside the document. Override for contents
    /// that are neither `Data` nor a `FileWrapper`; do not call `super` for those.
    ///
    /// When a package is overwritten, only the members that differ are written to `url`; what an override adds
    /// to them there becomes part of the package.
    ///
    /// - Parameters:
    ///   - contents: What `contents(forType:)` gave.
    ///   - url: The place beside the document.
    ///   - saveOperation: Whether the document is new.
    ///   - originalContentsURL: The package as it is on disk, when overwriting; nil when creating.
    nonisolated open func writeContents(
        _ contents: Any,
        to url: URL,
        for saveOperation: SaveOperation,
        originalContentsURL: URL?
    ) throws {
        try writeStaged(contents, to: url, for: saveOperation, original: originalContentsURL)
    }

    /// Joins what is unsaved here with what someone else has written meanwhile. Ours.
    ///
    /// Called when the file was changed by others while this document has unsaved changes, or is being saved. Here: merges by type, as
    /// `DocumentMergers` says, and answers where nothing was changed twice. Override to merge in another way, or to
    /// accept conflicts: `DocumentMergers.merge(ofType:base:mine:theirs:)` names them. It MUST answer the same on every
    /// device for the same versions, and MUST change none of them; it MAY call `super`.
    ///
    /// What is returned is handed to `load(fromContents:ofType:)` and saved over the other's version. What could be
    /// undone before cannot be any more; but where there is an undo manager, the merge itself is one step to undo.
    /// Returning nil, or throwing, keeps both: this document's in the file, the other's as a version that is in
    /// conflict with it, see `conflictVersions`.
    ///
    /// Called on the file queue, so that a person can go on typing. What was edited meanwhile makes it be called again;
    /// after a few times of that, on the main actor, so that there is an end to it.
    ///
    /// - Parameters:
    ///   - typeName: The identifier of the type to write.
    ///   - base: What both started from: `Data` of a file of 8 MiB at most, or a package's tree. Members of it that were
    ///     not read before the other one changed them are nil when asked for their contents. Nil where it is not known.
    ///     When that does not lead to a merge, this is called once more with the version that the document keeps of it,
    ///     which has everything.
    ///   - mine: What `contents(forType:)` gives.
    ///   - theirs: What the file holds now: `Data` or a `FileWrapper`.
    /// - Returns: Contents for `load(fromContents:ofType:)`; nil for none that both could agree to.
    /// - Throws: Whatever makes merging impossible; nobody is told of it.
    nonisolated open func mergedContents(
        ofType typeName: String?,
        base: Any?,
        mine: Any,
        theirs: Any
    ) throws
        -> Any?
    {
        let merged = try DocumentMergers.merge(ofType: typeName, base: base, mine: mine, theirs: theirs)
        return merged.flatMap { $0.conflicts.isEmpty ? $0.contents : nil }
    }

    // MARK: Versions

    /// Whether states of documents of this class are kept as versions. Ours; override to give false.
    nonisolated open class var keepsVersions: Bool { true }

    /// How long versions of documents of this class are kept. Ours; override to keep more or fewer.
    nonisolated open class var versionRetention: VersionRetention { .standard }

    // MARK: Closing and reverting

    /// Saves what is unsaved, stops presenting the file, and is closed.
    ///
    /// When that last save fails the document stays open with `.savingError` and the handler gets false, so
    /// that nothing is lost; Apple leaves this case open.
    ///
    /// - Parameter completionHandler: Called on the main actor with whether all is saved and the document closed.
    open func close(completionHandler: ((Bool) -> Void)? = nil) {
        beginClosing(completionHandler)
    }

    /// Saves what is unsaved and closes; false when the save failed.
    @discardableResult
    open func close() async -> Bool {
        await withCheckedContinuation { continuation in
            close { continuation.resume(returning: $0) }
        }
    }

    /// Gives up what is unsaved and reads the document anew.
    ///
    /// - Parameters:
    ///   - url: Where from; the document's place from now on.
    ///   - completionHandler: Called on the main actor. After false, editing stays disabled.
    open func revert(toContentsOf url: URL, completionHandler: ((Bool) -> Void)? = nil) {
        beginReverting(to: url, completionHandler)
    }

    /// Gives up what is unsaved and reads the document anew; false when it could not be read.
    @discardableResult
    open func revert(toContentsOf url: URL) async -> Bool {
        await withCheckedContinuation { continuation in
            revert(toContentsOf: url) { continuation.resume(returning: $0) }
        }
    }

    /// Runs a block on the queue where all of this document's file access happens, one after another.
    ///
    /// - Parameter block: Must not wait for the main actor.
    @preconcurrency open func performAsynchronousFileAccess(_ block: @escaping @Sendable () -> Void) {
        fileAccess.perform { [deviceContext] in deviceContext.run(block) }
    }

    // MARK: Errors

    /// Called on the main actor when opening, saving or reverting failed, before the handler.
    ///
    /// Here: tells the person where interaction is permitted, and finishes. An override that does not call
    /// `super` must call `finishedHandlingError(_:recovered:)`.
    open func handleError(_ error: any Error, userInteractionPermitted: Bool) {
        lastError = error
        finishedHandlingError(error, recovered: false)
    }

    /// Ends the handling of an error. An override must call `super`.
    open func finishedHandlingError(_ error: any Error, recovered: Bool) {
        if recovered { lastError = nil }
    }

    /// Called when what shows the error must go now. Here: finishes handling it.
    open func userInteractionNoLongerPermitted(forError error: any Error) {
        finishedHandlingError(error, recovered: false)
    }

    /// What went wrong last and has not been mended since; shown with the document's state.
    package var lastError: (any Error)?

    // MARK: NSFilePresenter

    /// Where the document is, as its presenter. Any thread.
    nonisolated open var presentedItemURL: URL? { fileURL }

    /// A serial queue of the document's own.
    nonisolated open var presentedItemOperationQueue: OperationQueue { presenterQueue }

    /// Lets a reader in when no file access of this document is running.
    nonisolated open func relinquishPresentedItem(
        toReader reader: @escaping @Sendable ((@Sendable () -> Void)?) -> Void
    ) {
        fileAccess.queue.async { reader(nil) }
    }

    /// Lets a writer in, and looks afterwards whether the file is another one.
    nonisolated open func relinquishPresentedItem(
        toWriter writer: @escaping @Sendable ((@Sendable () -> Void)?) -> Void
    ) {
        fileAccess.queue.async { [weak self] in
            let document = self
            writer { document?.checkForOutsideChange() }
        }
    }

    /// Saves before someone else reads; not what is unsaved of a file that was deleted, see `isFileDeleted`.
    ///
    /// Code on the main actor may wait for access to an open document's file as long as nothing of the document is unsaved. A save
    /// needs the main actor to end, and so does the closing before a deletion: there the access fails by the time limit.
    nonisolated open func savePresentedItemChanges(
        completionHandler: @escaping @Sendable ((any Error)?) -> Void
    ) {
        answer(AsyncAnswers.saving, completionHandler, own: autosaveForPresenter) { [self] in
            try await savePresentedItemChanges()
        }
    }

    /// The same, for overrides with `async`.
    nonisolated open func savePresentedItemChanges() async throws {
        try await AsyncAnswer.take { autosaveForPresenter($0) }
    }

    /// Saves what is unsaved and closes: the item is about to go.
    ///
    /// A `UIDocumentViewController` that shows the document says so then, and offers to save it again, which opens it again. What
    /// is edited in a closed document is kept by nobody; an app's editor takes nothing in while the state is `.closed`.
    ///
    /// An item that is gone already, because someone who coordinates nothing has removed it, leaves the
    /// document open: `isFileDeleted` says so, and nothing is written before someone saves or closes.
    nonisolated open func accommodatePresentedItemDeletion(
        completionHandler: @escaping @Sendable ((any Error)?) -> Void
    ) {
        answer(AsyncAnswers.deletion, completionHandler, own: accommodateDeletion) { [self] in
            try await accommodatePresentedItemDeletion()
        }
    }

    /// The same, for overrides with `async`.
    nonisolated open func accommodatePresentedItemDeletion() async throws {
        try await AsyncAnswer.take { accommodateDeletion($0) }
    }

    /// Objects: an open document's contents stay here. Close it first.
    nonisolated open func accommodatePresentedItemEviction(
        completionHandler: @escaping @Sendable ((any Error)?) -> Void
    ) {
        answer(AsyncAnswers.eviction, completionHandler, own: objectToEviction) { [self] in
            try await accommodatePresentedItemEviction()
        }
    }

    /// The same, for overrides with `async`.
    nonisolated open func accommodatePresentedItemEviction() async throws {
        try await AsyncAnswer.take { objectToEviction($0) }
    }

    /// Follows the item to its new place.
    nonisolated open func presentedItemDidMove(to newURL: URL) {
        follow(to: newURL)
    }

    /// Looks whether the item is another one now.
    nonisolated open func presentedItemDidChange() {
        checkForOutsideChange()
    }

    /// Agrees: what is inside a package is the document's, and another save writes it again.
    nonisolated open func accommodatePresentedSubitemDeletion(
        at url: URL,
        completionHandler: @escaping @Sendable ((any Error)?) -> Void
    ) {
        answer(AsyncAnswers.subitemDeletion, completionHandler, own: { $0(nil) }) { [self] in
            try await accommodatePresentedSubitemDeletion(at: url)
        }
    }

    /// The same, for overrides with `async`.
    nonisolated open func accommodatePresentedSubitemDeletion(at url: URL) async throws {}

    /// Looks whether the package is another one now.
    nonisolated open func presentedSubitemDidAppear(at url: URL) {
        checkForOutsideChange()
    }

    /// Looks whether the package is another one now.
    nonisolated open func presentedSubitem(at oldURL: URL, didMoveTo newURL: URL) {
        checkForOutsideChange()
    }

    /// Looks whether the package is another one now.
    nonisolated open func presentedSubitemDidChange(at url: URL) {
        checkForOutsideChange()
    }

    /// Looks whether there is a conflict now.
    nonisolated open func presentedItemDidGain(_ version: NSFileVersion) {
        if version.isConflict { reviewConflictsInBackground() }
    }

    /// Looks whether there is still a conflict.
    nonisolated open func presentedItemDidLose(_ version: NSFileVersion) { reviewConflictsInBackground() }

    /// Looks whether there is still a conflict.
    nonisolated open func presentedItemDidResolveConflict(_ version: NSFileVersion) {
        reviewConflictsInBackground()
    }
}
