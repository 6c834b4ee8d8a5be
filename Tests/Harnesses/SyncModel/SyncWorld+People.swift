internal import Sync

// What people do on their devices.
extension SyncWorld {
    mutating func withItem(_ number: Int, on index: Int, _ body: (inout SyncWorld, ItemID, ItemState) -> Void)
    {
        let items = devices[index].disk.keys.sorted()
        guard !items.isEmpty else { return }
        let item = items[number % items.count]
        if let state = devices[index].disk[item] { body(&self, item, state) }
    }

    mutating func put(
        _ item: ItemID,
        _ state: ItemState?,
        on index: Int,
        _ deed: (SyncWorld) -> String
    ) {
        devices[index].disk[item] = state
        actors.insert(index)
        wishes[item] = state?.place
        if state == nil { devices[index].dataless.remove(item) }
        devices[index].news.append(.diskChanged(item, state))
        tell { "device \(index): \(deed($0))" }
    }

    func place(on index: Int, folder: Int, name: Int) -> ItemPlace {
        let folders = [.root] + devices[index].disk.filter { $0.value.kind == .folder }.keys.sorted()
        return ItemPlace(folders[folder % folders.count], Self.names[name % Self.names.count])
    }

    /// Two of them only look alike.
    static let names = ["a", "b.txt", "caf\u{E9}", "cafe\u{301}"]

    /// Whether a disk has something at a place.
    func isTaken(_ place: ItemPlace, on disk: ItemMap<ItemState>) -> Bool {
        disk.values.contains { $0.place.exact == place.exact }
    }

    mutating func make(on index: Int, isFolder: Bool, at place: ItemPlace) {
        let disk = devices[index].disk
        guard disk.count < 7, !devices[index].isFull, !isTaken(place, on: disk) else { return }
        itemCount += 1
        let item = ItemID(1, itemCount)
        guard !isFolder else {
            return put(item, ItemState(.folder, at: place), on: index) {
                "makes folder \(item) at \($0.text(place))"
            }
        }
        let content = mark([], item, on: index)
        let state = ItemState(.document, at: place, content: content)
        put(item, state, on: index) { "makes \(item) at \($0.text(place)) with \(content.value)" }
    }

    private mutating func mark(_ old: Set<Int>, _ item: ItemID, on index: Int) -> ContentName {
        markCount += 1
        editors[item, default: []].insert(index)
        let content = content(old.union([markCount]))
        devices[index].blobs.insert(content)
        return content
    }

    mutating func content(_ new: Set<Int>) -> ContentName {
        let name = ContentName(new.sorted().map(String.init).joined(separator: "+"))
        marks[name] = new
        return name
    }

    mutating func edit(_ item: ItemID, _ state: ItemState, on index: Int) {
        guard let old = state.content, !devices[index].isFull, !devices[index].dataless.contains(item)
        else { return }
        var state = state
        let content = mark(marks[old] ?? [], item, on: index)
        state.content = content
        devices[index].former[item, default: []].append(old)
        put(item, state, on: index) { _ in "edits \(item) to \(content.value)" }
    }

    mutating func move(_ item: ItemID, _ state: ItemState, to place: ItemPlace, on index: Int) {
        let disk = devices[index].disk
        guard !isTaken(place, on: disk), !isInside(place.parent, item, disk) else { return }
        var state = state
        state.place = place
        put(item, state, on: index) { "moves \(item) to \($0.text(place))" }
    }

    /// Has two devices put folders that both have into each other, at the same moment.
    mutating func cross(_ number: Int, on index: Int, and other: Int) {
        let (one, two) = (devices[index].disk, devices[other].disk)
        let folders = one.filter { $0.value.kind == .folder && two[$0.key]?.kind == .folder }.keys.sorted()
        guard index != other, folders.count > 1 else { return }
        let outer = folders[number % folders.count]
        let inner = folders[(number + 1 + number / folders.count % (folders.count - 1)) % folders.count]
        guard let inOuter = freePlace(in: outer, one), let inInner = freePlace(in: inner, two),
            let innerState = one[inner], let outerState = two[outer]
        else { return }
        move(inner, innerState, to: inOuter, on: index)
        move(outer, outerState, to: inInner, on: other)
    }

    private func freePlace(in folder: ItemID, _ disk: ItemMap<ItemState>) -> ItemPlace? {
        Self.names.prefix(3).map { ItemPlace(folder, $0) }.first { !isTaken($0, on: disk) }
    }

    mutating func remove(_ item: ItemID, on index: Int) {
        let members = devices[index].disk.filter { $0.value.place.parent == item }.keys.sorted()
        for member in members { remove(member, on: index) }
        guard let state = devices[index].disk[item] else { return }
        var seen = state.contents.reduce(into: Set<Int>()) { $0.formUnion(marks[$1] ?? []) }
        if devices[index].dataless.contains(item) { seen.formUnion(evictedMarks[index]?[item] ?? []) }
        discarded.formUnion(seen)
        removals[item, default: []].formUnion(seen)
        put(item, nil, on: index) { _ in "removes \(item)" }
    }

    /// Has another item take the place of one.
    mutating func replace(
        _ item: ItemID,
        _ state: ItemState,
        isFolder: Bool,
        isHeardFirst: Bool,
        on index: Int
    ) {
        // Nobody makes anything of the name under which something stands aside.
        guard !devices[index].isFull, !state.place.name.hasPrefix(".") else { return }
        let start = devices[index].news.count
        remove(item, on: index)
        let middle = devices[index].news.count
        make(on: index, isFolder: isFolder, at: state.place)
        guard isHeardFirst else { return }
        let (old, new) = (devices[index].news[start..<middle], devices[index].news[middle...])
        devices[index].news.replaceSubrange(start..., with: Array(new) + Array(old))
    }

    mutating func settleConflicts(_ item: ItemID, _ state: ItemState, on index: Int) {
        guard !state.conflicts.isEmpty else { return }
        for content in state.conflicts { discarded.formUnion(marks[content] ?? []) }
        mayReturn.insert(item)
        var state = state
        state.conflicts = []
        put(item, state, on: index) { _ in "settles \(item)" }
    }

    /// A person is asked by a brake.
    mutating func decide(on index: Int, goesOn: Bool) {
        guard let brake = devices[index].engine.brake else { return }
        let (direction, event): (_, SyncEngine.Event) =
            goesOn
            ? (brake.direction, .brakeReleased(brake.direction))
            : (brake.direction, .brakeUndone(brake.direction))
        devices[index].news.append(event)
        tell { _ in "device \(index): what is \(direction) is to \(goesOn ? "go on" : "be undone")" }
    }

    /// A person wants back what a large change has taken.
    mutating func wantBack(on index: Int) {
        let device = devices[index]
        guard let change = device.engine.largeChange, device.engine.brake == nil else { return }
        devices[index].news.append(.wantedBack(change.formers(in: device.read)))
        tell { _ in "device \(index): what was before entry \(change.restorePoint) is to be there again" }
    }

    /// What is written over so has been before somebody's eyes.
    mutating func discardReplaced(_ items: [ItemID: LargeChange.Former], on index: Int) {
        for (item, former) in items {
            editors[item, default: []].insert(index)
            mayReturn.insert(item)
            mayConflict.insert(item)
            if let content = former.replacement { discarded.formUnion(marks[content] ?? []) }
        }
    }

    /// What is written over as somebody has taken back a change has been before his eyes.
    mutating func discardBraked(_ direction: SyncBrake.Direction, on index: Int) {
        let engine = devices[index].engine
        for item in engine.brakedItems(direction) {
            editors[item, default: []].insert(index)
            putBack[index, default: []].insert(item)
            let state = direction == .leaving ? engine.disk[item] : engine.tree[item]
            if let content = state?.content { discarded.formUnion(marks[content] ?? []) }
        }
    }

    /// Somebody brings along, on a stick say, what another has: each item of that device comes under its path, if nothing is there.
    /// Whatever tells that two are one is left behind.
    mutating func bring(to index: Int, from other: Int) {
        guard index != other else { return }
        var folders: [ItemID: ItemID] = [.root: .root]
        var pending: [ItemID] = [.root]
        while let folder = pending.popLast() {
            let members = devices[other].disk.filter { $0.value.parent == folder }
            for (item, state) in members.sorted(by: { $0.key < $1.key })
            where !state.place.name.hasPrefix(".") {
                guard let parent = folders[folder] else { continue }
                let place = ItemPlace(parent, state.place.name)
                if state.kind == .folder { pending.append(item) }
                if let there = devices[index].disk.first(where: { $0.value.place.exact == place.exact }) {
                    if there.value.kind == .folder { folders[item] = there.key }
                    continue
                }
                if let copy = bring(item, state, to: place, on: index, from: other) { folders[item] = copy }
            }
        }
    }

    /// What contents have at the end of their names that differ from others in what they bear only.
    private static let dress = "~"

    /// Whether contents differ in what they bear only.
    static func areAlike(_ one: ContentName, _ other: ContentName) -> Bool {
        let bare = { (name: ContentName) in name.value.prefix { String($0) != dress } }
        return bare(one) == bare(other)
    }

    /// - Returns: What it is there; nil for nothing.
    private mutating func bring(
        _ item: ItemID,
        _ state: ItemState,
        to place: ItemPlace,
        on index: Int,
        from other: Int
    ) -> ItemID? {
        let isHere = state.kind == .folder || !devices[other].dataless.contains(item)
        guard isHere, !devices[index].isFull, devices[index].disk.count < 9 else { return nil }
        itemCount += 1
        let copy = ItemID(1, itemCount)
        var content = state.content
        // Some copies have other permissions.
        if let name = content, itemCount % 3 == 0 {
            let dressed = ContentName(name.value + Self.dress)
            marks[dressed] = marks[name]
            content = dressed
        }
        if let content { devices[index].blobs.insert(content) }
        editors[copy, default: []].formUnion((editors[item] ?? []).union([index]))
        put(copy, ItemState(state.kind, at: place, content: content), on: index) {
            "brings \(item) along as \(copy) to \($0.text(place))"
        }
        return copy
    }

    func isInside(_ item: ItemID, _ other: ItemID, _ disk: ItemMap<ItemState>) -> Bool {
        var at = item
        while at != .root {
            if at == other { return true }
            guard let up = disk[at]?.place.parent else { return false }
            at = up
        }
        return false
    }

    func text(_ place: ItemPlace) -> String {
        place.parent == .root ? place.name : "\(place.parent)/\(place.name)"
    }

    func text(_ state: ItemState?) -> String {
        guard let state else { return "-" }
        let conflicts = state.conflicts.isEmpty ? "" : " against \(state.conflicts.map(\.value).sorted())"
        return "\(text(state.place)) \(state.content?.value ?? "(folder)")\(conflicts)"
    }
}
