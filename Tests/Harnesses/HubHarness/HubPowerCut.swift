package import CrashHarness
internal import FileSystem
internal import Foundation
internal import SeededNumbers
internal import TracedDisk

/// Cuts the power under a hub's stores between two of their calls, and opens what the disk may hold then.
///
/// A process tells the story with every call that changes files written down, of all threads in one order, SQLite's calls among
/// them: what is tried are the very bytes that SQLite wrote, and its own recovery. Then a model of a disk goes through the
/// calls. What was written lasts from a sync of its file that began afterwards, a name from a sync of its folder; all else may
/// be lost, kept, or torn into sectors of 512 bytes that came to the disk in any order.
///
/// What it does not model: a disk that says it has synced and has not; sectors that are half written, or damaged beside those
/// that were written; a file system that brings back old bytes of other files. SQLite's file beside the log (`-shm`), which is
/// mapped into memory, is left out: it is made anew from the log. A hub's process has one interleaving of its threads each
/// time it is recorded, so runs of the same seed differ.
package struct HubPowerCut: Sendable {
    /// How a recorded story is made worse, to show that it is noticed.
    package enum Flaw: Sendable {
        case none
        /// What is promised is promised before it holds: all of it, wrapped keys alone, or devices alone.
        case promisesTooEarly, promisesKeysTooEarly, promisesDevicesTooEarly
        /// Files are not synced: those of blobs, or those of SQLite.
        case skipsBlobSync, skipsDatabaseSync
        /// Folders are not synced.
        case skipsFolderSync
    }

    /// The executable whose `record` command tells the story.
    package var executable: String
    package var flaw = Flaw.none
    package var seed: UInt64
    /// About so many moments are tried, all promises among them.
    package var momentCount = 30

    package init(executable: String, seed: UInt64) { (self.executable, self.seed) = (executable, seed) }

    package func run() async throws -> HarnessReport {
        var report = HarnessReport(title: "hub-powercut")
        report.scenarioCount = 1
        // Where inodes are numbered one after the other, and none is given twice.
        let scratch = try ScratchFolder(in: ScratchFolder.memoryDisk)
        let trace = try record(in: scratch)
        guard let trace else {
            report.lost.append("the story was not told to its end")
            return report
        }
        var random = SplitMix64(seed: seed)
        var disk = TracedDisk(root: try FileStamp(of: scratch.path.appending("hub")).inode)
        var promises: [HubStory.Promise] = []
        let callCount = trace.records.count { if case .note = $0.event { false } else { true } }
        let sqliteFiles = Set(trace.records.compactMap { $0.event.sqliteFile })
        for record in trace.records {
            var isTried = Int(random.next() % UInt64(callCount)) < momentCount
            if case .note(let line) = record.event {
                guard let promise = HubStory.Promise(line: line) else { throw DiskTrace.Malformed() }
                promises.append(promise)
                isTried = true
            } else if !isSkipped(record.event, sqliteFiles, disk) {
                disk.apply(record)
            }
            guard isTried else { continue }
            for fate in TracedDisk.Fate.allCases where disk.pendingCount > 0 || fate == .kept {
                report.stateCount += 1
                let state = disk.state(fate, &random).files
                if let complaint = await complaint(about: state, promises) {
                    report.lost.append(
                        "seed \(seed), after \(promises.count) promises, \(fate): \(complaint)"
                    )
                    // It is noticed.
                    if flaw != .none { return report }
                }
            }
        }
        if let missed = try missed(by: disk.state(.kept, &random).files, in: scratch.path.appending("hub")) {
            report.lost.append("what was written down does not come to what is there: \(missed)")
        }
        return report
    }

    /// What was changed in some way that is not written down: then nothing would have been proved.
    private func missed(by state: [String: Data?], in folder: FilePath) throws -> String? {
        var unseen = Set(state.keys)
        let paths = try FileManager.default.subpathsOfDirectory(atPath: folder.string)
        for path in paths where !Self.isLogIndex(path) {
            guard let known = state[path] else { return path }
            unseen.remove(path)
            // Nil for a folder on both sides.
            if FileManager.default.contents(atPath: folder.appending(path).string) != known { return path }
        }
        return unseen.first { !Self.isLogIndex($0) }
    }

    private static func isLogIndex(_ path: String) -> Bool { path.hasSuffix("-shm") }

    /// - Returns: Nil when the story did not end well.
    private func record(in scratch: ScratchFolder) throws -> DiskTrace? {
        let (hub, trace) = (scratch.path.appending("hub"), scratch.path.appending("trace"))
        try FileManager.default.createDirectory(
            atPath: hub.string,
            withIntermediateDirectories: false,
            attributes: [.posixPermissions: 0o700]
        )
        let child = Process()
        child.executableURL = URL(fileURLWithPath: executable)
        child.arguments =
            ["record", hub.string, trace.string] + (early.map { [$0.rawValue] } ?? [])
        try child.run()
        child.waitUntilExit()
        guard child.terminationReason == .exit, child.terminationStatus == 0 else { return nil }
        return try DiskTrace(at: trace.string)
    }

    private var early: HubStory.Early? {
        switch flaw {
        case .promisesTooEarly: .all
        case .promisesKeysTooEarly: .keys
        case .promisesDevicesTooEarly: .devices
        case .none, .skipsBlobSync, .skipsDatabaseSync, .skipsFolderSync: nil
        }
    }

    private func isSkipped(_ event: DiskTrace.Event, _ sqliteFiles: Set<UInt64>, _ disk: TracedDisk) -> Bool {
        guard case .sync(let node) = event else { return false }
        return switch flaw {
        case .none, .promisesTooEarly, .promisesKeysTooEarly, .promisesDevicesTooEarly: false
        case .skipsFolderSync: disk.isFolder(node)
        case .skipsDatabaseSync: sqliteFiles.contains(node)
        case .skipsBlobSync: !disk.isFolder(node) && !sqliteFiles.contains(node)
        }
    }

    private func complaint(about state: [String: Data?], _ promises: [HubStory.Promise]) async -> String? {
        do {
            let scratch = try ScratchFolder(in: ScratchFolder.memoryDisk)
            for (path, bytes) in state.sorted(by: { $0.key < $1.key }) where !Self.isLogIndex(path) {
                let place = scratch.path.appending(path).string
                if let bytes {
                    let attributes: [FileAttributeKey: Any] = [.posixPermissions: 0o600]
                    guard
                        FileManager.default.createFile(atPath: place, contents: bytes, attributes: attributes)
                    else { throw CocoaError(.fileWriteUnknown) }
                } else {
                    try FileManager.default.createDirectory(
                        atPath: place,
                        withIntermediateDirectories: false,
                        attributes: [.posixPermissions: 0o700]
                    )
                }
            }
            return try await HubCheck(in: scratch.path.string).complaints(promises).first
        } catch {
            return "it cannot be opened: \(error)"
        }
    }
}

extension DiskTrace.Event {
    /// The file of SQLite that this makes.
    fileprivate var sqliteFile: UInt64? {
        guard case .make(let node, .file, let name) = self else { return nil }
        return name.name.contains(".db") ? node : nil
    }
}
