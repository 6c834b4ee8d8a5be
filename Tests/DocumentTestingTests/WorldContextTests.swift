import DocumentFoundation
import DocumentTesting
import Foundation
import Locks
import SyncMessages
import TestThreads
import Testing
import UIKit

/// Bytes that nobody merges.
private final class Page: UIDocument {
    var text = ""
    var look: (@Sendable (_ who: String) -> Void)?

    override func contents(forType typeName: String) throws -> Any { Data(text.utf8) }

    override func load(fromContents contents: Any, ofType typeName: String?) throws {
        look?("load")
        text = String(decoding: contents as? Data ?? Data(), as: UTF8.self)
    }
}

/// Says where it is told what.
private final class FolderPresenter: NSObject, NSFilePresenter {
    let presentedItemURL: URL?
    let presentedItemOperationQueue = OperationQueue()
    private let told: @Sendable () -> Void

    init(_ url: URL, _ told: @escaping @Sendable () -> Void) { (presentedItemURL, self.told) = (url, told) }

    func presentedSubitemDidChange(at url: URL) { told() }
}

/// Which device it is that something is on, also of what is called back later, on whichever thread.
@Suite("What is on which device", .onOwnThreads, .timeLimit(.minutes(15)))
@MainActor
struct WorldContextTests {
    /// Two devices have a document in conflict: the pad's edit has lost.
    private func conflict() async throws -> (
        DocumentWorld, phone: WorldDevice, pad: WorldDevice, onPhone: URL
    ) {
        let world = try DocumentWorld()
        let (phone, pad) = try world.devices("phone", "pad")
        try await world.create(Page.init, "a.bin", on: phone) { $0.text = "first" }
        try await world.settle()
        pad.goOffline()
        try await world.edit(Page.init, "a.bin", on: phone) { $0.text = "the phone's" }
        try await world.settle([phone])
        try await world.edit(Page.init, "a.bin", on: pad) { $0.text = "the pad's" }
        pad.goOnline()
        try await world.settle()
        return (world, phone, pad, phone.folder.appendingPathComponent("a.bin"))
    }

    @Test("What is asked about something in a device's folder is about that device, whoever asks where")
    func itemsOutside() async throws {
        let (world, phone, pad, url) = try await conflict()
        defer { try? world.end() }
        let onPad = pad.folder.appendingPathComponent("a.bin")
        let found = await withCheckedContinuation { goOn in
            DispatchQueue(label: "nowhere").async {
                let lost = [url, onPad].map { NSFileVersion.unresolvedConflictVersionsOfItem(at: $0)?.count }
                goOn.resume(returning: lost)
            }
        }
        #expect(found == [1, 1])
        // On another device, too.
        await phone.run {
            for version in NSFileVersion.unresolvedConflictVersionsOfItem(at: onPad) ?? [] {
                version.isResolved = true
            }
        }
        try await world.settle()
        #expect(try phone.unresolvedConflicts(of: url).isEmpty)
        let files = FileManager.default
        #expect(files.isUbiquitousItem(at: onPad))
        try files.evictUbiquitousItem(at: onPad)
        let values = try onPad.resourceValues(forKeys: [.ubiquitousItemDownloadingStatusKey])
        #expect(values.ubiquitousItemDownloadingStatus == .notDownloaded)
        let page = Page(fileURL: onPad)
        #expect(await page.open())
        #expect(page.text == "the phone's")
        #expect(await page.close())
    }

    @Test("What a device's objects call is on it: handlers, observers, accessors, presenters")
    func callbacks() async throws {
        let (world, phone, _, url) = try await conflict()
        defer { try? world.end() }
        let folder = phone.folder.standardizedFileURL.path
        let elsewhere: Locked<[String: Bool]> = Locked([:])
        @Sendable func look(_ who: String) {
            let container = FileManager.default.url(forUbiquityContainerIdentifier: nil)
            let isHere = container?.standardizedFileURL.path == folder
            elsewhere.withLock { $0[who] = $0[who] == true || !isHere }
        }
        let watcher = FolderPresenter(phone.folder) { look("presenter") }
        let (page, query) = await phone.run { () -> (Page, NSMetadataQuery) in
            NSFileCoordinator.addFilePresenter(watcher)
            return (Page(fileURL: url), NSMetadataQuery())
        }
        page.look = look
        let (center, name) = (NotificationCenter.default, UIDocument.stateChangedNotification)
        let state = center.addObserver(forName: name, object: page, queue: nil) { _ in look("state") }
        await phone.run {
            await withCheckedContinuation { goOn in
                page.open { _ in
                    look("open")
                    goOn.resume()
                }
            }
        }
        page.text = "again"
        await withCheckedContinuation { goOn in
            page.save(to: url, for: .forOverwriting) { _ in
                look("save")
                goOn.resume()
            }
        }
        await withCheckedContinuation { goOn in
            page.performAsynchronousFileAccess {
                look("access")
                goOn.resume()
            }
        }
        await withCheckedContinuation { goOn in
            page.close { _ in
                look("close")
                goOn.resume()
            }
        }
        await withCheckedContinuation { goOn in
            NSFileCoordinator().coordinate(with: [.readingIntent(with: url)], queue: OperationQueue()) { _ in
                look("accessor")
                goOn.resume()
            }
        }
        query.predicate = NSPredicate(value: true)
        query.searchScopes = [NSMetadataQueryUbiquitousDataScope]
        let (news, reader) = AsyncStream.makeStream(of: Void.self)
        let finished = NSNotification.Name.NSMetadataQueryDidFinishGathering
        let gathered = center.addObserver(forName: finished, object: query, queue: nil) { _ in
            look("query")
            reader.yield()
        }
        query.start()
        for await _ in news { break }
        #expect(query.resultCount > 0)
        query.stop()
        NSFileCoordinator.removeFilePresenter(watcher)
        for observer in [state, gathered] { center.removeObserver(observer) }
        let wanted = ["state", "load", "open", "save", "access", "close", "accessor", "query"]
        let found = elsewhere.withLock { $0 }
        for who in wanted { #expect(found[who] == false, "\(who)") }
        #expect(found["presenter"] != true)
    }

    @Test("A document of a folder that is not there yet is created, and found in the scope of documents")
    func documentsScope() async throws {
        let world = try DocumentWorld()
        defer { try? world.end() }
        let (phone, pad) = try world.devices("phone", "pad")
        try await world.create(Page.init, "Documents/Letters/a.bin", on: phone) { $0.text = "in a folder" }
        try await world.settle()
        let query = await pad.run { NSMetadataQuery() }
        query.predicate = NSPredicate(value: true)
        query.searchScopes = [NSMetadataQueryUbiquitousDocumentsScope]
        let (news, reader) = AsyncStream.makeStream(of: Void.self)
        let finished = NSNotification.Name.NSMetadataQueryDidFinishGathering
        let gathered = NotificationCenter.default.addObserver(forName: finished, object: query, queue: nil) {
            _ in reader.yield()
        }
        query.start()
        for await _ in news { break }
        let names = (0..<query.resultCount).compactMap {
            (query.result(at: $0) as? NSMetadataItem)?.value(forAttribute: NSMetadataItemFSNameKey) as? String
        }
        #expect(names.contains("a.bin"), "\(names)")
        query.stop()
        NotificationCenter.default.removeObserver(gathered)

        // What no folder can be made of is said as what else cannot be created.
        try phone.fillDisk()
        let failure = await #expect(throws: WorldDocumentFailure.self) {
            try await world.create(Page.init, "More/b.bin", on: phone) { $0.text = "nowhere" }
        }
        #expect((failure?.cause as? CocoaError)?.code == .fileWriteOutOfSpace)
        phone.freeDisk()
    }

    @Test(
        "A block on a queue is on no device, which is said, once of each; one that carries the device is on it"
    )
    func queues() async throws {
        let result = await #expect(
            processExitsWith: .success,
            observing: [\.standardErrorContent]
        ) { @MainActor in
            let world = try DocumentWorld()
            let phone = try world.devices(["phone"])[0]
            let (key, found) = (UUID().uuidString, Locked<[String?]>([]))
            @Sendable func look() {
                let store = NSUbiquitousKeyValueStore.default
                found.withLock {
                    $0.append(FileManager.default.url(forUbiquityContainerIdentifier: nil)?.path)
                    $0.append(FileManager.default.ubiquityIdentityToken == nil ? nil : "token")
                    $0.append(store.string(forKey: key))
                }
            }
            let queue = DispatchQueue(label: "an app's")
            await phone.run {
                NSUbiquitousKeyValueStore.default.set("value", forKey: key)
                look()
                queue.async(execute: WorldDevice.carrying(look))
                await withCheckedContinuation { goOn in queue.async { goOn.resume() } }
            }
            let all = [phone.folder.path, "token", "value"]
            precondition(found.withLock { $0 } == all + all, "\(found.withLock { $0 })")
            FileHandle.standardError.write(Data("So far so good.\n".utf8))
            for _ in 1...2 {
                await phone.run {
                    await withCheckedContinuation { goOn in
                        queue.async {
                            look()
                            goOn.resume()
                        }
                    }
                }
            }
            precondition(found.withLock { $0.suffix(6) } == [nil, nil, nil, nil, nil, nil])
            let query = NSMetadataQuery()
            query.predicate = NSPredicate(value: true)
            query.searchScopes = [NSMetadataQueryUbiquitousDocumentsScope]
            let (news, reader) = AsyncStream.makeStream(of: Void.self)
            let finished = NSNotification.Name.NSMetadataQueryDidFinishGathering
            let observer = NotificationCenter.default.addObserver(
                forName: finished,
                object: query,
                queue: nil
            ) { _ in reader.yield() }
            query.start()
            for await _ in news { break }
            query.stop()
            NotificationCenter.default.removeObserver(observer)
            try world.end()
        }
        let said = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
            .components(separatedBy: "So far so good.\n")
        try #require(said.count == 2, "\(said)")
        #expect(!said[0].contains("on no device"), "\(said[0])")
        for what in [
            "url(forUbiquityContainerIdentifier:)", "ubiquityIdentityToken", "NSUbiquitousKeyValueStore",
            "An NSMetadataQuery",
        ] {
            let lines = said[1].split(separator: "\n").filter { $0.contains("\(what) ") }
            #expect(
                lines.count == 1 && lines[0].contains("Task { … } instead of a queue keeps it"),
                "\(said[1])"
            )
        }
    }

    @Test(
        "While there is a world, what is on no device has no container and no versions, also where the user has some"
    )
    func nowhere() async {
        await #expect(processExitsWith: .success) {
            let base = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
            let own = base.appendingPathComponent("containers/\(String(repeating: "0", count: 32))")
            let folder = base.appendingPathComponent("real")
            for folder in [own, folder] {
                try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            }
            defer { try? FileManager.default.removeItem(at: base) }
            let joined = JoinedFolder(
                container: String(repeating: "0", count: 32),
                folder: folder.path,
                identifier: "iCloud.real",
                joinedSeconds: 0
            )
            try JSONEncoder().encode(joined).write(to: own.appendingPathComponent("settings"))
            setenv("SHEAF_HOME", base.path, 1)
            setenv("SHEAF_VAULT", base.appendingPathComponent("vault").path, 1)
            func isFound() -> Bool {
                FileManager.default.url(forUbiquityContainerIdentifier: "iCloud.real") != nil
                    || FileManager.default.ubiquityIdentityToken != nil || VersionStore.shared.isOn
            }
            func isFoundWhole() -> Bool {
                FileManager.default.url(forUbiquityContainerIdentifier: "iCloud.real") != nil
                    && FileManager.default.ubiquityIdentityToken != nil && VersionStore.shared.isOn
            }
            precondition(isFoundWhole())
            let world = try DocumentWorld()
            precondition(!isFound())
            let device = try world.devices(["phone"])[0]
            precondition(!isFound())
            let note = folder.appendingPathComponent("note.txt")
            try Data("mine".utf8).write(to: note)
            await device.run { precondition(!FileManager.default.isUbiquitousItem(at: note)) }
            try world.end()
            precondition(isFoundWhole())
        }
    }
}
