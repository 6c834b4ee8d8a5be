internal import DeviceSync
internal import DocumentFoundation
internal import FileSystem
internal import Foundation
internal import UIKit

// What people do on their devices, as the programs do that they use.
extension StoryScene {
    /// More on one device, and stories become long without becoming richer; far fewer than a brake asks for.
    static let itemCountMax = 12
    /// Names that differ in capitals alone, or are not ASCII, are among them.
    private static let names = ["a", "b", "A", "ö", "c d"]

    /// An item of a device's folder, as its person sees it.
    struct Item {
        var url: URL
        /// Nil for a folder.
        var kind: StoryKind?
        var isPlaceholder: Bool
    }

    func items(on index: Int) -> [Item] { items(in: devices[index].folder) }

    func items(in root: URL) -> [Item] {
        var found: [Item] = []
        let names = FileManager.default.enumerator(atPath: root.path)
        while let name = names?.nextObject() as? String {
            let url = root.appendingPathComponent(name)
            // What is about to take its place nobody sees.
            guard !url.lastPathComponent.hasPrefix(".sheaf-") else {
                names?.skipDescendants()
                continue
            }
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

    func item(_ number: Int, on index: Int, where isMeant: (Item) -> Bool) -> Item? {
        let items = items(on: index).filter(isMeant)
        return items.isEmpty ? nil : items[number.among(items.count)]
    }

    func place(_ kind: StoryKind?, folder: Int, name: Int, on index: Int) -> URL {
        let folders = [devices[index].folder] + items(on: index).filter { $0.kind == nil }.map(\.url)
        let name = Self.names[name.among(Self.names.count)]
        let url = folders[folder.among(folders.count)].appendingPathComponent(name)
        return kind.map { url.appendingPathExtension($0.nameExtension) } ?? url
    }

    func isFree(_ url: URL) -> Bool {
        [url, placeholder(of: url)].compactMap(\.self).allSatisfy { !Self.isThere($0) }
    }

    /// Where something stands for an item whose contents have left; nil where its name would be too long.
    func placeholder(of url: URL) -> URL? {
        Placeholder.fileName(for: url.lastPathComponent)
            .map { url.deletingLastPathComponent().appendingPathComponent($0) }
    }

    nonisolated static func isThere(_ url: URL) -> Bool {
        var status = stat()
        return lstat(url.path, &status) == 0
    }

    func path(_ url: URL) -> String { String(url.path.dropFirst(world.folder.path.count + 1)) }

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
        record.noteEdit(of: [documentCount], on: index)
        await devices[index].run { @MainActor in
            do {
                let document = try kind.make(url)
                try kind.edit(document, mark, index)
                let isSaved = await save(document, to: url, for: .forCreating, on: index)
                if isSaved { acknowledged.insert(mark) }
                tell("\(path(url)) is made with \(mark)\(isSaved ? "" : ", which fails")")
                _ = await document.close()
                if isSaved { noteIfNoPackage(url, on: index) }
            } catch {
                noteFailure("\(path(url)) could not be made: \(error)")
            }
        }
    }

    /// Devices send a folder of no known type file by file, and others may see it half.
    private func noteIfNoPackage(_ url: URL, on index: Int) {
        guard FilePath(url).flatMap({ try? FileStamp.ifPresent(at: $0)?.kind }) == .directory,
            !devices[index].place.isPackage(url.lastPathComponent)
        else { return }
        noteFailure(
            """
            “.\(url.pathExtension)” is no type of packages: name the Info.plist that declares it, by \
            DocumentWorld.declareTypes(infoPlist:), before the story
            """
        )
    }

    func edit(_ number: Int, on index: Int) async {
        guard let item = item(number, on: index, where: { $0.kind != nil }), let kind = item.kind,
            !item.isPlaceholder || mayDownload(on: index)
        else { return }
        if let document = documents[index]?.first(where: { $0.fileURL.path == item.url.path }) {
            return await edit(document, kind, on: index)
        }
        guard let document = await opened(item, on: index) else { return }
        await edit(document, kind, on: index)
        let isClosed = await devices[index].run { @MainActor in await document.close() }
        // What could not be saved stays open, and saves itself as soon as it can.
        if isClosed { acknowledge(document) } else { documents[index, default: []].append(document) }
    }

    private func opened(_ item: Item, on index: Int) async -> UIDocument? {
        await opened(item, on: devices[index]) { [self] in isTroubled(index) }
    }

    /// So often something is tried before it is taken for impossible: others move, remove and replace things meanwhile.
    private static let tryCount = 3

    /// Opens a document. One that is there, and on whose device nothing is wrong with the disk, has to be opened.
    func opened(
        _ item: Item,
        on device: WorldDevice,
        unless isTroubled: @MainActor () -> Bool
    ) async -> UIDocument? {
        guard let kind = item.kind else { return nil }
        let wasTroubled = isTroubled()
        return await device.run { @MainActor in
            do {
                var why = ""
                for _ in 0..<Self.tryCount {
                    let document = try kind.make(item.url)
                    if await document.open() { return document }
                    why = Self.why(document)
                    tell("\(path(item.url)) cannot be opened\(why)")
                    guard !wasTroubled, !isTroubled(), !item.isPlaceholder, Self.isThere(item.url) else {
                        return nil
                    }
                }
                noteFailure("\(path(item.url)) cannot be opened\(why)")
            } catch {
                noteFailure("\(path(item.url)) could not be made: \(error)")
            }
            return nil
        }
    }

    private static func why(_ document: UIDocument) -> String { document.lastError.map { ": \($0)" } ?? "" }

    /// Saves a document. One whose place is there, and on whose device nothing is wrong with the disk, has to be saved.
    ///
    /// - Parameter known: Which documents it was before: what fails and is tried again may be in two items.
    private func save(
        _ document: UIDocument,
        to url: URL? = nil,
        for operation: UIDocument.SaveOperation,
        known: Set<Int> = [],
        on index: Int
    ) async -> Bool {
        let wasTroubled = isTroubled(index)
        for _ in 0..<Self.tryCount {
            if await document.save(to: url ?? document.fileURL, for: operation) { return true }
            record.noteFailedSave(on: index)
            record.noteOpening(of: known)
            tell("\(path(url ?? document.fileURL)) cannot be saved\(Self.why(document))")
            let place = url?.deletingLastPathComponent() ?? document.fileURL
            guard !wasTroubled, !isTroubled(index), Self.isThere(place) else { return false }
        }
        noteFailure("\(path(url ?? document.fileURL)) cannot be saved\(Self.why(document))")
        return false
    }

    /// The marks of a document; nil where its disk does not let it be read, and nothing is done with it.
    func marks(at url: URL) -> Set<String>? {
        do { return try StoryFolder(item: url).marks } catch {
            tell("\(path(url)) cannot be read: \(error)")
            return nil
        }
    }

    /// Edits a document that is open, and saves it.
    private func edit(_ document: UIDocument, _ kind: StoryKind, on index: Int) async {
        let former = self.mark(at: document.fileURL)
        guard let (mark, known) = await change(document, kind, on: index) else { return }
        await devices[index].run { @MainActor in
            let isSaved = await save(document, for: .forOverwriting, known: known, on: index)
            if isSaved { acknowledge(document) }
            let isOther = former != self.mark(at: document.fileURL)
            if isOther { record.noteOpening(of: known) }
            tell("\(path(document.fileURL)) is edited to have \(mark)\(isSaved ? "" : ", which fails")")
        }
    }

    /// Edits a document that was left open, and leaves it to it to save that.
    func type(_ number: Int, on index: Int) async {
        guard let open = documents[index], !open.isEmpty else { return }
        let document = open[number.among(open.count)]
        guard let kind = kind(of: document.fileURL),
            let (mark, _) = await change(document, kind, on: index)
        else { return }
        tell("\(path(document.fileURL)) is edited to have \(mark), and not saved")
    }

    /// Has a document that is open hold an edit more.
    ///
    /// - Returns: That, and which documents it was before; nil where it cannot be edited.
    private func change(
        _ document: UIDocument,
        _ kind: StoryKind,
        on index: Int
    ) async -> (mark: String, known: Set<Int>)? {
        guard let marks = marks(at: document.fileURL) else { return nil }
        let known = Set(marks.compactMap(StoryMarks.document))
        // Every document has edits in it: what is there now is not it, as another device has moved it a moment ago.
        guard let newest = known.max() else {
            tell("\(path(document.fileURL)) has just gone elsewhere")
            return nil
        }
        let mark = newMark(of: newest)
        record.noteEdit(of: known, on: index)
        return await devices[index].run { @MainActor in
            do { try kind.edit(document, mark, index) } catch {
                noteFailure("\(path(document.fileURL)) could not be edited: \(error)")
                return nil
            }
            document.updateChangeCount(.done)
            typed[ObjectIdentifier(document), default: []].insert(mark)
            return (mark, known)
        }
    }

    /// A document has said that all of it is saved.
    func acknowledge(_ document: UIDocument) {
        let marks = typed.removeValue(forKey: ObjectIdentifier(document)) ?? []
        if !marks.isEmpty { record.noteTouch(of: marks.compactMap(StoryMarks.document)) }
        acknowledged.formUnion(marks)
        // It was thrown away before it was known where it is, and it is saved where it lies.
        if document.fileURL.path.hasPrefix(desk.path + "/") { discarded.formUnion(marks) }
    }

    func open(_ number: Int, on index: Int) async {
        guard let item = item(number, on: index, where: { $0.kind != nil }),
            !item.isPlaceholder || mayDownload(on: index),
            documents[index]?.contains(where: { $0.fileURL.path == item.url.path }) != true,
            let document = await opened(item, on: index)
        else { return }
        documents[index, default: []].append(document)
        record.noteOpening(of: (marks(at: document.fileURL) ?? []).compactMap(StoryMarks.document))
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
        guard isClosed else { return }
        acknowledge(document)
        documents[index]?.removeAll { $0 === document }
    }

    /// Lets go of what is open on a machine that has no power any more: what nobody has saved is gone with its programs.
    func abandonAll(on index: Int) async {
        for document in documents.removeValue(forKey: index) ?? [] {
            typed[ObjectIdentifier(document)] = nil
            await document.abandon()
            tell("\(path(document.fileURL)) is open no more, as its program has gone")
        }
    }

    /// Closes what is open, when nothing is in its way any more.
    func closeAll(on index: Int) async {
        for document in documents[index] ?? [] { await close(document, on: index) }
        for document in documents[index] ?? [] { noteFailure("\(path(document.fileURL)) cannot be closed") }
    }
}
