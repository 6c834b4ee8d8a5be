import Foundation
import StandardStreams
import Testing

@Suite("Standard error")
struct StandardErrorTests {
    @Test("A stream that is closed, full or read by nobody any more ends no process")
    func untaken() async {
        await #expect(processExitsWith: .success) {
            for make in [{ open("/dev/full", O_WRONLY) }, { Self.pipeWithoutReader() }] {
                let stream = make()
                try #require(stream >= 0 && dup2(stream, STDERR_FILENO) == STDERR_FILENO)
                StandardError.say("nobody takes this")
                StandardError.write("nor this")
            }
            close(STDERR_FILENO)
            StandardError.say("nor this at all")
        }
    }

    @Test("A line is said whole, however long, to one who reads slowly")
    func whole() async throws {
        let line = String(repeating: "né ", count: 100_000)
        let result = try await #require(
            processExitsWith: .success,
            observing: [\.standardErrorContent]
        ) {
            StandardError.say(String(repeating: "né ", count: 100_000))
        }
        #expect(String(decoding: result.standardErrorContent, as: UTF8.self) == line + "\n")
    }

    private static func pipeWithoutReader() -> Int32 {
        var ends: [Int32] = [0, 0]
        guard pipe(&ends) == 0 else { return -1 }
        signal(SIGPIPE, SIG_IGN)
        close(ends[0])
        return ends[1]
    }
}
