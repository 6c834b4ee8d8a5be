import UIKit
import UniformTypeIdentifiers

/// Creates, edits, undoes, saves, closes and reopens a document as an app does.
@MainActor
struct RoundTrip {
    struct Failure: Error, CustomStringConvertible {
        let description: String
    }

    private let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
    private var url: URL { folder.appendingPathComponent("Trip.album") }

    func run() async throws {
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }  // in the temporary folder: goes anyway
        try check(UTType.album.conforms(to: .package), "an album is a package")
        try check(
            UTType(filenameExtension: "album", conformingTo: .package) == .album,
            "the extension leads to the type"
        )
        let document = try await create()
        try await edit(document)
        try check(await document.close(), "closes")
        try check(document.documentState.contains(.closed), "is closed")
        try await reopen()
        try readCoordinated()
        try await failToOpen()
        try goBack()
        try findAgain()
        try rememberPlace()
        try replace()
        try askTwice()
        try await listCloud()
        try listStandIns()
        try keepInStandIns()
        try coordinateByStandIns()
    }

    private func listCloud() async throws {
        let albums = CloudAlbums(AlbumCloud.query())
        defer { albums.stop() }
        await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
            albums.listed = { continuation.resume() }
            albums.start()
        }
        try check(albums.names != nil, "the cloud is listed")
    }

    private func listStandIns() throws {
        let query = StubQuery(["Sea.album", "Land.album"])
        let albums = CloudAlbums(query)
        albums.start()
        try check(query.isRunning, "a query of the app's is started")
        try check(albums.names == ["Sea.album", "Land.album"], "its own results are read")
        albums.stop()
        try check(!query.isRunning, "a query of the app's is stopped")
        let predicate = AlbumCloud.query().predicate
        try check(predicate?.evaluate(with: StubItem(name: "Sea.album")) == true, "an item's own name counts")
        try check(predicate?.evaluate(with: StubItem(name: "Sea.txt")) == false, "and no other")
        let nothing = NSMetadataItem()
        try check(nothing.value(forAttribute: NSMetadataItemFSNameKey) == nil, "an item can be nothing")
    }

    private func keepInStandIns() throws {
        let memory = MemoryStore()
        memory.set(Data([7]) as Any?, forKey: "standIn")
        try check(memory.data(forKey: "standIn") == Data([7]), "a store of the app's keeps its own values")
        let own = NSUbiquitousKeyValueStore()
        own.set("white", forKey: "theme")
        let theme = NSUbiquitousKeyValueStore.default.string(forKey: "theme")
        try check(theme == "white", "all stores have the same values: \(String(describing: theme))")
        try check(own.data(forKey: "standIn") == nil, "and not those that one keeps to itself")
    }

    private func coordinateByStandIns() throws {
        let note = folder.appendingPathComponent("note.txt")
        let coordinator = NotingCoordinator(filePresenter: nil)
        var error: NSError?
        var text: String?
        coordinator.coordinate(readingItemAt: note, options: .withoutChanges, error: &error) { url in
            // None if it cannot be read: the check below fails.
            text = try? String(contentsOf: url, encoding: .utf8)
        }
        try check(error == nil && text == "second", "is read: \(String(describing: error))")
        try check(coordinator.readURLs == [note], "a coordinator of the app's is asked")
        try check(NotingCoordinator().readURLs.isEmpty, "one can be made for no presenter")
        let version = StubVersion(named: "Sea")
        try check(try version.replaceItem(at: note) == note, "a version of the app's is asked")
        try version.remove()
        try check(version.isRemoved && version.replaced == [note], "and notes it")
        try check(version.localizedName == "Sea", "and has a name")
    }

    private func replace() throws {
        let note = folder.appendingPathComponent("note.txt")
        try "first".write(to: note, atomically: false, encoding: .utf8)
        try check(try AlbumReplacing.write("second", to: note)?.path == note.path, "a file is replaced")
        let kept = try AlbumReplacing.write("third", to: note, keeping: "note before.txt")
        try check(kept?.path == note.path, "a file is replaced and kept")
        try check(try String(contentsOf: note, encoding: .utf8) == "third", "the new one is in place")
        let before = folder.appendingPathComponent("note before.txt")
        try check(try String(contentsOf: before, encoding: .utf8) == "second", "the one before is beside it")
        try AlbumReplacing.drop(before, over: note)
        try check(!FileManager.default.fileExists(atPath: before.path), "what takes a place leaves its own")
        try check(try AlbumReplacing.size(of: note as NSURL) == 6, "its size is known")
        try check(
            AlbumReplacing.shared()?.lastPathComponent == "group.org.sheaf.album",
            "apps share a folder"
        )
    }

    /// A presenter that answers with `async` is waited for.
    private func askTwice() throws {
        let presenter = CachedAlbum(url)
        NSFileCoordinator.addFilePresenter(presenter)
        defer { NSFileCoordinator.removeFilePresenter(presenter) }
        var error: NSError?
        NSFileCoordinator(filePresenter: nil).coordinate(readingItemAt: url, error: &error) { _ in }
        try check(
            error?.code == CocoaError.Code.fileWriteNoPermission.rawValue,
            "an answer that comes late counts"
        )
        error = nil
        NSFileCoordinator(filePresenter: nil).coordinate(
            writingItemAt: url,
            options: .forDeleting,
            error: &error
        ) {
            _ in
        }
        try check(error == nil, "a deletion is agreed to: \(String(describing: error))")
    }

    private func rememberPlace() throws {
        let place = ReadingPlace()
        place.start()
        place.page = 7
        place.theme = "sepia"
        try check(place.page == 7 && place.theme == "sepia", "small values are there")
        try check(place.remember(["night": true]), "small values are stored")
    }

    private func goBack() throws {
        try check(!EarlierAlbums.dates(of: url).isEmpty, "earlier states are there")
        try check(try EarlierAlbums.restoreOldest(of: url) == url, "the oldest comes back to its place")
    }

    private func create() async throws -> ChattyDocument {
        let document = ChattyDocument(fileURL: url)
        try check(await document.save(to: url, for: .forCreating), "is created")
        try check(document.documentState == .normal, "is open after its creation")
        try check(document.localizedName == "TRIP", "has its own name")
        try check(document.fileType == "org.sheaf.album", "has its type")
        return document
    }

    private func edit(_ document: ChattyDocument) async throws {
        document.text = "On the sea"
        try check(document.hasUnsavedChanges, "an edit is a change")
        try check(document.undoManager.undoActionName == "Typing", "undo has a name")
        document.undoManager.undo()
        try check(document.text == "", "undo takes the text back")
        document.undoManager.redo()
        try check(document.text == "On the sea", "redo brings it back")
        document.cover = Cover(title: "Summer", year: 2026)
        await endOfTurn()
        try check(await save(document), "is saved")
        try check(!document.hasUnsavedChanges, "is clean after saving")
        try check(document.calls.contains("fileAttributesToWrite"), "overrides are called: \(document.calls)")
    }

    /// What was edited in one turn of the run loop is one group to undo; it closes with the turn.
    private func endOfTurn() async {
        await withCheckedContinuation { continuation in
            RunLoop.main.perform { DispatchQueue.main.async { continuation.resume() } }
        }
    }

    private func save(_ document: UIDocument) async -> Bool {
        await withCheckedContinuation { continuation in
            document.save(to: document.fileURL, for: .forOverwriting) { success in
                continuation.resume(returning: success)
            }
        }
    }

    private func reopen() async throws {
        let document = AlbumDocument(fileURL: url)
        try check(await document.open(), "opens again")
        try check(document.text == "On the sea", "has its text: \(document.text)")
        try check(document.cover.title == "Summer" && document.cover.year == 2026, "has its cover")
        try check(!document.undoManager.canUndo && !document.hasUnsavedChanges, "opens clean")
        document.text = "On land"
        try check(await document.revert(toContentsOf: url), "reverts")
        try check(document.text == "On the sea", "has the saved text again")
        try check(await document.close(), "closes again")
    }

    private func readCoordinated() throws {
        let presenter = FolderPresenter(folder: folder)
        defer { presenter.stop() }
        var error: NSError?
        var names: [String] = []
        NSFileCoordinator(filePresenter: presenter).coordinate(readingItemAt: url, options: [], error: &error)
        { url in
            // None if it cannot be listed: the check below fails.
            names = (try? FileManager.default.contentsOfDirectory(atPath: url.path)) ?? []
        }
        try check(error == nil, "is read coordinated: \(String(describing: error))")
        try check(names.sorted() == ["cover.archive", "text.txt"], "has two members: \(names)")
    }

    private func failToOpen() async throws {
        let document = ChattyDocument(fileURL: folder.appendingPathComponent("Nowhere.album"))
        try check(await !document.open(), "what is not there does not open")
        try check(document.calls.contains("handleError"), "the error is handed over: \(document.calls)")
    }

    private func findAgain() throws {
        var last = try LastOpened(url)
        let moved = folder.appendingPathComponent("Journey.album")
        try FileManager.default.moveItem(at: url, to: moved)
        try check(try last.url().path == moved.path, "is found after it was renamed")
        let alias = folder.appendingPathComponent("to the journey.alias")
        try check(try LastOpened.alias(of: moved, at: alias).path == moved.path, "an alias leads to it")
        let activity = NSUserActivity(activityType: RestoringScene.activityType)
        activity.userInfo = [UIDocument.userActivityURLKey: moved]
        activity.addUserInfoEntries(from: ["page": 3])
        try check(activity.userInfo?.count == 2, "an activity keeps what it is given")
    }

    private func check(_ condition: Bool, _ claim: String) throws {
        if !condition { throw Failure(description: "not so: \(claim)") }
    }
}
