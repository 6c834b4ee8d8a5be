import Foundation
import Testing

@testable import LocalSockets

@Suite("Memory of a process")
struct ProcessMemoryTests {
    /// How much of files is mapped and in memory, in kibibytes.
    private func fileKibibytes() throws -> Int {
        let status = try String(contentsOfFile: "/proc/self/status", encoding: .utf8)
        let line = try #require(status.split(separator: "\n").first { $0.hasPrefix("RssFile:") })
        return try #require(line.split(whereSeparator: { !$0.isNumber }).first.flatMap { Int($0) })
    }

    @Test("Code and constants that were given back are there when they are needed again")
    func programPages() throws {
        // What is touched by this alone is in memory by now.
        let numbers = (0..<1000).map { _ in Int.random(in: 0...999) }
        _ = try fileKibibytes()
        var before = 0
        var after = 0
        for _ in 0..<5 {
            before = try fileKibibytes()
            ProcessMemory.returnProgramPages()
            after = try fileKibibytes()
            // Other tests touch some again meanwhile.
            if after < before { break }
        }
        #expect(after < before)
        let formatter = DateFormatter()
        formatter.dateFormat = "yyyy"
        formatter.timeZone = TimeZone(identifier: "UTC")
        #expect(formatter.string(from: Date(timeIntervalSince1970: 0)) == "1970")
        #expect(numbers.sorted().reduce(0, +) == numbers.reduce(0, +))
        #expect(throws: CocoaError.self) { try String(contentsOfFile: "/proc/self/nothing", encoding: .utf8) }
    }
}
