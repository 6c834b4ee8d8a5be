internal import Coordination
internal import Foundation

extension NSFileCoordinator {
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
    func beginWithContents(
        _ items: [RequestedItem],
        isPreparation: Bool = false
    ) throws -> GrantedAccess {
        while true {
            try run(missingContents(for: items))
            let access = try registry.begin(items, by: caller, isPreparation: isPreparation)
            guard lacksContents(access, of: items) else {
                try endIfCancelled(access)
                return access
            }
            if let error = registry.end(access) { throw error }
        }
    }

    /// Ends an access that has not begun to do anything, if the coordinator has been cancelled.
    ///
    /// - Throws: Then, `CocoaError.userCancelled`.
    func endIfCancelled(_ access: GrantedAccess) throws {
        guard isCancelled else { return }
        // Nothing was done: whoever else was let in has changed nothing that anybody relies on.
        registry.end(access)
        throw Self.cancelled(access)
    }

    private static func cancelled(_ access: GrantedAccess) -> CocoaError {
        // To prepare for nothing is allowed.
        CocoaError(.userCancelled, userInfo: access.urls.first.map { [NSURLErrorKey: $0] } ?? [:])
    }

    /// Ends an access that has not begun to do anything, if the coordinator has been cancelled, or others have been let in.
    ///
    /// - Throws: Then, what the accessor is told.
    func endIfUnwanted(_ access: GrantedAccess) throws {
        if let error = registry.endIfLost(access) { throw error }
        try endIfCancelled(access)
    }

    /// Whether contents have left that were here when access was asked for: whoever had it before may have evicted them.
    private func lacksContents(_ access: GrantedAccess, of items: [RequestedItem]) -> Bool {
        let places = zip(access.urls, access.items)
        return !missingContents(for: zip(items, places).map { $0.moved(to: $1.0, $1.1) }).isEmpty
    }

    /// Has items accessed by one accessor, blocking the thread.
    func access(_ items: [RequestedItem], _ outError: NSErrorPointer, _ accessor: ([URL]) -> Void) {
        do {
            let access = try beginWithContents(items)
            if items.contains(where: \.isForUploading) {
                if let error = try runOnCopies(access, items, accessor) { throw error }
            } else {
                ThreadNesting.enter(.granted(access), of: registry) { accessor(access.urls) }
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
    func runOnCopies(
        _ access: GrantedAccess,
        _ items: [RequestedItem],
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
        // To copy may take long.
        if isCancelled { throw Self.cancelled(access) }
        if items.allSatisfy(\.isForUploading) {
            reservation.end()
            // What was copied may be half of what another wrote.
            if let error = reservation.error { throw error }
            accessor(urls)
            return nil
        }
        ThreadNesting.enter(.granted(access), of: registry) { accessor(urls) }
        reservation.end()
        return reservation.error
    }
}
