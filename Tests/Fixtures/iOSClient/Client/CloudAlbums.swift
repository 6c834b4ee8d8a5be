import UIKit

/// Lists the albums in the cloud, as apps do that are handed the query: a test's is a stand-in.
@MainActor
final class CloudAlbums {
    private let query: NSMetadataQuery
    private var observer: (any NSObjectProtocol)?
    /// Nil until they are known.
    private(set) var names: [String]?
    /// Called when they are.
    var listed: () -> Void = {}

    init(_ query: NSMetadataQuery) { self.query = query }

    func start() {
        observer = NotificationCenter.default.addObserver(
            forName: .NSMetadataQueryDidFinishGathering,
            object: query,
            queue: nil
        ) { [weak self] _ in
            MainActor.assumeIsolated { self?.list() }
        }
        query.start()
    }

    private func list() {
        names = (0..<query.resultCount).compactMap { index in
            let item = query.result(at: index) as? NSMetadataItem
            return item?.value(forAttribute: NSMetadataItemFSNameKey) as? String
        }
        // As many apps have it: whether or not somebody has disabled them.
        query.enableUpdates()
        listed()
    }

    func stop() {
        query.stop()
        if let observer { NotificationCenter.default.removeObserver(observer) }
    }
}
