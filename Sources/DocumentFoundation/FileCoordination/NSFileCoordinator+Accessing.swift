internal import Coordination
internal import Foundation
internal import Threads

extension NSFileCoordinator {
    /// Asks for access when the contents are here that it needs; blocks no thread of the caller's.
    ///
    /// - Parameter show: Shows the progress of one item's fetching.
    func beginWithContents(
        _ items: [RequestedItem],
        show: (@MainActor @Sendable (Progress) -> Void)? = nil,
        resume: @escaping @Sendable (Result<GrantedAccess, any Error>) -> Void
    ) {
        let missing = missingContents(for: items)
        guard !missing.isEmpty else { return begin(items, show, resume) }
        onContentsThread { [self] in begin(items, after: missing, show, resume) }
    }

    /// Waits for the contents that are missing, blocking the thread, then asks for access.
    private func begin(
        _ items: [RequestedItem],
        after missing: [ContentsFetch],
        _ show: (@MainActor @Sendable (Progress) -> Void)?,
        _ resume: @escaping @Sendable (Result<GrantedAccess, any Error>) -> Void
    ) {
        do { try run(missing, show: show) } catch { return resume(.failure(error)) }
        begin(following(missing, items), show, resume)
    }

    private func begin(
        _ items: [RequestedItem],
        _ show: (@MainActor @Sendable (Progress) -> Void)?,
        _ resume: @escaping @Sendable (Result<GrantedAccess, any Error>) -> Void
    ) {
        let account = UbiquityAccount.shared
        registry.begin(items, by: caller) { [self] result in
            // The account is the caller's, whatever thread this is.
            UbiquityAccount.$shared.withValue(account) {
                guard case .success(let access) = result else { return resume(result) }
                let missing = missingContents(of: access, items)
                guard !missing.isEmpty else { return resume(result) }
                onContentsThread { [self] in
                    if let error = registry.end(access) { return resume(.failure(error)) }
                    begin(items, after: missing, show, resume)
                }
            }
        }
    }

    private func onContentsThread(_ body: @escaping @Sendable () -> Void) {
        let account = UbiquityAccount.shared
        OwnThread.startInTime("sheaf contents") {
            UbiquityAccount.$shared.withValue(account, operation: body)
        }
    }

    /// Waits for the contents that are needed, then for access, blocking the thread.
    func beginWithContents(
        _ items: [RequestedItem],
        isPreparation: Bool = false
    ) throws -> GrantedAccess {
        var (items, missing) = (items, missingContents(for: items))
        while true {
            try run(missing)
            items = following(missing, items)
            let access = try registry.begin(items, by: caller, isPreparation: isPreparation)
            missing = missingContents(of: access, items)
            guard !missing.isEmpty else {
                try endIfCancelled(access)
                return access
            }
            if let error = registry.end(access) { throw error }
        }
    }

    /// Items whose contents have come, where they are now.
    private func following(_ fetches: [ContentsFetch], _ items: [RequestedItem]) -> [RequestedItem] {
        items.map { item in fetches.reduce(item) { $1.following($0) } }
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

    /// What has left that was here when access was asked for: whoever had it before may have evicted it. It is fetched by where the
    /// access found it: by the name that was asked for it might be missed each time.
    private func missingContents(of access: GrantedAccess, _ items: [RequestedItem]) -> [ContentsFetch] {
        let places = zip(access.urls, access.items)
        return missingContents(for: zip(items, places).map { $0.moved(to: $1.0, $1.1) })
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
