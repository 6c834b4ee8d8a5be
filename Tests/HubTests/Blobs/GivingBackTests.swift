import Dispatch
import FileSystem
import Foundation
import HubHarness
import HubProtocol
import Locks
import SQLite
import TestThreads
import Testing

@testable import Hub

/// The volume of a hub, some folder of this machine's, that does not take the room of one piece of a segment back, and tells of
/// removals.
private final class StubbornVolume: SystemCallObserver {
    private struct State {
        /// How many pieces are taken back before the one that is not; nil for all.
        var left: Int?
        var removal: (suffix: String, then: @Sendable () -> Void)?
    }

    private let folder: String
    private let state = Locked(State())

    init(_ folder: FilePath) {
        self.folder = folder.url(isDirectory: true).resolvingSymlinksInPath().path
        SystemCallObservation.add(self)
    }

    /// Refuses one piece, after so many.
    func refuse(after count: Int) { state.withLock { $0.left = count } }

    /// Calls once, before a file is removed whose path ends so.
    func beforeRemoval(of suffix: String, _ then: @escaping @Sendable () -> Void) {
        state.withLock { $0.removal = (suffix, then) }
    }

    func end() { SystemCallObservation.remove(self) }

    func willMake(_ call: SystemCall) -> CInt {
        guard call.path.string.hasPrefix(folder) else { return 0 }
        if case .remove = call.effect {
            let then = state.withLock { state -> (@Sendable () -> Void)? in
                guard let removal = state.removal, call.path.string.hasSuffix(removal.suffix) else {
                    return nil
                }
                state.removal = nil
                return removal.then
            }
            then?()
        }
        guard call.name == "fallocate" else { return 0 }
        return state.withLock { state in
            guard let left = state.left else { return 0 }
            state.left = left == 0 ? nil : left - 1
            return left == 0 ? EIO : 0
        }
    }

    func didMake(_ call: SystemCall) {}
}

@Suite("Room that is given back", .onOwnThreads, .timeLimit(.minutes(3)))
struct GivingBackTests {
    private let folder: HubFolder
    private let store: SegmentedBlobStore
    private let owner = BlobOwner(.test, .first)

    init() throws {
        folder = try HubFolder()
        // Its clock leaps.
        store = try SegmentedBlobStore(in: try folder.open(), uptime: LeapingClock.make())
    }

    private func put(_ numbers: ClosedRange<Int>, byteCount: Int) async throws {
        let batch = try store.begin(for: owner)
        for number in numbers {
            try batch.add(.numbered(number), [UInt8](repeating: UInt8(number), count: byteCount))
        }
        _ = try await batch.commit()
    }

    private func sweep() async throws {
        try await store.sweep(retentionSeconds: 3600, uploadSeconds: 3600)
    }

    /// Where what was deleted lies whose room has not been given back.
    private func garbage() async throws -> [Int] {
        try await store.database.readers.perform { connection in
            let select = try connection.statement("SELECT start FROM garbage ORDER BY start")
            var starts: [Int] = []
            while try select.step() { starts.append(select.integer(0)) }
            return starts
        }
    }

    @Test("One piece that the volume does not take back keeps no other, and is tried again")
    func onePiece() async throws {
        let volume = StubbornVolume(folder.path)
        defer { volume.end() }
        try await put(1...4, byteCount: 4096)
        let released = try await store.release((1...3).map(BlobName.numbered), of: owner)
        #expect(released.count == 3)
        try await sweep()
        #expect(try await garbage() == [0, 4096, 8192])
        volume.refuse(after: 1)
        let failure = await #expect(throws: SystemError.self) { try await sweep() }
        #expect(failure?.errno == EIO)
        let left = try await garbage()
        #expect(left.count == 1)
        // Always the first by now.
        volume.refuse(after: 0)
        await #expect(throws: SystemError.self) { try await sweep() }
        #expect(try await garbage() == left)
        try await sweep()
        #expect(try await garbage().isEmpty)
        #expect(try await store.missing([.numbered(4)], of: owner).isEmpty)
    }

    @Test("While the room of many blobs is given back others' work has its turn")
    func many() async throws {
        let volume = StubbornVolume(folder.path)
        defer { volume.end() }
        let count = 2 * SegmentedBlobStore.givenBackCountMax + 500
        try await store.database.writer.perform { connection in
            try connection.execute(
                """
                WITH RECURSIVE numbers(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < \(count))
                INSERT INTO garbage(key, segment, start, bytes, since) SELECT x'00', 0, n, 1, 0 FROM numbers
                """
            )
        }
        let left = Locked<Int?>(nil)
        volume.beforeRemoval(of: "/\(count).blob") { [self] in
            let done = DispatchSemaphore(value: 0)
            Task {
                try? await put(1...1, byteCount: 100)
                let count = try? await garbage().count
                left.withLock { $0 = count }
                done.signal()
            }
            done.wait()
        }
        try await sweep()
        #expect(left.withLock { $0 } == 500)
        #expect(try await garbage().isEmpty)
        #expect(try await store.missing([.numbered(1)], of: owner).isEmpty)
    }
}
