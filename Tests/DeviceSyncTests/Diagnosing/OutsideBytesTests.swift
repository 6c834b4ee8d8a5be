import CrashHarness
import Testing

@testable import DeviceHarness

/// What gives parsers bytes that nobody has written is worth nothing where it finds nothing.
@Suite("Bytes of others")
struct OutsideBytesTests {
    private func lost(
        in rounds: UInt64,
        from seed: UInt64,
        only: String? = nil,
        _ parsers: [OutsideBytes.Parser]
    ) throws -> [String] {
        var bytes = OutsideBytes(seed: seed, roundCount: rounds)
        bytes.only = only
        return try bytes.feed(parsers).lost
    }

    /// Reads a count and so many bytes, and takes what is behind them.
    private let lax = OutsideBytes.Parser(name: "lax", samples: [[2, 7, 8], [0]]) { bytes in
        guard let count = bytes.first, bytes.count > Int(count) else { return false }
        let again = [count] + bytes.dropFirst().prefix(Int(count))
        try OutsideBytes.expect(again == bytes, "it goes on behind its end")
        return true
    }
    private let refusing = OutsideBytes.Parser(name: "refusing", samples: [[1]]) { _ in false }

    @Test("A parser that takes what nobody writes is found, and its seed alone tells it again")
    func found() throws {
        let all = [refusing, lax]
        let found = try lost(in: 500, from: 40, all)
        #expect(found.first == "refusing: sample 0 is refused")
        let first = try #require(found.first { $0.hasPrefix("seed ") })
        #expect(first.contains("parser lax") && first.contains("it goes on behind its end"))
        let words = first.split(separator: " ")
        let seed = try #require(UInt64(words[1].dropLast()))
        #expect(try lost(in: 1, from: seed, only: "lax", all) == [first])
        #expect(try lost(in: 500, from: 40, all) == found)
    }

    @Test("One that ends the process says by which seed")
    func trapped() async throws {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardOutputContent]) {
            let trap = OutsideBytes.Parser(name: "trap", samples: [[1]]) { bytes in
                precondition(bytes == [1], "nobody writes this")
                return true
            }
            _ = try OutsideBytes(seed: 77, roundCount: 100).feed([trap])
        }
        let said = String(decoding: try #require(result).standardOutputContent, as: UTF8.self)
        #expect(said.contains("bytes: seed 7") && said.contains(", parser trap\n"), "\(said)")
    }

    @Test("All that is to be read is read, and a few rounds find nothing")
    func fine() throws {
        let seed = UInt64.random(in: 0..<(1 << 40))
        let report = try OutsideBytes(seed: seed, roundCount: 50).run()
        #expect(report.lost == [], "from \(seed)")
        #expect(report.scenarioCount > 20 && report.stateCount == 50 * report.scenarioCount)
    }
}
