import Foundation

/// Is told of what others do in a folder.
class FolderPresenter: NSObject, NSFilePresenter {
    let presentedItemURL: URL?
    let presentedItemOperationQueue = OperationQueue.main
    var onChange: ((URL) -> Void)?

    init(folder: URL) {
        presentedItemURL = folder
        super.init()
        NSFileCoordinator.addFilePresenter(self)
    }

    func stop() {
        NSFileCoordinator.removeFilePresenter(self)
    }

    /// The functions as values.
    static func restart(_ presenters: [any NSFilePresenter]) {
        presenters.forEach(NSFileCoordinator.removeFilePresenter)
        let add = NSFileCoordinator.addFilePresenter
        for presenter in presenters { add(presenter) }
    }

    func presentedSubitemDidChange(at url: URL) {
        onChange?(url)
    }

    func presentedSubitemDidAppear(at url: URL) {
        onChange?(url)
    }

    func accommodatePresentedItemDeletion(completionHandler: @escaping @Sendable (Error?) -> Void) {
        stop()
        completionHandler(nil)
    }
}
