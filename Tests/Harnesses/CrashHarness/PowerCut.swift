package import FileSystem
internal import Foundation
internal import SeededNumbers

/// Cuts the power after every call of a save, in every way the disk may look then.
package struct PowerCut: Sendable {
    /// How a recorded save is made worse, to show that it is noticed.
    package enum Flaw: Sendable {
        case none
        /// File contents are not synced.
        case skipsFileSync
        /// What is to be replaced is removed first.
        case removesBeforeRename
        /// Folders are not synced.
        case skipsFolderSync
    }

    package var scenarios = SaveScenario.all
    package var flaw = Flaw.none
    /// The start of the random samples of states that are too many to try all.
    package var seed: UInt64
    /// Where the states are made; memory is fast.
    package var base = ScratchFolder.memoryDisk

    package init(seed: UInt64) { self.seed = seed }

    /// Up to how many pending changes every subset of them is tried.
    private static let changesExhaustedMax = 12
    private static let sampleCount = 500

    package func run() throws -> HarnessReport {
        var report = HarnessReport(title: "powercut")
        for scenario in scenarios {
            report.scenarioCount += 1
            try run(scenario, &report)
        }
        return report
    }

    private func run(_ scenario: SaveScenario, _ report: inout HarnessReport) throws {
        let scratch = try ScratchFolder(in: base)
        let item = scratch.path.appending(SaveScenario.itemName)
        try scenario.old?.write(to: item)
        guard var model = DiskModel(folder: scratch.path.string) else { return }
        let recorder = CallRecorder(refusesExchange: scenario.refusesExchange)
        try SystemCallObservation.withObserver(recorder) {
            try scenario.save(item) { recorder.didCommit() }
        }
        guard try DiskTree(at: item) == scenario.new else {
            report.lost.append("\(scenario.name): not saved")
            return
        }
        var random = SplitMix64(seed: seed)
        var tried: Set<DiskTree> = []
        for operation in flawed(recorder.operations, in: model) {
            model.apply(operation)
            switch operation {
            // A node without a name cannot be seen, and a sync only rules states out.
            case .make, .sync, .syncAll: continue
            case .entries, .append, .replaceContents: break
            case .commit: tried = []
            }
            var kept = choices(count: model.pending.count, &random)
            // Without the change just made the disk looks as it did before.
            if case .entries = operation { kept.removeAll { $0.last == false } }
            try tryStates(of: model, keeping: kept, scenario, &tried, &report)
        }
    }

    private func tryStates(
        of model: DiskModel,
        keeping choices: [[Bool]],
        _ scenario: SaveScenario,
        _ tried: inout Set<DiskTree>,
        _ report: inout HarnessReport
    ) throws {
        for kept in choices {
            for data in model.hasUnsyncedData ? UnsyncedData.allCases : [.kept] {
                let state = model.tree(keeping: kept, data)
                guard tried.insert(state).inserted else { continue }
                report.stateCount += 1
                if let complaint = try complaint(about: state, scenario, mustBeNew: model.isCommitted) {
                    report.lost.append(complaint)
                }
            }
        }
    }

    private func complaint(
        about state: DiskTree,
        _ scenario: SaveScenario,
        mustBeNew: Bool
    ) throws -> String? {
        let scratch = try ScratchFolder(in: base)
        let folder = scratch.path.appending("disk")
        try state.write(to: folder)
        do { return try scenario.complaint(about: folder, mustBeNew: mustBeNew) } catch {
            return "\(scenario.name): \(error)"
        }
    }

    /// Which of so many changes are kept: all ways when they are few, else the likely and some others.
    private func choices(count: Int, _ random: inout SplitMix64) -> [[Bool]] {
        if count <= Self.changesExhaustedMax {
            return (0..<(1 << count)).map { bits in (0..<count).map { bits >> $0 & 1 == 1 } }
        }
        var choices = (0...count).map { prefix in (0..<count).map { $0 < prefix } }
        for first in 0..<count {
            for second in first..<count { choices.append((0..<count).map { $0 != first && $0 != second }) }
        }
        for _ in 0..<Self.sampleCount { choices.append((0..<count).map { _ in random.next() & 1 == 1 }) }
        return choices
    }

    private func flawed(_ operations: [DiskOperation], in model: DiskModel) -> [DiskOperation] {
        var folders: Set<NodeID> = [model.root]
        for case .make(let node, .folder) in operations { folders.insert(node) }
        return operations.flatMap { operation -> [DiskOperation] in
            switch (flaw, operation) {
            case (.skipsFileSync, .sync(let node)): folders.contains(node) ? [operation] : []
            case (.skipsFolderSync, .sync(let node)): folders.contains(node) ? [] : [operation]
            case (.removesBeforeRename, .entries(let synced, let changes)) where changes.count > 1:
                [removal(before: changes, synced), operation]
            default: [operation]
            }
        }
    }

    private func removal(
        before changes: [DirectoryEntry: NodeID?],
        _ folders: Set<NodeID>
    ) -> DiskOperation {
        .entries(syncedBy: folders, changes.compactMapValues { $0 }.mapValues { _ in NodeID?.none })
    }
}
