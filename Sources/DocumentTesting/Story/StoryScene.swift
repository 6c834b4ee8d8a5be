internal import DeviceSync
internal import DocumentFoundation
internal import FileSystem
internal import Foundation
internal import UIKit

/// A world in which a story happens, deed by deed.
///
/// State: on the main actor, as documents are.
@MainActor
final class StoryScene {
    let world: DocumentWorld
    let devices: [WorldDevice]
    let kinds: [StoryKind]
    let watch: StoryWatch
    /// The one that joins at the end, and gets all from the hub.
    static let witnessName = "a device that joins at the end"
    /// Where people put what they remove: on the same volume, and in nobody's folder.
    let desk: URL
    /// The edits whose saves were acknowledged, and those that people have thrown away, having had them before their eyes.
    var acknowledged: Set<String> = []
    var discarded: Set<String> = []
    /// Those that nobody has any more since a device or the hub was put back to a backup.
    var evaporated: Set<String> = []
    var record = StoryRecord()
    /// Of each device the last that was made.
    var backups: [Int: DeviceBackup] = [:]
    /// What `record.restCount` was when the hub was backed up.
    var hubBackupRestCount = 0
    /// How often a device was put back, and the hub.
    var restoreCount = 0
    var hubRestoreCount = 0
    /// The documents whose contents have ever left a device, by the mark of the item in which they were; nil for one that could
    /// not be looked at. Who removes what stands for one need not have seen it.
    var evicted: [Int: [FileMark?: Set<Int>]] = [:]
    var documents: [Int: [UIDocument]] = [:]
    /// The edits of documents that are open which no save has acknowledged.
    var typed: [ObjectIdentifier: Set<String>] = [:]
    /// On which devices the disk is full, and on which it fails.
    var full: Set<Int> = []
    var broken: Set<Int> = []
    var documentCount = 0
    var markCount = 0
    var removalCount = 0
    /// What has happened, in words.
    private(set) var told: [String] = []
    /// What has gone wrong on the way.
    var faults: [StoryFault] = []
    /// How often what is in step was compared with what the hub has.
    var comparisonCount = 0
    /// Whether devices were found to differ in the midst of it: what comes after that only hides why.
    var isOver = false
    /// So long what has just been done is looked at first, on a machine that has much else to do, before explain has to say what
    /// it waits for.
    var saidSeconds = 30.0

    init(seed: UInt64, deviceCount: Int, kinds: [StoryKind]) throws {
        world = try DocumentWorld(seed: seed, room: Self.room)
        devices = try world.devices(deviceCount)
        self.kinds = kinds
        desk = world.folder.appendingPathComponent("desk", isDirectory: true)
        try FileManager.default.createDirectory(at: desk, withIntermediateDirectories: true)
        // Who joins at the end puts in place more than anybody: he is watched from his beginning.
        let witness = world.folder.appendingPathComponent(Self.witnessName, isDirectory: true)
        watch = StoryWatch(devices.map(\.folder) + [witness], kinds)
    }

    /// What nobody needs is looked for after a few edits, which have few bytes.
    private static var room: ContainerSync.Room {
        var room = ContainerSync.Room()
        room.formerByteCountMin = 96 << 10
        return room
    }

    var packageLookCount: Int { watch.lookCount }

    func tell(_ text: String) { told.append(text) }

    func note(_ fault: StoryFault) { faults.append(fault) }

    /// Notes that something could not be done that has to be possible.
    func noteFailure(_ text: String) { note(StoryFault(.other, text)) }

    func end() throws { try world.end() }

    // MARK: Deeds

    /// Does what a deed says, unless the story is over.
    func apply(_ deed: WorldDeed) async {
        guard !isOver else { return }
        if let index = deed.deviceOfPerson?.among(devices.count) {
            await person(on: index, does: deed)
            let paths = items(on: index).map {
                String($0.url.path.dropFirst(devices[index].folder.path.count + 1))
            }
            return record.noteDeed(on: index, Set(paths))
        }
        switch deed {
        case .pass(let milliseconds): await pass(milliseconds)
        case .rest: await rest()
        case .endTroubles: await compareAll()
        case .restoreHub: await restoreHub()
        case .backUp(let index): await backUp(index.among(devices.count))
        case .restore(let index): await restore(index.among(devices.count))
        default: await go(wrong: deed)
        }
    }

    private func person(on index: Int, does deed: WorldDeed) async {
        switch deed {
        case .make(_, let kind, let folder, let name):
            await make(kinds[kind.among(kinds.count)], folder: folder, name: name, on: index)
        case .makeFolder(_, let folder, let name): makeFolder(folder: folder, name: name, on: index)
        case .edit(_, let item): await edit(item, on: index)
        case .open(_, let item): await open(item, on: index)
        case .type(_, let document): await type(document, on: index)
        case .close(_, let document): await close(document, on: index)
        case .move(_, let item, let folder, let name): move(item, folder: folder, name: name, on: index)
        case .remove(_, let item): await remove(item, on: index)
        case .makeExecutable(_, let item, let isSo): makeExecutable(isSo, item, on: index)
        case .settle(_, let item): await settle(item, on: index)
        case .evict(_, let item): await evict(item, on: index)
        case .download(_, let item): await download(item, on: index)
        default: preconditionFailure("nobody does \(deed)")
        }
    }

    /// What goes wrong, or is right again.
    private func go(wrong deed: WorldDeed) async {
        do {
            switch deed {
            case .goOffline(let index): device(index).goOffline()
            case .goOnline(let index): device(index).mendLine()
            case .disturbLine(let index):
                record.noteLostMessages()
                device(index).disturbLine()
            case .calmLine(let index): device(index).calmLine()
            case .fillDisk(let index):
                try device(index).fillDisk()
                full.insert(index.among(devices.count))
            case .breakDisk(let index, let reading):
                try device(index).breakDisk(reading ? .reading : .writing)
                broken.insert(index.among(devices.count))
                record.noteBadEnd(of: index.among(devices.count))
            case .freeDisk(let index), .mendDisk(let index): mendDisk(index.among(devices.count))
            case .setClock(let index, let years):
                device(index).setClock(aheadBySeconds: Double(years) * 3.2e7)
            case .stop(let index): device(index).stop()
            case .start(let index): if !device(index).isStarted { await start(index.among(devices.count)) }
            case .crash(let index, let count):
                guard device(index).isStarted else { return }
                record.noteBadEnd(of: index.among(devices.count))
                try device(index).crash(afterWrites: max(0, count))
            case .kill(let index): try await kill(index.among(devices.count), cutsPower: false)
            case .cutPower(let index): try await kill(index.among(devices.count), cutsPower: true)
            case .backUpHub:
                hubBackupRestCount = record.restCount
                world.backUpHub()
            case .crashHub(let count, let isLastAnswered):
                world.crashHub(afterWrites: max(0, count), isLastAnswered: isLastAnswered)
            case .startHub: world.startHub()
            case .fillHub: world.fillHub()
            case .freeHub: world.freeHub()
            case .deleteReleased: world.deleteReleased()
            default: return
            }
            tell("\(deed)")
        } catch {
            noteFailure("\(deed): \(error)")
        }
    }

    private func device(_ index: Int) -> WorldDevice { devices[index.among(devices.count)] }

    /// Whether a device's disk is full or fails, or it has crashed or is about to.
    func isTroubled(_ index: Int) -> Bool {
        full.contains(index) || broken.contains(index) || devices[index].isCrashDue
    }

    /// A disk in which nothing is wrong is left alone: whoever waits for something else is not to be woken by it.
    private func mendDisk(_ index: Int) {
        if full.remove(index) != nil { devices[index].freeDisk() }
        if broken.remove(index) != nil { devices[index].mendDisk() }
    }

    /// Puts right whatever is wrong with a device.
    func heal(_ index: Int) async {
        mendDisk(index)
        if devices[index].isCrashDue { await start(index) }
    }

    /// A machine that has crashed has no program any more, nor what those had in their memory.
    private func start(_ index: Int) async {
        if devices[index].hasCrashed { await abandonAll(on: index) }
        devices[index].startAgain()
        // One that was about to crash may have done so just now.
        if documents[index]?.contains(where: \.hasEnded) == true { await abandonAll(on: index) }
    }

    private func kill(_ index: Int, cutsPower: Bool) async throws {
        let isStarted = devices[index].isStarted
        record.noteBadEnd(of: index)
        await heal(index)
        if cutsPower {
            try devices[index].cutPower()
            await abandonAll(on: index)
        } else {
            try devices[index].killAbruptly()
        }
        if isStarted { devices[index].startAgain() }
    }

    func pass(_ milliseconds: Int) async {
        await withCheckedContinuation { (goOn: CheckedContinuation<Void, Never>) in
            DispatchQueue.global().asyncAfter(deadline: .now() + .milliseconds(milliseconds)) {
                goOn.resume()
            }
        }
    }

    private func rest() async {
        let some = devices.indices.filter { !isTroubled($0) }
        do {
            try await world.settle(some.map { devices[$0] })
            let there = some.filter { devices[$0].isStarted && devices[$0].isOnline && world.isHubRunning }
            let atRest = await withoutWaiting(there)
            let others = there.filter { !atRest.contains($0) }.map { devices[$0].name }
            let rest = others.isEmpty ? "" : ", and these wait for room at the hub: \(others)"
            tell("those that can be are in step\(rest)")
            record.noteRest(of: atRest, areAll: atRest.count == devices.count)
            // Nothing is on its way then: what was sent before counts as sent long ago.
            if atRest.count == devices.count { world.passHour() }
            try await compareWithHub(there)
        } catch {
            note(StoryFault(error))
        }
        noteUntold()
        await askWhy()
    }

    /// Those of some devices that do not wait for room at the hub: who does has not told all that was done there.
    ///
    /// - Parameter some: Devices that `settle` has waited for.
    private func withoutWaiting(_ some: [Int]) async -> [Int] {
        guard !world.hasHubRoom else { return some }
        let (asked, entryCount) = (some.map { ($0, devices[$0]) }, world.hubEntryCount)
        return await DocumentWorld.aside {
            asked.filter { $0.1.isInStep(at: entryCount) }.map(\.0)
        }
    }

    /// Notes what devices have not heard of by themselves.
    func noteUntold() { for text in world.takeUntold() { note(StoryFault(.restless, text)) } }
}
