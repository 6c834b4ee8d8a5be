import UIKit

/// What an album was before, as an app lists it, brings it back and settles conflicts.
enum EarlierAlbums {
    static func dates(of url: URL) -> [Date] {
        (NSFileVersion.otherVersionsOfItem(at: url) ?? []).compactMap(\.modificationDate).sorted()
    }

    /// Brings the oldest state back.
    static func restoreOldest(of url: URL) throws -> URL? {
        guard let version = NSFileVersion.otherVersionsOfItem(at: url)?.first else { return nil }
        var result: Result<URL, any Error> = .success(url)
        var refusal: NSError?
        NSFileCoordinator(filePresenter: nil).coordinate(
            writingItemAt: url,
            options: .forReplacing,
            error: &refusal
        ) {
            place in
            result = Result { try version.replaceItem(at: place, options: []) }
        }
        if let refusal { throw refusal }
        return try result.get()
    }

    /// Keeps what the document shows, and lets go of what lost.
    @MainActor
    static func settle(_ document: UIDocument) async throws {
        guard document.documentState.contains(.inConflict) else { return }
        for version in NSFileVersion.unresolvedConflictVersionsOfItem(at: document.fileURL) ?? [] {
            version.isResolved = true
        }
        try NSFileVersion.removeOtherVersionsOfItem(at: document.fileURL)
        _ = await document.revert(toContentsOf: document.fileURL)
    }
}

/// Hears of versions as they come and go.
final class VersionPresenter: NSObject, NSFilePresenter {
    let presentedItemURL: URL?
    let presentedItemOperationQueue = OperationQueue.main

    init(_ url: URL) { presentedItemURL = url }

    func presentedItemDidGain(_ version: NSFileVersion) { print("gained", version.localizedName ?? "") }
    func presentedItemDidLose(_ version: NSFileVersion) { print("lost", version.isConflict) }
    func presentedItemDidResolveConflict(_ version: NSFileVersion) { print("settled", version.isResolved) }
}
