internal import DeviceSync
internal import DocumentFoundation
internal import FileSystem
internal import Foundation
internal import SyncMessages
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
    /// Of each device the last that was made.
    var backups: [Int: DeviceBackup] = [:]
    /// How often a device was put back, and the hub.
    var restoreCount = 0
    var hubRestoreCount = 0
    /// The documents whose contents have ever left a device, by the mark of the item in which they were; nil for one that could
    /// not be looked at. Who removes what stands for one need not have seen it.
    var evicted: [Int: [FileMark?: Set<Int>]] = [:]
    var documents: [Int: [UIDocument]] = [:]
    /// On which devices the disk is full or fails.
    private var troubled: Set<Int> = []
    var documentCount = 0
    var markCount = 0
    var removalCount = 0
    /// What has happened, in words.
    private(set) var told: [String] = []
    /// What has gone wrong on the way.
    private var faults: [StoryFault] = []

    init(seed: UInt64, deviceCount: Int, kinds: [StoryKind]) throws {
        world = try DocumentWorld(seed: seed)
        devices = try world.devices(deviceCount)
        self.kinds = kinds
        desk = world.folder.appendingPathComponent("desk", isDirectory: true)
        try FileManager.default.createDirectory(at: desk, withIntermediateDirectories: true)
        // Who joins at the end puts in place more than anybody: he is watched from his beginning.
        let witness = world.folder.appendingPathComponent(Self.witnessName, isDirectory: true)
        watch = StoryWatch(devices.map(\.folder) + [witness], kinds)
    }

    var packageLookCount: Int { watch.lookCount }

    func tell(_ text: String) { told.append(text) }

    func note(_ fault: StoryFault) { faults.append(fault) }

    /// Notes that something could not be done that has to be possible.
    func noteFailure(_ text: String) { note(StoryFault(.other, text)) }

    func end() throws { try world.end() }

    // MARK: Deeds

    func apply(_ deed: WorldDeed) async {
        switch deed {
        case .make(let index, let kind, let folder, let name):
            let meant = kinds[kind.among(kinds.count)]
            await make(meant, folder: folder, name: name, on: index.among(devices.count))
        case .makeFolder(let index, let folder, let name):
            makeFolder(folder: folder, name: name, on: index.among(devices.count))
        case .edit(let index, let item): await edit(item, on: index.among(devices.count))
        case .open(let index, let item): await open(item, on: index.among(devices.count))
        case .close(let index, let document): await close(document, on: index.among(devices.count))
        case .move(let index, let item, let folder, let name):
            move(item, folder: folder, name: name, on: index.among(devices.count))
        case .remove(let index, let item): await remove(item, on: index.among(devices.count))
        case .settle(let index, let item): await settle(item, on: index.among(devices.count))
        case .evict(let index, let item): evict(item, on: index.among(devices.count))
        case .download(let index, let item): await download(item, on: index.among(devices.count))
        case .pass(let milliseconds): await pass(milliseconds)
        case .rest: await rest()
        case .restoreHub: await restoreHub()
        case .backUp(let index): await backUp(index.among(devices.count))
        case .restore(let index): await restore(index.among(devices.count))
        default: go(wrong: deed)
        }
    }

    /// What goes wrong, or is right again.
    private func go(wrong deed: WorldDeed) {
        do {
            switch deed {
            case .goOffline(let index): device(index).goOffline()
            case .goOnline(let index): device(index).goOnline()
            case .disturbLine(let index): device(index).disturbLine()
            case .calmLine(let index): device(index).calmLine()
            case .fillDisk(let index):
                try device(index).fillDisk()
                troubled.insert(index.among(devices.count))
            case .breakDisk(let index, let reading):
                try device(index).breakDisk(reading ? .reading : .writing)
                troubled.insert(index.among(devices.count))
            case .freeDisk(let index), .mendDisk(let index): mendDisk(index.among(devices.count))
            case .setClock(let index, let years):
                device(index).setClock(aheadBySeconds: Double(years) * 3.2e7)
            case .stop(let index): device(index).stop()
            case .start(let index): if !device(index).isStarted { device(index).startAgain() }
            case .crash(let index, let count):
                guard device(index).isStarted else { return }
                try device(index).crash(afterWrites: max(0, count))
            case .kill(let index): try kill(index, cutsPower: false)
            case .cutPower(let index): try kill(index, cutsPower: true)
            case .backUpHub: world.backUpHub()
            case .crashHub(let count, let isLastAnswered):
                world.crashHub(afterWrites: max(0, count), isLastAnswered: isLastAnswered)
            case .startHub: world.startHub()
            default: return
            }
            tell("\(deed)")
        } catch {
            noteFailure("\(deed): \(error)")
        }
    }

    private func device(_ index: Int) -> WorldDevice { devices[index.among(devices.count)] }

    /// Whether a device's disk is full or fails, or it has crashed or is about to.
    func isTroubled(_ index: Int) -> Bool { troubled.contains(index) || devices[index].isCrashDue }

    private func mendDisk(_ index: Int) {
        troubled.remove(index)
        devices[index].freeDisk()
        devices[index].mendDisk()
    }

    /// Puts right whatever is wrong with a device.
    func heal(_ index: Int) {
        mendDisk(index)
        if devices[index].isCrashDue { devices[index].startAgain() }
    }

    private func kill(_ index: Int, cutsPower: Bool) throws {
        let index = index.among(devices.count)
        let isStarted = devices[index].isStarted
        heal(index)
        if cutsPower { try devices[index].cutPower() } else { try devices[index].killAbruptly() }
        if isStarted { devices[index].startAgain() }
    }

    private func pass(_ milliseconds: Int) async {
        await withCheckedContinuation { (goOn: CheckedContinuation<Void, Never>) in
            DispatchQueue.global().asyncAfter(deadline: .now() + .milliseconds(milliseconds)) {
                goOn.resume()
            }
        }
    }

    private func rest() async {
        do {
            try await world.settle(devices.indices.filter { !isTroubled($0) }.map { devices[$0] })
            tell("those that can be are in step")
        } catch {
            note(StoryFault(error))
        }
        await askWhy()
    }

    // MARK: The end

    /// Ends all troubles, lets all come to rest, and looks at what has come of it.
    ///
    /// - Returns: What is wrong.
    func judge() async -> [StoryFault] {
        await askWhy()
        world.startHub()
        for index in devices.indices {
            heal(index)
            devices[index].calmLine()
            devices[index].goOnline()
            if !devices[index].isStarted { devices[index].startAgain() }
        }
        for index in devices.indices { await closeAll(on: index) }
        tell("all troubles are over")
        do {
            try await world.settle()
            for device in devices { try await downloadAll(on: device) }
            let witness = try world.devices([Self.witnessName])[0]
            try await world.settle()
            let judge = StoryJudge(
                acknowledged: acknowledged,
                discarded: discarded,
                evaporated: evaporated
            )
            let evidence = try evidence(of: devices + [witness])
            faults += judge.faults(evidence.dropLast(), witness: evidence[devices.count])
        } catch {
            note(StoryFault(error))
        }
        return faults + watch.end().map { StoryFault(.half, $0) }
    }

    private func downloadAll(on device: WorldDevice) async throws {
        let names = FileManager.default.enumerator(atPath: device.folder.path)
        while let name = names?.nextObject() as? String {
            let url = device.folder.appendingPathComponent(name)
            guard let item = Placeholder.itemName(of: url.lastPathComponent) else { continue }
            try await device.download(url.deletingLastPathComponent().appendingPathComponent(item))
        }
    }

    private func evidence(of devices: [WorldDevice]) throws -> [StoryJudge.Evidence] {
        var all: [StoryJudge.Evidence] = []
        for device in devices {
            var evidence = StoryJudge.Evidence(name: device.name, folder: try StoryFolder(device.folder))
            for path in evidence.folder.paths {
                let url = device.folder.appendingPathComponent(path)
                if path.split(separator: "/").contains(where: { $0.hasPrefix(".") }) {
                    evidence.wrong.append(StoryFault(.differs, "\(device.name) still has “\(path)”"))
                }
                try look(at: url, path, on: device, &evidence)
                evidence.wrong += reasons(for: path, on: device)
            }
            all.append(evidence)
        }
        return all
    }

    private func look(
        at url: URL,
        _ path: String,
        on device: WorldDevice,
        _ evidence: inout StoryJudge.Evidence
    ) throws {
        let versions = try versions(of: url, on: device)
        for version in versions {
            let held = try StoryFolder(item: version.url)
            evidence.keptMarks.formUnion(held.marks)
            if version.isConflict, !version.isResolved {
                evidence.conflicts[Array(path.utf8), default: []].insert(held)
            }
            if let half = half(version.url, as: url) {
                evidence.wrong.append(StoryFault(.half, "a version of \(path): \(half)"))
            }
        }
        if let half = half(url, as: url) { evidence.wrong.append(StoryFault(.half, half)) }
    }

    func versions(of url: URL, on device: WorldDevice) throws -> [NSFileVersion] {
        VersionStore.$shared.withValue(device.versions) { NSFileVersion.otherVersionsOfItem(at: url) ?? [] }
    }

    private func half(_ place: URL, as url: URL) -> String? {
        kinds.first { $0.nameExtension == url.pathExtension }?.whatIsHalf(at: place.path)
    }

    /// Has explain be asked of all items, whatever is wrong at the moment.
    private func askWhy() async {
        faults += await DocumentWorld.aside { [devices] in
            devices.flatMap { device in
                (device.running?.standings(below: "") ?? []).compactMap { state, explanation in
                    StoryJudge.fault(in: explanation, of: state, on: device.name)
                }
            }
        }
    }

    /// What explain says of an item at rest: that it is, with a reason and what comes next.
    private func reasons(for path: String, on device: WorldDevice) -> [StoryFault] {
        // What is in a package is no item.
        let isMember = path.split(separator: "/").dropLast().contains { device.place.isPackage(String($0)) }
        guard !isMember, let explanation = device.explanation(path) else { return [] }
        guard explanation.isSettled, !explanation.causes.isEmpty, !explanation.next.isEmpty else {
            return [StoryFault(.explain, "explain says of “\(path)” on \(device.name): \(explanation)")]
        }
        return []
    }
}
