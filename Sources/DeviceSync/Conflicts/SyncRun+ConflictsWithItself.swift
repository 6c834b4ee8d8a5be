internal import DocumentFoundation
internal import FileSystem
internal import Foundation
internal import Sync
internal import Vault

/// Documents of which an app has kept what they are as a version in conflict, and which are to be looked at.
struct ConflictsWithThemselves {
    /// Who asks for access to each.
    var asking: [ItemID: NSFileCoordinator] = [:]
    /// Those that could not be looked at.
    var behind: Set<ItemID> = []
}

// What an app has kept as a version in conflict may be the document as it is. Either a save is half done, which keeps what it
// is about to replace. Or it came to nothing, or another one has put back what was replaced: then nothing is in conflict, and
// no other device is to hear of it. Only a coordinated access tells which, as a save is done inside one.
extension SyncRun {
    /// Settles what is kept in conflict with a document that is the same, once nobody is saving it.
    func settleConflictWithItself(of item: ItemID) {
        guard conflicts.withThemselves.asking[item] == nil, let path = table.path(of: item, in: place.folder)
        else {
            return
        }
        let coordinator = NSFileCoordinator(filePresenter: nil)
        coordinator.leavesPlaceholders = true
        conflicts.withThemselves.asking[item] = coordinator
        let accesses = OperationQueue()
        accesses.underlyingQueue = queue
        let intent = NSFileAccessIntent.readingIntent(
            with: path.url(isDirectory: false),
            options: .withoutChanges
        )
        coordinator.coordinate(with: [intent], queue: accesses) { [box = Confined(Weak(self))] error in
            box.value.value?.settleConflictWithItself(of: item, at: path, unless: error)
        }
    }

    /// The same for those of which it could not be done.
    func settleConflictsWithThemselvesAgain() {
        let items = conflicts.withThemselves.behind
        conflicts.withThemselves.behind = []
        for item in items { settleConflictWithItself(of: item) }
    }

    /// Does not wait any longer for who uses the documents.
    func endConflictsWithThemselves() {
        for coordinator in conflicts.withThemselves.asking.values { coordinator.cancel() }
        conflicts.withThemselves = ConflictsWithThemselves()
    }

    private func settleConflictWithItself(of item: ItemID, at path: FilePath, unless error: (any Error)?) {
        guard !isStopped else { return }
        conflicts.withThemselves.asking[item] = nil
        // One that has gone is asked for where it is.
        guard let now = table.path(of: item, in: place.folder) else { return }
        guard now == path else { return settleConflictWithItself(of: item) }
        attempt("what is in conflict with “\(self.path(of: item))” is not settled, though it is the same") {
            do {
                if let error { throw error }
                try settleVersionsInPlace(of: item, at: path)
            } catch {
                if isThere(item) {
                    conflicts.withThemselves.behind.insert(item)
                    retryLater()
                }
                throw error
            }
        }
    }

    /// Settles the versions that hold what is in the document's place, inside an access to that.
    private func settleVersionsInPlace(of item: ItemID, at path: FilePath) throws {
        guard let content = try contents.keep([try document(item)]).first?.get().name else { return }
        if content != table[item]?.state.content {
            // Its own reading, which somebody's save leads to, looks at what is in conflict then.
            return noteSuperseded(content)
        }
        let url = path.url(isDirectory: false)
        let same = try unshown(of: item, at: url).filter {
            try keepConflict($0, at: path, of: item) == content
        }
        try versions.settle(Set(same), at: url)
    }
}
