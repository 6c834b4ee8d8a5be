import Dispatch
import DocumentFoundation
import DocumentTesting
import FileSystem
import Foundation
import HubProtocol
import LocalSockets
import Locks
import SyncMessages
import TestThreads
import Testing

@testable import DeviceSync

/// Contents that leave a device and come back, and what else a container has, as apps see it.
@Suite("Eviction, as apps see it", .onOwnThreads, .timeLimit(.minutes(2)))
struct EvictionInAppsTests {
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

    /// Runs something while the second device is kept in step by a process that answers.
    private func served(_ body: (UbiquityAccount) throws -> Void) throws {
        let (account, end) = try pair.serve(as: "iCloud.x")
        defer { end() }
        try UbiquityAccount.$shared.withValue(account) { try body(account) }
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

    @Test("Apps may name what is not here by its placeholder, as a listing of its folder does")
    func namedByPlaceholder() throws {
        try one.write("text", to: "a.txt")
        wait { two.text("a.txt") == "text" && isSettled }
        try served { _ in
            let url = two.folder.appendingPathComponent("a.txt")
            try files.evictUbiquitousItem(at: url)
            wait { two.said.contains(.freed) }
            let names = try files.contentsOfDirectory(atPath: two.folder.path)
            #expect(names == [".a.txt.icloud"])
            let listed = two.folder.appendingPathComponent(".a.txt.icloud")
            let values = try listed.resourceValues(forKeys: [
                .ubiquitousItemDownloadingStatusKey, .ubiquitousItemIsUploadedKey,
            ])
            #expect(values.ubiquitousItemDownloadingStatus == .notDownloaded)
            #expect(values.ubiquitousItemIsUploaded == true)
            let (known, explained) = (
                try files.explainUbiquitousItem(at: url), try files.explainUbiquitousItem(at: listed)
            )
            #expect(explained.causes.map(\.text) == known.causes.map(\.text))
            // So may people: commands pass on what they are given.
            #expect(two.running?.item(".a.txt.icloud")?.contents == .missing)
            #expect(two.running?.item(".b.txt.icloud") == nil)
            try files.startDownloadingUbiquitousItem(at: listed)
            wait { two.text("a.txt") == "text" && isSettled }
            // It was listed before they came.
            let filled = try listed.resourceValues(forKeys: [.ubiquitousItemDownloadingStatusKey, .nameKey])
            #expect(filled.ubiquitousItemDownloadingStatus == .current && filled.name == "a.txt")
            try files.evictUbiquitousItem(at: url)
            var failure: NSError?
            var read: [String] = []
            NSFileCoordinator().coordinate(readingItemAt: listed, error: &failure) { place in
                let text = (try? Data(contentsOf: place)).map { String(decoding: $0, as: UTF8.self) }
                read = [place.lastPathComponent, text ?? "nothing"]
            }
            #expect(read == ["a.txt", "text"], "\(failure.debugDescription)")
            wait { isSettled }
        }
        end()
    }

    @Test("A coordinated read that waits for its contents can be given up, and they come all the same later")
    func cancelled() throws {
        try one.write("text", to: "a.txt")
        wait { two.text("a.txt") == "text" && isSettled }
        try served { _ in
            let url = two.folder.appendingPathComponent("a.txt")
            try files.evictUbiquitousItem(at: url)
            wait { two.said.contains(.freed) }
            two.line.slowDown(to: 600)
            let coordinator = NSFileCoordinator()
            let (outcome, ended) = (Locked<(NSError?, isRun: Bool)?>(nil), DispatchSemaphore(value: 0))
            let account = UbiquityAccount.shared
            Thread.detachNewThread {
                UbiquityAccount.$shared.withValue(account) {
                    var (failure, isRun): (NSError?, Bool) = (nil, false)
                    coordinator.coordinate(readingItemAt: url, error: &failure) { _ in isRun = true }
                    outcome.withLock { [failure, isRun] in $0 = (failure, isRun) }
                }
                ended.signal()
            }
            wait { two.line.isTransferring }
            coordinator.cancel()
            #expect(ended.wait(timeout: .now() + 60) == .success)
            let (failure, isRun) = try #require(outcome.withLock { $0 })
            #expect(failure?.code == CocoaError.userCancelled.rawValue && !isRun)
            #expect(two.text("a.txt") == nil)
            // Whoever comes next gets them.
            two.line.slowDown(to: 0)
            two.line.cut()
            wait { two.status?.line == .down }
            two.line.mend()
            var (text, error): (String?, NSError?) = (nil, nil)
            wait { two.status?.line == .up }
            NSFileCoordinator().coordinate(readingItemAt: url, error: &error) { place in
                text = (try? Data(contentsOf: place)).map { String(decoding: $0, as: UTF8.self) }
            }
            #expect(text == "text", "\(error.debugDescription)")
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

    /// Somebody who comes just before the first thing that is done in a folder.
    private final class Latecomer: SystemCallObserver {
        private let folder: String
        private let hasCome = Locked(false)
        private let come: @Sendable () -> Void

        init(to folder: URL, _ come: @escaping @Sendable () -> Void) {
            (self.folder, self.come) = (folder.path, come)
        }

        func willMake(_ call: SystemCall) -> CInt {
            guard call.effect.isMutating, call.path.string.hasPrefix(folder + "/"),
                hasCome.withLock({ hasCome in
                    defer { hasCome = true }
                    return !hasCome
                })
            else { return 0 }
            come()
            return 0
        }

        func didMake(_ call: SystemCall) {}
    }

    @Test("Who asks to read while the contents leave gets them back first")
    func readWhileEvicted() throws {
        try one.write("text", to: "a.txt")
        wait { two.text("a.txt") == "text" && isSettled }
        try served { account in
            let url = two.folder.appendingPathComponent("a.txt")
            let (read, ended) = (Locked("not called"), DispatchSemaphore(value: 0))
            let latecomer = Latecomer(to: two.folder) {
                let hasAsked = DispatchSemaphore(value: 0)
                Thread.detachNewThread {
                    UbiquityAccount.$shared.withValue(account) {
                        NSFileCoordinator().coordinate(
                            with: [.readingIntent(with: url)],
                            queue: OperationQueue()
                        ) { error in
                            let text = (try? Data(contentsOf: url)).map {
                                String(decoding: $0, as: UTF8.self)
                            }
                            read.withLock { $0 = text ?? "nothing: \(error.debugDescription)" }
                            ended.signal()
                        }
                    }
                    hasAsked.signal()
                }
                hasAsked.wait()
            }
            SystemCallObservation.add(latecomer)
            defer { SystemCallObservation.remove(latecomer) }
            try files.evictUbiquitousItem(at: url)
            #expect(ended.wait(timeout: .now() + 60) == .success)
            #expect(read.withLock { $0 } == "text")
            wait { isSettled }
        }
        end()
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

    @Test("A query over a container shows placeholders under their items' names, and what becomes of them")
    func query() throws {
        try one.write("text", to: "iCloud~x/Documents/a.txt")
        wait { two.text("iCloud~x/Documents/a.txt") == "text" && isSettled }
        try two.running?.evict("iCloud~x/Documents/a.txt")
        wait { two.said.contains(.freed) }
        let source = FilePath(one.folder.path).appending("iCloud~x/Documents/a.txt")
        let changed = try FileStamp(of: source).modificationDate
        try served { account in
            let watcher = QueryWatcher()
            // The scope is that of whoever starts it.
            watcher.query.start()
            let expected = [
                "path": "a.txt", "status": NSMetadataUbiquitousItemDownloadingStatusNotDownloaded,
                "size": "4",
                "changed": "\(QueryWatcher.milliseconds(changed))", "ubiquitous": "1",
                "container": two.folder.lastPathComponent, "shared": "0", "external": "0", "conflict": "0",
                "requested": "0", "downloading": "0", "downloaded": "0.0", "downloading error": "-",
                "uploading": "0", "is uploaded": "1", "uploaded": "100.0", "uploading error": "-",
            ]
            wait { watcher["a.txt"] == expected }
            #expect(watcher["a.txt"] == expected)
            let url = try #require(files.url(forUbiquityContainerIdentifier: nil))
                .appendingPathComponent("Documents/a.txt")
            try files.startDownloadingUbiquitousItem(at: url)
            wait {
                watcher["a.txt"]?["status"] == NSMetadataUbiquitousItemDownloadingStatusCurrent
                    && watcher["a.txt"]?["downloaded"] == "100.0"
            }
            two.line.cut()
            wait { two.status?.line == .down }
            try two.write("longer", to: "iCloud~x/Documents/b.txt")
            wait { watcher["b.txt"]?["is uploaded"] == "0" }
            two.line.mend()
            wait { watcher["b.txt"]?["is uploaded"] == "1" }
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
        wait { one.running?.isInStepNow == true }
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
