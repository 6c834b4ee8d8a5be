import FileSystem
import Foundation
import Locks
import TestThreads
import Testing
import VaultHarness

@testable import Vault

/// Files that somebody has open and writes while they are read.
@Suite("Files that are never at rest", .onOwnThreads, .timeLimit(.minutes(2)))
struct RestlessFileTests {
    private let bench: VaultBench

    init() throws { bench = try VaultBench() }

    private var url: URL { bench.document().url(isDirectory: false) }

    /// Does something to a file just before each time that it is read.
    private final class Writer: SystemCallObserver {
        private let path: FilePath
        private let file: Locked<FileHandle>
        private let body: @Sendable (FileHandle) throws -> Void

        init(_ path: FilePath, _ body: @escaping @Sendable (FileHandle) throws -> Void) throws {
            (self.path, self.body) = (path, body)
            file = Locked(try FileHandle(forUpdating: path.url(isDirectory: false)))
        }

        func willMake(_ call: SystemCall) -> CInt {
            guard call.name == "pread", call.path == path else { return 0 }
            do { try file.withLock { try body($0) } } catch { Issue.record("\(error)") }
            return 0
        }

        func didMake(_ call: SystemCall) {}
    }

    /// Keeps the document while it is written.
    private func keep(
        asItIs: Bool,
        in vault: Vault? = nil,
        _ body: @escaping @Sendable (FileHandle) throws -> Void
    ) throws -> Result<Vault.Kept, any Error> {
        let writer = try Writer(bench.document(), body)
        SystemCallObservation.add(writer)
        defer { SystemCallObservation.remove(writer) }
        let document = Vault.Keepable(bench.document(), as: FileMark(UUID()), isTakenAsItIs: asItIs)
        return try #require(
            try (vault ?? bench.vault).keepContents(of: [document]) { _ in VaultBench.origin() }.first
        )
    }

    private func restored(_ kept: Vault.Kept, from vault: Vault? = nil) throws -> Data {
        let target = bench.document("restored-\(UUID().uuidString)")
        try (vault ?? bench.vault).restore(kept.contents, to: target)
        return try FileReading.contents(of: target)
    }

    private static let append: @Sendable (FileHandle) throws -> Void = {
        try $0.seekToEnd()
        try $0.write(contentsOf: VaultBench.noise(200_000, seed: 2))
    }

    @Test(
        "A file that grows each time that it is read is taken as it was at one moment, where that is asked for",
        arguments: [0, 1, 100_000, 2 << 20, 5 << 20]
    )
    func growing(byteCount: Int) throws {
        try VaultBench.noise(byteCount, seed: 1).write(to: url)
        let kept = try keep(asItIs: true, Self.append).get()
        let bytes = try restored(kept)
        #expect(try bytes == Data(contentsOf: url).prefix(bytes.count))
        // The first reading is at rest with nothing; the second begins with what was added until then.
        #expect(bytes.count > byteCount && (bytes.count - byteCount) % 200_000 == 0)
        #expect(kept.readStatus?.stamp.byteCount == Int64(bytes.count))
        #expect(try bench.vault.verify().isClean)
    }

    @Test("Else it is not kept", arguments: [1, 3 << 20])
    func changing(byteCount: Int) throws {
        try VaultBench.noise(byteCount, seed: 1).write(to: url)
        let error = #expect(throws: VaultError.self) { try keep(asItIs: false, Self.append).get() }
        #expect(error?.code == .changing)
    }

    @Test("One that is cut each time that it is read is not kept as it is", arguments: [1000, 3 << 20])
    func cut(byteCount: Int) throws {
        try VaultBench.noise(byteCount, seed: 1).write(to: url)
        let error = #expect(throws: VaultError.self) {
            try keep(asItIs: true) { try $0.truncate(atOffset: try $0.seekToEnd() - 10) }.get()
        }
        #expect(error?.code == .changing)
    }

    @Test("A large file that is taken as it is is not lent: what is written next would take it away")
    func notLent() throws {
        let lending = try Vault(at: bench.document("lending"), lentByteCountMin: 1 << 20)
        try VaultBench.noise(3 << 20, seed: 1).write(to: url)
        let kept = try keep(asItIs: true, in: lending, Self.append).get()
        try Data("another".utf8).write(to: url)
        #expect(try restored(kept, from: lending).count >= 3 << 20)
    }
}
