internal import DocumentFoundation
internal import FileSystem
internal import Foundation

/// Contents that are not on this device, and that somebody waits for who uses a browser.
@MainActor
final class AwaitedContents {
    /// Who waits, by the items' ids.
    private var coordinators: [FilePath: NSFileCoordinator] = [:]

    /// Has the contents of an item come, or of all that is in a folder, and returns when they are here.
    ///
    /// - Returns: Where it is then: it may have been moved meanwhile.
    /// - Throws: `CocoaError`: `userCancelled` after `cancel`, or why they cannot come.
    @discardableResult
    func fetch(_ item: FolderItem) async throws -> URL {
        let (key, coordinator) = (FilePath(item.id), NSFileCoordinator(filePresenter: nil))
        coordinators[key]?.cancel()
        coordinators[key] = coordinator
        defer { if coordinators[key] === coordinator { coordinators[key] = nil } }
        let options: NSFileCoordinator.ReadingOptions = [.withoutChanges, .withAllContents]
        let intent = NSFileAccessIntent.readingIntent(with: item.url, options: options)
        try await withCheckedThrowingContinuation { (goOn: CheckedContinuation<Void, any Error>) in
            coordinator.coordinate(with: [intent], queue: .main) { error in
                if let error { goOn.resume(throwing: error) } else { goOn.resume() }
            }
        }
        return intent.url
    }

    /// The same of several items, one after the other.
    ///
    /// - Returns: Why those cannot come that cannot, by their ids.
    /// - Throws: `CocoaError` with `userCancelled`; the rest is not fetched then.
    func fetch(_ items: [FolderItem]) async throws -> [(id: String, why: BrowserError)] {
        var refused: [(id: String, why: BrowserError)] = []
        for item in items {
            do { try await fetch(item) } catch let error as CocoaError where error.code == .userCancelled {
                throw error
            } catch {
                refused.append((item.id, BrowserError(error, item: item.name)))
            }
        }
        return refused
    }

    func cancel(_ ids: [String]) {
        for id in ids { coordinators[FilePath(id)]?.cancel() }
    }
}
