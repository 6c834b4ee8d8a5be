package import Foundation
internal import Locks
internal import Vault

// Which versions in conflict somebody could look at. What comes from another device comes at any time, also between the moment
// in which an app lists the versions of a document and that in which it removes all but the current one: it goes only if the
// app, or whoever has asked this process, was given it before.
extension VersionStore {
    /// Of more documents than this nothing is known any more: then too little is removed, and nothing too much.
    private static let seenCountMax = 4096

    /// Notes that somebody was given versions.
    package func noteSeen(_ versions: [NSFileVersion]) {
        noteSeen(versions.compactMap { if case .kept(let version) = $0.subject { version } else { nil } })
    }

    /// Notes that somebody was given versions. Those in conflict are remembered until they are settled or removed here.
    func noteSeen(_ versions: [KeptVersion]) {
        let open = versions.filter { $0.isConflict && !$0.isResolved }
        guard !open.isEmpty else { return }
        state.withLock { state in
            for version in open {
                if state.seen[version.item] == nil, state.seen.count >= Self.seenCountMax { state.seen = [:] }
                state.seen[version.item, default: []].insert(version.id)
            }
        }
    }

    /// Forgets that versions were given to somebody: they are in conflict no more.
    func forgetSeen(_ versions: [KeptVersion]) {
        state.withLock { state in
            for version in versions {
                state.seen[version.item]?.remove(version.id)
                if state.seen[version.item]?.isEmpty == true { state.seen[version.item] = nil }
            }
        }
    }

    /// Those of some versions that may go with all others: not those in conflict that nobody was given.
    func removable(_ versions: [KeptVersion]) -> [KeptVersion] {
        let seen = state.withLock { $0.seen }
        return versions.filter { version in
            !version.isConflict || version.isResolved || seen[version.item]?.contains(version.id) == true
        }
    }

    /// Settles what is in conflict with an item now, inside a coordinated write of it: what comes while that is waited for stays
    /// in conflict. Contents that are not here are not fetched.
    ///
    /// - Parameters:
    ///   - url: The item.
    ///   - marked: Where what bears its mark is: its placeholder's place, if its contents are not here.
    /// - Returns: How many were settled.
    /// - Throws: `CocoaError`, `FileCoordinationError`; some may be settled then.
    package func settleConflicts(of url: URL, markedAt marked: URL) throws -> Int {
        let open: [NSFileVersion]
        do { open = try unresolvedConflicts(at: NSFileVersion.item(meantBy: marked)) } catch {
            throw CocoaError(version: error, while: .reading, url: url)
        }
        guard !open.isEmpty else { return 0 }
        var failure: NSError?
        var result = Result<Int, any Error>.success(0)
        NSFileCoordinator(filePresenter: nil).coordinate(
            writingItemAt: url,
            options: .contentIndependentMetadataOnly,
            error: &failure
        ) { _ in
            result = Result {
                let left = open.filter { !$0.isResolved }
                try settle(left)
                return left.count
            }
        }
        if let failure { throw failure }
        do { return try result.get() } catch {
            throw CocoaError(version: error, while: .writing, url: url)
        }
    }
}
