import DocumentTesting
import FileSystem
import Foundation
import SyncMessages
import Testing

@testable import DeviceSync

/// A container that has ended is free for the next.
@Suite("Beginning again", .timeLimit(.minutes(2)))
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
}
