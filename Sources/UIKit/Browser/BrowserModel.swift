internal import DocumentFoundation
internal import FileSystem
internal import Foundation
internal import StandardStreams
internal import SyncMessages
internal import UniformTypeIdentifiers

/// What one browser shows: a folder of the location, live, and what was done there.
@MainActor
final class BrowserModel {
    /// How something that was done in the background ended.
    typealias Finish = (Result<BrowserOutcome, any Error>) -> Void

    /// The folder that is shown, below the location.
    private(set) var folder = ""
    private(set) var items = FolderItems()
    private(set) var history = BrowserHistory()

    private let contentTypes: [UTType]
    private let documents: URL
    private let changed: () -> Void
    private let told: (String) -> Void
    /// How items stand; nil where nothing is kept in step.
    private var sync: FolderSync?
    /// The changes so large that a person is asked first; nil where nothing is kept in step.
    private(set) var largeChanges: FolderLargeChanges?
    /// What somebody looks at.
    private(set) var explanation: ItemExplanation?
    let awaited = AwaitedContents()
    private var listing: FolderListing?
    /// While the location is not there: what shows that it is there again.
    private var homecoming: DirectoryWatch?
    private var isListed = false
    private var waiting: [CheckedContinuation<Void, Never>] = []
    private(set) lazy var location = makeLocation()
    private lazy var operations = location.map { FolderOperations(location: $0) }

    /// - Parameters:
    ///   - documents: The location: the folder whose documents are shown.
    ///   - changed: Called when something of this differs.
    ///   - told: Takes what a person has to know in passing.
    init(
        contentTypes: [UTType],
        documents: URL = ApplicationRun.documents,
        changed: @escaping () -> Void,
        told: @escaping (String) -> Void
    ) {
        self.contentTypes = contentTypes
        self.documents = documents
        self.changed = changed
        self.told = told
    }

    private func makeLocation() -> BrowserLocation? {
        do {
            return try BrowserLocation(documents, kinds: BrowserKinds.make(opening: contentTypes))
        } catch {
            StandardError.say("The documents cannot be shown: \(error.localizedDescription)")
            return nil
        }
    }

    // MARK: The folder

    func show(folder id: String) {
        guard let location else { return }
        guard listing == nil || id != folder else { return }
        homecoming = nil
        folder = id
        items = FolderItems()
        isListed = false
        explanation = nil
        followSync()
        listing = FolderListing(id, of: location) { [weak self] update in self?.take(update) }
        changed()
    }

    func stop() {
        listing?.stop()
        (listing, homecoming, sync, largeChanges, explanation) = (nil, nil, nil, nil, nil)
        resumeWaiting()
    }

    private func followSync() {
        // A folder that cannot be found is told of by its listing.
        let path = try? location?.folder(folder)
        sync = path.flatMap { FolderSync($0) { [weak self] in self?.changed() } }
        // All folders of one container have the same.
        if let path, largeChanges?.isAbout(path) == true { return }
        largeChanges = path.flatMap { FolderLargeChanges($0) { [weak self] in self?.changed() } }
    }

    private func resumeWaiting() {
        let resumed = waiting
        waiting = []
        resumed.forEach { $0.resume() }
    }

    /// Returns when the folder has been listed, or cannot be.
    func whenListed() async {
        guard listing != nil, !isListed else { return }
        await withCheckedContinuation { waiting.append($0) }
    }

    private func take(_ update: FolderUpdate) {
        switch update {
        case .listed(let found):
            items = FolderItems(found)
            isListed = true
            resumeWaiting()
        case .changed(let difference):
            for item in difference.put { items[item.id] = item }
            for id in difference.drop { items[id] = nil }
        case .unwatched(let error):
            told("This list does not follow changes by itself for now. \(error.fullText)")
        case .gone:
            if folder.isEmpty { awaitLocation() } else { leave() }
        case .failed(let error):
            told(error.fullText)
            leave()
        }
        changed()
    }

    /// Shows the folder above: this one cannot be shown any more. Who waits for a list gets that one's.
    private func leave() {
        guard !folder.isEmpty else { return stop() }
        listing?.stop()
        listing = nil
        show(folder: BrowserLocation.split(folder).folderID)
    }

    /// The location itself has gone, or another folder is at its place: nothing is shown until one is there.
    private func awaitLocation() {
        stop()
        items = FolderItems()
        guard let location else { return }
        do {
            homecoming = try DirectoryWatch(location.root.parent, on: .main) { [weak self] _ in
                MainActor.assumeIsolated { _ = self?.showIfBack() }
            }
        } catch {
            told(BrowserError(.unwatched, item: location.root.parent.name, underlying: error).fullText)
        }
        if !showIfBack() { told(BrowserError(.vanished, item: location.root.name).fullText) }
    }

    @discardableResult
    private func showIfBack() -> Bool {
        // What cannot be looked at is not there yet.
        guard let location, (try? FileStamp.ifPresent(at: location.root)) != nil else { return false }
        show(folder: "")
        return true
    }

    /// Looks again at an item that this process has changed where watching does not show it: inside a package.
    func look(at url: URL) {
        guard let id = id(of: url), BrowserLocation.split(id).folderID == folder else { return }
        listing?.look(at: [BrowserLocation.split(id).name])
    }

    func id(of url: URL) -> String? { location?.id(of: url) }

    /// The folders from the location down to the one shown.
    var path: [(id: String, name: String)] {
        var steps = [(id: "", name: documents.lastPathComponent)]
        var id = ""
        for name in folder.pathNames {
            id = BrowserLocation.id(name, in: id)
            steps.append((id, name))
        }
        return steps
    }

    // MARK: In step with other devices

    /// Whether the folder is kept in step with other devices, be it just now or not.
    var isSynced: Bool { sync != nil }

    /// How an item stands; nil for one that is not kept in step, or of which nobody says.
    func standing(of item: FolderItem) -> ItemSyncState.Standing? { sync?.standing(of: item) }
    func syncState(of item: FolderItem) -> ItemSyncState? { sync?.state(of: item) }

    /// Explains an item until something else is explained; nil for: nothing any more.
    func explain(_ item: FolderItem?) {
        explanation = item.map { ItemExplanation($0) { [weak self] in self?.changed() } }
        changed()
    }

    /// Does something about items that other devices have, too, off the main queue: to each, whatever comes of the others.
    ///
    /// - Returns: What went wrong, with the item.
    func perform(
        on items: [FolderItem],
        _ body: @escaping @Sendable (URL) throws -> Void
    ) async -> [(item: FolderItem, error: any Error)] {
        await withCheckedContinuation { goOn in
            DispatchQueue.global(qos: .userInitiated).async {
                var failures: [(item: FolderItem, error: any Error)] = []
                for item in items {
                    do { try body(item.url) } catch { failures.append((item, error)) }
                }
                goOn.resume(returning: failures)
            }
        }
    }

    // MARK: What can be done

    func createFolder(named name: String, _ finish: @escaping Finish) {
        run(.createFolder, finish) { [folder] in try await $0.createFolder(named: name, in: folder) }
    }

    func rename(_ id: String, to name: String, showsExtension: Bool, _ finish: @escaping Finish) {
        run(.rename, finish) { try await $0.rename(id, to: name, showsExtension: showsExtension) }
    }

    func move(_ ids: [String], into folderID: String, _ finish: @escaping Finish) {
        let leaving = ids.filter { leavesContainer($0, for: folderID) }
        run(.move, ids, whole: leaving, finish) { try await $0.move($1, into: folderID) }
    }

    func duplicate(_ ids: [String], _ finish: @escaping Finish) {
        run(.duplicate, ids, whole: ids, finish) { await $0.duplicate($1) }
    }

    func trash(_ ids: [String], _ finish: @escaping Finish) {
        run(.trash, ids, whole: ids, finish) { await $0.trash($1) }
    }

    /// Whether an item would be kept in step no longer, or with others.
    private func leavesContainer(_ id: String, for folderID: String) -> Bool {
        // What cannot be found is refused when it is its turn.
        guard isSynced, let location, let folder = try? location.folder(folderID),
            let place = try? location.place(of: id)
        else { return false }
        let joined = UbiquityAccount.shared.joined
        return joined.folder(of: place)?.folder != joined.folder(of: folder.appending(place.name))?.folder
    }

    /// Does something to items of which some have to be here with all that is in them. Their contents come before it is its turn, so
    /// that they can be called off, and hold up nothing else.
    private func run(
        _ act: BrowserAct,
        _ ids: [String],
        whole: [String],
        _ finish: @escaping Finish,
        _ body: @escaping @Sendable (FolderOperations, [String]) async throws -> BrowserOutcome
    ) {
        let asked = isSynced ? whole.compactMap { items[$0] } : []
        let missing = asked.filter { $0.isEvicted || $0.kind == .folder }
        guard !missing.isEmpty else { return run(act, finish) { try await body($0, ids) } }
        Task {
            do {
                let refused = try await awaited.fetch(missing)
                let left = Set(refused.map { FilePath($0.id) })
                run(act, finish) { operations in
                    var outcome = try await body(operations, ids.filter { !left.contains(FilePath($0)) })
                    outcome.failures.insert(contentsOf: refused.map(\.why), at: 0)
                    return outcome
                }
            } catch {
                finish(.failure(error))
            }
        }
    }

    func importItems(at urls: [URL], into folderID: String, mode: ItemImportMode, _ finish: @escaping Finish)
    {
        run(.importing, finish) { try await $0.importItems(at: urls, into: folderID, mode: mode) }
    }

    /// Takes back what was done last, or does it again.
    func step(back: Bool, _ finish: @escaping Finish) {
        guard let operations, let command = back ? history.beginUndo() : history.beginRedo() else {
            finish(.success(BrowserOutcome()))
            return
        }
        Task {
            let outcome = await operations.perform(command)
            history.end(inverse: outcome.inverse)
            settle(outcome)
            finish(.success(outcome))
        }
    }

    private func run(
        _ act: BrowserAct,
        _ finish: @escaping Finish,
        _ body: @escaping @Sendable (FolderOperations) async throws -> BrowserOutcome
    ) {
        guard let operations else {
            finish(.failure(UIDocumentBrowserError(.noLocationAvailable, item: documents)))
            return
        }
        Task {
            do {
                let outcome = try await body(operations)
                history.record(act, inverse: outcome.inverse)
                settle(outcome)
                finish(.success(outcome))
            } catch {
                finish(.failure(error))
            }
        }
    }

    /// What was made is in the list before the answer that names it, and what has a new name is not there twice.
    private func settle(_ outcome: BrowserOutcome) {
        var settled: [String] = []
        // Where the new name is there, the folder has been looked at since, and what has the old one is another item.
        for way in outcome.relocations
        where BrowserLocation.split(way.target).folderID == folder && items[way.target] == nil {
            items[way.source] = nil
            settled.append(way.source)
        }
        for item in outcome.items where BrowserLocation.split(item.id).folderID == folder {
            items[item.id] = item
            settled.append(item.id)
        }
        // Others may have done more to them since each was done, and that has been told already.
        let places = settled.map(BrowserLocation.split).filter { $0.folderID == folder }
        listing?.lookAnew(at: places.map(\.name))
        changed()
    }
}

/// How the browser tells types, from what the app opens.
enum BrowserKinds {
    static func make(opening contentTypes: [UTType]) -> ItemKinds {
        ItemKinds(
            isPackage: { PackageTypes.isPackage($0) },
            type: { fileExtension, form in
                let type = type(fileExtension, form)
                return ItemType(
                    identifier: type.identifier,
                    title: title(of: type, fileExtension),
                    isDocument: form != .folder && contentTypes.contains { type.conforms(to: $0) }
                )
            }
        )
    }

    private static func type(_ fileExtension: String, _ form: ItemKinds.Form) -> UTType {
        switch form {
        case .folder: .folder
        case .file: PackageTypes.type(ofExtension: fileExtension) ?? .data
        case .package: PackageTypes.type(ofExtension: fileExtension) ?? .package
        }
    }

    private static func title(of type: UTType, _ fileExtension: String) -> String {
        if type.isDeclared, let description = type.localizedDescription { return description }
        return fileExtension.isEmpty ? "Document" : "\(fileExtension.uppercased()) file"
    }
}
