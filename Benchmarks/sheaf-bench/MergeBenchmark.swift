import Foundation
import Merging

/// A text of a megabyte that two sides edited at a thousand places each, merged from files into a file.
enum MergeBenchmark {
    private static let lineCount = 20_000
    private static let editCount = 1000
    private static let runCount = 21

    static func run(in work: WorkFolder) throws -> [Figure] {
        let base = (0..<lineCount).map(line)
        // Ten lines at least lie between any two edits: there is nothing to argue about.
        let versions = ["base": base, "mine": edited(base, 5, "m"), "theirs": edited(base, 15, "t")]
        for (name, lines) in versions {
            try Data(lines.joined(separator: "\n").utf8).write(to: work.item(name))
        }
        let paths = ["mine", "base", "theirs"].map { work.item($0).path }
        var (own, git, diff3) = (Samples(), Samples(), Samples())
        for _ in 0..<runCount {
            own.add(try seconds { try merge(work) })
            if let elapsed = try peer("git merge-file -p --quiet", paths, work) { git.add(elapsed) }
            if let elapsed = try peer("diff3 -m", paths, work) { diff3.add(elapsed) }
        }
        let what = "merge of a text of 1 MB with 1,000 edits a side, from files into a file"
        return [
            figure("merge-text", what, own, "git merge-file", git),
            figure("merge-text-diff3", what, own, "diff3 -m", diff3),
        ]
    }

    private static func figure(
        _ id: String,
        _ what: String,
        _ own: Samples,
        _ name: String,
        _ peer: Samples
    ) -> Figure {
        peer.count == 0
            ? Figure(id, "\(what); \(name) is missing", own, .milliseconds)
            : Figure(id, what, own, .milliseconds, beside: name, peer, goal: .ratioAtMost(1))
    }

    /// - Returns: The seconds that a peer took, its start among them; nil when it is missing.
    private static func peer(_ command: String, _ paths: [String], _ work: WorkFolder) throws -> Double? {
        let program = command.split(separator: " ").map(String.init)
        let output = work.item("merged-by-\(program[0])").path
        let words = program + paths
        guard let elapsed = try Peers.run(words, output: output) else { return nil }
        guard try Data(contentsOf: URL(fileURLWithPath: output)) == Data(contentsOf: work.item("merged"))
        else {
            throw BenchmarkFailure("\(command) and we came to different texts")
        }
        return elapsed
    }

    private static func merge(_ work: WorkFolder) throws {
        let versions = try ["base", "mine", "theirs"].map { [UInt8](try Data(contentsOf: work.item($0))) }
        let merged = TextMerger().merge(base: versions[0], mine: versions[1], theirs: versions[2])
        guard merged.conflicts.isEmpty else { throw BenchmarkFailure("\(merged.conflicts.count) conflicts") }
        try Data(merged.contents).write(to: work.item("merged"))
    }

    private static func line(_ number: Int) -> String {
        let words = (0..<7).map { "word\((number &* 7919 &+ $0 &* 104_729) % 997)" }.joined(separator: " ")
        return number % 4 == 0 ? "}" : "\(words) \(number % 5000)"
    }

    /// Changed, put in and taken away in turn.
    private static func edited(_ base: [String], _ offset: Int, _ tag: String) -> [String] {
        var lines: [String] = []
        for (number, line) in base.enumerated() {
            guard number % (lineCount / editCount) == offset else {
                lines.append(line)
                continue
            }
            switch number / (lineCount / editCount) % 3 {
            case 0: lines.append(line + " " + tag)
            case 1: lines += [line, "\(tag) \(number)"]
            default: break
            }
        }
        return lines
    }
}
