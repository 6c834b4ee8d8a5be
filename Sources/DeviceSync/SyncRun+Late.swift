internal import Dispatch
internal import DocumentFoundation
internal import FileSystem
internal import Foundation
internal import Sync
internal import SyncMessages
internal import Vault

/// A file that was replaced or removed, and that a program may have had open.
struct LateFile {
    let item: ItemID
    let file: ReplacedFile
    /// The document as it was with it.
    let former: ItemState
    /// What it held when it was looked at last, if somebody had written into it.
    var content: ContentName?
    /// When it need not be held any more, where nobody can tell whether a program has it open.
    let end: DispatchTime
    /// Whether what was written into it could not be kept yet: it is held until that is done.
    var isBehind = false

    /// Whether a program can still write into it.
    var isOpen: Bool { file.isOpenForWriting ?? (end > .now()) }
}

// What a program writes into a file that is replaced under it, or removed, is no one's any more, and would go with its end. It
// is kept: as a version in conflict with what took its place, or as the document again where nothing did.
extension SyncRun {
    /// How long such a file is held where it cannot be told whether it is open: programs that write in place open, write and close
    /// in one go.
    private static let lateSeconds = 3.0
    /// A program that keeps it open, and writes, is looked after at least so often; when it closes the file, at once.
    private static let lateSecondsMax = 60.0
    /// How many are held at a time: each takes a descriptor.
    private static let lateCountMax = 128

    /// - Parameters:
    ///   - file: Under whose name there is another by now, or none: nobody opens it any more.
    ///   - former: The document as it was with the file.
    func hold(_ file: ReplacedFile, of item: ItemID, as former: ItemState) {
        let held = LateFile(item: item, file: file, former: former, end: .now() + Self.lateSeconds)
        // What was written until it was closed shows after that.
        guard held.isOpen || file.isWritten else { return }
        if late.count >= Self.lateCountMax { late.remove(at: late.firstIndex { !$0.isBehind } ?? 0) }
        late.append(held)
        let look: @Sendable () -> Void = { [queue, box = Confined(Weak(self))] in
            queue.async { box.value.value?.letGoOfLate() }
        }
        file.watch(written: look)
        lookAtLate(file, in: Self.lateSeconds)
        // Not at once: what has become of the item is only being noted.
        if file.isWritten { look() }
    }

    /// Looks at a file that is held, again and again until it need not be.
    private func lookAtLate(_ file: ReplacedFile, in seconds: Double) {
        queue.asyncAfter(deadline: .now() + seconds) { [box = Confined(Weak(self)), file] in
            guard let self = box.value.value, !self.isStopped else { return }
            self.letGoOfLate()
            guard self.late.contains(where: { $0.file === file }) else { return }
            self.lookAtLate(file, in: min(2 * seconds, Self.lateSecondsMax))
        }
    }

    /// Keeps what is still to be kept, and lets go of what nobody can write into any more.
    private func letGoOfLate() {
        // What was written until it was closed shows after that.
        let closed = late.filter { !$0.isOpen }.map(\.file)
        lookAtLate()
        late.removeAll { held in !held.isBehind && closed.contains { $0 === held.file } }
    }

    /// Keeps what programs have written into files that are held.
    func lookAtLate() {
        guard !isStopped else { return }
        for var file in late where file.file.isWritten {
            do {
                try keep(&file)
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
            return report(.failed(path: path, why: "what was written late is lost: \(why)"))
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
        // With what is not read yet nothing is in conflict.
        guard let present = seen.state.content else { throw SyncRefusal(.busy, "it is not read yet") }
        guard let content = try newContent(of: late, named: seen.state.place.name) else { return }
        if let former = late.content { seen.state.conflicts.remove(former) }
        late.content = content
        guard !ContentStore.areAlike(content, present) else { return }
        seen.state.conflicts.insert(content)
        table[item] = seen
        take([.diskChanged(item, seen.state)])
        try showConflicts(of: item)
        report(.conflict(path: path(of: item)))
    }

    /// Keeps what a file that is held holds now, with what its document bore.
    ///
    /// - Returns: Nil for what it held when it was looked at last.
    private func newContent(of late: LateFile, named name: String) throws -> ContentName? {
        let notes = dress(of: late.former)
        let kept = try withOwnFolder(for: "late") { folder in
            let copy = folder.appending(name)
            try ItemMoves.createFile(copy, contents: try late.file.contents())
            let document = Vault.Keepable(copy, as: late.item.mark, isElsewhere: true, notes: notes)
            return try contents.keep(document)
        }
        if let kept, let last = late.content, ContentStore.areAlike(kept, last) { return nil }
        return kept
    }

    // MARK: Removed

    /// Puts what was written into a file that was removed in its place again, as its document: an edit stays though another has
    /// removed what was edited.
    private func putBack(_ late: inout LateFile) throws {
        // What has another name is not lost. One more may be that of the vault, where nobody finds it.
        let isLent = late.file.byteCountBefore >= place.room.lentByteCountMin
        guard try late.file.nameCount <= (isLent ? 1 : 0) else { return }
        guard findRoot() else { throw SyncRefusal(.busy, "the folder is not there") }
        guard let content = try newContent(of: late, named: late.former.place.name) else { return }
        let state = ItemState(.document, at: try freePlace(for: late.former.place), content: content)
        var replaced: ReplacedFile?
        switch try placer.place(late.item, state, modified: nil, in: table, replaced: &replaced) {
        case .done: late.content = content
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
        while let path = table.path(of: found, in: place.folder), try FolderScan.status(at: path) != nil {
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
