import DocumentFoundation
import Foundation
import Locks

/// What a query over the documents of containers has found, told by its notifications.
final class QueryWatcher: @unchecked Sendable {
    // Sendable because the query is used on its queue alone, and what is found is locked.
    let query = NSMetadataQuery()
    private let queue = OperationQueue()
    private let found = Locked<[String: [String: String]]>([:])
    private var observers: [any NSObjectProtocol] = []

    init() {
        queue.maxConcurrentOperationCount = 1
        query.operationQueue = queue
        query.searchScopes = [NSMetadataQueryUbiquitousDocumentsScope]
        query.predicate = NSPredicate(format: "%K LIKE '*'", NSMetadataItemFSNameKey)
        query.notificationBatchingInterval = 0.01
        for name in [Notification.Name.NSMetadataQueryDidFinishGathering, .NSMetadataQueryDidUpdate] {
            observers.append(
                NotificationCenter.default.addObserver(forName: name, object: query, queue: nil) {
                    [weak self] _ in self?.look()
                }
            )
        }
    }

    private func look() {
        var now: [String: [String: String]] = [:]
        for case let item as NSMetadataItem in query.results {
            guard let name = item.value(forAttribute: NSMetadataItemFSNameKey) as? String else { continue }
            now[name] = Self.values(of: item)
        }
        found.withLock { $0 = now }
    }

    private static func values(of item: NSMetadataItem) -> [String: String] {
        func number(_ key: String) -> String {
            (item.value(forAttribute: key) as? NSNumber).map { "\($0)" } ?? "-"
        }
        func error(_ key: String) -> String {
            (item.value(forAttribute: key) as? NSError).map { "\($0.domain) \($0.code)" } ?? "-"
        }
        let status = item.value(forAttribute: NSMetadataUbiquitousItemDownloadingStatusKey) as? String
        let changed = item.value(forAttribute: NSMetadataItemFSContentChangeDateKey) as? Date
        let container = item.value(forAttribute: NSMetadataUbiquitousItemContainerDisplayNameKey) as? String
        let path = item.value(forAttribute: NSMetadataItemPathKey) as? String
        let documents = path?.components(separatedBy: "/Documents/")
        return [
            "path": documents?.last ?? "-",
            "status": status ?? "-", "size": number(NSMetadataItemFSSizeKey),
            "changed": changed.map { "\(milliseconds($0))" } ?? "-",
            "ubiquitous": number(NSMetadataItemIsUbiquitousKey), "container": container ?? "-",
            "shared": number(NSMetadataUbiquitousItemIsSharedKey),
            "external": number(NSMetadataUbiquitousItemIsExternalDocumentKey),
            "conflict": number(NSMetadataUbiquitousItemHasUnresolvedConflictsKey),
            "requested": number(NSMetadataUbiquitousItemDownloadRequestedKey),
            "downloading": number(NSMetadataUbiquitousItemIsDownloadingKey),
            "downloaded": number(NSMetadataUbiquitousItemPercentDownloadedKey),
            "downloading error": error(NSMetadataUbiquitousItemDownloadingErrorKey),
            "uploading": number(NSMetadataUbiquitousItemIsUploadingKey),
            "is uploaded": number(NSMetadataUbiquitousItemIsUploadedKey),
            "uploaded": number(NSMetadataUbiquitousItemPercentUploadedKey),
            "uploading error": error(NSMetadataUbiquitousItemUploadingErrorKey),
        ]
    }

    static func milliseconds(_ date: Date) -> Int { Int((date.timeIntervalSince1970 * 1000).rounded()) }

    /// What it says of the item of some name; nil for none.
    subscript(name: String) -> [String: String]? { found.withLock { $0[name] } }

    func perform(_ body: @escaping @Sendable (NSMetadataQuery) -> Void) {
        queue.addOperations([BlockOperation { body(self.query) }], waitUntilFinished: true)
    }

    func stop() {
        perform { $0.stop() }
        for observer in observers { NotificationCenter.default.removeObserver(observer) }
    }
}
