/// What an engine has to remember so that it can go on in another process, beside the log it has read and the disk.
package struct SyncMemory: Hashable, Sendable {
    /// What the disk is about to be made, in a step that nobody may be able to report on any more.
    package struct Placing: Hashable, Sendable {
        package var state: ItemState?
        package var agreedAs: ItemState?

        package init(_ state: ItemState?, agreedAs: ItemState?) {
            (self.state, self.agreedAs) = (state, agreedAs)
        }
    }

    /// How each item was when disk and log agreed last.
    package var agreed = ItemMap<ItemState>()
    package var placing = ItemMap<Placing>()
    /// Items that have vanished from the disk and are not back yet.
    package var vanished: Set<ItemID> = []
    /// How many commits each session has made.
    package var commitCounts: [UInt64: UInt64] = [:]
    /// What is known of large changes, one way.
    package var braking = Braking()
    /// What has been removed or replaced of late.
    package var losses = ItemMap<Loss>()
    /// What a person has decided on last.
    package var lastChange: LargeChange?
    /// Items that stay though they were removed here, and the entry of the log by which they do.
    package var survivors = ItemMap<LogPosition>()

    package init() {}

    /// What is known of large changes beside the items.
    package struct Braking: Hashable, Sendable {
        /// What a person is to be asked about, or has answered.
        package var stages: [SyncBrake.Direction: SyncBrake.Stage] = [:]
        /// Only of ways on which something has been lost, or is about to be.
        package var points: [SyncBrake.Direction: Points] = [:]

        package init() {}
    }

    /// From where one counts what is removed or replaced.
    package struct Points: Hashable, Sendable {
        /// The number of the period.
        package var period: UInt32 = 1
        /// How it was before the first loss of the period before, and of this one; nil for: there is none.
        package var former: Mark?
        package var current: Mark?

        package init() {}

        package init(period: UInt32, former: Mark?, current: Mark?) {
            (self.period, self.former, self.current) = (period, former, current)
        }

        package struct Mark: Hashable, Sendable {
            /// How far the log had been read.
            package var position: LogPosition
            /// How many items there were.
            package var itemCount: Int

            package init(position: LogPosition, itemCount: Int) {
                (self.position, self.itemCount) = (position, itemCount)
            }
        }
    }

    /// In which period an item was removed or replaced last, each way; 0 for: not of late.
    package struct Loss: Hashable, Sendable {
        package var leaving: UInt32
        package var arriving: UInt32

        package init(leaving: UInt32, arriving: UInt32) {
            (self.leaving, self.arriving) = (leaving, arriving)
        }
    }
}

/// What has changed of a memory since it was asked for last; nil for: it is no more.
package struct SyncMemoryChanges: Hashable, Sendable {
    /// Also of items that the log has otherwise than before: what it says does not tell the same of them any more.
    package var agreed: [ItemID: ItemState?] = [:]
    package var placing: [ItemID: SyncMemory.Placing?] = [:]
    /// Whether items have vanished.
    package var vanished: [ItemID: Bool] = [:]
    /// How many commits this session has made; 0 for as many as were told already.
    package var commitCount: UInt64 = 0
    /// Nil for: as it was.
    package var braking: SyncMemory.Braking?
    package var losses: [ItemID: SyncMemory.Loss?] = [:]
    /// What a person has decided on last; nil for: as it was.
    package var lastChange: LargeChange??
    package var survivors: [ItemID: LogPosition?] = [:]

    package init() {}
}

/// A table of items that knows which of them have been written since somebody asked last.
struct ItemTable<Value: Hashable & Sendable>: Sendable {
    private(set) var all = ItemMap<Value>()
    private var written: Set<ItemID> = []

    init(_ all: ItemMap<Value> = ItemMap()) { self.all = all }

    subscript(item: ItemID) -> Value? {
        get { all[item] }
        set {
            guard all[item] != newValue else { return }
            all[item] = newValue
            written.insert(item)
        }
    }

    /// Of nothing nearly always, which costs nothing.
    mutating func remove(_ item: ItemID) {
        if !all.isEmpty { self[item] = nil }
    }

    mutating func takeWritten() -> Set<ItemID> {
        defer { written = [] }
        return written
    }
}

/// A log as far as it was read once, for an engine that goes on from there.
package struct ReadLog: Sendable {
    package private(set) var tree = ContainerTree()
    /// All that it speaks of.
    private(set) var contents = ContentMarks()
    /// Items that exist no more, and who has removed them.
    private var removers: [ItemID: DeviceID] = [:]

    /// - Parameter entryCount: How many entries there will be, to make room for.
    package init(entryCount: Int) {
        tree.reserveCapacity(entryCount)
        contents.reserveCapacity(entryCount)
    }

    /// Reads the next entry, the first one first.
    package mutating func read(_ entry: LogEntry) {
        entry.commit.state?.forEachContentKey { contents.insert($0, .atHub) }
        let item = entry.commit.item
        let existed = tree[item] != nil
        let changed = tree.read(entry)
        if entry.commit.state == nil {
            if existed, tree[item] == nil { removers[item] = entry.commit.id.device }
        } else if !removers.isEmpty {
            for item in changed { removers[item] = nil }
        }
    }

    /// The items that exist no more since a device has removed them.
    func removals(by device: DeviceID) -> Set<ItemID> { Set(removers.filter { $0.value == device }.keys) }
}

extension SyncEngine {
    /// Goes on from what was remembered. The disk is to be scanned next, then the log to be read on, and then there is a
    /// line again.
    ///
    /// Should an older memory be all that is left, nothing is lost: what the disk has is looked for in what the log has
    /// brought since.
    ///
    /// - Parameters:
    ///   - session: A random number.
    ///   - memory: What was remembered of the engine.
    ///   - log: The log, as far as it had been read when that was.
    ///   - agreed: What disk and log agreed on last, instead of what the memory says of it.
    package init(
        device: DeviceID,
        session: UInt64,
        _ memory: SyncMemory,
        _ log: ReadLog,
        agreed: AgreedItems? = nil
    ) {
        self.init(device: device, session: session)
        (disk, contents) = (DiskItems(log: log.tree), log.contents)
        self.agreed = agreed ?? AgreedItems(memory.agreed, besides: log.tree)
        steps = StepTable(memory.placing.compactMapValues { .place($0.state, agreedAs: $0.agreedAs) })
        var known = ItemMap<Bool>()
        for item in memory.vanished { known[item] = true }
        vanished = ItemTable(known)
        commitCounts = memory.commitCounts
        braking = Braking(memory, log.tree)
        survivors = ItemTable(memory.survivors)
        ownRemovals = log.removals(by: device)
        knowsDisk = false
    }

    /// - Parameter entries: The log, as far as it had been read when that was.
    package init(device: DeviceID, session: UInt64, _ memory: SyncMemory, entries: some Sequence<LogEntry>) {
        var log = ReadLog(entryCount: entries.underestimatedCount)
        for entry in entries { log.read(entry) }
        self.init(device: device, session: session, memory, log)
    }

    /// All that is to be remembered now.
    package var memory: SyncMemory {
        var memory = SyncMemory()
        memory.agreed = agreed.all(besides: tree)
        memory.placing = steps.all.compactMapValues { step in
            if case .place(let state, let agreedAs) = step { .init(state, agreedAs: agreedAs) } else { nil }
        }
        memory.vanished = Set(vanished.all.keys)
        memory.commitCounts = commitCounts
        memory.braking = braking.memory
        for item in Set(braking.leaving.counted.all.keys).union(braking.arriving.counted.all.keys) {
            memory.losses[item] = braking.loss(of: item)
        }
        memory.lastChange = braking.lastChange
        memory.survivors = survivors.all
        return memory
    }

    /// What is to be remembered since this was asked last. It has to be on stable storage, with what was read of the log,
    /// before any effect is carried out that came meanwhile.
    package mutating func takeMemoryChanges() -> SyncMemoryChanges {
        var changes = SyncMemoryChanges()
        for item in agreed.takeWritten() { changes.agreed.updateValue(lastAgreed(item), forKey: item) }
        for item in steps.takeWritten() {
            let placing: SyncMemory.Placing? =
                if case .place(let state, let agreedAs) = steps[item] {
                    .init(state, agreedAs: agreedAs)
                } else { nil }
            changes.placing.updateValue(placing, forKey: item)
        }
        for item in vanished.takeWritten() { changes.vanished[item] = vanished[item] != nil }
        let commitCount = commitCounts[session] ?? 0
        if commitCount != toldCommitCount { changes.commitCount = commitCount }
        toldCommitCount = commitCount
        braking.takeChanges(into: &changes)
        for item in survivors.takeWritten() { changes.survivors.updateValue(survivors[item], forKey: item) }
        return changes
    }
}
