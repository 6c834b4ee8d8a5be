package import CrashHarness
package import FileSystem
internal import Foundation
internal import SeededNumbers
internal import Vault

/// Several processes keep, restore, thin and collect one vault at once, and some of them are killed.
package struct RaceRun {
    package var executable: String
    package var seed: UInt64
    package var seconds: Double
    package var workerCount = 3

    package init(executable: String, seed: UInt64, seconds: Double) {
        self.executable = executable
        self.seed = seed
        self.seconds = seconds
    }

    package func run() throws -> HarnessReport {
        var report = HarnessReport(title: "vault-race")
        let scratch = try ScratchFolder()
        var random = SplitMix64(seed: seed)
        let end = Date().addingTimeInterval(seconds)
        var round = 0
        while round == 0 || Date() < end {
            round += 1
            report.scenarioCount += 1
            try runRound(scratch.path, round, &random, end, &report)
        }
        try judge(scratch.path, &report)
        return report
    }

    /// A round: all workers at once, until they have done what they are to; one of them is killed on its way.
    private func runRound(
        _ folder: FilePath,
        _ round: Int,
        _ random: inout SplitMix64,
        _ end: Date,
        _ report: inout HarnessReport
    ) throws {
        let children = try (0..<workerCount).map { number in
            let child = Process()
            child.executableURL = URL(fileURLWithPath: executable)
            // The first is killed before one of its calls; all others come to their end.
            let calls = number == 0 ? String(1 + random.below(400)) : "0"
            child.arguments = [
                "race-child", folder.string, "\(round)-\(number)", String(random.next()), calls,
            ]
            try child.run()
            return child
        }
        for (number, child) in children.enumerated() {
            child.waitUntilExit()
            report.stateCount += 1
            let isKilled = child.terminationReason == .uncaughtSignal && child.terminationStatus == SIGKILL
            if child.terminationStatus != 0, !(number == 0 && isKilled) {
                report.lost.append("round \(round): worker \(number) ended with \(child.terminationStatus)")
            }
        }
    }

    /// Every version that anybody was promised and nobody removed is there, byte for byte.
    private func judge(_ folder: FilePath, _ report: inout HarnessReport) throws {
        let vault = try Vault(at: folder.appending("vault"))
        let promises = try RacePromises(folder).standing()
        for (id, seed) in promises {
            report.stateCount += 1
            do {
                let target = folder.appending("restored")
                try vault.restore(id, to: target)
                if try DiskTree(at: target) != RaceWorker.state(seed: seed) {
                    report.lost.append("\(id) differs")
                }
                try FileManager.default.removeItem(atPath: target.string)
            } catch { report.lost.append("\(id): \(error)") }
        }
        let found = try vault.verify()
        if !found.isClean { report.lost.append("verification found \(found)") }
        try vault.collect(deadShareMin: 0)
        if try !vault.verify().isClean { report.lost.append("not clean after collecting") }
        if promises.isEmpty { report.lost.append("nothing was promised: nothing was tried") }
    }
}

/// One process of a race.
package struct RaceWorker {
    private let folder: FilePath
    private let name: String
    private var random: SplitMix64
    private let vault: Vault
    private let item: FileMark

    private static let stepCount = 25

    package init(folder: FilePath, name: String, seed: UInt64) throws {
        self.folder = folder
        self.name = name
        random = SplitMix64(seed: seed)
        vault = try Vault(at: folder.appending("vault"))
        item = FileMark(UUID())
    }

    /// States that share most of their bytes with others, so that what one keeps another has just dropped.
    static func state(seed: UInt64) -> DiskTree {
        let shared = DiskTree.file(VaultBench.text(40_000, seed: seed % 7))
        if seed % 3 == 0 { return shared }
        return [
            "Info": .file("info \(seed % 5)"), "Text": shared,
            "Pages": ["1": "one", "2": .file("\(seed % 11)")],
        ]
    }

    /// Keeps, removes and collects.
    package mutating func run() throws {
        let promises = RacePromises(folder)
        let document = folder.appending("document-\(name)")
        for _ in 0..<Self.stepCount {
            switch random.below(8) {
            case 0:
                do { try vault.collect(deadShareMin: 0) } catch let error as VaultError
                    where error.code == .busy
                {
                    continue  // another does it
                }
            case 1: try removeOne(promises)
            default:
                let seed = random.next() % 1000
                try? FileManager.default.removeItem(atPath: document.string)  // the first time there is none
                try Self.state(seed: seed).write(to: document)
                let version = try vault.keep(document, as: item, origin: VaultBench.origin(Date()))
                promises.promise(version.id, seed: seed)
            }
        }
    }

    private mutating func removeOne(_ promises: RacePromises) throws {
        let versions = try vault.versions(of: item)
        guard !versions.isEmpty else { return }
        let id = versions[random.below(versions.count)].id
        promises.withdraw(id)
        try vault.remove([id])
    }
}

/// What processes were promised, in a file that all append to.
struct RacePromises {
    private let path: String

    init(_ folder: FilePath) {
        path = folder.appending("promises").string
    }

    func promise(_ id: VersionID, seed: UInt64) { add("+\(id.uuid.uuidString) \(seed)") }
    func withdraw(_ id: VersionID) { add("-\(id.uuid.uuidString)") }

    private func add(_ line: String) {
        // One write(2) of a file opened for appending: lines of several processes do not mix.
        let file = open(path, O_WRONLY | O_CREAT | O_APPEND, 0o600)
        let bytes = Array((line + "\n").utf8)
        _ = write(file, bytes, bytes.count)
        close(file)
    }

    func standing() throws -> [(VersionID, UInt64)] {
        var standing: [UUID: UInt64] = [:]
        let text = (try? String(contentsOfFile: path, encoding: .utf8)) ?? ""  // nobody came so far
        for line in text.split(separator: "\n") {
            let words = line.dropFirst().split(separator: " ")
            guard let word = words.first, let id = UUID(uuidString: String(word)) else { continue }
            standing[id] = line.first == "+" ? words.last.flatMap { UInt64($0) } : nil
        }
        return standing.map { (VersionID($0.key), $0.value) }
    }
}
