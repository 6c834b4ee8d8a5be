import UIKit

/// Answers in the spelling with `async`, from where it likes.
final class CachedAlbum: NSObject, NSFilePresenter {
    let presentedItemURL: URL?
    let presentedItemOperationQueue = OperationQueue()

    /// What this is beside.
    var primaryPresentedItemURL: URL? { presentedItemURL?.deletingPathExtension() }

    init(_ url: URL) { presentedItemURL = url }

    nonisolated func savePresentedItemChanges() async throws {
        await Task.yield()
        throw CocoaError(.fileWriteNoPermission)
    }

    nonisolated func accommodatePresentedItemDeletion() async throws {}

    nonisolated func accommodatePresentedSubitemDeletion(at url: URL) async throws {
        guard url.pathExtension == "txt" else { throw CocoaError(.userCancelled) }
    }
}

/// On the main actor, with all that it knows.
@MainActor
final class ShownAlbum: NSObject, @preconcurrency NSFilePresenter {
    private var url: URL?
    private(set) var saves = 0
    var onSave: (() -> Void)?

    nonisolated let presentedItemOperationQueue = OperationQueue.main
    var presentedItemURL: URL? { url }

    init(_ url: URL) {
        self.url = url
        super.init()
    }

    func savePresentedItemChanges() async throws {
        saves += 1
        onSave?()
    }

    func accommodatePresentedItemEviction() async throws {
        throw CocoaError(.fileLocking)
    }
}

/// A document that does something more, in either spelling.
class CarefulDocument: AlbumDocument {
    nonisolated override func savePresentedItemChanges() async throws {
        try await super.savePresentedItemChanges()
    }

    nonisolated override func accommodatePresentedItemDeletion(
        completionHandler: @escaping @Sendable (Error?) -> Void
    ) {
        super.accommodatePresentedItemDeletion(completionHandler: completionHandler)
    }

    nonisolated override func accommodatePresentedSubitemDeletion(at url: URL) async throws {
        throw CocoaError(.fileWriteNoPermission)
    }
}
