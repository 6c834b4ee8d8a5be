internal import Coordination
public import Foundation
internal import Locks

/// Gives access to files in turn: many readers or one writer to an item, and presenters asked and told.
///
/// Make one for each operation. All methods can be called on any thread.
///
/// Accesses of all processes of a user are kept apart by the user's agent, which is started when there is none.
/// A process that cannot start one, or is told not to (`SHEAF_AGENT=off`), sees only its own.
///
/// A class of an app's own may be derived from it. No accessing method calls another one: who overrides one changes that one
/// alone.
///
/// - Differs from Darwin: two paths that lead to one item through a symbolic link are two items.
open class NSFileCoordinator: NSObject, @unchecked Sendable {
    // Sendable because every stored property is constant: the presenter is only held and asked its URL, which
    // any thread may, and `state` has its own lock.

    struct State: Sendable {
        var purpose: Purpose
        var isPurposeSettable: Bool
        var isCancelled = false
        var leavesPlaceholders = false
        var fetches: [UUID: ContentsFetch] = [:]

        init(coordinator number: UInt64, of presenter: PresenterHandle?) {
            purpose =
                presenter.map { Purpose.presenter($0.id) }
                ?? .coordinator(FileAccessRegistry.client, number)
            isPurposeSettable = presenter == nil
        }
    }

    let registry: FileAccessRegistry
    let presenter: PresenterHandle?
    private let number: UInt64
    private let state: Locked<State>

    /// A coordinator, for an operation done by a presenter or by no one.
    ///
    /// - Parameter filePresenterOrNil: Gets no messages about the operation. What it writes while it answers
    ///   `savePresentedItemChanges` does not wait for who asked. Held as long as the coordinator.
    public init(filePresenter filePresenterOrNil: (any NSFilePresenter)?) {
        registry = .shared
        presenter = filePresenterOrNil.map { PresenterHandle($0) }
        number = registry.makeCoordinatorNumber()
        state = Locked(State(coordinator: number, of: presenter))
    }

    /// A coordinator for an operation done by no presenter.
    public override init() {
        // No convenience initialiser: classes of other modules inherit none while a designated one is hidden from them.
        registry = .shared
        presenter = nil
        number = registry.makeCoordinatorNumber()
        state = Locked(State(coordinator: number, of: nil))
    }

    /// A coordinator that sees only the accesses and presenters of one registry.
    package init(filePresenter: (any NSFilePresenter)?, registry: FileAccessRegistry) {
        self.registry = registry
        presenter = filePresenter.map { PresenterHandle($0) }
        number = registry.makeCoordinatorNumber()
        state = Locked(State(coordinator: number, of: presenter))
    }

    deinit {
        if state.withLock({ $0.isCancelled }) { registry.forget(coordinator: number) }
    }

    /// How long a presenter may take to answer one message, in seconds; then the access that waits for it
    /// fails with `FileCoordinationError` of code `presenterTimedOut`.
    ///
    /// For the whole process; 5 unless set. Presenters of other processes have the agent's limit, 5 seconds.
    ///
    /// The time a presenter itself waits for access counts too.
    ///
    /// - Differs from Darwin: there is no such limit there.
    public class var presenterTimeLimitSeconds: Double {
        get { FileAccessRegistry.shared.presenterTimeLimitSeconds }
        set { FileAccessRegistry.shared.presenterTimeLimitSeconds = newValue }
    }

    /// Names what the operation is part of: operations of one name never wait for one another.
    ///
    /// All coordinators made for one presenter have one name. Otherwise it can be set once, to something not
    /// empty; anything else traps.
    open var purposeIdentifier: String {
        get { state.withLock { $0.purpose }.text(in: registry) }
        set {
            precondition(!newValue.isEmpty, "the purpose identifier of a file coordinator cannot be empty")
            let wasSettable = state.withLock { state in
                guard state.isPurposeSettable else { return false }
                state.isPurposeSettable = false
                state.purpose = Purpose(text: newValue, in: registry)
                return true
            }
            precondition(
                wasSettable,
                "a file coordinator's purpose can be set once, and not if it was made for a presenter"
            )
        }
    }

    // MARK: Accessing

    /// Waits until no one writes an item and its presenters have made way and saved, then lets it be read.
    ///
    /// Blocks the thread until `reader` has returned. Inside it the same coordinator, or one of the same
    /// presenter, can coordinate again.
    ///
    /// - Parameters:
    ///   - url: The item: a file URL.
    ///   - options: How it will be read. Contents in a container that are not here are fetched first, unless only
    ///     metadata is wanted; the progress counts for the thread's `Progress.current()`.
    ///   - outError: Gets the error if `reader` is not run: a presenter's own; `CocoaError.userCancelled`;
    ///     `FileCoordinationError` when a presenter does not answer, or when the call would have waited for
    ///     ever, for others that wait for code that this thread is inside of.
    ///   - reader: Run on this thread with the place of the item, which may have moved meanwhile.
    open func coordinate(
        readingItemAt url: URL,
        options: ReadingOptions = [],
        error outError: NSErrorPointer,
        byAccessor reader: (URL) -> Void
    ) {
        access([RequestedItem(reading: url, options)], outError) { urls in reader(urls[0]) }
    }

    /// Waits until no one else uses an item and its presenters have made way, then lets it be written.
    ///
    /// Blocks the thread until `writer` has returned; other presenters are then told what changed.
    ///
    /// - Parameters:
    ///   - url: The item: a file URL.
    ///   - options: How it will be written. Contents that are not here are fetched first, unless only metadata is.
    ///   - outError: As for reading.
    ///   - writer: Run on this thread with the place of the item, which may have moved meanwhile.
    open func coordinate(
        writingItemAt url: URL,
        options: WritingOptions = [],
        error outError: NSErrorPointer,
        byAccessor writer: (URL) -> Void
    ) {
        access([RequestedItem(writing: url, options)], outError) { urls in writer(urls[0]) }
    }

    /// Waits for an item to read and one to write, both at once, so that no two such calls can deadlock.
    ///
    /// Blocks the thread until `readerWriter` has returned. Parameters as for one item.
    open func coordinate(
        readingItemAt readingURL: URL,
        options readingOptions: ReadingOptions = [],
        writingItemAt writingURL: URL,
        options writingOptions: WritingOptions = [],
        error outError: NSErrorPointer,
        byAccessor readerWriter: (URL, URL) -> Void
    ) {
        let items = [
            RequestedItem(reading: readingURL, readingOptions),
            RequestedItem(writing: writingURL, writingOptions),
        ]
        access(items, outError) { urls in readerWriter(urls[0], urls[1]) }
    }

    /// Waits for two items to write, both at once, so that no two such calls can deadlock.
    ///
    /// Blocks the thread until `writer` has returned. For a move, give the source `.forMoving` and the
    /// destination `.forReplacing`, and call `item(at:didMoveTo:)` inside `writer`.
    open func coordinate(
        writingItemAt url1: URL,
        options options1: WritingOptions = [],
        writingItemAt url2: URL,
        options options2: WritingOptions = [],
        error outError: NSErrorPointer,
        byAccessor writer: (URL, URL) -> Void
    ) {
        let items = [RequestedItem(writing: url1, options1), RequestedItem(writing: url2, options2)]
        access(items, outError) { urls in writer(urls[0], urls[1]) }
    }

    /// Asks for several items at once and returns.
    ///
    /// - Parameters:
    ///   - intents: The items. Use their `url` inside `accessor`. For none there is nothing to wait for.
    ///   - queue: Where `accessor` runs.
    ///   - accessor: Run once: with nil when access is given, which ends when it returns; or with the error.
    ///
    /// When the agent is lost while `accessor` runs, and others may have used the items (`claimLost`), it cannot be
    /// told: the presenters of the items in this process are, by `presentedItemDidChange()`.
    open func coordinate(
        with intents: [NSFileAccessIntent],
        queue: OperationQueue,
        byAccessor accessor: @escaping @Sendable ((any Error)?) -> Void
    ) {
        let (registry, items) = (registry, intents.map(\.item))
        let context = DeviceContext.current(for: intents.first?.url)
        let accessor: @Sendable ((any Error)?) -> Void = { error in context.run { accessor(error) } }
        guard !items.isEmpty else {
            queue.addOperation { [self] in accessor(isCancelled ? CocoaError(.userCancelled) : nil) }
            return
        }
        let mustCopy = items.contains { $0.isForUploading }
        beginWithContents(items) { [self] result in
            queue.addOperation { [self] in
                do {
                    let access = try result.get()
                    try endIfUnwanted(access)
                    if mustCopy {
                        let error = try runOnCopies(access, items) { urls in
                            for (intent, url) in zip(intents, urls) { intent.setURL(url) }
                            accessor(nil)
                        }
                        if let error { FileAccessRegistry.log(error) }
                        return
                    }
                    for (intent, url) in zip(intents, access.urls) { intent.setURL(url) }
                    ThreadNesting.enter(.granted(access), of: registry) { accessor(nil) }
                    if let error = registry.end(access) { FileAccessRegistry.log(error) }
                } catch {
                    accessor(error)
                }
            }
        }
    }

    /// Has the presenters of many items make way at once, so that coordinating each of them then is cheap.
    ///
    /// Blocks the thread until `batchAccessor` has returned. The items stay reserved until the handler that
    /// it gets has been called, or dropped. Coordinate each access inside it with this coordinator.
    ///
    /// - Parameters:
    ///   - readingURLs: The items to read: file URLs.
    ///   - readingOptions: Without `.resolvesSymbolicLink`, which traps.
    ///   - writingURLs: The items to write: file URLs.
    ///   - writingOptions: Without `.forReplacing`, which traps.
    ///   - outError: As for one item.
    ///   - batchAccessor: Run on this thread. Gets the handler to call at the end, on any thread.
    open func prepare(
        forReadingItemsAt readingURLs: [URL],
        options readingOptions: ReadingOptions = [],
        writingItemsAt writingURLs: [URL],
        options writingOptions: WritingOptions = [],
        error outError: NSErrorPointer,
        byAccessor batchAccessor: (@escaping @Sendable () -> Void) -> Void
    ) {
        precondition(
            !readingOptions.contains(.resolvesSymbolicLink) && !writingOptions.contains(.forReplacing),
            "prepare(...) takes neither .resolvesSymbolicLink nor .forReplacing"
        )
        let items =
            readingURLs.map { RequestedItem(reading: $0, readingOptions) }
            + writingURLs.map { RequestedItem(writing: $0, writingOptions) }
        guard !items.isEmpty else {
            batchAccessor {}
            return
        }
        do {
            let access = try beginWithContents(items, isPreparation: true)
            let reservation = Reservation(access, in: registry)
            ThreadNesting.enter(.granted(access), of: registry) {
                batchAccessor { reservation.end() }
            }
            if let error = reservation.error { throw error }
        } catch {
            outError?.pointee = error as NSError
        }
    }

    /// Fails what this coordinator waits for, and all it is asked to do later, with
    /// `CocoaError.userCancelled`.
    ///
    /// An accessor that runs already goes on; one that was given access and still waits for its queue, or for a copy, gets
    /// the error. Returns at once.
    open func cancel() {
        let fetches = state.withLock { state in
            state.isCancelled = true
            return Array(state.fetches.values)
        }
        for fetch in fetches { fetch.cancel() }
        registry.cancel(coordinator: number)
    }

    // MARK: Announcing

    /// Announces that an item is going to move.
    ///
    /// Has no effect, as on iOS.
    open func item(at oldURL: URL, willMoveTo newURL: URL) {}

    /// Announces that an item has moved; call it inside the access that moved it.
    ///
    /// Accesses that wait follow the item at once; its presenters are told when the access ends.
    open func item(at oldURL: URL, didMoveTo newURL: URL) {
        guard let source = ItemPath(fileURL: oldURL), let target = ItemPath(fileURL: newURL) else { return }
        registry.itemMoved(
            from: source,
            to: target,
            inside: PackageDirectories.enclosingContents(of: target),
            purpose: caller.purpose,
            presenter: presenter?.id
        )
    }

    /// Announces that attributes of an item in the cloud have changed; presenters that observe them are told.
    open func item(at url: URL, didChangeUbiquityAttributes attributes: Set<URLResourceKey>) {
        guard let item = ItemPath(fileURL: url) else { return }
        registry.ubiquityAttributesChanged(attributes, of: item, except: presenter?.id)
    }

    // MARK: Steps

    /// Whether no accessor is to begin any more.
    var isCancelled: Bool { state.withLock { $0.isCancelled } }

    /// Whether no contents are fetched for what only a placeholder is here of: for those who make and fill placeholders.
    package var leavesPlaceholders: Bool {
        get { state.withLock { $0.leavesPlaceholders } }
        set { state.withLock { $0.leavesPlaceholders = newValue } }
    }

    /// What has to be fetched before items are accessed.
    func missingContents(for items: [RequestedItem]) -> [ContentsFetch] {
        leavesPlaceholders ? [] : ContentsFetch.missing(for: items)
    }

    /// Has contents come that only placeholders are here of, and waits for them, blocking the thread.
    ///
    /// - Parameters:
    ///   - isDeep: Whether those of all that is in a folder come, too.
    ///   - throughLink: Whether a symbolic link stands for what it leads to.
    /// - Throws: As `run`.
    func fetchContents(of url: URL, isDeep: Bool = false, throughLink: Bool = false) throws {
        let item = RequestedItem(reading: url, isDeep ? .withAllContents : [])
        try run(missingContents(for: [throughLink ? item : item.itself]))
    }

    /// Waits for contents, one item's after another's, blocking the thread.
    ///
    /// - Parameter show: Shows the progress of one item's fetching; nil where the thread is a caller's.
    /// - Throws: `CocoaError`, as `ContentsFetch.run`; `FileCoordinationError` with code `deadlock` where this thread is inside of
    ///   an access that keeps them from coming.
    func run(
        _ fetches: [ContentsFetch],
        show: (@MainActor @Sendable (Progress) -> Void)? = nil
    ) throws {
        guard !fetches.isEmpty else { return }
        let handleMessages = registry.messagesMeanwhile
        for fetch in fetches {
            try fetch.checkThatTheyMayCome(registry)
            let id = UUID()
            let isCancelled = state.withLock { state in
                state.fetches[id] = fetch
                return state.isCancelled
            }
            defer { state.withLock { $0.fetches[id] = nil } }
            if isCancelled { fetch.cancel() }
            // It counts for whoever has made a progress the thread's current one.
            try fetch.run(Progress(totalUnitCount: 1), show: show, handleMessages: handleMessages)
        }
    }

    var caller: AccessCaller {
        AccessCaller(coordinator: number, purpose: state.withLock { $0.purpose }, presenter: presenter)
    }
}

extension Purpose {
    /// The purpose as an identifier; `init(text:in:)` gives it back, in every process.
    fileprivate func text(in registry: FileAccessRegistry) -> String {
        func text(_ client: ClientID, _ kind: String, _ number: UInt64) -> String {
            let client = client == FileAccessRegistry.client ? registry.identity : client
            return "\(String(client.rawValue, radix: 16)).\(kind).\(number)"
        }
        return switch self {
        case .named(let name): name
        case .coordinator(let client, let number): text(client, "coordinator", number)
        case .presenter(let id): text(id.client, "presenter", id.number)
        }
    }

    fileprivate init(text: String, in registry: FileAccessRegistry) {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 3, let client = UInt64(parts[0], radix: 16), let number = UInt64(parts[2]),
            client != 0, parts[1] == "presenter" || parts[1] == "coordinator"
        else {
            self = .named(text)
            return
        }
        let owner = ClientID(client) == registry.identity ? FileAccessRegistry.client : ClientID(client)
        self =
            parts[1] == "presenter"
            ? .presenter(PresenterID(client: owner, number: number)) : .coordinator(owner, number)
    }
}
