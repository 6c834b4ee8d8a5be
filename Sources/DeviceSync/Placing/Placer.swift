internal import DocumentFoundation
internal import FileSystem
internal import Foundation
internal import Sync
internal import Vault

/// Makes items of a container's folder what they are to be, each in one step, durably, and only if it is as expected.
///
/// What a person or a program has done since the folder was looked at last is never overwritten: it is found, and said.
/// Where others take their time to make way, `FolderAccess.Awaited` is thrown: the step is to be done again later.
struct Placer {
    let root: FilePath
    let contents: ContentStore
    let access: FolderAccess
    /// What the folder's volume did not let items bear.
    var losses = LossBook()

    /// What became of one item.
    enum Outcome {
        /// It is as it was to be; nil for gone.
        case done(FolderItem?)
        /// It was not as expected: its folders are to be looked at.
        case another(String)
    }

    /// What is expected has changed meanwhile.
    struct Changed: Error {}

    // MARK: Placing

    /// - Parameters:
    ///   - item: Which.
    ///   - state: What it is to be.
    ///   - modified: When contents that it has not had were modified last; see `ContentStore.date`.
    ///   - table: What the folder was seen to hold last.
    ///   - replaced: Set to the file that was replaced, which a program may have open still.
    /// - Throws: What keeps it from being done. Nothing has changed then, but that an item which is to move and to get other
    ///   contents may have moved already: a look finds it.
    func place(
        _ item: ItemID,
        _ state: ItemState,
        modified: Int64?,
        in table: FolderTable,
        replaced: inout ReplacedFile?
    ) throws -> Outcome {
        guard let target = table.path(of: state.place, in: root), try isInPlace(state.place.parent, in: table)
        else { return .another("its folder is not there") }
        let outcome = try put(item, state, modified: modified, at: target, in: table, replaced: &replaced)
        // Put into another folder it is not where it belongs.
        guard case .done = outcome, try !isInPlace(state.place.parent, in: table) else { return outcome }
        return .another("its folder is another since")
    }

    /// Whether a folder is where it was seen last, and not another in its place: where a volume is not mounted any more there is
    /// one, too.
    func isInPlace(_ folder: ItemID, in table: FolderTable) throws -> Bool {
        guard let known = table.trace(ofFolder: folder), let path = table.path(of: folder, in: root) else {
            return true
        }
        return try FolderScan.status(at: path).map { ItemTrace($0).isSameItem(as: known) } ?? false
    }

    private func put(
        _ item: ItemID,
        _ state: ItemState,
        modified: Int64?,
        at target: FilePath,
        in table: FolderTable,
        replaced: inout ReplacedFile?
    ) throws -> Outcome {
        do {
            guard let known = table[item] else {
                return .done(try make(item, state, modified: modified, at: target, in: table))
            }
            guard let source = table.path(of: item, in: root), try isAsSeen(known, at: source) else {
                return .another("it has changed since")
            }
            let place = Target(path: target, folder: state.place.parent, table: table)
            if known.isDataless {
                return try placeDataless(item, state, modified: modified, known, from: source, to: place)
            }
            var now = known
            now.state = state
            if source != target {
                guard let trace = try moved(item, known, from: source, to: place) else {
                    return .another("it has gone since")
                }
                now.trace = trace
            }
            if let content = state.content, content != known.state.content {
                replaced = held(known, at: target)
                // A move has changed how it looks.
                let seen = FolderItem(state: known.state, trace: now.trace)
                let placed = try replace(item, seen, with: content, modified: modified, at: target)
                guard let trace = try trace(of: target, placed, item, as: content) else {
                    return .another("it has gone since")
                }
                now.trace = trace
            }
            return .done(now)
        } catch is Changed {
            return .another("it has changed since")
        } catch let error as SystemError where [EEXIST, ENOENT, ENOTDIR, ESTALE].contains(error.errno) {
            // Something else is at the place, or the place is gone.
            return .another("\(error)")
        }
    }

    /// Takes hold of an item's file, if it is one and still there: what a link leads to is nobody's business.
    private func held(_ known: FolderItem, at path: FilePath) -> ReplacedFile? {
        guard known.trace.kind == .regular, !known.isDataless else { return nil }
        return ReplacedFile(path, followsSymbolicLink: false) { stamp in
            stamp.inode == known.trace.inode && stamp.device == known.trace.device
        }
    }

    /// A document that comes to this device.
    struct NewDocument: Sendable {
        let item: ItemID
        let state: ItemState
        /// As of `place`.
        let modified: Int64?
    }

    func isAsSeen(_ item: FolderItem, at path: FilePath) throws -> Bool {
        guard let status = try FolderScan.status(at: path) else { return false }
        let trace = ItemTrace(status)
        return item.state.kind == .folder ? trace.isSameItem(as: item.trace) : trace == item.trace
    }

    private func make(
        _ item: ItemID,
        _ state: ItemState,
        modified: Int64?,
        at target: FilePath,
        in table: FolderTable
    ) throws -> FolderItem {
        var placed: SavedStamps?
        try coordinate(target, .forReplacing) {
            let save = try Target(path: target, folder: state.place.parent, table: table).newSave()
            if let content = state.content {
                try stage(content, of: item, modified: modified, by: save)
                try save.commit(try attributes(of: content))
            } else {
                // Never there without its mark: it would be taken for another.
                let staged = try save.stagedPath()
                try ItemMoves.createFolder(staged)
                try mark(staged, as: item)
                try save.commit()
            }
            placed = SavedStamps(save)
        }
        guard let trace = try trace(of: target, placed, item, as: state.content) else { throw Changed() }
        return FolderItem(state: state, trace: trace)
    }

    /// Stages contents of an item, with its mark and all that they bear.
    func stage(_ content: ContentName, of item: ItemID, modified: Int64?, by save: StagedSave) throws {
        let staged = try save.stagedPath()
        // A program that looks at what is in place may do so at once, so it is known before it is there.
        try losses.note([item: try contents.restore(content, to: staged, modified: modified, as: item)])
    }

    private func replace(
        _ item: ItemID,
        _ known: FolderItem,
        with content: ContentName,
        modified: Int64?,
        at path: FilePath
    ) throws -> SavedStamps? {
        if try changeMembers(item, known, to: content, modified: modified, at: path) { return nil }
        var placed: SavedStamps?
        try coordinate(path, []) {
            try checkThatNobodyWrites(in: known, at: path)
            let save = try StagedSave(item: path, followsSymbolicLink: false)
            // What it bears is part of its contents, and what it bears no more as well.
            save.carriesUserAttributes = false
            // That it is to be written to by nobody holds here, not for what was done where it was written to.
            save.replacesReadOnly = true
            try stage(content, of: item, modified: modified, by: save)
            // What a program that coordinates nothing wrote until now is not to go.
            let inside = try inside(of: item, known, at: path)
            // What somebody has permitted or tagged meanwhile is no less his. Of a folder that its owner may not write to it is the save
            // itself that lifts that, and the exchange moves the change time of all.
            let isLifted = inside != nil && known.trace.permissions & 0o200 == 0
            let isAsSeen = { (status: MemberStatus, place: FilePath) in
                guard inside == nil || !OpenForWriting.isOpen(anywhereIn: place) else { return false }
                let trace = ItemTrace(status)
                return trace.hasContents(of: known.trace)
                    && (isLifted || trace.permissions == known.trace.permissions)
                    && inside?.isStill(at: place) ?? true
            }
            save.beforeSwap = { () throws(SystemError) in
                guard let status = try FolderScan.status(at: path), isAsSeen(status, path),
                    isLifted || ItemTrace(status).changed == known.trace.changed
                else { throw SystemError(call: "renameat2", errno: ESTALE, path: path) }
            }
            save.isReplaceable = isAsSeen
            try save.commit(try attributes(of: content))
            placed = SavedStamps(save)
        }
        return placed
    }

    func attributes(of content: ContentName) throws -> MemberAttributes {
        let contents = try ContentStore.contents(content)
        guard contents.kind != .symbolicLink else { return MemberAttributes() }
        return MemberAttributes(permissions: contents.permissions)
    }

    func mark(_ path: FilePath, as item: ItemID) throws {
        guard let status = try FolderScan.status(at: path), status.stamp.kind != .symbolicLink else { return }
        _ = try FileIdentity.marking(path, with: item.mark, isForeign: { _ in true })
    }

    // MARK: Removing

    /// Takes away what is still as expected. A folder goes only when nothing is in it.
    ///
    /// - Parameter removed: Set to the file that was removed, which a program may have open still.
    func remove(_ item: ItemID, in table: FolderTable, removed: inout ReplacedFile?) throws -> Outcome {
        guard let known = table[item], let path = table.path(of: item, in: root) else { return .done(nil) }
        guard try isAsSeen(known, at: path) else {
            // It is not gone where its folder is not there either.
            let isGone =
                try FolderScan.status(at: path) == nil && isInPlace(known.state.place.parent, in: table)
            return isGone ? .done(nil) : .another("it has changed since")
        }
        do {
            try coordinate(table.shownPath(of: item, in: root) ?? path, .forDeleting) {
                if known.state.kind == .folder {
                    try ItemMoves.removeEmptyFolder(path)
                } else {
                    try checkThatNobodyWrites(in: known, at: path)
                    let inside = try inside(of: item, known, at: path)
                    removed = held(known, at: path)
                    try removeDocument(path, known, inside) {
                        inside == nil || !OpenForWriting.isOpen(anywhereIn: $0)
                    }
                }
            }
            return .done(nil)
        } catch is Changed {
            return .another("it has changed since")
        } catch let error as SystemError where [ENOTEMPTY, EEXIST, ENOENT, ENOTDIR].contains(error.errno) {
            return .another("\(error)")
        }
    }

    /// - Parameters:
    ///   - inside: As of `inside(of:_:at:)`.
    ///   - mayGo: Whether it may go from where it is out of everybody's reach.
    func removeDocument(
        _ path: FilePath,
        _ known: FolderItem,
        _ inside: PackageTraces?,
        if mayGo: (FilePath) -> Bool = { _ in true }
    ) throws {
        let isExpected = { (_: MemberStatus, place: FilePath) in
            // What a program wrote until it closed the file shows after that; what cannot be looked at is not as it was.
            guard mayGo(place), let status = try? FolderScan.status(at: place) else { return false }
            return ItemTrace(status).hasContents(of: known.trace) && inside?.isStill(at: place) ?? true
        }
        guard try isAsSeen(known, at: path), try Removal.remove(path, if: isExpected) else {
            throw Changed()
        }
    }

    /// How all in a package looks that holds what was seen last: what is written into it does not show in how it looks itself.
    ///
    /// - Returns: Nil for what is no package.
    /// - Throws: `Changed` where it holds something else; what keeps it from being read.
    func inside(of item: ItemID, _ known: FolderItem, at path: FilePath) throws -> PackageTraces? {
        guard known.state.kind == .document, known.trace.kind == .directory else { return nil }
        let traces = try PackageTraces(of: path)
        let found = try contents.keep(.init(path, as: item.mark, notes: try losses.of(item)))
        guard let found, found == known.state.content else { throw Changed() }
        return traces
    }

    /// That no program has a file of a package open for writing. A lone file's programs are followed: see `LateFile`.
    private func checkThatNobodyWrites(in known: FolderItem, at path: FilePath) throws(OpenInPrograms) {
        guard known.state.kind == .document, known.trace.kind == .directory,
            OpenForWriting.isOpen(anywhereIn: path)
        else { return }
        throw OpenInPrograms(path)
    }

    // MARK: Coordination

    func coordinate(
        _ path: FilePath,
        _ options: NSFileCoordinator.WritingOptions,
        _ body: () throws -> Void
    ) throws {
        try access.coordinate([.init(path, options)], body)
    }
}

extension ItemTrace {
    /// Whether nothing says that the contents are others.
    func hasContents(of other: ItemTrace) -> Bool {
        isSameItem(as: other) && byteCount == other.byteCount && modified == other.modified
    }
}
