import Agent
import Coordination
import Foundation
import LocalSockets
import SeededNumbers

/// 50 processes and 10,000 operations; processes and the agent are killed as the work goes on.
final class KillRun {
    static let fileCount = 24
    private static let clientCount = 50
    private static let operationCount = 10_000

    private let seed: UInt64
    private var random: SplitMix64
    private let folder: URL
    private let pipe: LinePipe
    private var children: [String: (process: ChildProcess, left: Int)] = [:]
    private var written: [Int: Set<Substring>] = [:]
    private var counts: [Substring: Int] = [:]
    private var (operations, clientKills, agentKills, clientsBegun) = (0, 0, 0, 0)

    init(seed: UInt64?) throws {
        self.seed = seed ?? .random(in: 0 ... .max)
        random = SplitMix64(seed: self.seed)
        folder = FileManager.default.temporaryDirectory
            .appendingPathComponent("kill-\(UUID().uuidString.prefix(8))", isDirectory: true)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        pipe = try LinePipe()
    }

    func run() throws {
        defer {
            for child in children.values { child.process.kill() }
            // A leftover in the temporary directory fails nothing.
            try? FileManager.default.removeItem(at: folder)
        }
        print("coordination: seed \(seed)")
        let began = Date()
        for index in 0..<Self.fileCount { try file(index).write([], by: "first") }
        for _ in 0..<Self.clientCount { try begin(operations: Self.operationCount / Self.clientCount) }
        try work()
        try check()
        let seconds = Date().timeIntervalSince(began)
        print(
            """
            coordination: states \(operations) operations of \(clientsBegun) processes, \(clientKills) processes \
            and \(agentKills) agents killed, \(written.values.map(\.count).reduce(0, +)) updates all there, \
            \(counts["lost", default: 0]) claims lost and said to be, 0 doubled, 0 torn, 0 left, \
            \(String(format: "%.1f", seconds)) s
            """
        )
    }

    private func file(_ index: Int) -> TokenFile {
        TokenFile(url: folder.appendingPathComponent("file\(index)"))
    }

    private func begin(operations: Int) throws {
        clientsBegun += 1
        let name = "c\(clientsBegun)"
        let seed = random.next()
        let arguments = ["client", folder.path, name, "\(operations)", "\(seed)"]
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
                try killClient()
            }
            if operations >= nextAgentKill {
                nextAgentKill += 300 + random.below(1000)
                killAgent()
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
        case "doubled":
            print("coordination: \(words[1]) was let in to file\(words[2]) beside process \(words[3])")
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
        guard !names.isEmpty, let victim = children.removeValue(forKey: names[random.below(names.count)])
        else {
            return
        }
        victim.process.kill()
        victim.process.wait()
        clientKills += 1
        if victim.left > 0 { try begin(operations: victim.left) }
    }

    private func killAgent() {
        guard let process = agentProcess() else { return }
        if kill(process, SIGKILL) == 0 { agentKills += 1 }
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
            // What one that has ended well said last may still be in the pipe.
            if status != 0 { throw HarnessFailure("client \(name) failed with \(status)") }
        }
    }

    private func check() throws {
        guard counts["doubled", default: 0] == 0 else {
            throw HarnessFailure("\(counts["doubled"] ?? 0) accesses ran beside others that they exclude")
        }
        for index in 0..<Self.fileCount {
            let tokens = try file(index).tokens()
            guard Set(tokens).count == tokens.count else {
                throw HarnessFailure("file\(index) has a token twice")
            }
            let lost = written[index, default: []].subtracting(tokens)
            guard lost.isEmpty else { throw HarnessFailure("file\(index) lost \(lost.count) updates") }
        }
        let runtime = try RuntimeFolder(path: folder.appendingPathComponent("run").path)
        guard let report = try AgentQuery.report(in: runtime) else {
            throw HarnessFailure("no agent is left")
        }
        guard report.claims.isEmpty, report.waits.isEmpty else {
            throw HarnessFailure("left: \(report.claims.count) claims, \(report.waits.count) waits")
        }
        guard let agent = agentProcess(), kill(agent, SIGTERM) == 0 else {
            throw HarnessFailure("the agent cannot be ended")
        }
        // Its lock is free once it is gone.
        withExtendedLifetime(try LockFile(waitingFor: runtime.place(of: AgentPlace.lockName))) {}
    }
}
