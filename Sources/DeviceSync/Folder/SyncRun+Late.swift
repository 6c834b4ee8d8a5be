internal import Dispatch
internal import DocumentFoundation
internal import FileSystem
internal import Foundation
internal import Sync
internal import SyncMessages
internal import Vault

/// A file that was replaced or removed, and that a program may have had open.
struct LateFile {
    /// Whose file it was; the document that was made of it, once there is one.
    var item: ItemID
    let file: ReplacedFile
    /// The document as it was with it.
    let former: ItemState
    /// What the document bore beside its bytes.
    var notes = DressNotes()
    /// What it held when it was looked at last, if somebody had written into it.
    var content: ContentName?
    /// When it need not be held any more, where nobody can tell whether a program has it open.
    let end: DispatchTime
    /// Whether what was written into it could not be kept yet: it is held until that is done.
    var isBehind = false
    /// How it looked just before it was copied last, and before what it holds was kept last; nil where that does not tell whether
    /// it was written since.
    var copied: FileStamp?
    var kept: FileStamp?
    /// Whether somebody could write into it when that was asked last.
    var wasOpen: Bool
    /// Whether somebody who could write into it has closed it since it was read: what was stored in memory that it was mapped to,
    /// or in the same step of a volume's clock, does not show.
    var isUnread = false

    /// Whether somebody has written into it what is not kept yet, or may have.
    var isWritten: Bool { isUnread || (kept.map { file.isWritten(since: $0) } ?? file.isWritten) }

    /// Whether a program can still write into it.
    var isOpen: Bool { file.isOpenForWriting ?? (end > .now()) }

    /// Whether contents have the same bytes as the document had with it: a program may have touched it, and written nothing.
    func isAsItWas(_ content: ContentName) -> Bool {
        former.content.map { ContentStore.areAlike(content, $0) } ?? false
    }
}

// What a program writes into a file that is replaced under it, or removed, is no one's any more, and would go with its end. It
// is kept: as a version in conflict with what took its place, or as the document again where nothing did. Nothing is in conflict
// with contents that are not here: as long as somebody may write into such a file, its document is not evicted, and where that has
// happened all the same, what was written is a document beside it.
extension SyncRun {
    /// How long such a file is held where it cannot be told whether it is open: programs that write in place open, write and close
    /// in one go.
    private static let lateSeconds = 3.0
    /// A program that keeps it open, and writes, is looked after at least so often; when it closes the file, at once.
    private static let lateSecondsMax = 60.0
    /// A file's date goes in steps: what is written in the same step as what was read before looks alike.
    private static let stepSeconds = 0.02
    /// How many are held at a time: each takes a descriptor.
    static let lateCountMax = 128

    /// - Parameters:
    ///   - file: Under whose name there is another by now, or none: nobody opens it any more.
    ///   - former: The document as it was with the file.
    func hold(_ file: ReplacedFile, of item: ItemID, as former: ItemState) {
        let end = DispatchTime.now() + Self.lateSeconds
        let wasOpen = file.wasOpenForWriting == true
        var held = LateFile(item: item, file: file, former: former, end: end, wasOpen: wasOpen)
        // What was written until it was closed shows after that.
        let isOpen = held.isOpen
        guard wasOpen || isOpen || file.isWritten else { return }
        // The vault may have let go of it by the time somebody writes.
        held.notes = dress(of: former)
        makeRoomForLate()
        late.append(held)
        let look: @Sendable (Double) -> Void = { [queue, box = Confined(Weak(self))] seconds in
            queue.asyncAfter(deadline: .now() + seconds) { box.value.value?.letGoOfLate() }
        }
        let step = Self.stepSeconds
        file.watch(written: { [queue, box = Confined(Weak(self))] in
            queue.async { box.value.value?.noteClosed(file) }
            look(step)
        })
        lookAtLate(file, in: Self.lateSeconds)
        // Not at once: what has become of the item is only being noted.
        if file.isWritten || !isOpen { look(0) }
    }

    /// Lets go of one where no more can be held: of one that nobody can write into any more, if there is such.
    private func makeRoomForLate() {
        guard late.count >= Self.lateCountMax else { return }
        // What was written until it was closed shows after that.
        let closed = late.indices.filter { !late[$0].isBehind && !late[$0].isOpen }
        if let index = closed.first(where: { !late[$0].isWritten }) {
            late.remove(at: index)
        } else {
            letGo(late.remove(at: closed.first ?? late.firstIndex { !$0.isBehind } ?? 0))
        }
    }

    /// Keeps what was written into a file, and tells of what is lost as it is held no more.
    private func letGo(_ held: LateFile) {
        var held = held
        do { if held.isWritten { try keep(&held) } } catch {
            if let access = error as? FolderAccess.Awaited { access.pending.cancel() }
            report(.failed(path: path(of: held.item), why: Self.lossText(DiskRefusal(error))))
        }
        if held.isBehind { noteKept(&held) }
        if held.isOpen { reportLoss(to: held, "more than \(Self.lateCountMax) such files are open") }
    }

    private func reportLoss(to held: LateFile, _ why: String) {
        report(
            .failed(
                path: path(of: held.item),
                why: "what a program writes from now on into the file that it was before is lost: \(why)"
            )
        )
    }

    /// Keeps what programs have written into files that are held, and tells of those that are open still: nobody holds them any more.
    func endLate() {
        lookAtLate()
        for held in late where held.file.isOpenForWriting == true {
            reportLoss(to: held, "the folder is kept in step no more")
        }
    }

    private static func lossText(_ why: DiskRefusal) -> String { "what was written late is lost: \(why)" }

    /// Looks at a file that is held, again and again until it need not be.
    private func lookAtLate(_ file: ReplacedFile, in seconds: Double) {
        queue.asyncAfter(deadline: .now() + seconds) { [box = Confined(Weak(self)), file] in
            guard let self = box.value.value, !self.isStopped else { return }
            self.letGoOfLate()
            guard self.late.contains(where: { $0.file === file }) else { return }
            self.lookAtLate(file, in: min(2 * seconds, Self.lateSecondsMax))
        }
    }

    private func noteClosed(_ file: ReplacedFile) {
        if let index = late.firstIndex(where: { $0.file === file }) { late[index].isUnread = true }
    }

    /// Keeps what is still to be kept, and lets go of what nobody can write into any more.
    private func letGoOfLate() {
        // What was written until it was closed shows after that.
        var closed: [ReplacedFile] = []
        for index in late.indices where !late[index].isOpen {
            closed.append(late[index].file)
            // Where nothing tells that it was closed, this does.
            if late[index].wasOpen { (late[index].wasOpen, late[index].isUnread) = (false, true) }
        }
        lookAtLate()
        late.removeAll { held in !held.isBehind && closed.contains { $0 === held.file } }
    }

    /// Keeps what programs have written into files that are held.
    func lookAtLate() {
        guard !isStopped else { return }
        for var file in late where file.isWritten {
            do {
                try keep(&file)
                (file.kept, file.isUnread) = (file.copied ?? file.kept, false)
                if file.isBehind { noteKept(&file) }
            } catch {
                noteBehind(&file, error)
            }
            // What was placed meanwhile may have changed the list.
            if let index = late.firstIndex(where: { $0.file === file.file }) { late[index] = file }
        }
    }

    /// Tries again to keep what could not be kept.
    func lookAtLateAgain() {
        if isLateBehind { letGoOfLate() }
    }

    /// Whether something could not be kept that may be possible later.
    var isLateBehind: Bool { late.contains { $0.isBehind } }

    /// Why the contents of an item are not to go as yet: what a program may still write into a file that the item was, or what
    /// is not kept of that.
    ///
    /// Where nobody can tell whether it is open, only what was written counts.
    func lateRefusal(of item: ItemID, named name: String) -> SyncRefusal? {
        let files = late.filter { $0.item == item }
        if files.contains(where: { $0.file.isOpenForWriting == true }) {
            return SyncRefusal(
                .inUse,
                "\(name) stays here, as a program has the file open for writing that it was before. "
                    + "Try again when it is closed there."
            )
        }
        guard files.contains(where: { $0.isBehind || $0.isWritten }) else { return nil }
        return SyncRefusal(
            .busy,
            "\(name) stays here, as what a program wrote when it was replaced is not kept yet. Try again."
        )
    }

    private func noteKept(_ late: inout LateFile) {
        late.isBehind = false
        unkept[late.item] = nil
        news.insert(late.item)
        // Was something else the matter with it, that is found again.
        dirtyFolders.insert(table[late.item]?.state.place.parent ?? .root)
        lookSoon()
    }

    /// Nobody else has what was written: where it may be kept later, it waits for that.
    private func noteBehind(_ late: inout LateFile, _ error: any Error) {
        let why = DiskRefusal(error)
        var mayBeTriedAgain = why.cause == .full || why.cause == .failing
        if let refusal = error as? SyncRefusal { mayBeTriedAgain = refusal.code == .busy }
        if let access = error as? FolderAccess.Awaited {
            access.pending.cancel()
            mayBeTriedAgain = true
        }
        let path = path(of: late.item)
        guard mayBeTriedAgain else {
            late.isBehind = false
            return report(.failed(path: path, why: Self.lossText(why)))
        }
        if !late.isBehind {
            report(.failed(path: path, why: "what was written late is not kept yet: \(why)"))
        }
        late.isBehind = true
        unkept[late.item] = why
        news.insert(late.item)
        retryLater()
    }

    private func keep(_ late: inout LateFile) throws {
        let item = late.item
        guard var seen = table[item] else { return try putBack(&late) }
        guard seen.state.kind == .document else { return }
        if seen.isDataless { return try put(&late, as: ItemID(FileMark.fresh()), at: seen.state.place) }
        // With what is not read yet nothing is in conflict.
        guard let present = seen.state.content else { throw SyncRefusal(.busy, "it is not read yet") }
        guard let content = try newContent(of: &late, as: item, named: seen.state.place.name) else { return }
        let former = late.content.flatMap { seen.state.conflicts.remove($0) }
        late.content = content
        let isConflict = !ContentStore.areAlike(content, present) && !late.isAsItWas(content)
        // What it held while it was half written is in conflict no more either where it has come to be what is in its place.
        guard isConflict || former != nil else { return }
        if isConflict { seen.state.conflicts.insert(content) }
        table[item] = seen
        take([.diskChanged(item, seen.state)])
        try showConflicts(of: item)
        if isConflict { report(.conflict(path: path(of: item))) }
    }

    /// Keeps what a file that is held holds now, with what its document bore.
    ///
    /// - Parameter item: Of whose versions it is one.
    /// - Returns: Nil for what it held when it was looked at last, and where nobody has written anything else into it than it held as
    ///   the document.
    private func newContent(
        of late: inout LateFile,
        as item: ItemID,
        named name: String
    ) throws -> ContentName? {
        let (file, notes, now) = (late.file, late.notes, Date())
        let (kept, stamp): (ContentName?, FileStamp) = try withOwnFolder(for: .late) { folder in
            let copy = folder.appending(name)
            let stamp = try file.copy(toFree: copy)
            let document = Vault.Keepable(copy, as: item.mark, isElsewhere: true, notes: notes)
            return (try contents.keep(document), stamp)
        }
        // Written a moment ago, it is read once more, as what is written from here on need not show.
        let isAtRest = abs(now.timeIntervalSince(stamp.modificationDate)) > Self.stepSeconds
        late.copied = isAtRest ? stamp : nil
        guard let kept else { return nil }
        let isLast = late.content.map { ContentStore.areAlike(kept, $0) } ?? late.isAsItWas(kept)
        return isLast ? nil : kept
    }

    // MARK: Removed, or not here

    /// Puts what was written into a file that was removed in its place again, as its document: an edit stays though another has
    /// removed what was edited.
    private func putBack(_ late: inout LateFile) throws {
        // What has another name is not lost. One more may be that of the vault, where nobody finds it.
        let isLent = late.file.byteCountBefore >= place.room.lentByteCountMin
        guard try late.file.nameCount <= (isLent ? 1 : 0) else { return }
        let (item, former) = (late.item, late.former)
        try put(&late, as: item, at: former.place)
    }

    /// Has what was written into a file that is held be a document of the folder.
    ///
    /// - Parameters:
    ///   - item: Which, none that is there. What is written later is its.
    ///   - wanted: Where, if nothing has that name.
    private func put(_ late: inout LateFile, as item: ItemID, at wanted: ItemPlace) throws {
        guard findRoot() else { throw SyncRefusal(.busy, "the folder is not there") }
        guard let content = try newContent(of: &late, as: item, named: wanted.name) else { return }
        let state = ItemState(.document, at: try freePlace(for: wanted), content: content)
        var replaced: ReplacedFile?
        switch try placer.place(item, state, modified: nil, in: table, replaced: &replaced) {
        case .done:
            if late.isBehind { noteKept(&late) }
            (late.item, late.content) = (item, content)
        case .another(let why): throw SyncRefusal(.busy, why)
        }
        // It bears its mark, and is found as what comes back.
        dirtyFolders.insert(state.place.parent)
        attempt("the folder cannot be looked at") { try lookAtDirty() }
    }

    /// Where a document can be again: in its folder, or the next one above that is still there, under the first free name.
    private func freePlace(for former: ItemPlace) throws -> ItemPlace {
        var (found, number, depth) = (former, 1, 0)
        while table.path(of: found.parent, in: place.folder) == nil {
            depth += 1
            // Two moments may lead round in a ring.
            let above = depth < 4096 ? engine.tree.lastPlace(of: found.parent) : nil
            found.parent = above?.parent ?? .root
        }
        // One whose contents are not here has its name all the same.
        while let path = table.path(of: found, in: place.folder),
            try table.item(at: found) != nil || FolderScan.status(at: path) != nil
        {
            number += 1
            found.name = ContainerTree.numbered(former.name, number)
        }
        return found
    }

    /// What a document bore beside its bytes.
    private func dress(of former: ItemState) -> DressNotes {
        guard let content = former.content else { return DressNotes() }
        // What the vault has let go of by now cannot be said.
        let notes = try? contents.mergedDress(base: content, mine: content, theirs: content)
        return notes ?? DressNotes()
    }
}
