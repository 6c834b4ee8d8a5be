internal import DocumentFoundation
internal import FileSystem
internal import Foundation
internal import Sync
internal import Vault

// What a power cut takes out of its folder. A file of which the check of the file system finds no name any more goes into
// "lost+found"; where nothing notes what belongs together, one that was about to be replaced may be gone under both its names.
// Nobody has removed it, and no other device hears that it is gone: at the first look after the cut it is put back from the vault,
// as it was seen last, or comes from the hub.
//
// Whoever removes something changes the date of its folder; a check of the file system does not. So what is missing was removed
//
//     1. if its folder has changed in this boot, or
//     2. if it has changed long after this device noted something last: it did not run then, and so has not seen that.
//
// Dates tell that only where the clock goes on. A machine without a battery for it starts in the past, and what was changed
// before the cut looks as if it had been changed since, or later than now: there nothing counts as removed.
//
// All else that is missing is lost. What somebody has removed in the moments before the cut is there again, too.
extension SyncRun {
    /// What happens in a folder while this runs is noted before so many seconds are over.
    private static let notingSeconds: Int64 = 10

    /// What is lost if it is not there: all in folders in which nobody can have removed it.
    func findPerishable() -> Set<ItemID> {
        Set(table.folders.lazy.filter(self.isUntouched).flatMap { self.table.members(of: $0) })
    }

    /// Whether a folder is the one that was seen last, and nobody has removed anything from it since.
    private func isUntouched(folder: ItemID) -> Bool {
        // Of one that cannot be looked at nothing is known, and it is told of by the look.
        guard let path = table.path(of: folder, in: place.folder), let known = table.trace(ofFolder: folder),
            let status = try? FolderScan.status(at: path), ItemTrace(status).isSameItem(as: known)
        else { return false }
        return isUntouched(ItemTrace(status))
    }

    private func isUntouched(_ folder: ItemTrace) -> Bool {
        let now = FileTime(Date())
        if lastWriteSeconds > now.seconds || FileTime(nanosecondsSince1970: folder.modified) > now {
            return true
        }
        return folder.modified <= place.bootTime()
            && folder.modified / 1_000_000_000 <= lastWriteSeconds + Self.notingSeconds
    }

    /// Notes that what is in folders is there, but for what is missing.
    func notePresent(in folders: Set<ItemID>, but missing: Set<ItemID>) {
        guard !perishable.isEmpty else { return }
        perishable.subtract(folders.flatMap { table.members(of: $0).filter { !missing.contains($0) } })
    }

    private static let lostKey = "lost"

    /// Writes down what a power cut has taken, before any of it is put back: a folder into which something is put has changed in
    /// this boot, and who starts after an end that comes before all is done could not tell what is lost from it.
    ///
    /// - Parameter missing: What is not there any more.
    func noteLost(_ missing: some Sequence<ItemID>) throws {
        let found = Set(missing.lazy.filter(perishable.contains).flatMap { self.table.subtree(of: $0) })
        guard !found.isSubset(of: lost) else { return }
        lost.formUnion(found)
        var writer = StateWriter()
        for item in lost.sorted() { writer.item(item) }
        try memory.remember(Self.lostKey, writer.bytes)
    }

    /// What the process before has written down to be lost, and did not see to.
    func recallLost() throws -> Set<ItemID> {
        try (memory.value(Self.lostKey) ?? []).withUnsafeBytes { bytes in
            var reader = StateReader(bytes)
            var items: Set<ItemID> = []
            while !reader.isAtEnd { items.insert(try reader.item()) }
            return items.filter { table[$0] != nil }
        }
    }

    /// All that was lost has been seen to, and is written down.
    func forgetLost() throws {
        guard !lost.isEmpty else { return }
        try memory.remember(Self.lostKey, [])
        lost = []
    }

    /// Puts an item back that a power cut has taken, with all in it.
    ///
    /// - Returns: What of it is there again, or is yet to be put back. The vault does not have the rest.
    func putBackLost(_ item: ItemID) -> Set<ItemID> {
        // What begins another volume has not gone with this one.
        guard perishable.contains(item),
            !table.subtree(of: item).contains(where: { table.volumes[$0] != nil })
        else { return [] }
        var kept: Set<ItemID> = []
        // The folders before what is in them.
        for member in table.subtree(of: item).reversed() {
            guard member == item || table[member].map({ kept.contains($0.state.parent) }) == true else {
                continue
            }
            switch putBack(member) {
            case .done:
                kept.insert(member)
                perishable.remove(member)
                unkept[member] = nil
                report(.restored(path: path(of: member)))
            case .waits(let why):
                let rest = table.subtree(of: member)
                kept.formUnion(rest)
                perishable.formUnion(rest)
                unkept[member] = why
                news.formUnion(rest)
                // With its folder it waits for all in it.
                if member == item { return kept }
            case .lacking: break
            }
        }
        return kept
    }

    private enum PuttingBack { case done, waits(DiskRefusal), lacking }

    private func putBack(_ item: ItemID) -> PuttingBack {
        guard let known = table[item], !known.isDataless, known.isRead else { return .lacking }
        do {
            if let content = known.state.content, try !contents.has(content) { return .lacking }
            var replaced: ReplacedFile?
            table[item] = nil
            let outcome: Placer.Outcome
            do {
                defer { table[item] = known }
                let modified = known.trace.modified
                outcome = try placer.place(
                    item,
                    known.state,
                    modified: modified,
                    in: table,
                    replaced: &replaced
                )
            }
            guard case .done(let placed?) = outcome else {
                guard case .another(let why) = outcome else { return .lacking }
                return .waits(DiskRefusal("\(Self.isLost): \(why)."))
            }
            table[item] = placed
            handOnMark(of: item, from: known, to: placed.trace)
            try watch(restored: item, placed)
            return .done
        } catch let error as VaultError where error.code == .damaged {
            return .lacking
        } catch {
            let why = DiskRefusal(Self.isLost, error)
            report(.failed(path: path(of: item), why: why.description))
            return .waits(why)
        }
    }

    private static let isLost = "A power cut has taken it out of its folder. It is not back yet"

    private func watch(restored item: ItemID, _ placed: FolderItem) throws {
        guard let path = table.path(of: item, in: place.folder) else { return }
        if placed.state.kind == .folder {
            watchIfPossible(item)
            dirtyFolders.insert(item)
            lookSoon()
        } else {
            if placed.trace.kind == .directory { try watch(placedPackage: item, at: path) }
            try versions.claim(path.url(isDirectory: false), as: item.mark)
        }
    }

    // MARK: In packages

    /// What a package held and does not hold any more, though nobody has removed it: paths in it. A folder stands for all that was in
    /// that.
    ///
    /// - Parameters:
    ///   - package: Where it is.
    ///   - was: A copy of what it held.
    ///   - now: A copy of what it holds.
    func lostMembers(of package: FilePath, was: FilePath, now: FilePath) throws -> [String] {
        var lost: [String] = []
        var folders: [String?] = [nil]
        while let folder = folders.popLast() {
            func place(in tree: FilePath) -> FilePath { folder.map(tree.appending) ?? tree }
            let isUntouched =
                try FolderScan.status(at: place(in: package)).map {
                    $0.stamp.kind == .directory && self.isUntouched(ItemTrace($0))
                } ?? false
            for member in try FolderScan.members(of: place(in: was)) {
                let path = folder.map { $0 + "/" + member.name } ?? member.name
                let left = try FolderScan.status(at: now.appending(path))
                if left == nil, isUntouched { lost.append(path) }
                if left?.stamp.kind == .directory, member.status.stamp.kind == .directory {
                    folders.append(path)
                }
            }
        }
        return lost
    }
}
