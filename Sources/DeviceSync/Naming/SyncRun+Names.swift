internal import FileSystem
internal import Sync
internal import SyncMessages

/// What is the matter with the names of items elsewhere, as of some state of the folder's table.
struct KnownNameTroubles {
    let nameVersion: Int
    let texts: [ItemID: String]
}

// Names that other systems cannot have, and what is left alone: told of, and nothing that keeps anything from being in step.
extension SyncRun {
    /// So many are listed; all are counted.
    private static let noteCountMax = 100

    /// Notes what a look has found in folders that is left alone.
    func takeLeftOut(_ outcome: FolderLook.Outcome, in folders: Set<ItemID>) {
        for folder in folders.union(outcome.leftOut.keys) where outcome.unreadable[folder] == nil {
            let names = outcome.leftOut[folder] ?? []
            let new = Set(names).subtracting(leftOut[folder] ?? [])
            guard new.count > 0 || names.count != leftOut[folder]?.count ?? 0 else { continue }
            leftOut[folder] = names.isEmpty ? nil : names
            for name in new.sorted(by: { $0.name < $1.name }) {
                report(.leftAlone(path: path(of: name, in: folder), why: name.text))
            }
        }
    }

    /// Where an item is below the container's folder, or would be.
    func path(of item: ItemID) -> String {
        var names: [String] = []
        var at = item
        // Two moments may lead round in a ring.
        while at != .root, names.count < 4096 {
            // What is not here yet would be in the folder that it is in at the hub, wherever that is here.
            guard let place = table[at]?.state.place ?? engine.tree.lastPlace(of: at) else { break }
            names.append(place.name)
            at = place.parent
        }
        if at == .root { return names.reversed().joined(separator: "/") }
        return names.first ?? item.description
    }

    private func path(of name: LeftOut, in folder: ItemID) -> String {
        folder == .root ? name.name : path(of: folder) + "/" + name.name
    }

    /// Where placeholders are that were found to stand for nothing.
    var foldersOfStrayPlaceholders: Set<ItemID> {
        guard !leftOut.isEmpty else { return [] }
        return Set(leftOut.filter { $0.value.contains { $0.reason == .strayPlaceholder } }.keys)
    }

    /// Has placeholders looked at anew that stood for nothing: what they were copied from is gone, or it is known by now what has
    /// been in the log.
    func lookAtStrayPlaceholders() {
        let folders = foldersOfStrayPlaceholders
        guard !folders.isEmpty else { return }
        dirtyFolders.formUnion(folders)
        lookSoon()
    }

    /// What was in a document that the folder does not have, as the log had it last; nil for what was none, and for what has become
    /// another. The hub may keep it still.
    func formerContent(of item: ItemID) -> ContentName? {
        guard !engine.tree.isUnited(item), let state = engine.tree.lastState(of: item),
            state.kind == .document
        else { return nil }
        return state.content
    }

    /// What is left alone at a path.
    func leftOut(at path: String) -> LeftOut? {
        guard !leftOut.isEmpty else { return nil }
        let names = path.pathNames
        guard let last = names.last,
            let folder = item(at: names.dropLast().joined(separator: "/"))
        else { return nil }
        return leftOut[folder]?.first { $0.name.isSameInBytes(last) }
    }

    /// What there is to know of names in the folder: what is left alone first.
    func noteNames(in status: inout SyncStatus) {
        let alone = leftOut.flatMap { folder, names in
            names.map { SyncStatus.Note(path: path(of: $0, in: folder), text: $0.text, isLeftOut: true) }
        }
        let elsewhere = nameTroubles().map {
            SyncStatus.Note(path: path(of: $0.key), text: $0.value, isLeftOut: false)
        }
        status.noteCount = alone.count + elsewhere.count
        let notes = alone.sorted { $0.path < $1.path } + elsewhere.sorted { $0.path < $1.path }
        status.notes = Array(notes.prefix(Self.noteCountMax))
    }

    /// What other systems make of an item's name; nil for nothing.
    func nameTrouble(of item: ItemID) -> String? {
        guard let state = table[item]?.state else { return nil }
        let name = state.place.name
        let hash = NameTrouble.foldedHash(name)
        let twin = table.members(of: state.parent).filter { other in
            guard other != item, let beside = table[other]?.state.place.name else { return false }
            return NameTrouble.foldedHash(beside) == hash && Self.areOneElsewhere(name, beside)
        }.min()
        var lengths = PathLengths(table)
        return Self.text(
            name,
            beside: twin.flatMap { table[$0]?.state.place.name },
            pathLength: lengths.length(of: item)
        )
    }

    private static func areOneElsewhere(_ name: String, _ other: String) -> Bool {
        NameTrouble.folded(name) == NameTrouble.folded(other)
    }

    private static func text(_ name: String, beside twin: String?, pathLength: Int) -> String? {
        let sentences = [
            NameTrouble.text(of: name), twin.map { NameTrouble.text(of: name, beside: $0) },
            NameTrouble.text(ofPathWith: pathLength),
        ].compactMap { $0 }
        return sentences.isEmpty ? nil : sentences.joined(separator: " ")
    }

    /// Of all items of which there is anything to say. All names are gone through, once for each state of the table that
    /// somebody asks about.
    private func nameTroubles() -> [ItemID: String] {
        if let known = knownNameTroubles, known.nameVersion == table.nameVersion { return known.texts }
        var texts: [ItemID: String] = [:]
        var hashes: [(hash: UInt64, item: ItemID)] = []
        hashes.reserveCapacity(table.items.count)
        var lengths = PathLengths(table)
        for (item, seen) in table.items {
            let name = seen.state.place.name
            let text = Self.text(name, beside: nil, pathLength: lengths.length(of: item))
            if let text { texts[item] = text }
            let folder = seen.state.parent
            hashes.append((NameTrouble.foldedHash(name) ^ folder.low &* 0x9e37_79b9_7f4a_7c15, item))
        }
        hashes.sort { ($0.hash, $0.item) < ($1.hash, $1.item) }
        for index in hashes.indices.dropFirst() where hashes[index].hash == hashes[index - 1].hash {
            for item in [hashes[index - 1].item, hashes[index].item] { texts[item] = nameTrouble(of: item) }
        }
        knownNameTroubles = KnownNameTroubles(nameVersion: table.nameVersion, texts: texts)
        return texts
    }
}
