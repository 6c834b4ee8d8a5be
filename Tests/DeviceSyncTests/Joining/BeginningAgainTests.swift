import DocumentTesting
import FileSystem
import Foundation
import SyncMessages
import TestThreads
import Testing

@testable import DeviceSync

/// A container that has ended is free for the next.
@Suite("Beginning again", .onOwnThreads, .timeLimit(.minutes(2)))
struct BeginningAgainTests {
    private let pair: DevicePair

    init() throws { pair = try DevicePair() }

    /// The descriptors that this process has of a file.
    private func descriptors(of path: String) throws -> [CInt] {
        let own = "/proc/self/fd"
        return try FileManager.default.contentsOfDirectory(atPath: own).compactMap { name in
            // The listing's own is closed by now.
            let target = try? FileManager.default.destinationOfSymbolicLink(atPath: own + "/" + name)
            return target == path ? CInt(name) : nil
        }
    }

    @Test("Neither who holds on to it nor a process that is just being started keeps the next from beginning")
    func held() throws {
        let two = pair.two
        let former = two.running
        // As of a process between fork(2) and execve(2).
        let shared = try descriptors(of: two.memory.appending(DeviceMemory.lockName).string).map { dup($0) }
        defer { for descriptor in shared { close(descriptor) } }
        #expect(shared.count == 1 && shared[0] >= 0)
        two.stop()
        try two.start()
        pair.wait { pair.isSettled }
        #expect(former?.status.line == .stopped)
        pair.end()
    }

    @Test("Nobody gives orders to one that has ended, and the next hears of none")
    func orders() throws {
        let two = pair.two
        try pair.one.write("text", to: "a.txt")
        pair.wait { two.text("a.txt") == "text" && pair.isSettled }
        let former = try #require(two.running)
        two.stop()
        let orders: [(String, () throws -> Void)] = [
            ("pause", { try former.pause("a.txt", by: "a test") }),
            ("resume", { try former.resume("a.txt", .preserveLocal) { _ in } }),
            ("download", { _ = try former.download("a.txt", done: nil) }),
            ("evict", { try former.evict("a.txt") }),
            ("offer", { _ = try former.offer("a.txt") { _ in } }),
            ("fetch", { _ = try former.fetchLatest("a.txt") { _ in } }),
        ]
        for (name, order) in orders {
            let refusal = #expect(throws: SyncRefusal.self, "\(name)") { try order() }
            #expect(refusal?.code == .unreachable, "\(name)")
        }
        #expect(!former.decide(goesOn: true))
        try two.start()
        try pair.one.write("next", to: "a.txt")
        // It is not paused.
        pair.wait { two.text("a.txt") == "next" && pair.isSettled }
        pair.end()
    }
}
