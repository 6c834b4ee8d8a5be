package import CrashHarness
internal import FileSystem
internal import Foundation
internal import Locks
internal import SeededNumbers

/// Cuts the power after every change of a story, in every way that packs may look then, with the index as it was in that
/// moment, and without one.
///
/// The index is SQLite's to keep; that each commit of it lasts is its promise. That packs last before the index speaks of
/// them is ours, and what is tried here.
package struct VaultPowerCut: Sendable {
    /// How a recorded story is made worse, to show that it is noticed.
    package enum Flaw: Sendable {
        case none
        /// Packs are not synced.
        case skipsFileSync
        /// Folders are not synced.
        case skipsFolderSync
    }

    package var scenarios = VaultScenario.all
    package var flaw = Flaw.none
    package var seed: UInt64
    /// Of the states that a disk can be in after a change, so many are tried.
    package var sampleCount = 3

    package init(seed: UInt64) { self.seed = seed }

    package func run() throws -> HarnessReport {
        var report = HarnessReport(title: "vault-powercut")
        var random = SplitMix64(seed: seed)
        for scenario in scenarios {
            report.scenarioCount += 1
            try run(scenario, &random, &report)
        }
        return report
    }

    private func run(
        _ scenario: VaultScenario,
        _ random: inout SplitMix64,
        _ report: inout HarnessReport
    ) throws {
        let scratch = try ScratchFolder(in: ScratchFolder.memoryDisk)
        let vaultFolder = scratch.path.appending("vault")
        try FileManager.default.createDirectory(
            atPath: vaultFolder.string,
            withIntermediateDirectories: false,
            attributes: [.posixPermissions: 0o700]
        )
        guard var disk = VaultDisk(folder: vaultFolder) else { return }
        let recorder = VaultRecorder(vault: vaultFolder)
        try SystemCallObservation.withObserver(recorder) {
            try scenario.run(try VaultScene(scratch.path, story: recorder))
        }
        var tried: Set<Int> = []
        var promised: [DiskTree] = []
        for moment in recorder.moments {
            switch moment.event {
            case .promise(let state): promised.append(state)
            case .withdraw(let state): promised.removeAll { $0 == state }
            case .operation(let operation):
                switch (flaw, operation) {
                case (.skipsFileSync, .sync(let node)) where !disk.isFolder(node): continue
                case (.skipsFolderSync, .sync(let node)) where disk.isFolder(node): continue
                default: disk.apply(operation)
                }
            }
            for state in disk.states(sampleCount: sampleCount, &random) {
                for index in [moment.index, nil] {
                    var hasher = Hasher()
                    hasher.combine(state)
                    hasher.combine(index)
                    hasher.combine(promised)
                    guard tried.insert(hasher.finalize()).inserted else { continue }
                    report.stateCount += 1
                    if let complaint = try complaint(about: state, index, promised) {
                        report.lost.append("\(scenario.name): \(complaint)")
                    }
                }
            }
        }
    }

    private func complaint(
        about state: [String: Data?],
        _ index: [String: Data]?,
        _ promised: [DiskTree]
    ) throws -> String? {
        let scratch = try ScratchFolder(in: ScratchFolder.memoryDisk)
        let vault = scratch.path.appending("vault")
        try VaultDisk.write(state, index, to: vault)
        let isIndexLost = index == nil
        do {
            return try VaultScene.complaint(about: scratch.path, promised: promised, isIndexLost: isIndexLost)
        } catch {
            return "\(error)"
        }
    }
}
