internal import SeededNumbers
internal import Sync

/// Devices with disks, a hub and a network, all make-believe: the same deeds come to the same each time.
///
/// Contents are sets of marks: who edits adds one, who merges unites two. So it can be told where each edit has gone.
package struct SyncWorld {
    struct Device {
        var engine: SyncEngine
        var disk = ItemMap<ItemState>()
        /// Contents whose bytes are here.
        var blobs: Set<ContentName> = []
        /// Items of the disk whose bytes are not.
        var dataless: Set<ItemID> = []
        /// Items that somebody has paused.
        var paused: Set<ItemID> = []
        /// What the engine has not heard of yet, in order.
        var news: [SyncEngine.Event] = []
        /// What the engine has asked the disk for.
        var work: [SyncEngine.Effect] = []
        var isOnline = true
        /// Without room nothing new can be written.
        var isFull = false
        /// False from when a line breaks until the engine has heard that there is one again.
        var hasLine = true
        /// The hub that it has met, of all that there have been.
        var metHub = 0
        var offers: Set<ItemID> = []
        /// The log as the engine has read it.
        var read: [LogEntry] = []
        /// What a backup has of the engine.
        var backup: Backup
        /// What a copy of the folder has that was made with it.
        var copy = ItemMap<ItemState>()
        /// What items held before people edited them here, the oldest first.
        var former: [ItemID: [ContentName]] = [:]
    }

    /// What a device keeps on its disk of its engine.
    struct Backup {
        var engine: SyncEngine
        var read: [LogEntry] = []
    }

    struct Hub {
        var log = ContainerLog()
        var blobs: Set<ContentName> = []
    }

    enum Letter {
        case toHub(from: Int, SyncEngine.Effect)
        case toDevice(Int, SyncEngine.Event)
    }

    var devices: [Device]
    var hub = Hub()
    var hubBackups: [Hub] = []
    /// How often the hub has been put back to a backup.
    var hubNumber = 0
    var letters: [Letter] = []
    var ambushes: [Ambush] = []
    var marks: [ContentName: Set<Int>] = [:]
    package internal(set) var markCount = 0
    /// Marks that somebody has thrown away, having had them before his eyes.
    var discarded: Set<Int> = []
    /// Marks that the hub has lost after nobody else had them any more.
    var evaporated: Set<Int> = []
    /// The edits that people had before their eyes as they removed an item.
    var removals: [ItemID: Set<Int>] = [:]
    /// Items that may be there although they were removed: somebody has settled a conflict, which is an edit, too; or a
    /// process died between placing one and saying so, and cannot know that it was ever there.
    var mayReturn: Set<ItemID> = []
    /// Who has edited an item.
    var editors: [ItemID: Set<Int>] = [:]
    /// What items held when their contents left a device. Whoever removes a placeholder removes that, also where a log or a
    /// memory that was put back has the placeholder stand for something older.
    var evictedMarks: [Int: [ItemID: Set<Int>]] = [:]
    /// On which devices somebody has done something.
    var actors: Set<Int> = []
    /// Whether a device has believed lost what came to the hub all the same, after what it did next.
    var hasStragglers = false
    /// Commits under way that their devices have given up.
    var givenUp: Set<Commit.ID> = []
    /// What came back on a device as somebody there has taken back a change.
    var putBack: [Int: Set<ItemID>] = [:]
    /// What came back so on a device that was killed then: it need not know that it is back, nor what is an edit of it.
    var mayConflict: Set<ItemID> = []
    /// Where people have put items; nothing of those that they have removed.
    var wishes: [ItemID: ItemPlace] = [:]
    /// Whether an engine or the hub has been put back to a backup: it cannot be told any more what some edits came from.
    var hasForgotten = false
    var itemCount: UInt64 = 0
    var sessionCount: UInt64 = 0
    /// What is wrong already.
    package internal(set) var broken: [String] = []
    /// What has happened, in words; told only if somebody is to read it.
    package internal(set) var told: [String] = []
    package var tells = false
    package internal(set) var trace = TraceHash()
    package internal(set) var coverage: Coverage?
    let bug: PlantedBug?
    var lastUpload: ContentName?
    /// Of how many items of a hundred a person is asked; nil for never.
    let brakePercent: Int?

    package init(
        deviceCount: Int,
        brakePercent: Int? = nil,
        bug: PlantedBug? = nil,
        coverage: Coverage? = nil
    ) {
        (self.brakePercent, self.bug, self.coverage) = (brakePercent, bug, coverage)
        devices = []
        for number in 1...UInt64(deviceCount) {
            sessionCount += 1
            var engine = SyncEngine(device: DeviceID(number), session: sessionCount)
            engine.brakeLimits = brakeLimits
            engine.areAlike = Self.areAlike
            devices.append(Device(engine: engine, backup: Backup(engine: engine)))
        }
    }

    var brakeLimits: SyncBrake.Limits {
        SyncBrake.Limits(sharePercent: brakePercent ?? 100, countMin: brakePercent == nil ? .max : 1)
    }

    // MARK: Running

    package mutating func apply(_ deed: Deed) {
        if coverage != nil { note(deed) }
        defer { if case .hear(let index) = deed { springAmbush(on: index) } }
        switch deed {
        case .make(let index, let isFolder, let folder, let name):
            make(on: index, isFolder: isFolder, at: place(on: index, folder: folder, name: name))
        case .edit(let index, let item): withItem(item, on: index) { $0.edit($1, $2, on: index) }
        case .undo(let index, let item): withItem(item, on: index) { $0.undo($1, $2, on: index) }
        case .restoreFolder(let index): restoreFolder(on: index)
        case .move(let index, let item, let folder, let name):
            let place = place(on: index, folder: folder, name: name)
            withItem(item, on: index) { $0.move($1, $2, to: place, on: index) }
        case .remove(let index, let item):
            withItem(item, on: index) { world, item, _ in world.remove(item, on: index) }
        case .replace(let index, let item, let isFolder, let isHeardFirst):
            withItem(item, on: index) {
                $0.replace($1, $2, isFolder: isFolder, isHeardFirst: isHeardFirst, on: index)
            }
        case .bring(let index, let other): bring(to: index, from: other)
        case .cross(let index, let other, let folder): cross(folder, on: index, and: other)
        case .settle(let index, let item): withItem(item, on: index) { $0.settleConflicts($1, $2, on: index) }
        case .decide(let index, let goesOn): decide(on: index, goesOn: goesOn)
        case .wantBack(let index): wantBack(on: index)
        case .beginPeriod(let index): devices[index].news.append(.periodBegan)
        case .evict(let index, let item): evict(item, on: index)
        case .download(let index, let item): download(item, on: index)
        case .pause(let index, let item): pause(item, on: index)
        case .resume(let index, let item): resume(item, on: index)
        case .offerPaused(let index, let item): offerPaused(item, on: index)
        case .hear(let index): hear(index)
        case .work(let index): workOnDisk(index)
        case .deliver(let letter): deliver(letter)
        case .lose(let letter): if !letters.isEmpty { letters.remove(at: letter % letters.count) }
        case .loseLog(let index):
            letters.removeAll { if case .toDevice(index, .logRead) = $0 { true } else { false } }
        case .double(let letter):
            guard !letters.isEmpty else { return }
            letters.append(letters[letter % letters.count])
            deliver(letter)
        case .readLog(let index, let count): readLog(index, count: count)
        case .backUp(let index):
            devices[index].backup = Backup(engine: devices[index].engine, read: devices[index].read)
            devices[index].copy = devices[index].disk.filter { !devices[index].dataless.contains($0.key) }
        case .backUpHub: backUpHub()
        case .goOffline(let index): goOffline(index)
        case .goOnline(let index): goOnline(index)
        case .fillDisk(let index): devices[index].isFull = true
        case .freeDisk(let index): devices[index].isFull = false
        case .kill(let index): kill(index)
        case .restoreMemory(let index): restoreMemory(index)
        case .crashHub(let letter, let hasWritten): crashHub(letter, hasWritten: hasWritten)
        case .restoreHub(let backup): restoreHub(backup)
        case .ambush(let state, let fault, let number):
            lay(Ambush(state: state, fault: fault, number: number))
        }
    }

    /// Lets everything come to rest, with all troubles over.
    ///
    /// - Returns: Whether it did.
    package mutating func settle(seed: UInt64) -> Bool {
        var random = SplitMix64(seed: seed)
        for index in devices.indices {
            devices[index].isFull = false
            for item in devices[index].paused.sorted() { resume(item, on: index) }
            goOnline(index)
        }
        for _ in 0..<12 {
            for index in devices.indices {
                readLog(index, count: 1 + random.below(9))
                letters.append(.toDevice(index, .reconnected))
            }
            var rest = 600
            while rest > 0,
                !letters.isEmpty || devices.contains(where: { !$0.news.isEmpty || !$0.work.isEmpty })
            {
                rest -= 1
                for index in devices.indices {
                    if devices[index].news.isEmpty { decide(on: index, goesOn: random.below(2) == 0) }
                    hear(index)
                    workOnDisk(index)
                }
                deliver(random.below(max(1, letters.count)))
            }
            if devices.allSatisfy(isAtRest) { return true }
        }
        return false
    }

    private func isAtRest(_ device: Device) -> Bool {
        let (engine, lost) = (device.engine, device.engine.lostItems)
        return engine.tree.position == hub.log.head && engine.isAtRestApartFromLost
            && engine.unsettled == lost
            && device.disk.filter { !lost.contains($0.key) }.exact == engine.tree.items.exact
    }

    mutating func tell(_ text: (SyncWorld) -> String) {
        if tells { told.append(text(self)) }
    }

    /// Notes what a fault meets, if it does anything.
    private mutating func note(_ deed: Deed) {
        guard let fault = deed.fault else {
            coverage?.deedCount += 1
            return
        }
        let indices = devicesMet(by: deed)
        guard !indices.isEmpty else { return }
        for index in indices { coverage?.note(fault, devices[index].engine) }
        coverage?.faultCount += 1
    }

    /// The devices for which something goes wrong; none where nothing does.
    private func devicesMet(by deed: Deed) -> [Int] {
        switch deed {
        case .lose(let letter), .double(let letter):
            guard !letters.isEmpty else { return [] }
            switch letters[letter % letters.count] {
            case .toHub(let index, _), .toDevice(let index, _): return [index]
            }
        case .loseLog(let index):
            let isLost = letters.contains { if case .toDevice(index, .logRead) = $0 { true } else { false } }
            return isLost ? [index] : []
        case .goOffline(let index): return devices[index].isOnline ? [index] : []
        case .fillDisk(let index): return devices[index].isFull ? [] : [index]
        case .kill(let index): return [index]
        case .restoreMemory(let index):
            let (backup, device) = (devices[index].backup, devices[index])
            return backup.engine.memory == device.engine.memory && backup.read == device.read ? [] : [index]
        case .crashHub(let letter, let hasWritten):
            // What dies between a write and its answer has to have something to write.
            let sender = hasWritten ? written(letter)?.index : nil
            if hasWritten, sender == nil { return [] }
            return devices.indices.filter { devices[$0].isOnline || $0 == sender }
        case .restoreHub(let backup):
            return hubBackup(backup).log.entries == hub.log.entries ? [] : Array(devices.indices)
        default: return Array(devices.indices)
        }
    }
}
