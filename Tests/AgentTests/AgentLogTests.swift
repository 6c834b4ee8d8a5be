import Agent
import Foundation
import TestThreads
import Testing

/// Standard error is one for a process, so each has a process of its own.
@Suite("AgentLog", .onOwnThreads)
struct AgentLogTests {
    /// Puts a pipe in the place of standard error.
    ///
    /// - Returns: Where what is written comes out.
    private static func redirect() throws -> Int32 {
        var ends: [Int32] = [0, 0]
        try #require(pipe(&ends) == 0)
        try #require(dup2(ends[1], STDERR_FILENO) == STDERR_FILENO)
        close(ends[1])
        return ends[0]
    }

    private static func read(_ input: Int32) -> String {
        var buffer = [UInt8](repeating: 0, count: 65536)
        let count = Foundation.read(input, &buffer, buffer.count)
        return String(decoding: buffer.prefix(max(count, 0)), as: UTF8.self)
    }

    @Test(
        "A sentence is one line, without anything that a terminal obeys, and not longer than a pipe takes whole"
    )
    func line() async {
        await #expect(processExitsWith: .success) {
            let input = try Self.redirect()
            AgentLog.say("“a\u{1B}[2J\nb” waits.")
            let said = Self.read(input)
            AgentLog.say(String(repeating: "x", count: 10_000))
            let long = Self.read(input)
            exit(
                said == "sheaf agent: “a?[2J?b” waits.\n" && long.utf8.count == 4096 && long.hasSuffix("x\n")
                    ? 0 : 1
            )
        }
    }

    @Test("A reader who takes nothing, or has gone, holds up nobody")
    func nobodyReads() async {
        await #expect(processExitsWith: .success) {
            signal(SIGPIPE, SIG_IGN)
            let input = try Self.redirect()
            // More than any pipe holds.
            for _ in 0..<2000 { AgentLog.say(String(repeating: "x", count: 1000)) }
            close(input)
            AgentLog.say("Nobody is there.")
            exit(0)
        }
    }
}
