internal import DocumentFoundation
internal import FileSystem
internal import Foundation
internal import UIKit

// What people do on their devices, as the programs do that they use.
extension StoryScene {
    /// More on one device, and stories become long without becoming richer; far fewer than a brake asks for.
    private static let itemCountMax = 12
    /// Names that differ in capitals alone, or are not ASCII, are among them.
    private static let names = ["a", "b", "A", "ö", "c d"]

    /// An item of a device's folder, as its person sees it.
    struct Item {
        var url: URL
        /// Nil for a folder.
        var kind: StoryKind?
        var isPlaceholder: Bool
    }

    func items(on index: Int) -> [Item] {
        let root = devices[index].folder
        var found: [Item] = []
        let names = FileManager.default.enumerator(atPath: root.path)
        while let name = names?.nextObject() as? String {
            let url = root.appendingPathComponent(name)
            if let itemName = Placeholder.itemName(of: url.lastPathComponent) {
                let place = url.deletingLastPathComponent().appendingPathComponent(itemName)
                found.append(Item(url: place, kind: kind(of: place), isPlaceholder: true))
                continue
            }
            if url.lastPathComponent.hasPrefix(".") {
                names?.skipDescendants()
                continue
            }
            let kind = kind(of: url)
            if kind != nil { names?.skipDescendants() }
            found.append(Item(url: url, kind: kind, isPlaceholder: false))
        }
        return found.sorted { $0.url.path.utf8.lexicographicallyPrecedes($1.url.path.utf8) }
    }

    private func kind(of url: URL) -> StoryKind? { kinds.first { $0.nameExtension == url.pathExtension } }

    private func item(_ number: Int, on index: Int, where isMeant: (Item) -> Bool) -> Item? {
        let items = items(on: index).filter(isMeant)
        return items.isEmpty ? nil : items[number.among(items.count)]
    }

    private func place(_ kind: StoryKind?, folder: Int, name: Int, on index: Int) -> URL {
        let folders = [devices[index].folder] + items(on: index).filter { $0.kind == nil }.map(\.url)
        let name = Self.names[name.among(Self.names.count)]
        let url = folders[folder.among(folders.count)].appendingPathComponent(name)
        return kind.map { url.appendingPathExtension($0.nameExtension) } ?? url
    }

    private func isFree(_ url: URL) -> Bool {
        let placeholder = Placeholder.fileName(for: url.lastPathComponent)
            .map { url.deletingLastPathComponent().appendingPathComponent($0) }
        return [url, placeholder].compactMap(\.self).allSatisfy { !isThere($0) }
    }

    private func isThere(_ url: URL) -> Bool {
        var status = stat()
        return lstat(url.path, &status) == 0
    }

    private func path(_ url: URL) -> String { String(url.path.dropFirst(world.folder.path.count + 1)) }

    // MARK: Documents

    private func newMark(of document: Int) -> String {
        markCount += 1
        return StoryMarks.mark(of: document, markCount)
    }

    func make(_ kind: StoryKind, folder: Int, name: Int, on index: Int) async {
        let url = place(kind, folder: folder, name: name, on: index)
        guard items(on: index).count < Self.itemCountMax, isFree(url) else { return }
        documentCount += 1
        let mark = newMark(of: documentCount)
        await devices[index].run { @MainActor in
            do {
                let document = try kind.make(url)
                try kind.edit(document, mark, index)
                let isSaved = await document.save(to: url, for: .forCreating)
                if isSaved { acknowledged.insert(mark) }
                tell("\(path(url)) is made with \(mark)\(isSaved ? "" : ", which fails")")
                _ = await document.close()
            } catch {
                noteFailure("\(path(url)) could not be made: \(error)")
            }
        }
    }

    func edit(_ number: Int, on index: Int) async {
        guard let item = item(number, on: index, where: { $0.kind != nil && !$0.isPlaceholder }),
            let kind = item.kind
        else { return }
        if let document = documents[index]?.first(where: { $0.fileURL.path == item.url.path }) {
            return await edit(document, kind, on: index)
        }
        guard let document = await opened(item, on: index) else { return }
        await edit(document, kind, on: index)
        let isClosed = await devices[index].run { @MainActor in await document.close() }
        // What could not be saved stays open, and saves itself as soon as it can.
        if !isClosed { documents[index, default: []].append(document) }
    }

    private func opened(_ item: Item, on index: Int) async -> UIDocument? {
        guard let kind = item.kind else { return nil }
        return await devices[index].run { @MainActor in
            do {
                let document = try kind.make(item.url)
                if await document.open() { return document }
                tell("\(path(item.url)) cannot be opened")
            } catch {
                noteFailure("\(path(item.url)) could not be made: \(error)")
            }
            return nil
        }
    }

    /// The marks of a document; nil where its disk does not let it be read, and nothing is done with it.
    private func marks(at url: URL) -> Set<String>? {
        do { return try StoryFolder(item: url).marks } catch {
            tell("\(path(url)) cannot be read: \(error)")
            return nil
        }
    }

    /// Edits a document that is open, and saves it.
    private func edit(_ document: UIDocument, _ kind: StoryKind, on index: Int) async {
        guard let marks = marks(at: document.fileURL) else { return }
        let mark = newMark(of: marks.compactMap(StoryMarks.document).max() ?? 0)
        await devices[index].run { @MainActor in
            do { try kind.edit(document, mark, index) } catch {
                return noteFailure("\(path(document.fileURL)) could not be edited: \(error)")
            }
            document.updateChangeCount(.done)
            let isSaved = await document.save(to: document.fileURL, for: .forOverwriting)
            if isSaved { acknowledged.insert(mark) }
            tell("\(path(document.fileURL)) is edited to have \(mark)\(isSaved ? "" : ", which fails")")
        }
    }

    func open(_ number: Int, on index: Int) async {
        guard let item = item(number, on: index, where: { $0.kind != nil && !$0.isPlaceholder }),
            documents[index]?.contains(where: { $0.fileURL.path == item.url.path }) != true,
            let document = await opened(item, on: index)
        else { return }
        documents[index, default: []].append(document)
        tell("\(path(item.url)) is opened, and stays so")
    }

    func close(_ number: Int, on index: Int) async {
        guard let open = documents[index], !open.isEmpty else { return }
        await close(open[number.among(open.count)], on: index)
    }

    /// A document that cannot save what has changed stays open.
    private func close(_ document: UIDocument, on index: Int) async {
        let isClosed = await devices[index].run { @MainActor in await document.close() }
        tell("\(path(document.fileURL)) is closed\(isClosed ? "" : ", which fails")")
        if isClosed { documents[index]?.removeAll { $0 === document } }
    }

    /// Closes what is open, when nothing is in its way any more.
    func closeAll(on index: Int) async {
        for document in documents[index] ?? [] { await close(document, on: index) }
        for document in documents[index] ?? [] { noteFailure("\(path(document.fileURL)) cannot be closed") }
    }

    // MARK: Items

    func makeFolder(folder: Int, name: Int, on index: Int) {
        let url = place(nil, folder: folder, name: name, on: index)
        guard items(on: index).count < Self.itemCountMax, isFree(url), let path = FilePath(url) else {
            return
        }
        attempt("folder \(self.path(url)) is made") { try ItemMoves.createFolder(path) }
    }

    func move(_ number: Int, folder: Int, name: Int, on index: Int) {
        guard let item = item(number, on: index, where: { !$0.isPlaceholder }) else { return }
        let target = place(item.kind, folder: folder, name: name, on: index)
        guard isFree(target), !target.path.hasPrefix(item.url.path + "/"),
            let (source, place) = paths(item.url, target)
        else { return }
        attempt("\(path(item.url)) is moved to \(path(target))") { try ItemMoves.move(source, toFree: place) }
    }

    private func paths(_ source: URL, _ target: URL) -> (FilePath, FilePath)? {
        guard let source = FilePath(source), let target = FilePath(target) else { return nil }
        return (source, target)
    }

    /// Takes an item out of the folder in one step, so that what is thrown away is known to the last byte.
    func remove(_ number: Int, on index: Int) async {
        guard let item = item(number, on: index, where: { !$0.isPlaceholder }) else { return }
        let isOpen =
            documents[index]?.contains { ($0.fileURL.path + "/").hasPrefix(item.url.path + "/") } ?? false
        removalCount += 1
        let target = desk.appendingPathComponent("\(removalCount)")
        guard !isOpen, let (source, place) = paths(item.url, target) else { return }
        do {
            // What is there now may be a version when it goes: another's edit may come in between.
            let seen = try StoryFolder(item: item.url).marks
            let kept = try keptMarks(below: item.url, on: index)
            var refusal: SystemError?
            do { try ItemMoves.move(source, toFree: place) } catch { refusal = error }
            // A disk that fails may have done it, and not know it for good.
            if let refusal, try FileStamp.ifPresent(at: place) == nil { throw refusal }
            let thrown = try StoryFolder(item: target).marks.union(seen).union(kept)
            discarded.formUnion(thrown)
            // What stands for contents that have left says little of them.
            let left = documentsLeft(in: target, on: index)
            discarded.formUnion(
                acknowledged.filter { StoryMarks.document(of: $0).map(left.contains) ?? false }
            )
            let doubt = refusal.map { ", but not for good: \($0)" } ?? ""
            tell("\(path(item.url)) is removed, with \(thrown.sorted())\(doubt)")
        } catch {
            tell("\(path(item.url)) is not removed: \(error)")
        }
    }

    /// The documents for which something stands in what was removed. What bears no mark that is known may stand for any whose
    /// contents have left.
    private func documentsLeft(in removed: URL, on index: Int) -> Set<Int> {
        guard let known = evicted[index] else { return [] }
        var found: Set<Int> = []
        let names = FileManager.default.enumerator(atPath: removed.path)
        while let name = names?.nextObject() as? String {
            let url = removed.appendingPathComponent(name)
            guard Placeholder.itemName(of: url.lastPathComponent) != nil else { continue }
            let documents = mark(at: url).flatMap { known[$0] }
            found.formUnion(documents ?? known.values.reduce(into: []) { $0.formUnion($1) })
        }
        return found
    }

    /// What an item is known by on its device, or what stands for it.
    private func mark(at url: URL) -> FileMark? {
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

    func settle(_ number: Int, on index: Int) async {
        guard let item = item(number, on: index, where: { $0.kind != nil && !$0.isPlaceholder }) else {
            return
        }
        do {
            let versions = try devices[index].unresolvedConflicts(of: item.url)
            // Looked at after them: had it lost to one of them meanwhile, that is what stays.
            let staying = try StoryFolder(item: item.url).marks
            for version in versions {
                discarded.formUnion(try StoryFolder(item: version.url).marks.subtracting(staying))
                version.isResolved = true
            }
            if !versions.isEmpty { tell("\(versions.count) conflicts of \(path(item.url)) are settled") }
        } catch {
            tell("conflicts of \(path(item.url)) are not settled: \(error)")
        }
    }

    func evict(_ number: Int, on index: Int) {
        guard let item = item(number, on: index, where: { $0.kind != nil && !$0.isPlaceholder }) else {
            return
        }
        guard let marks = marks(at: item.url) else { return }
        let isDone = attempt("the contents of \(path(item.url)) leave") {
            try devices[index].evict(item.url)
        }
        // What was refused may be done all the same, by a disk that fails.
        guard isDone || !isThere(item.url) else { return }
        let placeholder = Placeholder.fileName(for: item.url.lastPathComponent)
            .map { item.url.deletingLastPathComponent().appendingPathComponent($0) }
        evicted[index, default: [:]][placeholder.flatMap { mark(at: $0) }, default: []]
            .formUnion(marks.compactMap(StoryMarks.document))
    }

    func download(_ number: Int, on index: Int) async {
        guard let item = item(number, on: index, where: \.isPlaceholder), devices[index].isStarted,
            !isTroubled(index), !devices[index].line.isCut, world.isHubRunning
        else { return }
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
