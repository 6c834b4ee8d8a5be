internal import CFileTrace
internal import CLinux
package import CrashHarness
internal import DocumentTesting
internal import FileSystem
internal import Foundation
internal import SeededNumbers
internal import TracedDisk

/// Cuts the power under a whole device between two calls that change its disk, and starts it anew on what the disk may hold then.
///
/// A real device, with its folder, memory, vault and versions, is kept in step with another one over a hub, while people do this
/// and that on both (`DeviceStory`). All calls that change files are written down, of all threads in one order, SQLite's among
/// them. Then a model of a disk goes through the calls (`TracedDisk`); at chosen moments what it may hold is put up elsewhere, under
/// the inodes and with the times that the device knew, and the device starts on that in another boot, at a hub that has what
/// it had in that moment. What has to hold then is in `DeviceCheck`.
///
/// What it does not model is what `HubPowerCut` does not. What the user's own vault has of former states is started anew with the
/// rest, and not looked at. Runs of the same seed differ: people do the same, but threads run as
/// they run.
package struct DevicePowerCut: Sendable {
    /// How a recorded story is made worse, to show that it is noticed.
    package enum Flaw: String, CaseIterable, Sendable {
        case none
        /// In the folder that people see, files or folders are not synced.
        case skipsFileSync, skipsFolderSync
        /// The volume is not synced.
        case skipsVolumeSync
        /// What the device remembers is not synced, or not what it keeps.
        case skipsMemorySync, skipsVaultSync
        /// What is done in the folder is synced when it has been remembered, and not before.
        case remembersTooEarly
    }

    package var flaw = Flaw.none
    package var seed: UInt64
    package var stepCount = 30
    /// About so many moments are tried.
    package var momentCount = 40
    /// After so many states that are wrong it is enough.
    package var lostMax = 5

    package init(seed: UInt64) { self.seed = seed }

    package func run() throws -> HarnessReport {
        var report = HarnessReport(title: "device-powercut")
        report.scenarioCount = 1
        // Where inodes are numbered one after the other, and none is given twice.
        let scratch = try ScratchFolder(in: ScratchFolder.memoryDisk)
        let recording: Recording
        do { recording = try record(in: scratch) } catch let error as DeviceScene.NeverInStep {
            report.lost.append("seed \(seed): \(error)")
            return report
        }
        if let missed = missed(by: recording, in: scratch.path.appending("disk")) {
            report.lost.append("what was written down does not come to what is there: \(missed)")
            return report
        }
        // What is found by number or handle is to be found nowhere but where it is put up.
        try FileManager.default.removeItem(atPath: scratch.path.appending("disk").string)
        let check = try DeviceCheck(recording)
        var random = SplitMix64(seed: seed &+ 1)
        var disk = TracedDisk(root: recording.root)
        var moment = DeviceCheck.Moment()
        var late: [DiskTrace.Record] = []
        for record in recording.trace.records {
            if case .note(let line) = record.event {
                moment.note(line)
            } else if moment.hasBegun {
                for record in worsen(record, &late, disk) { disk.apply(record) }
            } else {
                disk.apply(record)
            }
            guard random.below(recording.trace.records.count) < momentCount else { continue }
            let fates = TracedDisk.Fate.allCases
            for fate in [fates[random.below(fates.count)], fates[random.below(fates.count)]]
            where moment.hasBegun {
                report.stateCount += 1
                if let complaint = try check.complaint(about: disk.state(fate, &random), moment) {
                    report.lost.append("seed \(seed), \(moment), \(fate): \(complaint)")
                }
                if report.lost.count >= lostMax { return report }
            }
        }
        return report
    }

    /// What has been recorded.
    struct Recording {
        let scene: DeviceScene
        let story: DeviceStory
        let backup: HubInMemory.Backup
        let root: UInt64
        /// When the device's folder came to be, in nanoseconds since 1970; 0 where volumes do not tell.
        let folderBorn: Int
        let trace: DiskTrace
    }

    private func record(in scratch: ScratchFolder) throws -> Recording {
        let (base, trace) = (scratch.path.appending("disk"), scratch.path.appending("trace"))
        try FileManager.default.createDirectory(atPath: base.string, withIntermediateDirectories: false)
        let root = try FileStamp(of: base).inode
        let scene = try DeviceScene()
        let elsewhere = try ScratchFolder()
        write_down_changes(base.string, trace.string)
        defer { stop_writing_down_changes() }
        let one = try scene.one(in: base, at: scene.hub, sockets: elsewhere.path.appending("sockets"))
        let two = try scene.two(in: elsewhere.path, at: scene.hub)
        try sync(base)
        scene.hub.tellEntryCount { write_down_note("hub \($0)") }
        defer { scene.hub.tellEntryCount(nil) }
        write_down_note("hub \(scene.hub.entryCount)")
        try one.start()
        try two.start()
        let story = DeviceStory(one, two, seed: seed)
        try story.run(stepCount: stepCount)
        // It ends well, and may be cut off even then.
        one.stop()
        stop_writing_down_changes()
        two.stop()
        let backup = scene.hub.backup()
        let birth = try FileIdentity(of: base.appending(DeviceScene.folderName)).birth
        return Recording(
            scene: scene,
            story: story,
            backup: backup,
            root: root,
            folderBorn: birth.map { Int($0.seconds) * 1_000_000_000 + Int($0.nanoseconds) } ?? 0,
            trace: try DiskTrace(at: trace.string)
        )
    }

    /// What was changed in some way that is not written down: then nothing would have been proved.
    private func missed(by recording: Recording, in folder: FilePath) -> String? {
        var (disk, random) = (TracedDisk(root: recording.root), SplitMix64(seed: 0))
        for record in recording.trace.records { disk.apply(record) }
        let files = disk.state(.kept, &random).files.filter { !DeviceCheck.isLeftOut($0.key) }
        let paths = FileManager.default.enumerator(atPath: folder.string)
        var unseen = Set(files.keys)
        while let path = paths?.nextObject() as? String {
            if DeviceCheck.isLeftOut(path)
                || paths?.fileAttributes?[.type] as? FileAttributeType == .typeSymbolicLink
            {
                continue
            }
            guard let known = files[path] else { return path }
            unseen.remove(path)
            // Nil for a folder on both sides.
            if FileManager.default.contents(atPath: folder.appending(path).string) != known { return path }
        }
        return unseen.first
    }

    /// A device's folders last before it is used.
    private func sync(_ folder: FilePath) throws {
        let opened = open(folder.string, O_RDONLY | O_DIRECTORY)
        defer { close(opened) }
        guard cdoc_syncfs(opened) == 0 else {
            throw SystemError(call: "syncfs", errno: errno, path: folder)
        }
    }

    // MARK: Flaws

    /// - Parameter late: What happens later than it did.
    private func worsen(
        _ record: DiskTrace.Record,
        _ late: inout [DiskTrace.Record],
        _ disk: TracedDisk
    ) -> [DiskTrace.Record] {
        let path =
            switch record.event {
            case .sync(let node): disk.path(of: node) ?? []
            default: [String]()
            }
        switch (flaw, record.event) {
        case (.skipsFileSync, .sync(let node))
        where path.first == DeviceScene.folderName && !disk.isFolder(node): return []
        case (.skipsFolderSync, .sync(let node))
        where path.first == DeviceScene.folderName && disk.isFolder(node): return []
        case (.skipsVolumeSync, .syncAll): return []
        case (.skipsMemorySync, .sync) where path.last?.hasPrefix("memory.sqlite") == true: return []
        case (.skipsVaultSync, .sync) where path.contains("vault"): return []
        case (.remembersTooEarly, .sync) where path.first == DeviceScene.folderName,
            (.remembersTooEarly, .syncAll):
            late.append(record)
            return []
        case (.remembersTooEarly, .sync) where path.last?.hasPrefix("memory.sqlite") == true:
            defer { late = [] }
            return [record] + late
        default: return [record]
        }
    }
}
