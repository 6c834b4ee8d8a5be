import Agent
import Coordination
import Foundation
import LocalSockets
import SeededNumbers

/// 50 processes and 10,000 operations; processes and the agent are killed as the work goes on.
///
/// Writers write in place, so that who is let in beside one sees half a version, and so does who comes after one that was
/// killed. Only of those whom the run itself has killed may a half be seen; the next writer mends it, and no update that
/// was acknowledged is lost. Others present the files: at the end each of them has heard of the last version of each.
///
/// Half of the processes speak only the first version of the agent's format, and so does now and then the agent that follows
/// one that was killed: what they hold is taken over by agents of another version.
final class KillRun {
    static let fileCount = 24
    private static let watcherCount = 12
    private static let filesOfWatcher = 4
    private static let clientCount = 50
    private static let operationCount = 10_000

    private let seed: UInt64
    private var random: SplitMix64
    private let folder: URL
    private let pipe: LinePipe
    private var children: [String: (process: ChildProcess, left: Int)] = [:]
    private var written: [Int: Set<Substring>] = [:]
    private var watchers: [String: Watcher] = [:]
    private var killed: Set<Substring> = []
    private var counts: [Substring: Int] = [:]
    private var (operations, clientKills, watcherKills, agentKills, begun) = (0, 0, 0, 0, 0)
    /// What the next agent speaks, and how many were killed that were followed by one that speaks something else.
    private var (agentVersions, upgrades) = (SpokenVersions.all, 0)
    private var torn = 0

    /// A process that presents files, and what it has said of each.
    private struct Watcher {
        let process: ChildProcess
        let files: [Int]
        var heard: [Int: Substring] = [:]
        /// How many writers it has let at its files that have not told of their end yet.
        var given = 0
    }

    init(seed: UInt64?) throws {
        self.seed = seed ?? .random(in: 0 ... .max)
        random = SplitMix64(seed: self.seed)
        folder = FileManager.default.temporaryDirectory
            .appendingPathComponent("kill-\(UUID().uuidString.prefix(8))", isDirectory: true)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        pipe = try LinePipe()
        try tellNextAgent()
        setenv(SpokenVersions.variable, versionsFile.path, 1)
    }

    private var versionsFile: URL { folder.appendingPathComponent("versions") }

    private func tellNextAgent() throws {
        let text = SpokenVersions.text(agentVersions)
        try text.write(to: versionsFile, atomically: true, encoding: .utf8)
    }

    /// What the next process speaks, besides agents.
    private var nextVersions: String {
        let all = SpokenVersions.all
        return SpokenVersions.text(begun.isMultiple(of: 2) ? all : all.lowerBound...all.lowerBound)
    }

    func run() throws {
        defer {
            for child in children.values { child.process.kill() }
            for watcher in watchers.values { watcher.process.kill() }
            // A leftover in the temporary directory fails nothing.
            try? FileManager.default.removeItem(at: folder)
        }
        print("coordination: seed \(seed)")
        let began = Date()
        for index in 0..<Self.fileCount { try file(index).begin() }
        for first in 0..<Self.watcherCount {
            try beginWatcher((0..<Self.filesOfWatcher).map { (first * 2 + $0) % Self.fileCount })
        }
        for _ in 0..<Self.clientCount { try begin(operations: Self.operationCount / Self.clientCount) }
        try work()
        try rest()
        try check()
        let seconds = Date().timeIntervalSince(began)
        print(
            """
            coordination: states \(operations) operations of \(begun) processes, \(clientKills) that write and \
            \(watcherKills) that present and \(agentKills) agents killed, \(upgrades) followed by one of another version, \
            \(written.values.map(\.count).reduce(0, +)) updates all there, \
            \(counts["half", default: 0]) halves seen of killed writers, \(torn) of others, \
            \(counts["heard", default: 0]) changes heard of, \
            \(counts["lost", default: 0]) claims lost and said to be, 0 doubled, 0 left, \
            \(String(format: "%.1f", seconds)) s
            """
        )
    }

    static func file(_ index: Int, in folder: URL) -> TokenFile {
        TokenFile(url: folder.appendingPathComponent("file\(index)"))
    }

    private func file(_ index: Int) -> TokenFile { Self.file(index, in: folder) }

    private func beginWatcher(_ files: [Int]) throws {
        begun += 1
        let name = "w\(begun)"
        let arguments = ["watcher", folder.path, name, nextVersions] + files.map(String.init)
        watchers[name] = Watcher(process: try ChildProcess(arguments, output: pipe.output), files: files)
    }

    private func begin(operations: Int) throws {
        begun += 1
        let name = "c\(begun)"
        let seed = random.next()
        let arguments = ["client", folder.path, name, "\(operations)", "\(seed)", nextVersions]
        children[name] = (try ChildProcess(arguments, output: pipe.output), operations)
    }

    /// Takes what the clients say until all have ended, and kills now and then.
    private func work() throws {
        var (nextClientKill, nextAgentKill) = (100 + random.below(100), 300 + random.below(500))
        while !children.isEmpty {
            guard let lines = pipe.lines() else { throw HarnessFailure("nothing has happened for a minute") }
            for line in lines { try take(line.split(separator: " ")) }
            if operations >= nextClientKill {
                nextClientKill += 50 + random.below(200)
                if random.below(5) == 0 { try killWatcher() } else { try killClient() }
            }
            if operations >= nextAgentKill {
                nextAgentKill += 300 + random.below(1000)
                try killAgent()
            }
            try reapFailed()
        }
    }

    private func take(_ words: [Substring]) throws {
        counts[words[0], default: 0] += 1
        let name = words[1].split(separator: ":")[0]
        switch words[0] {
        case "wrote":
            for index in words[2...].compactMap({ Int($0) }) { written[index, default: []].insert(words[1]) }
            done(name)
        case "read", "lost": done(name)
        case "half":
            if !killed.contains(words[3]) {
                torn += 1
                print("coordination: \(name) saw half of what \(words[3]) was writing to file\(words[2])")
            }
        case "heard": watchers[String(name)]?.heard[Int(words[2]) ?? -1] = words[3]
        case "given": watchers[String(name)]?.given += 1
        case "back": watchers[String(name)]?.given -= 1
        case "alone": print("coordination: \(name) has decided for itself")
        case "doubled":
            print("coordination: \(words[1]) was let in to file\(words[2]) beside process \(words[3])")
        case "dies":
            if let child = children.removeValue(forKey: String(name)) {
                child.process.wait()
                try replace(String(name), left: child.left)
            }
        case "ended": children.removeValue(forKey: String(name))?.process.wait()
        default: break
        }
    }

    private func done(_ name: Substring) {
        operations += 1
        children[String(name)]?.left -= 1
    }

    private func killClient() throws {
        let names = children.keys.sorted()
        guard !names.isEmpty else { return }
        let name = names[random.below(names.count)]
        guard let victim = children.removeValue(forKey: name) else { return }
        victim.process.kill()
        victim.process.wait()
        try replace(name, left: victim.left)
    }

    /// Begins another in place of one that has died.
    private func replace(_ name: String, left: Int) throws {
        killed.insert(Substring(name))
        clientKills += 1
        if left > 0 { try begin(operations: left) }
    }

    private func killWatcher() throws {
        let names = watchers.keys.sorted()
        let name = names[random.below(names.count)]
        guard let victim = watchers.removeValue(forKey: name) else { return }
        victim.process.kill()
        victim.process.wait()
        watcherKills += 1
        try beginWatcher(victim.files)
    }

    private func killAgent() throws {
        guard let process = agentProcess() else { return }
        let (all, before) = (SpokenVersions.all, agentVersions)
        agentVersions = random.below(3) == 0 ? before : before == all ? all.lowerBound...all.lowerBound : all
        // Before it dies: whoever misses it starts the next one at once.
        try tellNextAgent()
        guard kill(process, SIGKILL) == 0 else { return }
        agentKills += 1
        if agentVersions != before { upgrades += 1 }
    }

    private func agentProcess() -> pid_t? {
        let lock = folder.appendingPathComponent("run/\(AgentPlace.lockName)").path
        // No agent has begun yet, or one is just beginning: there is none to kill.
        guard let text = try? String(contentsOfFile: lock, encoding: .utf8) else { return nil }
        return pid_t(text.trimmingCharacters(in: .whitespacesAndNewlines)).flatMap { $0 > 1 ? $0 : nil }
    }

    /// A client that ends without having said so has failed.
    private func reapFailed() throws {
        for (name, child) in children {
            var status: Int32 = 0
            guard waitpid(child.process.id, &status, WNOHANG) == child.process.id else { continue }
            // That it would die is in the pipe, and so is before who finds what it left.
            if status == SIGKILL {
                children[name] = nil
                try replace(name, left: child.left)
                continue
            }
            // What one that has ended well said last may still be in the pipe.
            if status != 0 { throw HarnessFailure("client \(name) failed with \(status)") }
        }
        for (name, watcher) in watchers where waitpid(watcher.process.id, nil, WNOHANG) != 0 {
            throw HarnessFailure("watcher \(name) has ended")
        }
    }

    /// Waits until who presents a file has heard of its last version, and has been told of the end of each writer.
    private func rest() throws {
        let last = try (0..<Self.fileCount).map { Substring(try file($0).contents().generation) }
        while true {
            let behind = watchers.filter { _, watcher in
                watcher.given != 0 || watcher.files.contains { watcher.heard[$0] != last[$0] }
            }
            guard !behind.isEmpty else { break }
            guard let lines = pipe.lines() else {
                let texts = behind.map { name, watcher in
                    let files = watcher.files.filter { watcher.heard[$0] != last[$0] }
                    return "\(name) of file \(files), \(watcher.given) writers not ended"
                }
                throw HarnessFailure("changes not heard of: \(texts.sorted().joined(separator: "; "))")
            }
            for line in lines { try take(line.split(separator: " ")) }
            try reapFailed()
        }
        for watcher in watchers.values {
            watcher.process.kill()
            watcher.process.wait()
        }
        watchers = [:]
    }

    private func check() throws {
        guard counts["doubled", default: 0] == 0, torn == 0 else {
            throw HarnessFailure(
                "\(counts["doubled", default: 0]) accesses ran beside others that they exclude, \(torn) saw half a version"
            )
        }
        guard counts["alone", default: 0] == 0 else {
            throw HarnessFailure("\(counts["alone", default: 0]) accesses were let in by no agent")
        }
        try checkEffort()
        for index in 0..<Self.fileCount {
            let contents = try file(index).contents()
            guard contents.isWhole || killed.contains(contents.writer) else {
                throw HarnessFailure("file\(index) is half of what \(contents.writer) wrote")
            }
            let tokens = contents.tokens
            guard Set(tokens).count == tokens.count else {
                throw HarnessFailure("file\(index) has a token twice")
            }
            let lost = written[index, default: []].subtracting(tokens)
            guard lost.isEmpty else { throw HarnessFailure("file\(index) lost \(lost.count) updates") }
        }
        let runtime = try RuntimeFolder(path: folder.appendingPathComponent("run").path)
        try checkNothingIsLeft(in: runtime)
        guard let agent = agentProcess(), kill(agent, SIGTERM) == 0 else {
            throw HarnessFailure("the agent cannot be ended")
        }
        // Its lock is free once it is gone.
        withExtendedLifetime(try LockFile(waitingFor: runtime.place(of: AgentPlace.lockName))) {}
    }

    /// A run in which too little was killed has proved nothing.
    private func checkEffort() throws {
        let efforts = [
            ("operations", operations, Self.operationCount * 9 / 10), ("clients killed", clientKills, 20),
            ("watchers killed", watcherKills, 2), ("agents killed", agentKills, 4),
            ("agents followed by one of another version", upgrades, 1),
            ("halves seen of killed writers", counts["half", default: 0], 1),
            ("changes heard of", counts["heard", default: 0], Self.fileCount),
        ]
        for (what, count, countMin) in efforts where count < countMin {
            throw HarnessFailure("only \(count) \(what), at least \(countMin) are needed: it proves nothing")
        }
    }

    /// What the last to be killed has held goes when the agent hears of its end.
    private func checkNothingIsLeft(in runtime: RuntimeFolder) throws {
        let deadline = Date(timeIntervalSinceNow: 5)
        while true {
            guard let report = try AgentQuery.report(in: runtime) else {
                throw HarnessFailure("no agent is left")
            }
            if report.claims.isEmpty, report.waits.isEmpty { return }
            guard Date() < deadline else {
                throw HarnessFailure("left: \(report.claims.count) claims, \(report.waits.count) waits")
            }
        }
    }
}
