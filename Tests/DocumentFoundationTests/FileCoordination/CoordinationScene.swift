import DocumentFoundation
import FileSystem
import Foundation
import Locks
import TestFolders
import Testing

/// A registry and a temporary directory of one test's own, and a record of what happened in which order.
final class CoordinationScene: Sendable {
    let registry: FileAccessRegistry
    private let ownFolder: TestFolder
    var folder: URL { ownFolder.url }
    private let record = Locked<[String]>([])

    /// - Parameter hearing: What tells of outsiders; nil for nobody hears of them.
    init(presenterTimeLimitSeconds: Double = 30, hearing events: FileEvents? = nil) throws {
        registry = FileAccessRegistry(
            presenterTimeLimitSeconds: presenterTimeLimitSeconds,
            hearsOutsiders: events != nil,
            events: events ?? .shared
        )
        ownFolder = try TestFolder("coordination")
    }

    var story: [String] { record.withLock { $0 } }

    func note(_ what: String) {
        record.withLock { $0.append(what) }
    }

    func url(_ path: String) -> URL {
        folder.appendingPathComponent(path)
    }

    func write(_ path: String, _ text: String = "1") throws -> URL {
        let url = url(path)
        try FileManager.default.createDirectory(
            at: url.deletingLastPathComponent(),
            withIntermediateDirectories: true
        )
        try Data(text.utf8).write(to: url)
        return url
    }

    func coordinator(for presenter: (any NSFilePresenter)? = nil) -> NSFileCoordinator {
        NSFileCoordinator(filePresenter: presenter, registry: registry)
    }

    func presenter(_ name: String, of url: URL?, queue: OperationQueue? = nil) -> ScenePresenter {
        let presenter = ScenePresenter(name, of: url, in: self, queue: queue)
        registry.add(presenter)
        return presenter
    }

    /// Reads, noting the end; returns the error.
    @discardableResult
    func read(
        _ url: URL,
        _ options: NSFileCoordinator.ReadingOptions = [],
        by coordinator: NSFileCoordinator? = nil,
        _ accessor: (URL) -> Void = { _ in }
    ) -> NSError? {
        var error: NSError?
        (coordinator ?? self.coordinator())
            .coordinate(readingItemAt: url, options: options, error: &error, byAccessor: accessor)
        return error
    }

    /// Writes; returns the error.
    @discardableResult
    func write(
        at url: URL,
        _ options: NSFileCoordinator.WritingOptions = [],
        by coordinator: NSFileCoordinator? = nil,
        _ accessor: (URL) -> Void = { _ in }
    ) -> NSError? {
        var error: NSError?
        (coordinator ?? self.coordinator())
            .coordinate(writingItemAt: url, options: options, error: &error, byAccessor: accessor)
        return error
    }

    /// Runs on a thread of its own; wait for what is returned.
    func inBackground(_ body: @escaping @Sendable () -> Void) -> Gate {
        let gate = Gate()
        Thread.detachNewThread {
            body()
            gate.open()
        }
        return gate
    }

    /// Returns when so many accesses wait.
    func untilWaiting(_ count: Int = 1) -> Bool {
        until { self.registry.waits.count == count }
    }

    /// Returns when something is so; false if it is not within half a minute.
    func until(_ isSo: () -> Bool) -> Bool {
        let limit = Date(timeIntervalSinceNow: 30)
        while !isSo() {
            if Date() > limit { return false }
            // Blocked rather than spinning: presenters' queues need a thread of the pool that this one is from.
            _ = DispatchSemaphore(value: 0).wait(timeout: .now() + 0.001)
        }
        return true
    }
}

/// Something that happens once, and can be waited for by any number of threads.
final class Gate: Sendable {
    private let semaphore = DispatchSemaphore(value: 0)

    func open() {
        semaphore.signal()
    }

    /// False if it has not happened within half a minute.
    func pass() -> Bool {
        guard semaphore.wait(timeout: .now() + 30) == .success else { return false }
        semaphore.signal()
        return true
    }
}

/// Notes every message, and answers as it is told.
final class ScenePresenter: NSObject, NSFilePresenter, @unchecked Sendable {
    // Sendable because the hooks are set before the presenter gets messages, and the URL has a lock.
    private let name: String
    private let place: Locked<URL?>
    private weak var scene: CoordinationScene?
    let presentedItemOperationQueue: OperationQueue

    var onRelinquishToReader: (@Sendable (@escaping @Sendable ((@Sendable () -> Void)?) -> Void) -> Void)?
    var onRelinquishToWriter: (@Sendable (@escaping @Sendable ((@Sendable () -> Void)?) -> Void) -> Void)?
    var onSave: (@Sendable (@escaping @Sendable ((any Error)?) -> Void) -> Void)?
    var onDeletion: (@Sendable (@escaping @Sendable ((any Error)?) -> Void) -> Void)?

    init(_ name: String, of url: URL?, in scene: CoordinationScene, queue: OperationQueue?) {
        self.name = name
        self.place = Locked(url)
        self.scene = scene
        let own = OperationQueue()
        own.maxConcurrentOperationCount = 1
        self.presentedItemOperationQueue = queue ?? own
    }

    var presentedItemURL: URL? {
        get { place.withLock { $0 } }
        set { place.withLock { $0 = newValue } }
    }

    /// Returns when every message so far has been handled.
    func settle() {
        guard let scene else { return }
        #expect(scene.until { !scene.registry.isDelivering })
        presentedItemOperationQueue.waitUntilAllOperationsAreFinished()
    }

    private func note(_ what: String) {
        scene?.note("\(name) \(what)")
    }

    func relinquishPresentedItem(toReader reader: @escaping @Sendable ((@Sendable () -> Void)?) -> Void) {
        note("toReader")
        if let onRelinquishToReader {
            onRelinquishToReader(reader)
        } else {
            reader { self.note("reacquire") }
        }
    }

    func relinquishPresentedItem(toWriter writer: @escaping @Sendable ((@Sendable () -> Void)?) -> Void) {
        note("toWriter")
        if let onRelinquishToWriter {
            onRelinquishToWriter(writer)
        } else {
            writer { self.note("reacquire") }
        }
    }

    func savePresentedItemChanges(completionHandler: @escaping @Sendable ((any Error)?) -> Void) {
        note("save")
        if let onSave { onSave(completionHandler) } else { completionHandler(nil) }
    }

    func accommodatePresentedItemDeletion(completionHandler: @escaping @Sendable ((any Error)?) -> Void) {
        note("deletion")
        if let onDeletion { onDeletion(completionHandler) } else { completionHandler(nil) }
    }

    func accommodatePresentedSubitemDeletion(
        at url: URL,
        completionHandler: @escaping @Sendable ((any Error)?) -> Void
    ) {
        note("deletion of \(url.lastPathComponent)")
        completionHandler(nil)
    }

    func presentedItemDidMove(to newURL: URL) {
        presentedItemURL = newURL
        note("moved to \(newURL.lastPathComponent)")
    }

    func presentedItemDidChange() { note("changed") }

    func presentedSubitemDidAppear(at url: URL) { note("appeared \(url.lastPathComponent)") }

    func presentedSubitem(at oldURL: URL, didMoveTo newURL: URL) {
        note("moved \(oldURL.lastPathComponent) to \(newURL.lastPathComponent)")
    }

    func presentedSubitemDidChange(at url: URL) { note("changed \(url.lastPathComponent)") }

    func presentedItemDidChangeUbiquityAttributes(_ attributes: Set<URLResourceKey>) {
        note("attributes \(attributes.count)")
    }
}
