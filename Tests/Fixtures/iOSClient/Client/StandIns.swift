import UIKit

// What apps' tests hand to code that takes what the system has: classes of their own, derived from the system's.

/// An item that is nowhere, and has a name.
nonisolated final class StubItem: NSMetadataItem, @unchecked Sendable {
    private let name: String

    init(name: String) {
        self.name = name
        super.init()
    }

    override func value(forAttribute key: String) -> Any? {
        key == NSMetadataItemFSNameKey ? name : super.value(forAttribute: key)
    }
}

/// A query that has found what it was made with.
nonisolated final class StubQuery: NSMetadataQuery, @unchecked Sendable {
    private let items: [NSMetadataItem]
    private(set) var isRunning = false

    init(_ names: [String]) {
        items = names.map { StubItem(name: $0) }
        super.init()
    }

    override var resultCount: Int { items.count }

    override func result(at idx: Int) -> Any { items[idx] }

    @discardableResult
    override func start() -> Bool {
        isRunning = true
        NotificationCenter.default.post(name: .NSMetadataQueryDidFinishGathering, object: self)
        return true
    }

    override func stop() { isRunning = false }
}

/// A store whose values are in memory alone.
nonisolated class MemoryStore: NSUbiquitousKeyValueStore, @unchecked Sendable {
    private var values: [String: Any] = [:]

    override func set(_ anObject: Any?, forKey aKey: String) { values[aKey] = anObject }

    override func data(forKey aKey: String) -> Data? { values[aKey] as? Data }
}

/// Notes what it was asked to read, and lets it be read.
nonisolated class NotingCoordinator: NSFileCoordinator, @unchecked Sendable {
    private(set) var readURLs: [URL] = []

    override func coordinate(
        readingItemAt url: URL,
        options: NSFileCoordinator.ReadingOptions = [],
        error outError: NSErrorPointer,
        byAccessor reader: (URL) -> Void
    ) {
        readURLs.append(url)
        super.coordinate(readingItemAt: url, options: options, error: outError, byAccessor: reader)
    }
}

/// A version of nothing, which notes what becomes of it.
nonisolated final class StubVersion: NSFileVersion, @unchecked Sendable {
    private let name: String
    private(set) var replaced: [URL] = []
    private(set) var isRemoved = false

    init(named name: String) {
        self.name = name
        super.init()
    }

    override var localizedName: String? { name }

    @discardableResult
    override func replaceItem(at url: URL, options: NSFileVersion.ReplacingOptions = []) throws -> URL {
        replaced.append(url)
        return url
    }

    override func remove() throws { isRemoved = true }
}
