internal import DocumentFoundation
internal import FileSystem
internal import Foundation
internal import Sync
internal import SyncMessages
internal import Vault

// A power cut may leave a file without its bytes, or with zeros in their place, which a program has written and not synced. A
// file that was in step, or kept at least, and has nothing in it at the first start after a cut, is damage: it becomes again
// what it was, and no other device ever hears of the blank, which is kept as a version. A person may have emptied it in the
// very moments before the cut, and nothing tells that apart: he finds that among the versions.
//
// A file that looks as it did, to the time of its last change, and holds something else is damage as well: of what was written and
// not synced some may have come to the disk and some not. Nobody edits a file without its looking otherwise.
//
// The first look into a folder after the cut decides: at the start, or as soon as somebody can look into it.
//
// At any other time a blank file is an edit (`SyncRun+Emptied.swift`). What is not there at all after a cut is seen to in
// `SyncRun+Lost.swift`.
extension SyncRun {
    /// Before a cut the kernel has written all that was older than this: thirty seconds as a rule, ten minutes on laptops that
    /// let their disks rest.
    private static let writebackSeconds: Int64 = 600

    static let bootKey = "boot"

    /// Looks how the process before ended, before the folder is looked at.
    func recallEnd() throws {
        let boot = place.bootName()
        if FormerEnd(mark: try memory.value(Self.bootKey), boot: boot) == .cut {
            isMarked = false
            suspects = Set(
                table.items.all.filter { $0.value.state.content != nil && !$0.value.isDataless }.keys
            )
            lost = try recallLost()
            perishable = findPerishable().union(lost)
        } else {
            try memory.remember(Self.bootKey, boot)
            isMarked = true
        }
    }

    /// Reads what looks as it did, though what is in it may be gone: of what was written last the kernel may have noted how
    /// long it is, and not what is in it. All else in folders that have been looked at is sound; what is where nobody could look is
    /// not, before somebody can.
    ///
    /// - Parameter folders: Those that have been looked at.
    /// - Returns: The documents whose contents are others now.
    func readSuspects(in folders: Set<ItemID>) throws -> Set<ItemID> {
        guard !suspects.isEmpty else { return [] }
        let items = suspects.intersection(folders.flatMap { table.members(of: $0) })
        var traces: [ItemID: ItemTrace] = [:]
        for item in items where unkept[item] == nil {
            guard let known = table[item], let path = table.path(of: item, in: place.folder) else { continue }
            do {
                guard try known.state.content.map(mayHaveHeldSomething) == true,
                    // What is deep in a package its own trace does not tell.
                    try known.trace.kind == .directory || isFresh(path),
                    let status = try FolderScan.status(at: path)
                else { continue }
                traces[item] = ItemTrace(status)
            } catch {
                // What cannot be looked at now is looked at as what cannot be kept.
                unkept[item] = DiskRefusal(error)
                news.insert(item)
            }
        }
        readsAnew.formUnion(traces.keys)
        defer { readsAnew.subtract(traces.keys) }
        let changed = traces.isEmpty ? [] : try keep(traces, atOnce: Set(traces.keys))
        suspects.subtract(items.filter { unkept[$0] == nil })
        return changed
    }

    /// Notes that what a power cut has damaged is whole again, once nothing of what was found waits to be written down: a process
    /// that ends before has the next one look as after the cut.
    func endSuspicion() {
        guard !isMarked, suspects.isEmpty, perishable.isEmpty, !isStopped else { return }
        guard resumed == nil, events.isEmpty, unremembered == nil else { return }
        attempt("what this device remembers cannot be written") {
            try forgetLost()
            try memory.remember(Self.bootKey, place.bootName())
            isMarked = true
        }
    }

    /// Notes that this process ends by itself: what is blank at the next start is an edit. Not while a file waits to be what it
    /// was.
    func markEnd() {
        guard isMarked else { return }
        isMarked = false
        // Without it a cut that comes now has what is blank become what it was: nothing is lost by that.
        try? memory.remember(Self.bootKey, [])
    }

    // MARK: One item

    enum Repair {
        /// It is no damage.
        case none
        case done(FolderItem)
        case waits(DiskRefusal)
    }

    /// Has an item be what it was if a power cut has left nothing of it, or of files in it.
    ///
    /// - Parameters:
    ///   - former: What it held.
    ///   - blank: What it holds, which is kept, and how it looks.
    func repair(
        _ item: ItemID,
        from former: ContentName?,
        _ blank: (content: ContentName, trace: ItemTrace)
    ) -> Repair {
        guard suspects.contains(item), let former, former != blank.content, let known = table[item],
            !known.isDataless, known.trace.kind == blank.trace.kind,
            let path = table.path(of: item, in: place.folder)
        else { return .none }
        do {
            let looksAsItDid = known.trace.kind == .regular && known.trace == blank.trace
            let isDamaged = try looksAsItDid || hasBlank(path)
            // A package may lack what nobody has removed, which only what it held tells.
            guard try mayHaveHeldSomething(former),
                try isDamaged || known.trace.kind == .directory && contents.has(former)
            else { return .none }
            guard try contents.has(former) else { return wait(for: former, of: item) }
            guard let restored = try whole(former, blank.content, of: item, at: path) else { return .none }
            if versions.isOn { _ = try keepAsVersion(blank.content, of: item, isDiscardable: true) }
            var seen = table
            var damaged = known
            (damaged.state.content, damaged.trace) = (blank.content, blank.trace)
            seen[item] = damaged
            var state = known.state
            state.content = restored
            var replaced: ReplacedFile?
            let modified = known.trace.modified
            switch try placer.place(item, state, modified: modified, in: seen, replaced: &replaced) {
            case .another(let why):
                return .waits(
                    DiskRefusal(
                        "\(Self.isDamaged) It is not restored yet: \(why).",
                        helps: Self.isTriedAgain
                    )
                )
            case .done(let placed):
                if let replaced { hold(replaced, of: item, as: known.state) }
                guard let placed else { return .none }
                report(.repaired(path: self.path(of: item)))
                if stuck.removeValue(forKey: item) != nil { refused.insert(item) }
                return .done(placed)
            }
        } catch let error as VaultError where error.code == .damaged {
            return wait(for: former, of: item)
        } catch {
            report(.failed(path: self.path(of: item), why: "\(Self.isDamaged) \(error)"))
            return .waits(DiskRefusal(error))
        }
    }

    static let isDamaged = "A power cut has left nothing in it."

    /// What it held is had from the hub; where that does not have it either, nothing is left to be restored.
    private func wait(for former: ContentName, of item: ItemID) -> Repair {
        if lineState == .up {
            guard engine.tree[item]?.content == former || engine.lastAgreed(item)?.content == former else {
                return .none
            }
            line?.queue(fetches: [HubLine.Fetch(name: former, item: item)])
        }
        return .waits(
            DiskRefusal(
                "\(Self.isDamaged) What it held is got from the hub, and nothing of it goes there before."
            )
        )
    }

    private func mayHaveHeldSomething(_ former: ContentName) throws -> Bool {
        let contents = try ContentStore.contents(former)
        return contents.kind == .directory || contents.kind == .regular && contents.byteCount > 0
    }

    /// What an item is to hold: of a file what it held; of a package what it holds, with what it held in place of files in it that
    /// are blank and were not, and what is lost of it.
    ///
    /// - Returns: Nil if nothing is to be restored.
    private func whole(
        _ former: ContentName,
        _ blank: ContentName,
        of item: ItemID,
        at path: FilePath
    ) throws -> ContentName? {
        try withOwnFolder(for: .repair) { folder in
            let (was, now) = (folder.appending("was"), folder.appending("now"))
            try contents.restore(former, to: was)
            guard try ContentStore.contents(former).kind == .directory else {
                return try Self.isBlank(was) ? nil : former
            }
            guard try ContentStore.contents(blank).kind == .directory else { return nil }
            try contents.restore(blank, to: now)
            var count = 0
            for member in Self.files(below: now) {
                let source = was.appending(member)
                guard try Self.isBlank(now.appending(member)),
                    let status = try FolderScan.status(at: source), status.stamp.kind == .regular,
                    try !Self.isBlank(source)
                else { continue }
                try ItemMoves.removeFile(now.appending(member))
                try ItemMoves.move(source, toFree: now.appending(member))
                count += 1
            }
            for member in try lostMembers(of: path, was: was, now: now) {
                try ItemMoves.move(was.appending(member), toFree: now.appending(member))
                count += 1
            }
            guard count > 0 else { return nil }
            let notes = try memory.losses(of: item)
            return try contents.keep(Vault.Keepable(now, as: item.mark, isElsewhere: true, notes: notes))
        }
    }

    // MARK: Blanks

    /// Whether a file, or one in a package, has changed so late that the kernel may not have written all of it.
    private func isFresh(_ path: FilePath) throws -> Bool {
        try hasFile(at: path) { file in
            let since = lastWriteSeconds - Self.writebackSeconds
            return try FolderScan.status(at: file).map { $0.changeSeconds >= since } ?? false
        }
    }

    /// Whether a file, or one in a package, has nothing in it.
    private func hasBlank(_ path: FilePath) throws -> Bool { try hasFile(at: path, that: Self.isBlank) }

    private func hasFile(at path: FilePath, that isSo: (FilePath) throws -> Bool) throws -> Bool {
        switch try FolderScan.status(at: path)?.stamp.kind {
        case .regular: try isSo(path)
        case .directory: try Self.files(below: path).contains { try isSo(path.appending($0)) }
        default: false
        }
    }

    /// The files in a package, by their paths in it.
    static func files(below path: FilePath) -> [String] {
        let names = FileManager.default.enumerator(atPath: path.string)
        var files: [String] = []
        while let name = names?.nextObject() as? String {
            if names?.fileAttributes?[.type] as? FileAttributeType == .typeRegular { files.append(name) }
        }
        return files
    }
}
