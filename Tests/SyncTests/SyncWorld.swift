import SeededNumbers

@testable import Sync

/// Devices with disks, a hub and a network, all make-believe: what one seed does is done again by the same seed.
///
/// Contents are sets of marks: who edits adds one, who merges unites two. So it can be told where each edit has gone.
struct SyncWorld {
    struct Device {
        var engine: SyncEngine
        var disk: [ItemID: ItemState] = [:]
        /// Contents whose bytes are here.
        var blobs: Set<ContentName> = []
        /// Items of the disk whose bytes are not.
        var dataless: Set<ItemID> = []
        /// What the engine has not heard of yet, in order.
        var news: [SyncEngine.Event] = []
        /// What the engine has asked the disk for.
        var work: [SyncEngine.Effect] = []
        var isOnline = true
        var offers: Set<ItemID> = []
        /// What is left of the engine when it is killed, and what a backup has.
        var kept: SyncEngine
        var backup: SyncEngine
    }

    enum Letter {
        case toHub(from: Int, SyncEngine.Effect)
        case toDevice(Int, SyncEngine.Event)
    }

    private(set) var devices: [Device]
    private(set) var log = ContainerLog()
    private var blobs: Set<ContentName> = []
    private var letters: [Letter] = []
    private(set) var marks: [ContentName: Set<Int>] = [:]
    private(set) var markCount = 0
    /// Marks that somebody has thrown away, having had them before his eyes.
    private(set) var discarded: Set<Int> = []
    /// Who has edited an item.
    private(set) var editors: [ItemID: Set<Int>] = [:]
    /// Whether an engine has been put back to a backup: it cannot tell any more what its own person's edits came from.
    private(set) var hasForgotten = false
    private(set) var deeds: [String] = []
    private(set) var broken: [String] = []
    private var random: SplitMix64
    private(set) var itemCount: UInt64 = 0
    private let bug: PlantedBug?

    init(seed: UInt64, deviceCount: Int, bug: PlantedBug? = nil) {
        random = SplitMix64(seed: seed)
        self.bug = bug
        devices = []
        for number in 1...UInt64(deviceCount) {
            let engine = SyncEngine(device: DeviceID(number), session: random.next())
            devices.append(Device(engine: engine, kept: engine, backup: engine))
        }
    }

    // MARK: Running

    /// One thing happens, anything.
    mutating func step() {
        let index = random.below(devices.count)
        switch random.below(20) {
        case 0..<2: someoneActs(on: index)
        case 2..<6: for _ in 0..<4 { hear(index) }
        case 6..<10: for _ in 0..<2 { workOnDisk(index) }
        case 10..<18: for _ in 0..<4 { deliver(losing: 6) }
        case 18: readLog(index)
        default:
            switch random.below(8) {
            case 0..<3: turnOnOrOff(index)
            case 3: kill(index)
            case 4: devices[index].backup = devices[index].kept
            default: evictOrDownload(on: index)
            }
        }
    }

    /// Lets everything come to rest.
    ///
    /// - Returns: Whether it did.
    mutating func settle() -> Bool {
        for index in devices.indices where !devices[index].isOnline { turnOnOrOff(index) }
        for _ in 0..<12 {
            for index in devices.indices {
                readLog(index)
                letters.append(.toDevice(index, .reconnected))
            }
            var rest = 3_000
            while rest > 0,
                !letters.isEmpty || devices.contains(where: { !$0.news.isEmpty || !$0.work.isEmpty })
            {
                rest -= 1
                for index in devices.indices {
                    hear(index)
                    workOnDisk(index)
                }
                deliver(losing: 0)
            }
            let isDone = devices.allSatisfy {
                $0.engine.tree.position == log.head && $0.engine.isSettled && $0.disk == $0.engine.tree.items
            }
            if isDone { return true }
        }
        return false
    }

    /// The items that are not at rest, as each device sees them.
    var unrest: [String] {
        devices.indices.flatMap { index -> [String] in
            let (engine, disk) = (devices[index].engine, devices[index].disk)
            return engine.unsettled.union(engine.steps.all.keys).sorted().map { item in
                """
                device \(index), \(item): disk \(text(disk[item])), heard of \(text(engine.disk[item])), agreed \
                \(text(engine.agreed[item])), log \(text(engine.tree[item])), step \
                \(engine.steps[item].map { "\($0)" } ?? "none")
                """
            }
        }
    }

    private func text(_ state: ItemState?) -> String {
        guard let state else { return "-" }
        let conflicts = state.conflicts.isEmpty ? "" : " against \(state.conflicts.map(\.value).sorted())"
        return "\(state.place.parent)/\(state.place.name) \(state.content?.value ?? "")\(conflicts)"
    }

    private mutating func turnOnOrOff(_ index: Int) {
        devices[index].isOnline.toggle()
        // What is under way to it is lost; what it has sent may come later, or never.
        letters.removeAll { if case .toDevice(index, _) = $0 { true } else { false } }
        guard devices[index].isOnline else { return }
        devices[index].news.append(.logRead(Array(log.entries(after: devices[index].engine.tree.position))))
        devices[index].news.append(.reconnected)
    }

    /// The process dies, and another goes on, now and then with a backup of what the first one had kept.
    private mutating func kill(_ index: Int) {
        let isRestored = random.below(4) == 0
        if isRestored { hasForgotten = true }
        deeds.append("device \(index): killed\(isRestored ? ", its engine put back to a backup" : "")")
        letters.removeAll { if case .toDevice(index, _) = $0 { true } else { false } }
        let remembered = isRestored ? devices[index].backup : devices[index].kept
        devices[index].engine = SyncEngine(
            device: remembered.device,
            session: random.next(),
            remembered.memory,
            entries: log.entries(after: 0).prefix(Int(remembered.tree.position))
        )
        devices[index].work = []
        devices[index].news = [
            .evicted(devices[index].dataless), .scanned(devices[index].disk),
            .logRead(Array(log.entries(after: devices[index].engine.tree.position))), .reconnected,
        ]
    }

    private mutating func readLog(_ index: Int) {
        guard devices[index].isOnline else { return }
        let from = devices[index].engine.tree.position
        letters.append(
            .toDevice(index, .logRead(Array(log.entries(after: from).prefix(1 + random.below(9)))))
        )
    }

    private mutating func hear(_ index: Int) {
        guard !devices[index].news.isEmpty else { return }
        let news = devices[index].news.removeFirst()
        let device = DeviceID(UInt64(index + 1))
        guard let event = bug.map({ $0.heard(news, by: device) }) ?? news else { return }
        let effects = devices[index].engine.take(event)
        devices[index].kept = devices[index].engine
        if bug == nil { lookForReasons(index) }
        for wanted in effects {
            var effect = wanted
            if let bug { effect = bug.done(wanted, isRetry: isRetry(wanted, by: index)) }
            switch effect {
            case .place, .remove, .merge: devices[index].work.append(effect)
            // Bytes that are here are not fetched.
            case .fetch(let content) where devices[index].blobs.contains(content):
                devices[index].news.append(.fetched(content))
            case .upload, .fetch, .commit: letters.append(.toHub(from: index, effect))
            }
        }
    }

    /// Every item that differs says what it waits for: nothing is about to be looked at once an engine has answered.
    private mutating func lookForReasons(_ index: Int) {
        let engine = devices[index].engine
        guard let item = engine.differing.first(where: { engine.reasons(for: $0) == [.due] }) else { return }
        broken.append("device \(index) does not say why \(item) differs")
    }

    private mutating func isRetry(_ effect: SyncEngine.Effect, by index: Int) -> Bool {
        guard case .commit(let commit) = effect else { return false }
        return !devices[index].offers.insert(commit.item).inserted
    }

    // MARK: Network

    private mutating func deliver(losing share: Int) {
        guard !letters.isEmpty else { return }
        let letter = letters.remove(at: random.below(letters.count))
        if share > 0 {
            switch random.below(100) {
            case 0..<share: return
            case share..<(2 * share): letters.append(letter)
            default: break
            }
        }
        switch letter {
        case .toDevice(let index, let event):
            guard devices[index].isOnline else { return }
            if case .fetched(let content) = event { devices[index].blobs.insert(content) }
            devices[index].news.append(event)
        case .toHub(let index, let effect): answer(effect, to: index)
        }
    }

    private mutating func answer(_ effect: SyncEngine.Effect, to index: Int) {
        switch effect {
        case .upload(let content):
            // What is not here any more cannot be sent.
            guard devices[index].blobs.contains(content) else { return }
            if bug != .unsentContents { blobs.insert(content) }
            letters.append(.toDevice(index, .uploaded(content)))
        case .fetch(let content):
            guard blobs.contains(content) else { return broken.append("\(content.value) is not at the hub") }
            letters.append(.toDevice(index, .fetched(content)))
        case .commit(let commit):
            if let missing = commit.state?.contents.subtracting(blobs).first {
                broken.append("\(missing.value) was committed before it was at the hub")
            }
            var commit = commit
            let isForced = bug == .staleCommit || bug == .removalBeatsEdit && commit.state == nil
            if isForced { commit.base = log.entries.last { $0.commit.item == commit.item }?.position ?? 0 }
            switch log.offer(commit) {
            case .refused(let position):
                letters.append(.toDevice(index, .commitRefused(commit.id, readTo: position)))
            case .accepted:
                let latest = Array(log.entries.suffix(5))
                for index in devices.indices { letters.append(.toDevice(index, .logRead(latest))) }
            }
        case .place, .remove, .merge: break
        }
    }

    // MARK: Disks

    private mutating func workOnDisk(_ index: Int) {
        guard !devices[index].work.isEmpty else { return }
        let effect = devices[index].work.removeFirst()
        let disk = devices[index].disk
        switch effect {
        case .place(let item, let state, let expected):
            let isFree = !disk.contains { $0.key != item && $0.value.place == state.place }
            let parent = state.place.parent
            let hasFolder = parent == .root || disk[parent]?.kind == .folder && !isInside(parent, item, disk)
            guard disk[item] == expected || bug == .staleOverwrite, isFree, hasFolder else {
                return devices[index].news.append(.placeRefused(item, found: disk[item]))
            }
            if !devices[index].dataless.contains(item), !state.contents.isSubset(of: devices[index].blobs) {
                broken.append("\(item) placed without its bytes")
            }
            devices[index].disk[item] = state
            devices[index].news.append(.placed(item))
        case .remove(let item, let expected):
            let members = disk.filter { $0.value.place.parent == item }.keys.sorted()
            if bug == .removalOfFullFolder {
                for member in members { put(member, nil, on: index, "\(member) goes with its folder") }
            } else if disk[item] != expected || !members.isEmpty {
                return devices[index].news.append(.placeRefused(item, found: disk[item]))
            }
            devices[index].disk[item] = nil
            devices[index].dataless.remove(item)
            devices[index].news.append(.placed(item))
        case .merge(let item, let base, let ours, let theirs):
            let (mine, other) = (marks[ours] ?? [], marks[theirs] ?? [])
            // Every second pair does not merge, and each device sees that alike.
            let merged = (mine.count + other.count) % 2 == 0 ? nil : content(mine.union(other))
            if let merged { devices[index].blobs.insert(merged) }
            devices[index].news.append(.merged(item, base: base, ours: ours, theirs: theirs, merged))
        case .upload, .fetch, .commit: break
        }
    }

    private func isInside(_ item: ItemID, _ other: ItemID, _ disk: [ItemID: ItemState]) -> Bool {
        var at = item
        while at != .root {
            if at == other { return true }
            guard let up = disk[at]?.place.parent else { return false }
            at = up
        }
        return false
    }

    private mutating func content(_ new: Set<Int>) -> ContentName {
        let name = ContentName(new.sorted().map(String.init).joined(separator: "+"))
        marks[name] = new
        return name
    }

    // MARK: People

    private mutating func someoneActs(on index: Int) {
        let items = devices[index].disk.keys.sorted()
        guard let item = items.isEmpty ? nil : items[random.below(items.count)],
            let state = devices[index].disk[item]
        else { return make(on: index) }
        switch random.below(10) {
        case 0..<2: if items.count < 7 { make(on: index) } else { edit(item, state, on: index) }
        case 2..<6: edit(item, state, on: index)
        case 6..<8: move(item, state, on: index)
        case 8: remove(item, on: index)
        default: settleConflicts(item, state, on: index)
        }
    }

    private mutating func put(_ item: ItemID, _ state: ItemState?, on index: Int, _ deed: String) {
        devices[index].disk[item] = state
        if state == nil { devices[index].dataless.remove(item) }
        devices[index].news.append(.diskChanged(item, state))
        deeds.append("device \(index): \(deed)")
    }

    private mutating func place(on index: Int) -> ItemPlace {
        let folders = devices[index].disk.filter { $0.value.kind == .folder }.keys.sorted() + [.root]
        return ItemPlace(folders[random.below(folders.count)], ["a", "b.txt", "c"][random.below(3)])
    }

    private mutating func make(on index: Int) {
        let place = place(on: index)
        guard !devices[index].disk.values.contains(where: { $0.place == place }) else { return }
        itemCount += 1
        let item = ItemID(1, itemCount)
        guard random.below(3) > 0 else {
            return put(item, ItemState(.folder, at: place), on: index, "makes folder \(item) at \(place)")
        }
        let content = mark([], item, on: index)
        put(
            item,
            ItemState(.document, at: place, content: content),
            on: index,
            "makes \(item) at \(place) with \(content.value)"
        )
    }

    private mutating func mark(_ old: Set<Int>, _ item: ItemID, on index: Int) -> ContentName {
        markCount += 1
        editors[item, default: []].insert(index)
        let content = content(old.union([markCount]))
        devices[index].blobs.insert(content)
        return content
    }

    private mutating func edit(_ item: ItemID, _ state: ItemState, on index: Int) {
        guard let old = state.content, !devices[index].dataless.contains(item) else { return }
        var state = state
        let content = mark(marks[old] ?? [], item, on: index)
        state.content = content
        put(item, state, on: index, "edits \(item) to \(content.value)")
    }

    private mutating func move(_ item: ItemID, _ state: ItemState, on index: Int) {
        let (place, disk) = (place(on: index), devices[index].disk)
        guard !disk.values.contains(where: { $0.place == place }), !isInside(place.parent, item, disk) else {
            return
        }
        var state = state
        state.place = place
        put(item, state, on: index, "moves \(item) to \(place)")
    }

    private mutating func remove(_ item: ItemID, on index: Int) {
        let members = devices[index].disk.filter { $0.value.place.parent == item }.keys.sorted()
        for member in members { remove(member, on: index) }
        guard let state = devices[index].disk[item] else { return }
        for content in state.contents { discarded.formUnion(marks[content] ?? []) }
        put(item, nil, on: index, "removes \(item)")
    }

    /// Somebody wants room, or contents: of the first item that may, from a random one on.
    private mutating func evictOrDownload(on index: Int) {
        // Before contents go it is looked what has been done.
        var rest = 100
        while rest > 0, !devices[index].news.isEmpty || !devices[index].work.isEmpty {
            rest -= 1
            hear(index)
            workOnDisk(index)
        }
        let items = devices[index].disk.keys.sorted()
        guard !items.isEmpty else { return }
        let (first, isDownload) = (random.below(items.count), random.below(3) == 0)
        let (count, dataless) = (deeds.count, devices[index].dataless)
        for item in items[first...] + items[..<first] where deeds.count == count {
            guard let state = devices[index].disk[item], dataless.contains(item) == isDownload else {
                continue
            }
            evictOrDownload(item, state, on: index)
        }
    }

    /// Both happen at once with the engine's hearing of it: nothing is on the way between the two.
    private mutating func evictOrDownload(_ item: ItemID, _ state: ItemState, on index: Int) {
        let device = devices[index]
        guard device.news.isEmpty, device.work.isEmpty, let content = state.content else { return }
        if device.dataless.contains(item) {
            guard device.isOnline, state.contents.isSubset(of: blobs) else { return }
            devices[index].blobs.formUnion(state.contents)
            devices[index].dataless.remove(item)
            devices[index].news.append(.filled(item))
            deeds.append("device \(index): downloads \(item)")
        } else {
            let engine = device.engine
            guard state.conflicts.isEmpty, engine.tree[item] == state, engine.change(of: item) == .none,
                engine.reasons(for: item).isEmpty
            else { return }
            devices[index].dataless.insert(item)
            let others = device.disk.filter { $0.key != item && !devices[index].dataless.contains($0.key) }
            if !others.contains(where: { $0.value.contents.contains(content) }) {
                devices[index].blobs.remove(content)
            }
            devices[index].news.append(.evicted([item]))
            deeds.append("device \(index): evicts \(item)")
        }
        hear(index)
    }

    private mutating func settleConflicts(_ item: ItemID, _ state: ItemState, on index: Int) {
        guard !state.conflicts.isEmpty else { return }
        for content in state.conflicts { discarded.formUnion(marks[content] ?? []) }
        var state = state
        state.conflicts = []
        put(item, state, on: index, "settles \(item)")
    }
}
