/// What one device does so that its items and a container's log come to the same. Pure: events in, effects out.
///
/// Of each item three states are known: on this disk (`disk`), in the log (`tree`), and as both were when they last
/// agreed (`agreed`). Where they are the same they are kept once. Their differences say what there is to do (`plan`), one
/// step at a time for each item:
///
/// 1. What only the log has changed is placed on the disk. What only the disk has changed is committed.
/// 2. Changed by both: another place counts as committed last; contents are merged, and where that cannot be, those of
///    the log stay and those of the disk become a conflict, which is noted before they go and committed with the item.
/// 3. Removed by one and edited by the other: it stays.
/// 4. Nothing is committed before its contents are at the hub, and nothing placed before its contents are here.
///
/// 5. An item whose contents were evicted needs none to become what the log says, and is no source of any: what the hub has
///    lost of it some other device has to send.
///
/// A step that the disk refuses, since it is not any more what the engine takes it for, is planned anew with what is
/// there now: an effect says what it expects to find.
package struct SyncEngine: Sendable {
    /// What is being done with an item, until an event says how it ended.
    enum Step: Hashable, Sendable {
        case commit(Commit)
        case place(ItemState?, agreedAs: ItemState?)
        case merge
    }

    let device: DeviceID
    /// The disk's items, beside those of the log.
    package internal(set) var disk = DiskItems()
    package var tree: ContainerTree {
        // In place: it is looked at for each entry and each step.
        _read { yield disk.log }
    }
    /// Items of the disk without their contents. Nobody can have edited these here, so what the log says of their
    /// contents holds, and no contents are fetched for them.
    package internal(set) var dataless: Set<ItemID> = []
    /// Items that nothing is done about until they are resumed.
    package internal(set) var paused: Set<ItemID> = []
    /// What is to be committed of paused items all the same.
    var letThrough: [ItemID: ItemState] = [:]
    var agreed = AgreedItems()
    /// Items that have vanished from the disk and are not back yet.
    var vanished = ItemTable<Bool>()
    var steps = StepTable()
    /// Commits of these items were refused: the log is to be read to there first.
    var refusals: [ItemID: LogPosition] = [:]
    var merges: [ItemID: (question: MergeQuestion, result: ContentName?)] = [:]
    /// Where contents are.
    var contents = ContentMarks()
    /// Items without their contents here that became what they had been before, as the hub had lost the rest: an old commit
    /// of this engine that the hub has once more does not say what is here now.
    var wentBack: Set<ItemID> = []
    var uploading: Set<ContentName> = []
    var fetching: Set<ContentName> = []
    /// What two edits come from, where nobody has it any more.
    var lostBases: Set<ContentName> = []
    private(set) var session: UInt64
    /// How many commits each session has made.
    var commitCounts: [UInt64: UInt64] = [:]
    var toldCommitCount: UInt64 = 0
    /// The items that differ, as of the last event.
    package internal(set) var differing: Set<ItemID> = []
    private var due: Set<ItemID> = []
    /// False until the disk has been scanned, for an engine that goes on from a memory: what it has not seen yet is not gone.
    package internal(set) var knowsDisk = true
    /// From when on a person is asked before a large change goes on.
    package var brakeLimits = SyncBrake.Limits()
    /// Whether two contents have the same bytes in them, as far as their names tell, and differ in what they bear beside these.
    package var areAlike: @Sendable (ContentName, ContentName) -> Bool = { $0 == $1 }
    /// Whether two contents of a document of some name are in conflict whatever is in them, and in what they come from, if that is
    /// known: the name, that, this device's, the log's.
    package var areInConflict: @Sendable (String, ContentName?, ContentName, ContentName) -> Bool = {
        _,
        _,
        _,
        _ in
        false
    }
    /// Items that are about to become others, and which.
    var becoming: [ItemID: ItemID] = [:]
    var braking = Braking()
    /// Whether the log has been read since this engine was started, or went back in it.
    var hasReadLog = false
    /// Items that this device has removed, as far as the log says so.
    var ownRemovals: Set<ItemID> = []
    /// Items that stay though they were removed here, and the entry by which they do.
    var survivors = ItemTable<LogPosition>()
    /// Those of them that nobody has been told of.
    var newSurvivors: [Survivor] = []
    /// What items wait for that are not touched when it comes.
    var waiting: [Obstacle: Set<ItemID>] = [:]
    /// By folder, what the hub has been told is in it from now on, and has not answered.
    var comings: [ItemID: Set<ItemID>] = [:]

    /// What may keep an item from its next step, apart from what is in it.
    enum Obstacle: Hashable, Sendable {
        /// These contents are not here, or not at the hub.
        case content(ContentName)
        /// Another item has this name on the disk.
        case name(ItemPlace)
        /// This folder is not on the disk, or not in the log.
        case folder(ItemID)
        /// This item has left the name here, and the log does not say so yet.
        case leaving(ItemID)
        /// On the disk, the folder is still inside the item that is to go into it.
        case loop
        /// A person is to be asked.
        case brake(SyncBrake.Direction)
    }

    struct MergeQuestion: Hashable, Sendable {
        let base: ContentName?
        let ours: ContentName
        let theirs: ContentName
    }

    /// - Parameter session: A random number.
    package init(device: DeviceID, session: UInt64) { (self.device, self.session) = (device, session) }

    /// Whether nothing is left to do or to wait for, as far as is known here.
    package var isSettled: Bool { steps.all.isEmpty && unsettled.isEmpty }

    /// Whether nothing is left to do or to wait for, as of the last event: what `isSettled` says, without a look at each
    /// item.
    package var isAtRest: Bool { steps.all.isEmpty && differing.isEmpty }

    /// The items with which something is being done.
    package var itemsAtWork: Set<ItemID> { Set(steps.all.keys) }

    /// Whether contents are on their way to the hub.
    package func isSending(_ content: ContentName) -> Bool { uploading.contains(content) }

    /// How an item was when disk and log agreed last; nil for one that never did, or has gone from both since.
    package func lastAgreed(_ item: ItemID) -> ItemState? { agreed.state(of: item, logged: tree[item]) }

    mutating func agree(_ item: ItemID, on state: ItemState?) {
        agreed.set(state, of: item, logged: tree[item])
    }

    /// The items that wait for contents.
    package func waitingItems(for content: ContentName) -> Set<ItemID> { waiting[.content(content)] ?? [] }

    /// An item that waits for contents.
    package func waitingItem(for content: ContentName) -> ItemID? { waiting[.content(content)]?.min() }

    /// Contents that an item is to have and that neither disk nor log has as its: what a merge came to, what a person wants back.
    package func comingContents(of item: ItemID) -> [ContentName] {
        [merges[item]?.result, braking.wantedBack[item]?.state.content].compactMap { $0 }
    }

    /// The items that differ.
    package var unsettled: Set<ItemID> {
        Set(disk.keys).union(tree.items.keys).union(braking.wantedBack.keys).filter(differs)
    }

    /// Whether disk and log differ in an item, or both are to be what it was before a large change.
    func differs(_ item: ItemID) -> Bool { disk[item] != tree[item] || braking.wantedBack[item] != nil }

    /// Takes what has happened, and says what is to be done.
    package mutating func take(_ event: Event) -> [Effect] {
        note(event)
        return planDue()
    }

    /// Takes what has happened at one time, and says what is to be done. What is part of one change should be taken at once:
    /// whether a person is to be asked about it is decided by all of it.
    package mutating func take(_ events: some Sequence<Event>) -> [Effect] {
        for event in events { note(event) }
        return planDue()
    }

    private mutating func note(_ event: Event) {
        switch event {
        case .diskChanged(let item, let state): noteDisk(item, state)
        case .vanished(let items): noteVanished(items)
        case .evicted(let items): noteEvicted(items)
        case .filled(let item):
            dataless.remove(item)
            if let state = disk[item] { noteHere(state) }
            touch(item)
        case .scanned(let items): noteScan(items)
        case .logRead(let entries): read(entries)
        case .commitRefused(let id, let position): refused(id, position)
        case .commitWithheld(let id, let lacked): withheld(id, lacking: lacked)
        case .uploaded(let content):
            uploading.remove(content)
            contents.insert(content, .sent)
            wake(.content(content))
        case .fetched(let content):
            fetching.remove(content)
            contents.insert(content, .here)
            wake(.content(content))
        case .lost(let content): noteLost(content)
        case .placed(let item): placed(item)
        case .placeRefused(let item, let found):
            steps[item] = nil
            if let other = becoming.removeValue(forKey: item) {
                steps[other] = nil
                touch(other)
            }
            noteDisk(item, found)
            touch(item)
        case .became(let item, let other): became(item, other)
        case .merged(let item, let base, let ours, let theirs, let result):
            merges[item] = (MergeQuestion(base: base, ours: ours, theirs: theirs), result)
            if let result { contents.insert(result, .here) }
            braking.merged[item] = result
            if steps[item] == .merge { steps[item] = nil }
            touch(item)
        case .reconnected: reconnected()
        case .paused(let items): pause(items)
        case .resumed(let item, let dropsLocal): resume(item, dropsLocal: dropsLocal)
        case .offered(let item): letThrough(item)
        case .withdrawn(let item): letThrough[item] = nil
        case .brakeReleased(let direction): release(direction)
        case .brakeUndone(let direction): undo(direction)
        case .periodBegan: beginPeriod()
        case .wantedBack(let items): goBack(items)
        }
    }

    // MARK: Events

    mutating func noteDisk(_ item: ItemID, _ state: ItemState?) {
        let old = disk[item]
        guard old != state else { return }
        if let old {
            touch(old.parent)
            wake(.name(old.place))
        }
        disk[item] = state
        if old == nil { braking.arriving.noteNew(item) }
        if let state {
            if hasReadLog { vanished.remove(item) }
            if !dataless.contains(item) { noteHere(state) }
            touch(state.parent)
        } else {
            dataless.remove(item)
        }
        touch(item)
        wake(.folder(item))
        if old?.parent != state?.parent { wake(.loop) }
    }

    private mutating func noteEvicted(_ items: Set<ItemID>) {
        dataless.formUnion(items)
        for item in items { wake(.leaving(item)) }
        // What of other items is here stays so; what may be here beyond that is asked for again, and found.
        contents.removeAll(.here)
        disk.forEach { item, state in
            guard !dataless.contains(item) else { return }
            state.forEachContentKey { contents.insert($0, .here) }
        }
        // What cannot be sent any more is nobody's to wait for.
        for content in uploading where !contents.contains(content, .here) {
            uploading.remove(content)
            wake(.content(content))
        }
    }

    /// Contents of an item are here: whoever lacked them to send them has them now.
    mutating func noteHere(_ state: ItemState) {
        state.forEachContent { if contents.insert($0, .here) { wake(.content($0)) } }
    }

    private mutating func read(_ entries: [LogEntry]) {
        for entry in entries where entry.position == tree.position + 1 {
            entry.commit.state?.forEachContent { if contents.insert($0, .atHub) { wake(.content($0)) } }
            let parent = tree[entry.commit.item]?.parent
            let (former, existed) = (tree.lastState(of: entry.commit.item), tree[entry.commit.item] != nil)
            let changes = disk.read(entry)
            lookForSurvivors(entry, former: former, existed: existed, changed: changes.map(\.item))
            for change in changes {
                agreed.keep(change.item, before: change.before, now: change.now)
                if change.before == nil { braking.leaving.noteNew(change.item) }
                touch(change.item)
                wake(.folder(change.item))
                if let parent = change.now?.parent { touch(parent) }
            }
            // Who is this by now may become it.
            if let other = tree.successor(of: entry.commit.item) { touch(other) }
            // It may have been the last in its folder.
            if let parent { touch(parent) }
            if isOwn(entry.commit) {
                accepted(entry.commit)
                noteRevived(
                    changes.lazy.filter { $0.before == nil && $0.item != entry.commit.item }.map(\.item)
                )
            } else {
                recognise(entry.commit)
            }
        }
        for (item, position) in refusals where position <= tree.position {
            refusals[item] = nil
            touch(item)
        }
    }

    private mutating func placed(_ item: ItemID) {
        guard case .place(let state, let agreedAs) = steps[item] else { return }
        steps[item] = nil
        agree(item, on: agreedAs)
        noteBack(item, state)
        // What was asked about contents that stay is not asked again.
        if disk[item]?.content != state?.content { merges[item] = nil }
        noteDisk(item, state)
        touch(item)
    }

    private mutating func reconnected() {
        hasReadLog = true
        endVanishing()
        touchLost()
        for (item, step) in steps.all {
            guard case .commit(let commit) = step else { continue }
            endCommit(commit)
            touch(item)
        }
        // So far the log does not go any more: the hub was put back before it was read to there.
        for item in refusals.keys { touch(item) }
        refusals = [:]
        // Those that wait for them ask again.
        for content in uploading.union(fetching) { wake(.content(content)) }
        (uploading, fetching) = ([], [])
        contents.removeAll(.sent)
    }

    // MARK: What is due

    mutating func touch(_ item: ItemID) {
        if item != .root { due.insert(item) }
    }

    /// Has all looked at anew that wait for something that has just become otherwise.
    mutating func wake(_ obstacle: Obstacle) {
        if let items = waiting.removeValue(forKey: obstacle) { due.formUnion(items) }
    }

    mutating func planDue() -> [Effect] {
        guard knowsDisk else { return [] }
        var effects: [Effect] = []
        // Who waits for the name of an item may have it stand aside now; who waits for it to leave one may not need to.
        for item in due {
            if let place = disk[item]?.place { wake(.name(place)) }
            wake(.leaving(item))
        }
        while !due.isEmpty {
            let items = due.sorted()
            due = []
            for item in items {
                if differs(item) {
                    differing.insert(item)
                } else {
                    differing.remove(item)
                }
                weigh(item)
                touchWantedBack(in: item)
            }
            applyBrakes()
            for item in items {
                if steps[item] == nil { effects += paused.contains(item) ? planPaused(item) : plan(item) }
                if let followers = waiting[.leaving(item)], !isLeaving(item) {
                    wakeFollowers(followers, of: item)
                }
            }
        }
        endLook()
        returnRoom()
        return effects
    }
}
