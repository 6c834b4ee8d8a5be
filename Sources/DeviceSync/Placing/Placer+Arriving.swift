internal import DocumentFoundation
internal import FileSystem
internal import Foundation
internal import Sync
internal import Vault

// How new documents come to their places, many at a time.
extension Placer {
    /// Puts new documents in place, all of them durable together.
    ///
    /// - Returns: What became of each, in order; an error for one that could not be made.
    func placeNew(
        _ documents: [NewDocument],
        in table: FolderTable
    ) throws -> [Result<Outcome, any Error>] {
        let arrivals = try Arrivals(in: root) { status in
            table.root.map { ItemTrace(status).isSameItem(as: $0) } ?? true
        }
        let making = Making(contents: contents, root: root, table: table, place: arrivals.folder)
        let made = try making.make(documents)
        var results = made.results
        try losses.note(made.losses)
        try arrivals.settle()
        for numbers in Arrivals.trays(of: documents.count) {
            var folders = ArrivalFolders()
            for number in numbers where results[number] == nil {
                results[number] = Result {
                    try arriveAnywhere(number, documents[number], arrivals, &folders, table)
                }
            }
            settle(folders, in: table, &results)
        }
        try arrivals.finish()
        return results.compactMap { $0 }
    }

    private func arriveAnywhere(
        _ number: Int,
        _ document: NewDocument,
        _ arrivals: Arrivals,
        _ folders: inout ArrivalFolders,
        _ table: FolderTable
    ) throws -> Outcome {
        do { return try arrive(number, document, arrivals, &folders, table) } catch let error as SystemError
            where error.isAcrossVolumes
        {
            // Its folder is on a volume that is mounted below the container's.
            var replaced: ReplacedFile?
            return try place(
                document.item,
                document.state,
                modified: document.modified,
                in: table,
                replaced: &replaced
            )
        }
    }

    /// The folders that documents of a tray arrive in, which are those that were seen in their places last, before the first
    /// arrives and after the last.
    private struct ArrivalFolders {
        /// Where each is; nil for one that is not there.
        var places: [ItemID: FilePath?] = [:]
        /// What has been put into each.
        var numbers: [ItemID: [Int]] = [:]
    }

    /// Looks whether the folders still are where they were seen: what was put into another one is not where it belongs.
    private func settle(
        _ folders: ArrivalFolders,
        in table: FolderTable,
        _ results: inout [Result<Outcome, any Error>?]
    ) {
        for (folder, numbers) in folders.numbers {
            let isStill = Result { try isInPlace(folder, in: table) }
            for number in numbers {
                guard case .success(.done) = results[number] else { continue }
                switch isStill {
                case .success(true): break
                case .success(false): results[number] = .success(.another("its folder is another since"))
                case .failure(let error): results[number] = .failure(error)
                }
            }
        }
    }

    private func arrive(
        _ number: Int,
        _ document: NewDocument,
        _ arrivals: Arrivals,
        _ folders: inout ArrivalFolders,
        _ table: FolderTable
    ) throws -> Outcome {
        let place = document.state.place
        if folders.places[place.parent] == nil {
            let isThere = try isInPlace(place.parent, in: table)
            folders.places[place.parent] = .some(isThere ? table.path(of: place.parent, in: root) : nil)
        }
        guard let target = folders.places[place.parent]??.appending(place.name) else {
            return .another("its folder is not there")
        }
        do {
            var placed: FileStamp?
            try coordinate(target, .forReplacing) {
                placed = try arrivals.stamp(of: number)
                try arrivals.put(number, at: target)
            }
            folders.numbers[place.parent, default: []].append(number)
            guard
                let trace = try trace(
                    of: target,
                    placed: placed,
                    takenAway: placed,
                    document.item,
                    as: document.state.content
                )
            else {
                return .another("it has gone since")
            }
            // Another in its place is a save, and none somebody's taking away, unless that is another folder of that name.
            guard try trace.inode == placed?.inode && trace.changed != 0 || arrivals.isInPlace(target) else {
                return .another("its folder is another since")
            }
            return .done(FolderItem(state: document.state, trace: trace))
        } catch let error as SystemError where [EEXIST, ENOENT, ENOTDIR].contains(error.errno) {
            return .another("\(error)")
        }
    }
}
