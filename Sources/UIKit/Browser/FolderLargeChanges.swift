internal import Dispatch
internal import DocumentFoundation
internal import FileSystem
internal import Foundation
internal import LocalSockets
internal import SyncMessages

/// The changes so large that a person is asked first, in the container that a shown folder is in, until it is dropped.
@MainActor
final class FolderLargeChanges {
    /// The container's folder.
    let container: String
    private(set) var known = LargeChanges()

    private let account: UbiquityAccount
    private let changed: @MainActor () -> Void
    private var following: SyncFollowing?

    /// Nil for a folder that is not kept in step.
    ///
    /// - Parameters:
    ///   - folder: Where it is, without a link on the way.
    ///   - account: Whose.
    ///   - changed: Called when there is something else to say.
    init?(
        _ folder: FilePath,
        _ account: UbiquityAccount = .shared,
        changed: @escaping @MainActor () -> Void
    ) {
        guard let joined = account.joined.folder(of: folder) else { return nil }
        (self.container, self.account, self.changed) = (joined.folder, account, changed)
        following = SyncFollowing(
            .followLargeChanges(folder: joined.folder),
            of: account,
            threadName: "sheaf large changes"
        ) { [weak self] news in
            let found: LargeChanges
            switch news {
            case .said(.largeChanges(let changes), _): found = changes
            case .said: return
            // Nobody could carry out what is decided.
            case .silence: found = LargeChanges()
            }
            DispatchQueue.main.async { MainActor.assumeIsolated { self?.take(found) } }
        }
    }

    deinit { following?.end() }

    private func take(_ found: LargeChanges) {
        guard found != known else { return }
        known = found
        changed()
    }

    /// Whether it is told of the container that a folder is in.
    func isAbout(_ folder: FilePath) -> Bool { account.joined.folder(of: folder)?.folder == container }

    /// Says what becomes of what waits.
    ///
    /// - Parameter goesOn: Whether it is carried out; else whoever made it gets back what was.
    /// - Throws: `SyncRefusal`, `SyncServiceError`.
    func decide(goesOn: Bool) async throws {
        try await ask { try SyncQuery.decide($0, goesOn: goesOn, in: $1) }
    }

    /// Has what the last one that has gone on has taken be what it was.
    ///
    /// - Throws: `SyncRefusal`, `SyncServiceError`.
    func goBack() async throws -> WayBack { try await ask { try SyncQuery.goBack($0, in: $1) } }

    private func ask<Answer: Sendable>(
        _ body: @escaping @Sendable (String, RuntimeFolder) throws -> Answer
    ) async throws -> Answer {
        let (container, account) = (container, account)
        return try await withCheckedThrowingContinuation { goOn in
            DispatchQueue.global(qos: .userInitiated).async {
                goOn.resume(with: Result { try body(container, try account.runtime()) })
            }
        }
    }
}
