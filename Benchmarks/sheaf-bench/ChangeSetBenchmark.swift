import ChangeSets
import Foundation

/// Two replicas with equally many concurrent changes, half of them on the same property, merged and read out.
enum ChangeSetBenchmark {
    private static let memoryCount = 100_000
    private static let libraries = [
        (name: "pycrdt", argument: "pycrdt"), (name: "loro", argument: "loro"),
        (name: "y-py", argument: "ypy"),
    ]

    static func run(in work: WorkFolder) throws -> [Figure] {
        var figures: [Figure] = []
        for (count, runs, milliseconds) in [(300, 41, 0.5), (10_000, 11, 15), (100_000, 5, 150)] {
            var own = Samples()
            for _ in 0..<runs { own.add(try merge(count)) }
            figures += try figuresBesidePeers(count, runs, own, .valueAtMost(milliseconds))
        }
        return figures + [try memory()]
    }

    private static func figuresBesidePeers(
        _ count: Int,
        _ runs: Int,
        _ own: Samples,
        _ goal: Figure.Goal
    ) throws -> [Figure] {
        let what = "merge of \(count) concurrent change sets a side, half on the same property, and read-out"
        return try libraries.enumerated().map { index, library in
            let id = "changes-\(count)" + (index == 0 ? "" : "-\(library.argument)")
            let goal = index == 0 ? goal : nil
            guard let peer = try Self.peer(library.argument, count, runs) else {
                return Figure(id, "\(what); \(library.name) is missing", own, .milliseconds, goal: goal)
            }
            return Figure(id, what, own, .milliseconds, beside: library.name, peer.samples, goal: goal)
        }
    }

    private static func memory() throws -> Figure {
        let what = "memory of both replicas after a merge of \(memoryCount) a side, the whole process"
        var own = Samples()
        let program = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath().path
        let text = try Peers.output(of: program, "--merge-peak").trimmingCharacters(
            in: .whitespacesAndNewlines
        )
        guard let bytes = Double(text) else { throw BenchmarkFailure("--merge-peak printed \(text)") }
        own.add(bytes)
        guard let peer = try peer("pycrdt", memoryCount, 1) else {
            return Figure(
                "changes-memory",
                "\(what); pycrdt is missing",
                own,
                .mebibytes,
                goal: .valueAtMost(100)
            )
        }
        var peak = Samples()
        peak.add(peer.peakBytes)
        return Figure(
            "changes-memory",
            what,
            own,
            .mebibytes,
            beside: "pycrdt",
            peak,
            goal: .valueAtMost(100)
        )
    }

    /// Merges once, for what memory that takes.
    static func mergeForMemory() throws -> Double {
        _ = try merge(memoryCount)
        return try Peers.peakBytes()
    }

    private struct Peer: Decodable {
        let seconds: [Double]
        let peakBytes: Double

        var samples: Samples {
            var samples = Samples()
            for second in seconds { samples.add(second) }
            return samples
        }
    }

    /// What a library takes; nil when it is not there.
    private static func peer(_ library: String, _ count: Int, _ runs: Int) throws -> Peer? {
        guard let python = ProcessInfo.processInfo.environment["SHEAF_BENCH_CRDT_\(library.uppercased())"]
        else {
            return nil
        }
        let text = try Peers.output(of: python, "Benchmarks/crdt-merge.py", library, "\(count)", "\(runs)")
        return try JSONDecoder().decode(Peer.self, from: Data(text.utf8))
    }

    /// - Returns: The seconds that encoding one side's changes, applying them and reading out took.
    private static func merge(_ count: Int) throws -> Double {
        var here = try replica(1, count, first: 0, "A")
        let there = try replica(2, count, first: count / 2, "B")
        var values: [String: ChangeValue] = [:]
        let elapsed = try seconds {
            guard let batch = there.encodedChanges(since: here.vector) else {
                throw BenchmarkFailure("a log does not begin with its first change")
            }
            try here.applyAll(batch)
            values = here.values(of: "value", ofType: "Object")
        }
        guard values.count == count + count / 2 else {
            throw BenchmarkFailure("\(values.count) values after a merge")
        }
        return elapsed
    }

    private static func replica(_ device: UInt8, _ count: Int, first: Int, _ side: String) throws -> Replica {
        let bytes = (device, device, device, device, device, device, device, device)
        let uuid = UUID(
            uuid: (
                bytes.0, bytes.1, bytes.2, bytes.3, bytes.4, bytes.5, bytes.6, bytes.7,
                bytes.0, bytes.1, bytes.2, bytes.3, bytes.4, bytes.5, bytes.6, bytes.7
            )
        )
        var replica = Replica(device: DeviceID(uuid))
        for number in 0..<count {
            let digits = "\(first + number)"
            let id = "obj" + String(repeating: "0", count: max(0, 6 - digits.count)) + digits
            let change = PropertyChange("value", .set(.text("\(side)-value-\(number)")))
            try replica.record(.add, "Object", id, [change], at: 1_790_000_000_000 + UInt64(number))
        }
        return replica
    }
}
