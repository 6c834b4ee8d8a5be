import CrashHarness
import FileSystem
import Foundation
import Glibc
import Locks
import TestThreads
import Testing
import VaultHarness

@testable import Vault

/// A disk that refuses each of some calls once, where a vault's packs are.
private struct RefusingOnce: SystemCallObserver {
    private let left: Locked<Set<String>>

    init(_ calls: Set<String>) { left = Locked(calls) }

    var isDone: Bool { left.withLock { $0.isEmpty } }

    func willMake(_ call: SystemCall) -> CInt {
        guard call.path.string.contains("/packs/") else { return 0 }
        return left.withLock { $0.remove(call.name) == nil ? 0 : EIO }
    }

    func didMake(_ call: SystemCall) {}
}

/// Writes down which calls were made, each with the name of what it was about.
private struct MadeCalls: SystemCallObserver {
    private let calls = Locked<[String]>([])

    var all: [String] { calls.withLock { $0 } }

    func willMake(_ call: SystemCall) -> CInt { 0 }
    func didMake(_ call: SystemCall) { calls.withLock { $0.append("\(call.name) \(call.path.name)") } }
}

@Suite("Packs on a disk that fails", .onOwnThreads)
struct FailingPackTests {
    private let item = FileMark(UUID())

    private func keep(_ text: String, _ bench: VaultBench, in vault: Vault? = nil) throws -> KeptVersion {
        try bench.write(.file(text))
        return try (vault ?? bench.vault).keep(bench.document(), as: item, origin: VaultBench.origin())
    }

    private func byteCount(_ pack: PackRow, _ bench: VaultBench) throws -> Int {
        Int(try FileStamp(of: bench.vaultPath.appending("packs").appending(pack.fileName)).byteCount)
    }

    private func onlyPack(_ vault: Vault) throws -> PackRow {
        let packs = try vault.store.withIndex { try $0.packs() }
        #expect(packs.count == 1)
        return try #require(packs.first)
    }

    @Test(
        "What the disk has refused of a pack is never taken for durable, though the disk says no more of it",
        arguments: [["fsync"], ["write"], ["fsync", "ftruncate"], ["write", "ftruncate"]]
    )
    func refused(calls: [String]) throws {
        let bench = try VaultBench()
        let first = try keep("first", bench)
        let disk = RefusingOnce(Set(calls))
        SystemCallObservation.withObserver(disk) {
            _ = #expect(throws: SystemError.self) { _ = try keep("refused", bench) }
        }
        #expect(disk.isDone)
        let later = try keep("later", bench)
        let hasher = try VaultHasher(key: bench.vault.key)
        let chunk = try Array("refused".utf8).withUnsafeBytes { try hasher.name(.chunk, $0) }
        for vault in [bench.vault, try Vault(at: bench.vaultPath)] {
            #expect(try vault.store.withIndex { try $0.place(of: chunk, evenDamaged: true) } == nil)
            #expect(try vault.versions(of: item).map(\.id) == [first.id, later.id])
            for version in [first, later] { try vault.check(version) }
            #expect(try vault.verify().isClean)
        }
    }

    @Test("A new pack that the disk refused has nothing in it")
    func refusedNew() throws {
        let bench = try VaultBench()
        let disk = RefusingOnce(["fsync"])
        SystemCallObservation.withObserver(disk) {
            _ = #expect(throws: SystemError.self) { _ = try keep("refused", bench) }
        }
        #expect(disk.isDone)
        let vault = try Vault(at: bench.vaultPath)
        #expect(try vault.store.withIndex { try $0.packs() } == [])
        #expect(try vault.versions(of: item) == [])
    }

    @Test("A pack that could not be cut back is written to no more, and is cut back by whoever opens it next")
    func cutLater() throws {
        let bench = try VaultBench()
        var vault: Vault? = try Vault(at: bench.vaultPath)
        let first = try keep("first", bench, in: vault)
        let pack = try onlyPack(bench.vault)
        SystemCallObservation.withObserver(RefusingOnce(["fsync", "ftruncate"])) {
            _ = #expect(throws: SystemError.self) { _ = try keep("refused", bench, in: vault) }
        }
        #expect(try byteCount(pack, bench) > pack.byteCount)
        #expect(vault != nil)
        vault = nil
        let next = try Vault(at: bench.vaultPath)
        #expect(try byteCount(pack, bench) == pack.byteCount)
        #expect(try onlyPack(next).isSealed)
        let later = try keep("later", bench, in: next)
        for version in [first, later] { try next.check(version) }
        #expect(try next.verify().isClean)
    }

    @Test(
        "An index made anew speaks of nothing that is not durable, whoever writes to the pack",
        arguments: [true, false]
    )
    func syncedBeforeTold(isWrittenTo: Bool) throws {
        let bench = try VaultBench()
        let version = try keep("first", bench)
        let pack = try onlyPack(bench.vault)
        if !isWrittenTo { bench.vault.store.dropIdleWriters() }
        for suffix in ["", "-wal", "-shm"] {
            // Not all of them need be there.
            try? FileManager.default.removeItem(
                atPath: bench.vaultPath.appending(VaultIndex.fileName + suffix).string
            )
        }
        let calls = MadeCalls()
        let vault = try SystemCallObservation.withObserver(calls) { try Vault(at: bench.vaultPath) }
        #expect(calls.all.contains("fsync \(pack.fileName)"))
        #expect(try vault.versions(of: item) == [version])
    }

    @Test("Packs in which nothing is needed are gone for good before they are forgotten")
    func deadForGood() throws {
        let bench = try VaultBench()
        _ = try keep("first", bench)
        let pack = try onlyPack(bench.vault)
        bench.vault.store.dropIdleWriters()
        try bench.vault.store.writeIndex { try $0.setDead(pack: pack.number) }
        let calls = MadeCalls()
        let vault = try SystemCallObservation.withObserver(calls) { try Vault(at: bench.vaultPath) }
        let removal = try #require(calls.all.firstIndex(of: "unlinkat \(pack.fileName)"))
        #expect(calls.all[removal...].contains("fsync packs"))
        #expect(try vault.store.withIndex { try $0.packs() } == [])
    }
}
