import CrashHarness
import FileSystem
import Foundation
import Locks
import TestThreads
import Testing
import VaultHarness

@testable import Vault

@Suite("VaultKey", .onOwnThreads)
struct VaultKeyTests {
    private let item = FileMark(UUID())

    private func place(_ bench: VaultBench, _ name: String = "key") -> FilePath {
        bench.vaultPath.appending(name)
    }

    private func write(_ bytes: [UInt8], to path: FilePath) throws {
        try Data(bytes).write(to: path.url(isDirectory: false))
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: path.string)
    }

    private func move(_ source: FilePath, to target: FilePath) throws {
        try FileManager.default.moveItem(atPath: source.string, toPath: target.string)
    }

    /// The vault's files that have to do with the key.
    private func files(_ bench: VaultBench) throws -> [String] {
        try FileReading.entries(in: bench.vaultPath).map(\.name).filter { $0.hasPrefix("key") }.sorted()
    }

    private func packs(_ bench: VaultBench) throws -> [String: Data] {
        let folder = bench.vaultPath.appending("packs")
        var packs: [String: Data] = [:]
        for entry in try FileReading.entries(in: folder) {
            packs[entry.name] = try FileReading.contents(of: folder.appending(entry.name))
        }
        return packs
    }

    private func kept(_ bench: VaultBench) throws -> VersionID {
        try bench.write(.file("one"))
        return try bench.vault.keep(bench.document(), as: item, origin: VaultBench.origin()).id
    }

    // MARK: Volumes

    @Test("A volume whose rename knows no conditions has a vault, whose key comes back to its place")
    func plainRenames() throws {
        let bench = try VaultBench()
        let other = bench.scratch.path.appending("other")
        _ = try kept(bench)
        try move(place(bench), to: place(bench, "key.old"))
        try SystemCallObservation.withObserver(PlainRenames(in: bench.scratch.path)) {
            let (again, made) = (try Vault(at: bench.vaultPath), try Vault(at: other))
            let madeAgain = try Vault(at: other)
            #expect(again.key == bench.vault.key && madeAgain.key == made.key)
        }
        #expect(try files(bench) == ["key"])
    }

    // MARK: Mending

    @Test("A key that is mended on a full disk is there all the time")
    func fullDisk() throws {
        let bench = try VaultBench(in: ScratchFolder.memoryDisk)
        let version = try kept(bench)
        var damaged = [UInt8](try FileReading.contents(of: place(bench)))
        damaged[10] ^= 4
        var failureCount = 0
        for callNumber in 1...1000 {
            try write(damaged, to: place(bench))
            let vault = try Vault(at: bench.vaultPath)
            let injector = FaultInjector(callNumber: callNumber, errno: ENOSPC)
            let report = SystemCallObservation.withObserver(injector) {
                // The error is not what is looked at here.
                try? vault.repair(from: [])
            }
            if report == nil { failureCount += 1 }
            let reopened = try Vault(at: bench.vaultPath)
            #expect(reopened.key == bench.vault.key, "call \(callNumber)")
            #expect(try bench.restored(version, from: reopened) == .file("one"), "call \(callNumber)")
            #expect(try files(bench) == ["key"], "call \(callNumber)")
            guard injector.failed != nil else {
                #expect(report?.isClean == true)
                break
            }
        }
        #expect(failureCount > 10)
    }

    /// Opens the vault whenever something is about to be done with the key's files, and when it is done.
    private final class Opener: SystemCallObserver {
        private struct State {
            var isOpening = false
            var keys: [[UInt8]?] = []
        }

        private let vault: FilePath
        private let state = Locked(State())

        init(_ vault: FilePath) { self.vault = vault }

        /// The key that was found each time; nil where the vault was not opened.
        var keys: [[UInt8]?] { state.withLock { $0.keys } }

        func willMake(_ call: SystemCall) -> CInt {
            open(call)
            return 0
        }

        func didMake(_ call: SystemCall) { open(call) }

        private func open(_ call: SystemCall) {
            guard call.effect.isMutating, call.path.name.hasPrefix("key"),
                state.withLock({ state in
                    defer { state.isOpening = true }
                    return !state.isOpening
                })
            else { return }
            let key = try? Vault(at: vault).key
            state.withLock { state in
                state.isOpening = false
                state.keys.append(key)
            }
        }
    }

    @Test("Who opens a vault while its key is mended finds the same key at any moment")
    func openedMeanwhile() throws {
        let bench = try VaultBench()
        let version = try kept(bench)
        var damaged = [UInt8](try FileReading.contents(of: place(bench)))
        damaged[10] ^= 4
        try write(damaged, to: place(bench))
        let opener = Opener(bench.vaultPath)
        let report = try SystemCallObservation.withObserver(opener) { try bench.vault.repair(from: []) }
        #expect(report.isClean)
        #expect(opener.keys.count > 4)
        #expect(opener.keys.allSatisfy { $0 == bench.vault.key })
        let reopened = try Vault(at: bench.vaultPath)
        #expect(reopened.key == bench.vault.key)
        #expect(try bench.restored(version, from: reopened) == .file("one"))
    }

    // MARK: A key that is gone

    @Test("A vault whose key is gone is not opened and stays as it is, until the key is put back")
    func gone() throws {
        let bench = try VaultBench()
        let version = try kept(bench)
        let before = try packs(bench)
        try move(place(bench), to: bench.document("backup"))
        for _ in 0..<2 {
            let error = #expect(throws: VaultError.self) { try Vault(at: bench.vaultPath) }
            #expect(error?.code == .damaged)
            #expect(error?.path == place(bench))
        }
        #expect(try files(bench) == [])
        #expect(try packs(bench) == before)
        try move(bench.document("backup"), to: place(bench))
        #expect(try bench.restored(version, from: Vault(at: bench.vaultPath)) == .file("one"))
    }

    @Test("A vault in which nothing is kept yet is given another key")
    func nothingKept() throws {
        let bench = try VaultBench()
        try FileManager.default.removeItem(atPath: place(bench).string)
        #expect(try Vault(at: bench.vaultPath).key != bench.vault.key)
    }

    @Test("What a program left that was stopped while it mended the key is the key again")
    func former() throws {
        let bench = try VaultBench()
        let version = try kept(bench)
        try move(place(bench), to: place(bench, "key.old"))
        let reopened = try Vault(at: bench.vaultPath)
        #expect(reopened.key == bench.vault.key)
        #expect(try bench.restored(version, from: reopened) == .file("one"))
        #expect(try files(bench) == ["key"])
    }

    @Test("Another vault's key is not taken for the one that is gone")
    func foreign() throws {
        let (bench, other) = (try VaultBench(), try VaultBench())
        let version = try kept(bench)
        let key = [UInt8](try FileReading.contents(of: place(bench)))
        try FileManager.default.removeItem(atPath: place(bench).string)
        try write([UInt8](FileReading.contents(of: place(other))), to: place(bench, "key.old"))
        #expect(throws: VaultError.self) { try Vault(at: bench.vaultPath) }
        #expect(throws: VaultError.self) { try Vault(at: bench.vaultPath, key: other.vault.key) }
        #expect(try files(bench) == ["key.old"])
        try write(key, to: place(bench))
        #expect(try bench.restored(version, from: Vault(at: bench.vaultPath)) == .file("one"))
    }

    @Test("The key that another device has opens the vault whose own is gone")
    func given() throws {
        let bench = try VaultBench()
        let version = try kept(bench)
        try FileManager.default.removeItem(atPath: place(bench).string)
        let reopened = try Vault(at: bench.vaultPath, key: bench.vault.key)
        #expect(try bench.restored(version, from: reopened) == .file("one"))
        #expect(try Vault(at: bench.vaultPath).key == bench.vault.key)
    }

    @Test("A vault that is open puts its key back when it is repaired")
    func putBack() throws {
        let bench = try VaultBench()
        let version = try kept(bench)
        try FileManager.default.removeItem(atPath: place(bench).string)
        #expect(try bench.vault.verify().isKeyDamaged)
        #expect(try bench.vault.repair(from: []).isClean)
        #expect(try bench.restored(version, from: Vault(at: bench.vaultPath)) == .file("one"))
    }
}
