internal import DocumentFoundation
internal import FileSystem
internal import Foundation
internal import UIKit

// What people do with items, whatever is in them.
extension StoryScene {
    func makeFolder(folder: Int, name: Int, on index: Int) {
        let url = place(nil, folder: folder, name: name, on: index)
        guard items(on: index).count < Self.itemCountMax, isFree(url), let path = FilePath(url) else {
            return
        }
        attempt("folder \(self.path(url)) is made") { try ItemMoves.createFolder(path) }
    }

    func move(_ number: Int, folder: Int, name: Int, on index: Int) {
        guard let item = item(number, on: index, where: { _ in true }) else { return }
        let target = place(item.kind, folder: folder, name: name, on: index)
        guard isFree(target), !target.path.hasPrefix(item.url.path + "/"), let from = whatStands(for: item),
            let to = item.isPlaceholder ? placeholder(of: target) : target,
            let (source, place) = paths(from, to)
        else { return }
        record.noteMove(of: documentsThere(from, item, on: index), on: index)
        attempt("\(path(item.url)) is moved to \(path(target))") { try ItemMoves.move(source, toFree: place) }
    }

    /// The documents that an item holds, or may stand for.
    private func documentsThere(_ url: URL, _ item: Item, on index: Int) -> Set<Int> {
        let left = (evicted[index] ?? [:]).values.reduce(into: Set<Int>()) { $0.formUnion($1) }
        let held = (marks(at: url) ?? []).compactMap(StoryMarks.document)
        return item.kind == nil || item.isPlaceholder ? left.union(held) : Set(held)
    }

    /// What is in the folder for an item: that itself, or what stands for its contents.
    private func whatStands(for item: Item) -> URL? {
        item.isPlaceholder ? placeholder(of: item.url) : item.url
    }

    private func paths(_ source: URL, _ target: URL) -> (FilePath, FilePath)? {
        guard let source = FilePath(source), let target = FilePath(target) else { return nil }
        return (source, target)
    }

    /// Takes an item out of the folder in one step, so that what is thrown away is known to the last byte.
    func remove(_ number: Int, on index: Int) async {
        guard let item = item(number, on: index, where: { _ in true }) else { return }
        let isOpen =
            documents[index]?.contains { ($0.fileURL.path + "/").hasPrefix(item.url.path + "/") } ?? false
        removalCount += 1
        let target = desk.appendingPathComponent("\(removalCount)")
        guard !isOpen, let from = whatStands(for: item), let (source, place) = paths(from, target) else {
            return
        }
        do {
            // What is there now may be a version when it goes: another's edit may come in between.
            let seen = try StoryFolder(item: from).marks
            let kept = try keptMarks(below: item.url, on: index)
            // What cannot be looked at adds nothing.
            let there = (try? self.marks(on: devices[index])) ?? []
            let moment = evicted[index] == nil ? nil : world.momentOfHub()
            var refusal: SystemError?
            do { try ItemMoves.move(source, toFree: place) } catch { refusal = error }
            // At once: that this was removed is soon told.
            let now = moment == nil ? nil : world.momentOfHub()
            // A disk that fails may have done it, and not know it for good.
            if let refusal, try FileStamp.ifPresent(at: place) == nil { throw refusal }
            var thrown = try StoryFolder(item: target).marks.union(seen).union(kept)
            if let moment, let now, let left = left(in: target, isOne: item.isPlaceholder, on: index) {
                thrown.formUnion(await marks(of: left, from: moment, to: now))
            }
            thrown.formUnion(Self.versions(of: thrown, come: seen.union(kept), from: there))
            discarded.formUnion(thrown)
            if refusal == nil { record.noteRemoval(of: path(item.url), with: thrown, on: index) }
            let doubt = refusal.map { ", but not for good: \($0)" } ?? ""
            tell("\(path(item.url)) is removed, with \(thrown.sorted())\(doubt)")
        } catch {
            tell("\(path(item.url)) is not removed: \(error)")
        }
    }

    /// What goes with documents that came into what was removed just as it was: what their device had of them elsewhere is in
    /// versions of theirs then.
    ///
    /// - Parameters:
    ///   - thrown: What was removed.
    ///   - seen: What was in it before.
    ///   - there: What its device had before, of any document.
    static func versions(
        of thrown: Set<String>,
        come seen: Set<String>,
        from there: Set<String>
    ) -> Set<String> {
        let come = Set(thrown.compactMap(StoryMarks.document)).subtracting(
            seen.compactMap(StoryMarks.document)
        )
        return there.filter { StoryMarks.document(of: $0).map(come.contains) ?? false }
    }

    /// What stands for contents that have left.
    private struct Left {
        /// The documents that left, by the marks of what stands for them: another may have taken the place of one just before.
        var items: [FileMark: Set<Int>] = [:]
        /// For which of them something stands that bears no mark.
        var documents: Set<Int> = []
    }

    /// What was removed that stands for contents which have left.
    ///
    /// - Parameter isOne: Whether it stands for something itself.
    /// - Returns: Nil for nothing.
    private func left(in removed: URL, isOne: Bool, on index: Int) -> Left? {
        let known = evicted[index] ?? [:]
        var left = Left()
        func note(_ url: URL) {
            if let mark = mark(at: url) {
                left.items[mark] = known[mark] ?? []
            } else {
                for documents in known.values { left.documents.formUnion(documents) }
            }
        }
        if isOne { note(removed) }
        let names = FileManager.default.enumerator(atPath: removed.path)
        while let name = names?.nextObject() as? String {
            let url = removed.appendingPathComponent(name)
            if Placeholder.itemName(of: url.lastPathComponent) != nil { note(url) }
        }
        return left.items.isEmpty && left.documents.isEmpty ? nil : left
    }

    /// What goes with what stands for contents that have left: what the hub has of their items, in conflict with them too, as the
    /// device knows of nothing else. What others have not sent does not go.
    ///
    /// - Parameters:
    ///   - moment: What the hub had just before that was removed.
    ///   - now: What it had just after.
    private func marks(
        of left: Left,
        from moment: HubInMemory.Backup,
        to now: HubInMemory.Backup
    ) async -> Set<String> {
        var documents = left.documents
        func acknowledgedMarks() -> Set<String> {
            acknowledged.filter { StoryMarks.document(of: $0).map(documents.contains) ?? false }
        }
        do {
            var items = try await marksOfItems(at: moment)
            let isUnheard = now.entryCount == moment.entryCount
            if !isUnheard { items += try await marksOfItems(at: now) }
            let there = Set(items.compactMap(\.mark))
            for (mark, some) in left.items where !there.contains(mark) { documents.formUnion(some) }
            let meant = items.filter { item in
                item.mark.map { left.items[$0] != nil } ?? false
                    || !documents.isDisjoint(with: item.marks.compactMap(StoryMarks.document))
            }
            let gone = meant.reduce(into: Set<String>()) { $0.formUnion($1.marks) }
            if isUnheard { return gone }
            // Of what has just come to the hub nobody can say whether it was there in time.
            documents.formUnion(gone.compactMap(StoryMarks.document))
            return gone.union(acknowledgedMarks())
        } catch {
            note(StoryFault(error))
            for some in left.items.values { documents.formUnion(some) }
            return acknowledgedMarks()
        }
    }

    /// What an item is known by on its device, or what stands for it.
    func mark(at url: URL) -> FileMark? {
        // Of what cannot be looked at nobody knows.
        FilePath(url).flatMap { try? FileIdentity.ifPresent(at: $0)?.mark }
    }

    /// What is in versions of an item, and of all in it.
    ///
    /// - Throws: Where one cannot be looked at: a full disk has no room for what is in it. Nobody throws away what he cannot see.
    private func keptMarks(below url: URL, on index: Int) throws -> Set<String> {
        let inside = items(on: index).filter { ($0.url.path + "/").hasPrefix(url.path + "/") }
        return try inside.reduce(into: []) { marks, item in
            for version in try versions(of: item.url, on: devices[index]) {
                _ = try version.url.checkResourceIsReachable()
                marks.formUnion(try StoryFolder(item: version.url).marks)
            }
        }
    }

    /// Has a file be executable, or not, as a program does that asks nobody.
    func makeExecutable(_ isSo: Bool, _ number: Int, on index: Int) {
        guard let item = item(number, on: index, where: { $0.kind != nil && !$0.isPlaceholder }),
            let kind = item.kind, !isTroubled(index), let marks = marks(at: item.url), !marks.isEmpty
        else { return }
        let members = kind.alikeMembers.map { item.url.appendingPathComponent($0) }
        let isFolder = FilePath(item.url).flatMap { try? FileStamp.ifPresent(at: $0)?.kind } == .directory
        guard let file = isFolder ? members.first ?? firstFile(in: item.url) : item.url else { return }
        let documents = Set(marks.compactMap(StoryMarks.document))
        let isDone = attempt("\(path(file)) \(isSo ? "may" : "may not") be executed") {
            let permissions = isSo ? 0o755 : 0o644
            try FileManager.default.setAttributes([.posixPermissions: permissions], ofItemAtPath: file.path)
        }
        record.noteExecutable(isDone && !isFolder ? isSo : nil, of: documents, on: index)
    }

    private func firstFile(in package: URL) -> URL? {
        let names = FileManager.default.enumerator(atPath: package.path)?.compactMap { $0 as? String } ?? []
        return names.sorted().map { package.appendingPathComponent($0) }.first {
            FilePath($0).flatMap { try? FileStamp.ifPresent(at: $0)?.kind } == .regular
        }
    }

    func settle(_ number: Int, on index: Int) async {
        guard let item = item(number, on: index, where: { $0.kind != nil && !$0.isPlaceholder }) else {
            return
        }
        do {
            let versions = try devices[index].unresolvedConflicts(of: item.url)
            // Looked at after them: had it lost to one of them meanwhile, that is what stays.
            let staying = try StoryFolder(item: item.url).marks
            if !versions.isEmpty { record.noteSettling(of: staying.compactMap(StoryMarks.document)) }
            for version in versions {
                discarded.formUnion(try StoryFolder(item: version.url).marks.subtracting(staying))
                version.isResolved = true
            }
            if !versions.isEmpty { tell("\(versions.count) conflicts of \(path(item.url)) are settled") }
        } catch {
            tell("conflicts of \(path(item.url)) are not settled: \(error)")
        }
    }

    func evict(_ number: Int, on index: Int) async {
        guard let item = item(number, on: index, where: { $0.kind != nil && !$0.isPlaceholder }) else {
            return
        }
        guard let marks = marks(at: item.url) else { return }
        // A device that has not met a hub since it was put back cannot know that it is the last that has something.
        if hubRestoreCount > 0, await !isAtHub(marks) {
            return tell("\(path(item.url)) stays: the hub that was put back does not have it")
        }
        let isDone = attempt("the contents of \(path(item.url)) leave") {
            try devices[index].evict(item.url)
        }
        // What was refused may be done all the same, by a disk that fails.
        guard isDone || !Self.isThere(item.url) else { return }
        evicted[index, default: [:]][placeholder(of: item.url).flatMap { mark(at: $0) }, default: []]
            .formUnion(marks.compactMap(StoryMarks.document))
    }

    private func isAtHub(_ marks: Set<String>) async -> Bool {
        do {
            return try await marksOfItems(at: world.momentOfHub()).contains { marks.isSubset(of: $0.marks) }
        } catch {
            note(StoryFault(error))
            return false
        }
    }

    /// Whether contents that have left a device can come back to it.
    func mayDownload(on index: Int) -> Bool {
        devices[index].isStarted && !isTroubled(index) && devices[index].isOnline && world.isHubRunning
    }

    func download(_ number: Int, on index: Int) async {
        guard let item = item(number, on: index, where: \.isPlaceholder), mayDownload(on: index) else {
            return
        }
        do {
            try await devices[index].download(item.url)
            tell("the contents of \(path(item.url)) come back")
        } catch {
            tell("the contents of \(path(item.url)) do not come back: \(error)")
        }
    }

    /// Does what a disk may refuse.
    ///
    /// - Returns: Whether it is done.
    @discardableResult
    private func attempt(_ deed: String, _ body: () throws -> Void) -> Bool {
        do {
            try body()
            tell(deed)
            return true
        } catch {
            tell("\(deed), which fails: \(error)")
            return false
        }
    }
}
