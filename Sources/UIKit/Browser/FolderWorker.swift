internal import DocumentFoundation
internal import FileSystem
internal import Foundation

/// The deeds behind `FolderOperations`.
///
/// Blocks on the disk and on file coordination: for its queue alone.
struct FolderWorker: Sendable {
    let location: BrowserLocation
    let trash: Trash

    func createFolder(named typed: String, in folderID: String) throws -> BrowserOutcome {
        try naming(typed) {
            let name = try ItemNames.checked(typed)
            let folder = try location.folder(folderID)
            let path = try placing(name, hasExtension: false, in: folder) { path in
                try Coordinated.writing(path, isDirectory: true) { path in
                    try ItemMoves.createFolder(path)
                }
            }
            let id = BrowserLocation.id(path.name, in: folderID)
            return BrowserOutcome(items: [try item(id)], inverse: .trash([id]))
        }
    }

    func rename(_ id: String, to typed: String, showsExtension: Bool) throws -> BrowserOutcome {
        let (folderID, name) = BrowserLocation.split(id)
        return try naming(name) {
            let current = try item(id)
            let renamed = try ItemNames.renamed(
                name,
                to: typed,
                hasExtension: current.hasExtension,
                showsExtension: showsExtension
            )
            guard renamed != name || !renamed.utf8.elementsEqual(name.utf8) else {
                return BrowserOutcome(items: [current])
            }
            let way = ItemRelocation(from: id, to: BrowserLocation.id(renamed, in: folderID))
            return BrowserOutcome(items: [try relocate(way)], inverse: .relocate([way.reversed]))
        }
    }

    func move(_ ids: [String], into folderID: String) throws -> BrowserOutcome {
        let folder = try location.folder(folderID)
        var ways: [ItemRelocation] = []
        var outcome = each(ids) { id in
            let (currentID, name) = BrowserLocation.split(id)
            let current = try item(id)
            guard try location.folder(currentID) != folder else { return current }
            let source = try location.place(of: id)
            guard !folder.isInside(source) else { throw BrowserError(.intoItself, item: name) }
            let target = try placing(name, hasExtension: current.hasExtension, in: folder) { target in
                try relocate(current, from: source, to: target)
            }
            let way = ItemRelocation(from: id, to: BrowserLocation.id(target.name, in: folderID))
            ways.append(way)
            return try item(way.target)
        }
        outcome.inverse = ways.isEmpty ? nil : .relocate(ways.reversed().map(\.reversed))
        return outcome
    }

    func duplicate(_ ids: [String]) -> BrowserOutcome {
        var outcome = each(ids) { id in
            let current = try item(id)
            guard current.isReachable else {
                throw BrowserError(.refused, item: current.name, underlying: unreadable(id))
            }
            let (folderID, name) = BrowserLocation.split(id)
            let source = try location.place(of: id)
            let target = try placing(
                name,
                hasExtension: current.hasExtension,
                in: location.folder(folderID),
                whileTaken: true
            ) { target in
                try Coordinated.copying(source, to: target, isDirectory: current.isDirectory) {
                    try ItemCopy.copyWhole($0, toFree: $1)
                }
            }
            return try item(BrowserLocation.id(target.name, in: folderID))
        }
        outcome.inverse = outcome.items.isEmpty ? nil : .trash(outcome.items.map(\.id))
        return outcome
    }

    func trash(_ ids: [String]) -> BrowserOutcome {
        var trashed: [TrashedItem] = []
        var outcome = BrowserOutcome()
        for id in ids {
            do {
                let place = try location.place(of: id)
                guard place != location.root else { throw BrowserError(.notInLocation, item: place.name) }
                let isDirectory = try item(id).isDirectory
                // A trash without the contents could give nothing back.
                let url = try Coordinated.deleting(place, isDirectory: isDirectory) { path in
                    try trash.discard(path.url(isDirectory: isDirectory))
                }
                trashed.append(TrashedItem(id: id, url: url))
            } catch {
                outcome.failures.append(BrowserError(error, item: BrowserLocation.split(id).name))
            }
        }
        outcome.inverse = trashed.isEmpty ? nil : .putBack(trashed.reversed())
        return outcome
    }

    func perform(_ command: BrowserCommand) -> BrowserOutcome {
        switch command {
        case .trash(let ids): return trash(ids)
        case .putBack(let items): return putBack(items)
        case .relocate(let ways):
            var done: [ItemRelocation] = []
            var outcome = each(ways, name: { BrowserLocation.split($0.source).name }) { way in
                let item = try relocate(way)
                done.append(way)
                return item
            }
            outcome.inverse = done.isEmpty ? nil : .relocate(done.reversed().map(\.reversed))
            return outcome
        }
    }

    private func putBack(_ trashed: [TrashedItem]) -> BrowserOutcome {
        var outcome = each(trashed, name: { BrowserLocation.split($0.id).name }) { trashed in
            let place = try location.place(of: trashed.id)
            let isDirectory = trashed.url.hasDirectoryPath
            let url = try Coordinated.writing(place, isDirectory: isDirectory) { _ in
                try trash.restore(trashed.url)
            }
            guard let id = location.id(of: url) else {
                throw BrowserError(.notInLocation, item: url.lastPathComponent)
            }
            return try item(id)
        }
        outcome.inverse = outcome.items.isEmpty ? nil : .trash(outcome.items.reversed().map(\.id))
        return outcome
    }

    private func relocate(_ way: ItemRelocation) throws -> FolderItem {
        let current = try item(way.source)
        let source = try location.place(of: way.source)
        let target = try location.place(of: way.target)
        guard source != location.root, !target.parent.isInside(source) else {
            throw BrowserError(.intoItself, item: current.name)
        }
        do {
            try relocate(current, from: source, to: target)
        } catch let error as SystemError where error.isTaken {
            throw BrowserError(.nameTaken, item: target.name, underlying: error)
        }
        return try item(way.target)
    }

    /// Moves an item, or the placeholder that stands for it: whoever moves that moves the item.
    private func relocate(_ current: FolderItem, from source: FilePath, to target: FilePath) throws {
        try Coordinated.moving(source, to: target, isDirectory: current.isDirectory) { source, target in
            // It has come meanwhile, where it leaves its container.
            let isHere = try FileStamp.ifPresent(at: source) != nil
            let isEvicted = !isHere && Placeholder(standingFor: source) != nil
            // A name is taken by an item that is there, and by one that a placeholder stands for.
            let isTaken = try isEvicted && FileStamp.ifPresent(at: target) != nil
            guard !isTaken, Placeholder(standingFor: target) == nil else {
                throw SystemError(call: "renameat2", errno: EEXIST, path: target)
            }
            guard isEvicted else { return try ItemMoves.move(source, toFree: target) }
            guard let from = Placeholder.place(for: source), let to = Placeholder.place(for: target) else {
                throw SystemError(call: "renameat2", errno: ENAMETOOLONG, path: target)
            }
            try ItemMoves.move(from, toFree: to)
        }
    }

    // MARK: - Parts that the deeds share

    /// The item of an id, as it is now.
    func item(_ id: String) throws -> FolderItem {
        let (folderID, name) = BrowserLocation.split(id)
        let folder = try location.folder(folderID)
        var maker = ItemMaker(location: location, folderID: folderID, folder: folder)
        guard !name.isEmpty, BrowserLocation.isShown(name),
            let item = try maker.items([name]).first?.item
        else { throw BrowserError(id.isEmpty ? .notInLocation : .vanished, item: name) }
        return item
    }

    /// Does something under the first free name, again under the next while others take it meanwhile.
    ///
    /// - Parameter whileTaken: Whether `wanted` is known to be taken, by the item itself.
    /// - Returns: The place it was done at.
    func placing(
        _ wanted: String,
        hasExtension: Bool,
        in folder: FilePath,
        whileTaken isTaken: Bool = false,
        _ body: (FilePath) throws -> Void
    ) throws -> FilePath {
        var taken = try FolderScan.names(in: folder)
        taken.formUnion(taken.compactMap(Placeholder.itemName))
        if isTaken { taken.insert(wanted) }
        while true {
            let name = ItemNames.free(wanted, hasExtension: hasExtension, among: taken)
            do {
                try body(folder.appending(name))
                return folder.appending(name)
            } catch let error as SystemError where error.isTaken {
                taken.insert(name)
            }
        }
    }

    func each<Request>(
        _ requests: [Request],
        name: (Request) -> String,
        _ body: (Request) throws -> FolderItem
    ) -> BrowserOutcome {
        var outcome = BrowserOutcome()
        for request in requests {
            do { outcome.items.append(try body(request)) } catch {
                outcome.failures.append(BrowserError(error, item: name(request)))
            }
        }
        return outcome
    }

    private func each(_ ids: [String], _ body: (String) throws -> FolderItem) -> BrowserOutcome {
        each(ids, name: { BrowserLocation.split($0).name }, body)
    }

    /// Makes every error one that names the item.
    func naming<Value>(_ item: String, _ body: () throws -> Value) throws(BrowserError) -> Value {
        do { return try body() } catch { throw BrowserError(error, item: item) }
    }

    private func unreadable(_ id: String) -> CocoaError {
        CocoaError(
            .fileReadUnknown,
            userInfo: [NSLocalizedFailureReasonErrorKey: "It leads to nothing here."]
        )
    }
}

extension FolderItem {
    var isDirectory: Bool { isPackage || kind == .folder }
}
