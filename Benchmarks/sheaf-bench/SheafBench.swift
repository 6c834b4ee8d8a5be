import Foundation

/// Measures, and writes what it found as JSON.
///
///     sheaf-bench --work FOLDER --output FILE [GROUP...]
///
/// A group may be called by the beginning of its name, up to a hyphen, with all others that begin so.
@main
@MainActor
enum SheafBench {
    private typealias Group = (name: String, run: @MainActor (WorkFolder) async throws -> [Figure])
    private static let groups: [Group] = [
        // First, as it makes so many files.
        ("watch-many", WatchBenchmark.many),
        ("save-4k", FileBenchmark.save4k),
        ("package-one", PackageBenchmark.one),
        ("package-many", PackageBenchmark.many),
        ("package-open", PackageBenchmark.open),
        ("coordinate", FileBenchmark.coordinate),
        ("agent", AgentBenchmark.run),
        ("agent-watch", AgentWatchBenchmark.run),
        ("bookmark", BookmarkBenchmark.run),
        ("watch-change", WatchBenchmark.latency),
        ("watch-marks", { try VolumeMarkBenchmark.run(in: $0) }),
        ("query", QueryBenchmark.run),
        ("vault-store", VaultBenchmark.store),
        ("vault-package", VaultBenchmark.package),
        ("vault-list", VaultBenchmark.list),
        ("vault-restore", VaultBenchmark.restore),
        ("versions", VersionBenchmark.run),
        ("changes", ChangeSetBenchmark.run),
        ("merge", MergeBenchmark.run),
        ("sealing", SealingBenchmark.run),
        ("hub", HubBenchmark.run),
        ("polls-memory", HubBenchmark.pollsMemory),
        ("polls-told", HubBenchmark.pollsTold),
    ]

    /// A document's handlers come on the main queue, so the main thread runs its loop.
    static func main() {
        // Nothing that is measured is to be in the user's own vault.
        setenv("SHEAF_VAULT", "off", 0)
        Task {
            do {
                if try await OtherProcess.run(Array(CommandLine.arguments.dropFirst())) { exit(0) }
                try await run(Array(CommandLine.arguments.dropFirst()))
                exit(0)
            } catch {
                FileHandle.standardError.write(Data("sheaf-bench: \(error)\n".utf8))
                exit(1)
            }
        }
        RunLoop.main.run()
    }

    private static func run(_ arguments: [String]) async throws {
        if arguments.count == 2, arguments[0] == "--peak-of" {
            print(Int(try await PackageBenchmark.openAndSave(URL(fileURLWithPath: arguments[1]))))
            return
        }
        if arguments == ["--merge-peak"] {
            print(Int(try ChangeSetBenchmark.mergeForMemory()))
            return
        }
        if arguments.count == 2, arguments[0] == "--write-times-to" {
            try WatchBenchmark.writeTimes(to: arguments[1])
            return
        }
        guard arguments.count >= 4, arguments[0] == "--work", arguments[2] == "--output" else {
            throw BenchmarkFailure("usage: sheaf-bench --work FOLDER --output FILE [GROUP...]")
        }
        let chosen = arguments.dropFirst(4)
        func isNamed(_ group: Group, _ name: String) -> Bool {
            group.name == name || group.name.hasPrefix(name + "-")
        }
        if let unknown = chosen.first(where: { name in !groups.contains { isNamed($0, name) } }) {
            throw BenchmarkFailure(
                "there is no group \(unknown), only \(groups.map(\.name).joined(separator: ", "))"
            )
        }
        var figures: [Figure] = []
        var used: [WorkFolder] = []
        for group in groups where chosen.isEmpty || chosen.contains(where: { isNamed(group, $0) }) {
            let work = try WorkFolder(URL(fileURLWithPath: arguments[1]).appendingPathComponent(group.name))
            used.append(work)
            // What the group before has written is on the disk, and not in this one's way.
            sync()
            figures += try await group.run(work)
        }
        for work in used { try work.remove() }
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        try encoder.encode(figures).write(to: URL(fileURLWithPath: arguments[3]))
    }
}
