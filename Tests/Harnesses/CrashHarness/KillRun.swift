package import FileSystem
internal import Foundation

/// Kills a saving process before every call that changes the disk, and opens what it left.
package struct KillRun: Sendable {
    package var scenarios = SaveScenario.all
    /// The executable whose `child` command saves.
    package var executable: String
    /// The disk to save on; nil for the system's temporary folder.
    package var base: FilePath?

    package init(executable: String) { self.executable = executable }

    /// No save makes so many calls; one that does is not coming to an end.
    private static let callCountMax = 2000

    package func run() throws -> HarnessReport {
        var report = HarnessReport(title: "kill")
        for scenario in scenarios {
            report.scenarioCount += 1
            for callNumber in 1...Self.callCountMax {
                report.stateCount += 1
                if try runOnce(scenario, callNumber: callNumber, &report) { break }
            }
        }
        return report
    }

    /// - Returns: Whether the save came to its end.
    private func runOnce(
        _ scenario: SaveScenario,
        callNumber: Int,
        _ report: inout HarnessReport
    ) throws -> Bool {
        let scratch = try ScratchFolder(in: base)
        let folder = scratch.path.appending("disk")
        try FileManager.default.createDirectory(atPath: folder.string, withIntermediateDirectories: false)
        try scenario.old?.write(to: folder.appending(SaveScenario.itemName))
        let child = Process()
        child.executableURL = URL(fileURLWithPath: executable)
        child.arguments = ["child", scenario.name, folder.string, String(callNumber)]
        try child.run()
        child.waitUntilExit()
        let isDone = child.terminationReason == .exit
        if isDone, child.terminationStatus != 0 {
            report.lost.append("\(scenario.name): the child failed with \(child.terminationStatus)")
            return true
        }
        if let complaint = try scenario.complaint(about: folder, mustBeNew: isDone) {
            report.lost.append("before call \(callNumber): \(complaint)")
        }
        return isDone
    }

    /// Saves in this process and dies before the given call.
    package static func runChild(_ scenario: SaveScenario, in folder: FilePath, callNumber: Int) throws {
        let killer = Killer(callNumber: callNumber, refusesExchange: scenario.refusesExchange)
        let item = folder.appending(SaveScenario.itemName)
        if scenario.name == removesFirst.name { return try saveRemovingFirst(scenario.new, at: item, killer) }
        try SystemCallObservation.withObserver(killer) { try scenario.save(item) {} }
    }

    /// A save as it must not be: it has to be found out.
    package static let removesFirst = SaveScenario(
        name: "broken: removes first",
        old: .file("old contents"),
        new: .file("new contents")
    ) { _, _ in }

    private static func saveRemovingFirst(_ new: DiskTree, at item: FilePath, _ killer: Killer) throws {
        killer.pass()
        try FileManager.default.removeItem(atPath: item.string)
        killer.pass()
        try new.write(to: item)
    }
}
