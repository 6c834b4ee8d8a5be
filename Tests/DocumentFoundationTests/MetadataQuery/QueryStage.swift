import Foundation
import Locks
import Testing

@testable import DocumentFoundation
@testable import FileSystem

/// A folder, a query of it on a queue of its own, and what the query has posted.
final class QueryStage: @unchecked Sendable {
    // Sendable because nothing in it changes; the query is used on `queue` only.
    struct Posted {
        var name: Notification.Name
        var added: [NSMetadataItem] = []
        var changed: [NSMetadataItem] = []
        var removed: [NSMetadataItem] = []
        /// What stands in place of items, by the keys of the user information.
        var texts: [String: [String]] = [:]
    }

    let folder: URL
    let queue = OperationQueue()
    let query: NSMetadataQuery
    let events: FileEvents
    private let posted = Locked<[Posted]>([])
    private let isPosted = DispatchSemaphore(value: 0)
    private var observers: [any NSObjectProtocol] = []

    init(usesPrivilege: Bool = true) throws {
        events = FileEvents(usesPrivilege: usesPrivilege)
        query = NSMetadataQuery(events: events)
        folder = FileManager.default.temporaryDirectory.appendingPathComponent(
            "query-\(UUID().uuidString)"
        )
        .resolvingSymlinksInPath()
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        queue.maxConcurrentOperationCount = 1
        query.operationQueue = queue
        query.searchScopes = [folder]
        query.notificationBatchingInterval = 0
        query.predicate = NSPredicate(format: "%K LIKE '*'", NSMetadataItemFSNameKey)
        for name in [
            Notification.Name.NSMetadataQueryDidStartGathering, .NSMetadataQueryGatheringProgress,
            .NSMetadataQueryDidFinishGathering, .NSMetadataQueryDidUpdate,
        ] {
            let observer = NotificationCenter.default.addObserver(
                forName: name,
                object: query,
                queue: nil
            ) {
                [weak self] in
                self?.take($0)
            }
            observers.append(observer)
        }
    }

    deinit {
        for observer in observers { NotificationCenter.default.removeObserver(observer) }
        // The system clears up what is left.
        try? FileManager.default.removeItem(at: folder)
    }

    private func take(_ notification: Notification) {
        func items(_ key: String) -> [NSMetadataItem] {
            notification.userInfo?[key] as? [NSMetadataItem] ?? []
        }
        var post = Posted(
            name: notification.name,
            added: items(NSMetadataQueryUpdateAddedItemsKey),
            changed: items(NSMetadataQueryUpdateChangedItemsKey),
            removed: items(NSMetadataQueryUpdateRemovedItemsKey)
        )
        for (key, value) in notification.userInfo ?? [:] {
            if let key = key as? String, let texts = value as? [String] { post.texts[key] = texts }
        }
        posted.withLock { $0.append(post) }
        isPosted.signal()
    }

    var all: [Posted] { posted.withLock { $0 } }
    var updates: [Posted] { all.filter { $0.name == .NSMetadataQueryDidUpdate } }

    /// Returns when what was posted is as wanted.
    func wait(_ what: String, until isThere: ([Posted]) -> Bool) {
        while !isThere(all) {
            guard isPosted.wait(timeout: .now() + 30) == .success else {
                Issue.record("\(what) has not come: \(all)")
                return
            }
        }
    }

    func clear() { posted.withLock { $0 = [] } }

    /// Does something as the query's user does: on its queue.
    func use<Value>(_ body: @escaping (NSMetadataQuery) -> Value) -> Value {
        nonisolated(unsafe) var value: Value?
        // Waited for, so that nobody else touches the value.
        nonisolated(unsafe) let body = body
        queue.addOperations([BlockOperation { value = body(self.query) }], waitUntilFinished: true)
        guard let value else { fatalError("the query's queue did not run") }
        return value
    }

    func gather() {
        #expect(use { $0.start() })
        wait("the gathering") { $0.contains { $0.name == .NSMetadataQueryDidFinishGathering } }
    }

    func names() -> [String] {
        use { query in query.results.map { QueryStage.name($0) } }
    }

    static func name(_ item: Any) -> String {
        (item as? NSMetadataItem)?.value(forAttribute: NSMetadataItemFSNameKey) as? String ?? "no item"
    }

    func url(_ name: String) -> URL { folder.appendingPathComponent(name) }

    func write(_ name: String, _ text: String = "1") throws {
        let url = url(name)
        try FileManager.default.createDirectory(
            at: url.deletingLastPathComponent(),
            withIntermediateDirectories: true
        )
        try Data(text.utf8).write(to: url)
    }

    func move(_ source: String, _ target: String) {
        #expect(rename(url(source).path, url(target).path) == 0)
    }
}
