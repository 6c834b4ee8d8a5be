import CrashHarness
import FileSystem
import Foundation
import Locks
import SQLite
import TestThreads
import Testing
import VaultHarness

@testable import Vault

/// Who watches a vault hears of what is settled or removed in it, whatever becomes of who does that.
@Suite("Notices of a vault", .onOwnThreads, .timeLimit(.minutes(2)))
struct NoticeTests {
    /// What is done when SQLite writes to the log of a vault's index.
    private final class Writes: SQLiteCallJudge {
        let log: String
        let answer: @Sendable () -> CInt

        init(_ vault: FilePath, _ answer: @escaping @Sendable () -> CInt) {
            log = vault.appending(VaultIndex.fileName + "-wal").string
            self.answer = answer
        }

        func judge(readOf path: String) -> CInt { 0 }
        func judge(writeTo path: String) -> CInt { path == log ? answer() : 0 }
    }

    private let bench: VaultBench
    private let item = FileMark(UUID())

    init() throws {
        bench = try VaultBench()
        try bench.write(.file("text"))
    }

    /// Watches, and waits for a notice when something has been done.
    private func waitForNotice(after body: () async throws -> Void) async throws {
        let (notices, source) = AsyncStream.makeStream(of: Void.self)
        let watch = try DirectoryWatch(bench.vault.noticePlace, on: DispatchQueue(label: "notices")) {
            events in
            if events.contains(where: { $0.kind == .changed }) { source.yield() }
        }
        defer { watch.cancel() }
        try await body()
        for await _ in notices { break }
    }

    @Test("Who is killed when it has begun to write down that a version is gone has told of it")
    func killed() async throws {
        try await waitForNotice {
            await #expect(processExitsWith: .signal(SIGKILL)) {
                [path = bench.vaultPath.string as String, document = bench.document().string as String] in
                let vault = try Vault(at: FilePath(path))
                let item = FileMark(UUID())
                let version = try vault.keep(FilePath(document), as: item, origin: VaultBench.origin())
                try SQLiteVolumes.add(
                    Writes(FilePath(path)) {
                        kill(getpid(), SIGKILL)
                        return EIO
                    }
                )
                try vault.remove([version.id])
            }
        }
    }

    @Test("It is told when it has ended, whether it was done or refused", arguments: [0, ENOSPC])
    func ended(refusal: CInt) async throws {
        let version = try bench.vault.keep(bench.document(), as: item, origin: VaultBench.origin())
        let notice = bench.vault.noticePlace.string
        let openCounts = Locked<[Int]>([])
        let judge = Writes(bench.vaultPath) {
            openCounts.withLock { $0.append(Self.writableCount(of: notice)) }
            return refusal
        }
        try SQLiteVolumes.add(judge)
        defer { SQLiteVolumes.remove(judge) }
        try await waitForNotice {
            if refusal == 0 {
                try bench.vault.remove([version.id])
            } else {
                #expect(throws: SQLiteError.self) { try bench.vault.remove([version.id]) }
            }
        }
        // Not before: what is looked at then is what was.
        #expect(openCounts.withLock { !$0.isEmpty && $0.allSatisfy { $0 == 1 } }, "\(openCounts)")
        #expect(Self.writableCount(of: notice) == 0)
    }

    /// So many descriptors of a file that can be written to this process has.
    private static func writableCount(of path: String) -> Int {
        let own = "/proc/self/fd"
        // One that is closed meanwhile is none.
        let names = (try? FileManager.default.contentsOfDirectory(atPath: own)) ?? []
        return names.count { name in
            guard let number = CInt(name),
                (try? FileManager.default.destinationOfSymbolicLink(atPath: own + "/" + name)) == path
            else { return false }
            return fcntl(number, F_GETFL) & O_ACCMODE != O_RDONLY
        }
    }
}
