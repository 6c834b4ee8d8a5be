internal import Sync

/// One device that finds some disk, some log, and some memory of where the two agreed: what its engine makes of it, step by step.
///
/// Much smaller than a world, and so many more: each step is held against what must never happen, and the end against what must.
package struct PlannerScene {
    private var random: PlannerChoices
    private let bug: PlantedBug?
    private let tells: Bool
    /// What has happened, in words; told only if somebody is to read it.
    package private(set) var told: [String] = []
    /// What it was chosen by.
    package var choices: [Int] { random.numbers }
    private var log = ContainerLog()
    private var disk = ItemMap<ItemState>()
    private var agreed = ItemMap<ItemState>()
    private var engine: SyncEngine
    private var contentCount = 0
    /// What contents that came of a merge have in them.
    private var merged: [ContentName: Set<ContentName>] = [:]
    package private(set) var faults: [String] = []
    package private(set) var effectCount = 0
    package private(set) var trace = TraceHash()
    /// How items were found.
    package private(set) var kinds: [Kinds] = []

    /// What has become of an item here and there since the two agreed.
    package struct Kinds: Hashable, Sendable {
        package let here: Kind
        package let there: Kind

        package init(here: Kind, there: Kind) { (self.here, self.there) = (here, there) }
    }

    package enum Kind: String, Sendable, CaseIterable {
        case absent, removed, new, same, moved, edited
    }

    /// All that can come of an item: of one that both sides had, and of one that they had not.
    package static let possibleKinds: [Kinds] = {
        func pairs(_ kinds: [Kind]) -> [Kinds] {
            kinds.flatMap { here in kinds.map { Kinds(here: here, there: $0) } }
        }
        return pairs([.removed, .same, .moved, .edited])
            + pairs([.absent, .new]).filter { $0 != Kinds(here: .absent, there: .absent) }
    }()

    /// Every effect costs an event; a scene that has not come to rest by then never does.
    private static let eventCountMax = 400

    package init(seed: UInt64, bug: PlantedBug? = nil) {
        self.init(PlannerChoices(seed: seed), bug, tells: false)
    }

    /// The scene that some numbers choose.
    package init(choices: [Int], bug: PlantedBug? = nil, tells: Bool = false) {
        self.init(PlannerChoices(choices), bug, tells: tells)
    }

    private init(_ choices: PlannerChoices, _ bug: PlantedBug?, tells: Bool) {
        (random, self.bug, self.tells) = (choices, bug, tells)
        engine = SyncEngine(device: DeviceID(1), session: 1)
        let history = writeLog()
        let seen = history[random.below(history.count)]
        (disk, agreed) = (seen, seen)
        for _ in 0..<random.below(5) { personActs() }
        for item in Set(disk.keys).union(seen.keys).sorted() where random.below(8) == 0 {
            agreed[item] = random.below(2) == 0 ? nil : history[random.below(history.count)][item]
        }
    }

    // MARK: The scene

    /// Others' commits.
    ///
    /// - Returns: What the log comes to after each of them.
    private mutating func writeLog() -> [ItemMap<ItemState>] {
        var (tree, history) = (ContainerTree(), [ItemMap<ItemState>]())
        history.append([:])
        for number in 0..<UInt64(2 + random.below(10)) {
            let item = ItemID(1, 1 + UInt64(random.below(5)))
            let id = Commit.ID(DeviceID(8 + UInt64(random.below(2))), session: 1, number)
            _ = log.offer(
                Commit(id, item, on: tree.revision(of: item), change(tree[item], of: item, in: tree.items))
            )
            for entry in log.entries(after: tree.position) { _ = tree.read(entry) }
            history.append(tree.items)
        }
        return history
    }

    private mutating func change(
        _ state: ItemState?,
        of item: ItemID,
        in items: ItemMap<ItemState>
    ) -> ItemState? {
        guard var state else {
            let kind: ItemState.Kind = item.low <= 2 ? .folder : .document
            return ItemState(kind, at: place(in: items), content: kind == .folder ? nil : newContent())
        }
        switch random.below(5) {
        case 0: return nil
        case 1: state.place = place(in: items)
        case 2 where state.kind == .document && state.conflicts.isEmpty: state.conflicts = [newContent()]
        case 2: state.conflicts = []
        default: if state.kind == .document { state.content = newContent() }
        }
        return state
    }

    private mutating func place(in items: ItemMap<ItemState>) -> ItemPlace {
        let folders = [.root] + items.filter { $0.value.kind == .folder }.keys.sorted()
        return ItemPlace(
            folders[random.below(folders.count)],
            ["a", "caf\u{E9}", "cafe\u{301}"][random.below(3)]
        )
    }

    private mutating func newContent() -> ContentName {
        contentCount += 1
        return ContentName("c\(contentCount)")
    }

    private mutating func personActs() {
        let item = ItemID(1, 1 + UInt64(random.below(6)))
        // A new item is nobody else's.
        if disk[item] == nil, agreed[item] != nil || item.low < 6 { return }
        let state = change(disk[item], of: item, in: disk)
        guard let state else {
            if !disk.contains(where: { $0.value.place.parent == item }) { disk[item] = nil }
            return
        }
        if isFree(state.place, for: item) { disk[item] = state }
    }

    private func isFree(_ place: ItemPlace, for item: ItemID) -> Bool {
        guard !disk.contains(where: { $0.key != item && $0.value.place.exact == place.exact }) else {
            return false
        }
        var at = place.parent
        while at != .root {
            guard at != item, let folder = disk[at], folder.kind == .folder else { return false }
            at = folder.place.parent
        }
        return true
    }

    // MARK: Running

    /// Has the engine come to rest, whatever is answered first.
    package mutating func run() {
        var memory = SyncMemory()
        memory.agreed = agreed
        engine = SyncEngine(device: DeviceID(1), session: 1, memory, entries: log.entries)
        let needed = neededContents()
        if tells { tellBeginning() }
        var effects = engine.take([.scanned(disk), .reconnected])
        look(at: effects)
        for _ in 0..<Self.eventCountMax where !effects.isEmpty {
            let effect = effects.remove(at: random.below(effects.count))
            effectCount += 1
            let events = events(of: bug?.done(effect, isRetry: false) ?? effect)
            let more = engine.take(events.compactMap(heard))
            if tells { told.append("\(effect): \(events)") }
            look(at: more)
            effects += more
        }
        guard effects.isEmpty, engine.isAtRest, disk.exact == engine.tree.items.exact else {
            return faults.append("it does not come to rest: \(effects), \(engine.unsettled.sorted())")
        }
        let kept = Set(disk.values.flatMap(\.contents)).reduce(into: Set<ContentName>()) {
            $0.formUnion(parts(of: $1))
        }
        let lost = needed.subtracting(kept)
        if !lost.isEmpty { faults.append("\(lost.map(\.value).sorted()) are lost") }
    }

    private func heard(_ event: SyncEngine.Event) -> SyncEngine.Event? {
        guard let bug else { return event }
        return bug.heard(event, by: DeviceID(1))
    }

    private mutating func tellBeginning() {
        for entry in log.entries { told.append("entry \(entry.position): \(entry.commit)") }
        for (what, items) in [("on the disk", disk), ("agreed on", agreed)] {
            for item in items.keys.sorted() {
                if let state = items[item] { told.append("\(what): \(item) \(state)") }
            }
        }
    }

    /// What must be somewhere in the end: what only one side has made, or both differently.
    private mutating func neededContents() -> Set<ContentName> {
        var needed: Set<ContentName> = []
        for item in Set(disk.keys).union(engine.tree.items.keys).union(agreed.keys) {
            let (ours, base, theirs) = (disk[item], agreed[item], engine.tree[item])
            kinds.append(Kinds(here: kind(ours, base), there: kind(theirs, base)))
            for (state, other) in [(ours, theirs), (theirs, ours)] {
                guard let state else { continue }
                let isRemoved = other == nil && base.map { state.hasContents(of: $0) } ?? false
                if isRemoved { continue }
                if let content = state.content, content != base?.content { needed.insert(content) }
                needed.formUnion(state.conflicts.subtracting(base?.conflicts ?? []))
            }
        }
        return needed
    }

    private func kind(_ state: ItemState?, _ base: ItemState?) -> Kind {
        switch (state, base) {
        case (nil, nil): .absent
        case (nil, _): .removed
        case (_?, nil): .new
        case (let state?, let base?):
            state == base ? .same : state.hasContents(of: base) ? .moved : .edited
        }
    }

    private func parts(of content: ContentName) -> Set<ContentName> {
        (merged[content] ?? []).reduce(into: [content]) { $0.formUnion(parts(of: $1)) }
    }

    // MARK: What must never happen

    private mutating func look(at effects: [SyncEngine.Effect]) {
        for effect in effects {
            trace.mix(effect)
            if let wrong = wrong(with: effect) { faults.append("\(wrong): \(effect)") }
        }
        for item in engine.differing where engine.reasons(for: item) == [.due] {
            faults.append("\(item) differs without a reason")
        }
        if !engine.take([]).isEmpty { faults.append("asked again without news, it wants more") }
    }

    private func wrong(with effect: SyncEngine.Effect) -> String? {
        switch effect {
        case .remove(let item, let expected):
            if engine.tree[item] != nil { return "it exists" }
            if expected != engine.disk[item] { return "it does not expect what is there" }
            if let other = engine.tree.successor(of: item) {
                let isKept =
                    engine.lastAgreed(item).map { expected.hasContents(of: $0) } ?? (expected.kind == .folder)
                return engine.disk[other] != nil && isKept ? nil : "it is nowhere else"
            }
            let base = engine.lastAgreed(item)
            return base.map { expected.hasContents(of: $0) } == true ? nil : "it has been edited"
        case .place(let item, let state, let expected):
            if expected != engine.disk[item] { return "it does not expect what is there" }
            guard let ours = expected?.content, !parts(ofAll: state).contains(ours) else { return nil }
            return ours == engine.lastAgreed(item)?.content ? nil : "it writes over what has been edited"
        case .commit(let commit):
            if commit.base != engine.tree.revision(of: commit.item) { return "it is not on what is known" }
            if commit.state == nil, engine.disk[commit.item] != nil { return "it is there" }
            return nil
        case .become(let item, let other, let expected):
            if expected != engine.disk[item] || engine.disk[other] != nil {
                return "it does not expect what is there"
            }
            guard let theirs = engine.tree[other], engine.tree[item] == nil else {
                return "there is nothing to become"
            }
            let isSame = expected.hasContent(of: theirs) || engine.tree.successor(of: item) == other
            return expected.kind == theirs.kind && isSame ? nil : "it is another"
        case .upload, .fetch, .merge: return nil
        }
    }

    private func parts(ofAll state: ItemState) -> Set<ContentName> {
        state.contents.reduce(into: []) { $0.formUnion(parts(of: $1)) }
    }

    // MARK: Hub and disk

    private mutating func events(of effect: SyncEngine.Effect) -> [SyncEngine.Event] {
        switch effect {
        case .upload(let content): return [.uploaded(content)]
        case .fetch(let content): return [.fetched(content)]
        case .commit(let commit):
            if case .refused(let position) = log.offer(commit) {
                return [.commitRefused(commit.id, readTo: position)]
            }
            return [.logRead(Array(log.entries(after: engine.tree.position)))]
        case .place(let item, let state, let expected):
            guard disk[item] == expected, isFree(state.place, for: item) else {
                return [.placeRefused(item, found: disk[item])]
            }
            disk[item] = state
            return [.placed(item)]
        case .remove(let item, let expected):
            guard disk[item] == expected, !disk.contains(where: { $0.value.place.parent == item }) else {
                return [.placeRefused(item, found: disk[item])]
            }
            disk[item] = nil
            return [.placed(item)]
        case .become(let item, let other, let expected):
            guard disk[item] == expected else { return [.placeRefused(item, found: disk[item])] }
            disk.rename(item, to: other)
            return [.became(item, other)]
        case .merge(let item, let base, let ours, let theirs):
            var result: ContentName?
            if random.below(2) == 0 {
                let content = newContent()
                merged[content] = [ours, theirs]
                result = content
            }
            return [.merged(item, base: base, ours: ours, theirs: theirs, result)]
        }
    }
}
