internal import Coordination
public import Foundation

extension NSFileCoordinator {
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
    public func coordinate(
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
    ///   - options: How it will be written.
    ///   - outError: As for reading.
    ///   - writer: Run on this thread with the place of the item, which may have moved meanwhile.
    public func coordinate(
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
    public func coordinate(
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
    public func coordinate(
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
    ///   - intents: The items. Use their `url` inside `accessor`.
    ///   - queue: Where `accessor` runs.
    ///   - accessor: Run once: with nil when access is given, which ends when it returns; or with the error.
    ///
    /// When the agent is lost while `accessor` runs, and others may have used the items (`claimLost`), it cannot be
    /// told: the presenters of the items in this process are, by `presentedItemDidChange()`.
    public func coordinate(
        with intents: [NSFileAccessIntent],
        queue: OperationQueue,
        byAccessor accessor: @escaping @Sendable ((any Error)?) -> Void
    ) {
        let (registry, items) = (registry, intents.map(\.item))
        let mustCopy = items.contains { $0.isForUploading }
        beginWithContents(items) { result in
            queue.addOperation {
                do {
                    let access = try result.get()
                    if let error = registry.endIfLost(access) { throw error }
                    if mustCopy {
                        let error = try Self.runOnCopies(access, items, in: registry) { urls in
                            for (intent, url) in zip(intents, urls) { intent.setURL(url) }
                            accessor(nil)
                        }
                        if let error { FileAccessRegistry.log(error) }
                        return
                    }
                    for (intent, url) in zip(intents, access.urls) { intent.setURL(url) }
                    ThreadNesting.enter(.access(access.id), of: registry) { accessor(nil) }
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
    public func prepare(
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
            ThreadNesting.enter(.access(access.id), of: registry) {
                batchAccessor { reservation.end() }
            }
            if let error = reservation.error { throw error }
        } catch {
            outError?.pointee = error as NSError
        }
    }

    // MARK: Steps

    /// Asks for access when the contents are here that it needs; blocks no thread of the caller's.
    ///
    /// - Parameter progress: Makes the progress of one item's fetching; called on a thread of its own.
    func beginWithContents(
        _ items: [RequestedItem],
        progress: (@Sendable () -> Progress)? = nil,
        resume: @escaping @Sendable (Result<GrantedAccess, any Error>) -> Void
    ) {
        let missing = missingContents(for: items)
        guard !missing.isEmpty else { return begin(items, progress, resume) }
        onContentsThread { [self] in
            do { try run(missing, progress) } catch { return resume(.failure(error)) }
            begin(items, progress, resume)
        }
    }

    private func begin(
        _ items: [RequestedItem],
        _ progress: (@Sendable () -> Progress)?,
        _ resume: @escaping @Sendable (Result<GrantedAccess, any Error>) -> Void
    ) {
        let account = UbiquityAccount.shared
        registry.begin(items, by: caller) { [self] result in
            // The account is the caller's, whatever thread this is.
            guard case .success(let access) = result,
                UbiquityAccount.$shared.withValue(account, operation: { lacksContents(access, of: items) })
            else { return resume(result) }
            onContentsThread { [self] in
                if let error = registry.end(access) { return resume(.failure(error)) }
                UbiquityAccount.$shared.withValue(account) {
                    beginWithContents(items, progress: progress, resume: resume)
                }
            }
        }
    }

    private func onContentsThread(_ body: @escaping @Sendable () -> Void) {
        let thread = Thread(block: body)
        thread.name = "sheaf contents"
        thread.start()
    }

    /// Waits for the contents that are needed, then for access, blocking the thread.
    private func beginWithContents(
        _ items: [RequestedItem],
        isPreparation: Bool = false
    ) throws -> GrantedAccess {
        while true {
            try run(missingContents(for: items))
            let access = try registry.begin(items, by: caller, isPreparation: isPreparation)
            guard lacksContents(access, of: items) else { return access }
            if let error = registry.end(access) { throw error }
        }
    }

    /// Whether contents have left that were here when access was asked for: whoever had it before may have evicted them.
    private func lacksContents(_ access: GrantedAccess, of items: [RequestedItem]) -> Bool {
        let places = zip(access.urls, access.items)
        return !missingContents(for: zip(items, places).map { $0.moved(to: $1.0, $1.1) }).isEmpty
    }

    private func access(_ items: [RequestedItem], _ outError: NSErrorPointer, _ accessor: ([URL]) -> Void) {
        do {
            let access = try beginWithContents(items)
            if items.contains(where: \.isForUploading) {
                if let error = try Self.runOnCopies(access, items, in: registry, accessor) { throw error }
            } else {
                ThreadNesting.enter(.access(access.id), of: registry) { accessor(access.urls) }
                if let error = registry.end(access) { outError?.pointee = error as NSError }
            }
        } catch {
            outError?.pointee = error as NSError
        }
    }

    /// Copies what is read for uploading; then ends the access, unless it is also for other items.
    ///
    /// - Returns: An error if others may have used the items while `accessor` ran.
    /// - Throws: What went wrong before it ran.
    private static func runOnCopies(
        _ access: GrantedAccess,
        _ items: [RequestedItem],
        in registry: FileAccessRegistry,
        _ accessor: ([URL]) -> Void
    ) throws -> FileCoordinationError? {
        let reservation = Reservation(access, in: registry)
        var copies: [UploadCopy] = []
        defer { for copy in copies { copy.remove() } }
        var urls = access.urls
        for index in items.indices where items[index].isForUploading {
            let copy = try UploadCopy(of: urls[index])
            copies.append(copy)
            urls[index] = copy.url
        }
        if items.allSatisfy(\.isForUploading) {
            reservation.end()
            // What was copied may be half of what another wrote.
            if let error = reservation.error { throw error }
            accessor(urls)
            return nil
        }
        ThreadNesting.enter(.access(access.id), of: registry) { accessor(urls) }
        reservation.end()
        return reservation.error
    }
}
