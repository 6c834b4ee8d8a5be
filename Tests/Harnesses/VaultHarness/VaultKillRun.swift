package import CrashHarness
package import FileSystem
internal import Foundation
internal import Locks

/// Kills a process before every call by which it changes files of a vault, and opens what it left.
package struct VaultKillRun: Sendable {
    package var scenarios = VaultScenario.all
    /// The executable whose `child` command tells the story.
    package var executable: String
    /// Only every so many calls are tried.
    package var stride = 1

    package init(executable: String) { self.executable = executable }

    private static let callCountMax = 2000

    package func run() throws -> HarnessReport {
        var report = HarnessReport(title: "vault-kill")
        for scenario in scenarios {
            report.scenarioCount += 1
            for callNumber in Swift.stride(from: 1, through: Self.callCountMax, by: stride) {
                report.stateCount += 1
                if try runOnce(scenario, callNumber: callNumber, &report) { break }
            }
        }
        return report
    }

    /// - Returns: Whether the story came to its end.
    private func runOnce(
        _ scenario: VaultScenario,
        callNumber: Int,
        _ report: inout HarnessReport
    ) throws -> Bool {
        let scratch = try ScratchFolder(in: ScratchFolder.memoryDisk)
        let child = Process()
        child.executableURL = URL(fileURLWithPath: executable)
        child.arguments = ["child", scenario.name, scratch.path.string, String(callNumber)]
        try child.run()
        child.waitUntilExit()
        let isDone = child.terminationReason == .exit
        if isDone, child.terminationStatus != 0 {
            report.lost.append("\(scenario.name): the child failed with \(child.terminationStatus)")
            return true
        }
        let promised = try PromiseFile(scratch.path).promised()
        if let complaint = try VaultScene.complaint(about: scratch.path, promised: promised) {
            report.lost.append("\(scenario.name), before call \(callNumber): \(complaint)")
        }
        return isDone
    }

    /// Tells a story in this process and dies before the given call.
    package static func runChild(_ scenario: VaultScenario, in folder: FilePath, callNumber: Int) throws {
        let killer = Killer(callNumber: callNumber, refusesExchange: false)
        try SystemCallObservation.withObserver(killer) {
            try scenario.run(try VaultScene(folder, story: PromiseFile(folder)))
        }
    }
}

/// Promises in a file beside the vault, which outlives the process that made them.
struct PromiseFile: VaultStory {
    private let path: String

    init(_ folder: FilePath) {
        path = folder.appending("promises").string
    }

    func promise(_ state: DiskTree) { add("+", state) }
    func withdraw(_ state: DiskTree) { add("-", state) }

    /// One line each, by a number that is the same in every process.
    private func add(_ sign: String, _ state: DiskTree) {
        guard let file = fopen(path, "a") else { return }
        fputs("\(sign)\(state.fingerprint)\n", file)
        fclose(file)
    }

    /// What was promised and not withdrawn, of the states that the stories know.
    func promised() throws -> [DiskTree] {
        // A child that died before its first promise has left no file.
        let lines = (try? String(contentsOfFile: path, encoding: .utf8)) ?? ""
        var promised: Set<UInt64> = []
        for line in lines.split(separator: "\n") {
            guard let number = UInt64(line.dropFirst()) else { continue }
            if line.first == "+" { promised.insert(number) } else { promised.remove(number) }
        }
        let known = VaultScene.allStates + [.file("never kept")]
        return known.filter { promised.contains($0.fingerprint) }
    }
}

extension DiskTree {
    /// A number that tells one state from another in every process, which a hash value does not.
    var fingerprint: UInt64 {
        var hash: UInt64 = 0xcbf2_9ce4_8422_2325
        func add(_ text: String) { for byte in text.utf8 { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01b3 } }
        func add(_ tree: DiskTree) {
            switch tree {
            case .file(let text): add("f\(text)")
            case .link(let text): add("l\(text)")
            case .folder(let members):
                add("d\(members.count)")
                for name in members.keys.sorted() {
                    add(name)
                    if let member = members[name] { add(member) }
                }
            }
        }
        add(self)
        return hash
    }
}
