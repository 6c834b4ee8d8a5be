import UIKit

/// Finds the albums in a folder as an app does that lists its documents, and follows what becomes of them.
@MainActor
final class AlbumFinder: NSObject, NSMetadataQueryDelegate {
    private let query = NSMetadataQuery()
    private var observers: [any NSObjectProtocol] = []
    private(set) var names: [String] = []

    func start(in folder: URL, since date: Date) {
        query.predicate = NSCompoundPredicate(andPredicateWithSubpredicates: [
            NSPredicate(format: "%K LIKE[c] '*.album'", NSMetadataItemFSNameKey),
            NSPredicate(
                format: "%K >= %@ OR %K > %d",
                NSMetadataItemFSContentChangeDateKey,
                date,
                "kMDItemFSSize",
                4096
            ),
        ])
        query.searchScopes = [folder]
        query.sortDescriptors = [NSSortDescriptor(key: NSMetadataItemFSNameKey, ascending: true)]
        query.valueListAttributes = [NSMetadataItemContentTypeKey]
        query.delegate = self
        query.operationQueue = .main
        for name in [Notification.Name.NSMetadataQueryDidFinishGathering, .NSMetadataQueryDidUpdate] {
            observers.append(
                NotificationCenter.default.addObserver(forName: name, object: query, queue: .main) {
                    [weak self] note in
                    let added = note.userInfo?[NSMetadataQueryUpdateAddedItemsKey] as? [NSMetadataItem] ?? []
                    let count = added.count
                    MainActor.assumeIsolated { self?.list(newCount: count) }
                }
            )
        }
        query.start()
    }

    private func list(newCount: Int) {
        query.disableUpdates()
        defer { query.enableUpdates() }
        names = (0..<query.resultCount).compactMap { index in
            (query.result(at: index) as? NSMetadataItem)?.value(forAttribute: NSMetadataItemDisplayNameKey)
                as? String
        }
        query.enumerateResults { result, index, stop in
            if index == newCount, result is NSMetadataItem { stop.pointee = true }
        }
    }

    func stop() {
        query.stop()
        observers.forEach(NotificationCenter.default.removeObserver)
    }
}
