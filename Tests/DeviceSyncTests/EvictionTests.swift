import Dispatch
import DocumentFoundation
import DocumentTesting
import FileSystem
import Foundation
import HubProtocol
import LocalSockets
import Locks
import SyncMessages
import Testing

@testable import DeviceSync

/// Contents that leave one of two devices, and come back.
@Suite("Eviction", .timeLimit(.minutes(2)))
struct EvictionTests {
    private let pair: DevicePair
    private var base: URL { pair.base }
    private var hub: HubInMemory { pair.hub }
    private var one: TestDevice { pair.one }
    private var two: TestDevice { pair.two }
    private var container: ContainerName { pair.container }
    private let files = FileManager.default

    init() throws { pair = try DevicePair() }

    private func end() { pair.end() }

    private func wait(_ location: SourceLocation = #_sourceLocation, until condition: () -> Bool) {
        pair.wait(location, until: condition)
    }

    private var isSettled: Bool { pair.isSettled }

    /// Has both have something, and evicts it on the second.
    private func evict(_ text: String, _ name: String) throws {
        try one.write(text, to: name)
        wait { two.text(name) == text && isSettled }
        try #require(two.running).evict(name)
        // Until then they are here all the same, and need no line.
        wait { two.said.contains(.freed) }
    }

    @Test(
        "What is evicted takes nothing from an item with the same contents, and what nobody has any more is free",
        arguments: [("a.txt", "b.txt"), ("b.txt", "a.txt")]
    )
    func shared(evicted: String, other: String) throws {
        let text = (0..<20_000).map { "\($0)\n" }.joined()
        for name in [evicted, other] { try one.write(text, to: name) }
        wait { two.text(evicted) == text && two.text(other) == text && isSettled }
        let running = try #require(two.running)
        try running.evict(evicted)
        wait { two.said.contains(.freed) }
        // It is what both sides come from.
        two.line.cut()
        wait { two.status?.line == .down }
        try one.write("one\n" + text, to: other)
        try two.write(text + "two\n", to: other)
        wait { one.status?.isSettled == true }
        two.line.mend()
        wait { one.text(other) == "one\n" + text + "two\n" && two.text(other) == one.text(other) }
        wait { isSettled }
        #expect(two.status?.stuck.isEmpty == true && two.text(evicted) == nil)
        _ = try running.download(evicted, done: nil)
        wait { two.text(evicted) == text }
        end()
    }

    @Test("A placeholder takes the place of an item, and the room of its contents is free")
    func placeholder() throws {
        let text = String((0..<200_000).map { _ in Character(UnicodeScalar(UInt8.random(in: 33...126))) })
        try one.write(text, to: "a.txt")
        wait { two.text("a.txt") == text && isSettled }
        let before = try FolderScan.summary(of: two.memory.appending("vault"), memberCountMax: 10_000)?
            .byteCount
        try #require(two.running).evict("a.txt")
        #expect(two.contents.keys.sorted() == [".a.txt.icloud"])
        let place = FilePath(two.folder.path).appending(".a.txt.icloud")
        let found = try #require(Placeholder(at: place))
        #expect(found.name == "a.txt" && found.byteCount == 200_000 && !found.isDirectory)
        let state = try #require(two.running?.item("a.txt"))
        #expect(state.contents == .missing && state.isUploaded && !state.isUploading)
        // In the background.
        wait {
            let now = try? FolderScan.summary(of: two.memory.appending("vault"), memberCountMax: 10_000)
            return (now?.byteCount ?? .max) < (before ?? 0) - 100_000
        }
        #expect(isSettled && one.text("a.txt") == text)
        // Nothing of it is news to anybody, in another process either.
        let entryCount = hub.entryCount
        two.stop()
        try two.start()
        wait { isSettled }
        #expect(two.contents.keys.sorted() == [".a.txt.icloud"] && hub.entryCount == entryCount)
        let done = Locked<SyncRefusal??>(nil)
        _ = try #require(two.running).download("a.txt") { refusal in done.withLock { $0 = .some(refusal) } }
        wait { done.withLock { $0 } != nil }
        #expect(done.withLock { $0 } == .some(nil))
        #expect(two.contents == ["a.txt": text])
        #expect(two.running?.item("a.txt")?.contents == .current)
        try two.write("edited", to: "a.txt")
        wait { one.text("a.txt") == "edited" }
        end()
    }

    @Test("A placeholder is renamed, moved and removed as its item is, here and elsewhere")
    func followed() throws {
        try evict("text", "a.txt")
        let folder = two.folder
        func move(_ source: String, _ target: String) throws {
            try files.moveItem(
                at: folder.appendingPathComponent(source),
                to: folder.appendingPathComponent(target)
            )
        }
        try move(".a.txt.icloud", ".b.txt.icloud")
        wait { one.contents == ["b.txt": "text"] }
        try files.createDirectory(
            at: one.folder.appendingPathComponent("in"),
            withIntermediateDirectories: true
        )
        try files.moveItem(
            at: one.folder.appendingPathComponent("b.txt"),
            to: one.folder.appendingPathComponent("in/c.txt")
        )
        wait { two.contents.keys.sorted() == ["in", "in/.c.txt.icloud"] }
        // Edited elsewhere: nothing is fetched, and the placeholder says what is new.
        try one.write("a longer text", to: "in/c.txt")
        let place = FilePath(folder.path).appending("in").appending(".c.txt.icloud")
        wait { Placeholder(at: place)?.byteCount == 13 }
        // Who takes the placeholder's name for the item's gives the item that name.
        try move("in/.c.txt.icloud", "in/d.txt")
        wait { one.contents == ["in": "/", "in/d.txt": "a longer text"] }
        wait { two.contents.keys.sorted() == ["in", "in/.d.txt.icloud"] }
        let done = Locked(false)
        _ = try #require(two.running).download("in") { refusal in done.withLock { $0 = refusal == nil } }
        wait { done.withLock { $0 } }
        #expect(two.text("in/d.txt") == "a longer text")
        wait { isSettled }
        try #require(two.running).evict("in")
        try files.removeItem(at: folder.appendingPathComponent("in/.d.txt.icloud"))
        wait { one.contents == ["in": "/"] }
        end()
    }

    @Test("A package goes as a whole and comes back as it was; what is removed elsewhere goes here, too")
    func package() throws {
        try one.write("text", to: "p.rtfd/TXT.rtf")
        try one.write("picture", to: "p.rtfd/picture.png")
        wait { two.contents == one.contents && two.contents.count == 3 && isSettled }
        try #require(two.running).evict("p.rtfd")
        #expect(two.contents.keys.sorted() == [".p.rtfd.icloud"])
        #expect(Placeholder(at: FilePath(two.folder.path).appending(".p.rtfd.icloud"))?.isDirectory == true)
        let done = Locked(false)
        _ = try #require(two.running).download("p.rtfd") { refusal in done.withLock { $0 = refusal == nil } }
        wait { done.withLock { $0 } }
        #expect(two.contents == one.contents)
        wait { isSettled }
        try #require(two.running).evict("p.rtfd")
        try files.removeItem(at: one.folder.appendingPathComponent("p.rtfd"))
        wait { two.contents == [:] && isSettled }
        end()
    }

    @Test("What is not at the hub stays; what cannot be had is said, and comes with the line")
    func refused() throws {
        try evict("text", "a.txt")
        two.line.cut()
        wait { two.status?.line == .down }
        try two.write("new", to: "b.txt")
        let refusal = #expect(throws: SyncRefusal.self) { try two.running?.evict("b.txt") }
        #expect(refusal?.code == .notUploaded && two.text("b.txt") == "new")
        #expect(throws: SyncRefusal.self) { try two.running?.evict("nothing.txt") }
        let done = Locked<SyncRefusal?>(nil)
        _ = try #require(two.running).download("a.txt") { refusal in done.withLock { $0 = refusal } }
        wait { done.withLock { $0?.code } == .unreachable }
        // Asked for without waiting, it is tried again.
        _ = try #require(two.running).download("a.txt", done: nil)
        #expect(two.running?.item("a.txt")?.downloadFailure?.code == .unreachable)
        #expect(two.running?.item("a.txt")?.isDownloadRequested == true)
        two.line.mend()
        wait { two.contents == ["a.txt": "text", "b.txt": "new"] && one.contents == two.contents }
        #expect(two.running?.item("a.txt")?.isDownloadRequested == false)
        end()
    }

    @Test("A new item at the name of one whose contents are not here is another item")
    func sameName() throws {
        try evict("text", "a.txt")
        try two.write("another", to: "a.txt")
        wait { one.contents == ["a.txt": "text", "a 2.txt": "another"] }
        wait { two.contents.keys.sorted() == [".a.txt.icloud", "a 2.txt"] }
        end()
    }

    @Test("What is excluded from sync stays here, and nothing of it goes or comes")
    func excluded() throws {
        try one.write("text", to: "cache/a.txt")
        wait { two.text("cache/a.txt") == "text" && isSettled }
        var folder = two.folder.appendingPathComponent("cache", isDirectory: true)
        var values = URLResourceValues()
        values.ubiquitousItemIsExcludedFromSync = true
        try folder.setResourceValues(values)
        try two.write("own", to: "cache/b.txt")
        try two.write("marker", to: "m.txt")
        wait { one.text("m.txt") == "marker" && isSettled }
        #expect(one.contents == ["cache": "/", "cache/a.txt": "text", "m.txt": "marker"])
        let refusal = #expect(throws: SyncRefusal.self) { try two.running?.evict("cache/a.txt") }
        #expect(refusal?.code == .notUploaded)
        try files.removeItem(at: one.folder.appendingPathComponent("cache/a.txt"))
        wait { two.status?.stuck["cache/a.txt"] != nil }
        #expect(two.text("cache/a.txt") == "text")
        values.ubiquitousItemIsExcludedFromSync = false
        try folder.setResourceValues(values)
        wait { one.text("cache/b.txt") == "own" }
        end()
    }

    // MARK: As apps see it

    /// A service that other parts of this process ask as if it were another process.
    private func served(_ body: (UbiquityAccount) throws -> Void) throws {
        let home = base.appendingPathComponent("account", isDirectory: true)
        let own = home.appendingPathComponent("containers/\(container)", isDirectory: true)
        try files.createDirectory(at: own, withIntermediateDirectories: true)
        let joined = JoinedFolder(
            container: "\(container)",
            folder: two.folder.path,
            identifier: nil,
            joinedSeconds: 1
        )
        try JSONEncoder().encode(joined).write(to: own.appendingPathComponent("settings"))
        let runtime = try RuntimeFolder(path: base.appendingPathComponent("run").path)
        let sync = try #require(two.running)
        let service = try SyncService(
            [.init(folder: two.folder.path, hub: "memory", sync: sync)],
            in: runtime
        )
        let ended = DispatchSemaphore(value: 0)
        let thread = Thread {
            do { try service.answer() } catch { Issue.record("\(error)") }
            ended.signal()
        }
        thread.start()
        defer {
            service.stop()
            ended.wait()
        }
        let account = UbiquityAccount(
            environment: [
                "SHEAF_HOME": home.path, "SHEAF_RUNTIME_DIR": runtime.path,
                "SHEAF_UBIQUITY_CONTAINER": "iCloud.x",
            ],
            information: [:]
        )
        try UbiquityAccount.$shared.withValue(account) {
            #expect(two.wait { (try? SyncQuery.status(in: runtime)) != nil })
            try body(account)
        }
    }

    @Test("FileManager evicts, and a coordinated read fetches the contents first")
    func coordinated() throws {
        try one.write("text", to: "a.txt")
        wait { two.text("a.txt") == "text" && isSettled }
        try served { _ in
            let url = two.folder.appendingPathComponent("a.txt")
            let keys: Set<URLResourceKey> = [
                .ubiquitousItemDownloadingStatusKey, .ubiquitousItemIsUploadedKey,
                .ubiquitousItemDownloadRequestedKey, .ubiquitousItemIsUploadingKey,
                .ubiquitousItemIsDownloadingKey, .ubiquitousItemDownloadingErrorKey,
            ]
            var values = try url.resourceValues(forKeys: keys)
            #expect(values.ubiquitousItemDownloadingStatus == .current)
            #expect(values.ubiquitousItemIsUploaded == true && values.ubiquitousItemIsUploading == false)
            #expect(
                values.ubiquitousItemDownloadRequested == false && values.ubiquitousItemIsDownloading == false
            )
            try files.evictUbiquitousItem(at: url)
            #expect(!files.fileExists(atPath: url.path) && files.isUbiquitousItem(at: url))
            values = try url.resourceValues(forKeys: keys)
            #expect(values.ubiquitousItemDownloadingStatus == .notDownloaded)
            #expect(values.ubiquitousItemIsUploaded == true)
            var failure: NSError?
            var read: String?
            // Metadata needs no contents.
            NSFileCoordinator().coordinate(
                readingItemAt: url,
                options: .immediatelyAvailableMetadataOnly,
                error: &failure
            ) { place in read = files.fileExists(atPath: place.path) ? "there" : "not there" }
            #expect(read == "not there" && failure == nil)
            let progress = Progress(totalUnitCount: 1)
            progress.becomeCurrent(withPendingUnitCount: 1)
            NSFileCoordinator().coordinate(readingItemAt: url, error: &failure) { place in
                read = (try? Data(contentsOf: place)).map { String(decoding: $0, as: UTF8.self) }
            }
            progress.resignCurrent()
            #expect(read == "text" && failure == nil && progress.isFinished)
            wait { isSettled }
            // Without a line it fails with the reason.
            let freedCount = two.said.filter { $0 == .freed }.count
            try files.evictUbiquitousItem(at: url)
            wait { two.said.filter { $0 == .freed }.count > freedCount }
            two.line.cut()
            wait { two.status?.line == .down }
            read = nil
            NSFileCoordinator().coordinate(readingItemAt: url, error: &failure) { _ in read = "called" }
            #expect(
                read == nil && failure?.code == CocoaError.ubiquitousFileUbiquityServerNotAvailable.rawValue
            )
            try files.startDownloadingUbiquitousItem(at: url)
            values = try url.resourceValues(forKeys: keys)
            #expect(values.ubiquitousItemDownloadRequested == true)
            #expect(values.ubiquitousItemDownloadingError?.domain == NSCocoaErrorDomain)
            two.line.mend()
            wait { two.text("a.txt") == "text" }
            #expect(throws: CocoaError.self) { try files.evictUbiquitousItem(at: base) }
        }
        end()
    }

    /// A presenter that keeps its item's contents.
    private final class Keeper: NSObject, NSFilePresenter, @unchecked Sendable {
        // Sendable because nothing of it changes.
        let presentedItemURL: URL?
        let presentedItemOperationQueue = OperationQueue()

        init(_ url: URL) { presentedItemURL = url }

        func accommodatePresentedItemEviction(
            completionHandler: @escaping @Sendable ((any Error)?) -> Void
        ) { completionHandler(CocoaError(.userCancelled)) }
    }

    @Test("A presenter that objects keeps contents here")
    func objection() throws {
        try one.write("text", to: "a.txt")
        wait { two.text("a.txt") == "text" && isSettled }
        let keeper = Keeper(two.folder.appendingPathComponent("a.txt"))
        NSFileCoordinator.addFilePresenter(keeper)
        let refusal = #expect(throws: SyncRefusal.self) { try two.running?.evict("a.txt") }
        #expect(refusal?.code == .inUse && two.text("a.txt") == "text")
        NSFileCoordinator.removeFilePresenter(keeper)
        try #require(two.running).evict("a.txt")
        #expect(two.contents.keys.sorted() == [".a.txt.icloud"])
        // Until then something is done in the folder that goes now.
        wait { two.said.contains(.freed) }
        end()
    }

    // MARK: Queries

    /// What a query has found, told by its notifications.
    private final class Watcher: @unchecked Sendable {
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
                guard let name = item.value(forAttribute: NSMetadataItemFSNameKey) as? String else {
                    continue
                }
                func number(_ key: String) -> String {
                    (item.value(forAttribute: key) as? NSNumber).map { "\($0)" } ?? "-"
                }
                let status = item.value(forAttribute: NSMetadataUbiquitousItemDownloadingStatusKey) as? String
                now[name] = [
                    "status": status ?? "-", "size": number(NSMetadataItemFSSizeKey),
                    "uploaded": number(NSMetadataUbiquitousItemIsUploadedKey),
                    "percent": number(NSMetadataUbiquitousItemPercentDownloadedKey),
                    "ubiquitous": number(NSMetadataItemIsUbiquitousKey),
                ]
            }
            found.withLock { $0 = now }
        }

        subscript(name: String) -> [String: String]? { found.withLock { $0[name] } }

        func perform(_ body: @escaping @Sendable (NSMetadataQuery) -> Void) {
            queue.addOperations([BlockOperation { body(self.query) }], waitUntilFinished: true)
        }

        func stop() {
            perform { $0.stop() }
            for observer in observers { NotificationCenter.default.removeObserver(observer) }
        }
    }

    @Test("A query over a container shows placeholders under their items' names, and what becomes of them")
    func query() throws {
        try one.write("text", to: "iCloud~x/Documents/a.txt")
        wait { two.text("iCloud~x/Documents/a.txt") == "text" && isSettled }
        try two.running?.evict("iCloud~x/Documents/a.txt")
        wait { two.said.contains(.freed) }
        try served { account in
            let watcher = Watcher()
            // The scope is that of whoever starts it.
            watcher.query.start()
            let expected = [
                "status": NSMetadataUbiquitousItemDownloadingStatusNotDownloaded, "size": "4",
                "uploaded": "1", "percent": "0.0", "ubiquitous": "1",
            ]
            wait { watcher["a.txt"] == expected }
            #expect(watcher["a.txt"] == expected)
            let url = try #require(files.url(forUbiquityContainerIdentifier: nil))
                .appendingPathComponent("Documents/a.txt")
            try files.startDownloadingUbiquitousItem(at: url)
            wait {
                watcher["a.txt"]?["status"] == NSMetadataUbiquitousItemDownloadingStatusCurrent
                    && watcher["a.txt"]?["percent"] == "100.0"
            }
            two.line.cut()
            wait { two.status?.line == .down }
            try two.write("longer", to: "iCloud~x/Documents/b.txt")
            wait { watcher["b.txt"]?["uploaded"] == "0" }
            two.line.mend()
            wait { watcher["b.txt"]?["uploaded"] == "1" }
            watcher.stop()
        }
        end()
    }

    // MARK: Key-value stores

    private final class Notes: @unchecked Sendable {
        // Sendable because what is told is locked, and the observer is set once.
        private let told = Locked<[Int]>([])
        private var observer: (any NSObjectProtocol)?

        init(_ store: NSUbiquitousKeyValueStore) {
            observer = NotificationCenter.default.addObserver(
                forName: NSUbiquitousKeyValueStore.didChangeExternallyNotification,
                object: store,
                queue: nil
            ) { [told] note in
                let reason = note.userInfo?[NSUbiquitousKeyValueStoreChangeReasonKey] as? Int
                told.withLock { $0.append(reason ?? -1) }
            }
        }

        deinit { if let observer { NotificationCenter.default.removeObserver(observer) } }

        var reasons: [Int] { told.withLock { $0 } }
    }

    @Test("Key-value stores of two devices become one, whichever was first, and tell why they changed")
    func keyValues() throws {
        func settings(_ device: TestDevice) -> KeyValueSettings {
            let folder = FilePath(device.folder.path).appending(KeyValueSettings.folderName)
            return KeyValueSettings(folder: folder, appName: "app", container: "\(container)")
        }
        // Both are made before either device knows of the other's.
        two.line.cut()
        wait { two.status?.line == .down }
        let stores = (NSUbiquitousKeyValueStore(settings(one)), NSUbiquitousKeyValueStore(settings(two)))
        let notes = (Notes(stores.0), Notes(stores.1))
        stores.0.set("sepia", forKey: "theme")
        stores.1.set("large", forKey: "size")
        #expect(stores.0.synchronize() && stores.1.synchronize())
        wait { one.status?.isSettled == true }
        two.line.mend()
        wait { stores.1.string(forKey: "theme") == "sepia" && stores.0.string(forKey: "size") == "large" }
        wait { notes.0.reasons == [1] && notes.1.reasons == [1] }
        stores.0.set("dark", forKey: "theme")
        wait { stores.1.string(forKey: "theme") == "dark" }
        wait { notes.1.reasons == [1, 0] }
        #expect(notes.0.reasons == [1])
        wait { isSettled }
        #expect(two.contents.keys.sorted() == [".keyvalues", ".keyvalues/app.keyvalues"])
        #expect(throws: SyncRefusal.self) { try two.running?.evict(".keyvalues/app.keyvalues") }
        // Nobody but those who have the keys can read them.
        #expect(hub.everything.range(of: Data("sepia".utf8)) == nil)
        end()
    }
}
