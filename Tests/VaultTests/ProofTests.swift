import CrashHarness
import FileSystem
import Foundation
import SeededNumbers
import TestThreads
import Testing
import VaultHarness

@testable import Vault

@Suite("VaultProof", .onOwnThreads)
struct ProofTests {
    let item = FileMark(UUID())

    /// The harness, built beside this test.
    private func executable() throws -> String {
        let own = try FileReading.symbolicLinkText(at: FilePath("/proc/self/exe"))
        return FilePath(own).parent.appending("vault-harness").string
    }

    @Test("A vault whose process is killed before a call loses nothing that was promised")
    func kill() throws {
        var run = VaultKillRun(executable: try executable())
        run.scenarios = Array(VaultScenario.all.suffix(1))
        run.stride = 9
        let report = try run.run()
        print(report)
        #expect(report.lost == [])
    }

    @Test("The kill harness finds out a promise that was made too early")
    func brokenKill() throws {
        var run = VaultKillRun(executable: try executable())
        run.scenarios = [VaultScenario.promisesTooEarly]
        run.stride = 6
        #expect(try run.run().lost.count > 0)
    }

    @Test("A power cut after any change loses nothing that was promised, with the index and without")
    func powerCut() throws {
        let seed = UInt64.random(in: 0 ... .max)
        var run = VaultPowerCut(seed: seed)
        run.scenarios = [VaultScenario.all[0]]
        run.sampleCount = 1
        let report = try run.run()
        print("\(report), seed \(seed)")
        #expect(report.lost == [], "seed \(seed)")
    }

    @Test(
        "The power cut harness finds out a vault that does not sync",
        arguments: [VaultPowerCut.Flaw.skipsFileSync, .skipsFolderSync]
    )
    func brokenPowerCut(flaw: VaultPowerCut.Flaw) throws {
        var run = VaultPowerCut(seed: 1)
        run.flaw = flaw
        run.scenarios = [VaultScenario.all[0]]
        #expect(try run.run().lost.count > 0)
    }

    @Test("A flipped bit is found, with the versions that it touches")
    func rot() throws {
        let seed = UInt64.random(in: 0 ... .max)
        var run = BitRot(seed: seed)
        run.stride = 499
        let report = try run.run()
        print("\(report), seed \(seed)")
        #expect(report.lost == [], "seed \(seed)")
        #expect(report.stateCount > 10)
    }

    @Test("Processes that keep, remove and collect at once lose nothing that was promised")
    func race() throws {
        let seed = UInt64.random(in: 0 ... .max)
        let report = try RaceRun(executable: try executable(), seed: seed, seconds: 0).run()
        print("\(report), seed \(seed)")
        #expect(report.lost == [], "seed \(seed)")
    }

    // MARK: Repair

    func flip(_ path: FilePath, at offset: Int) throws {
        var bytes = try FileReading.contents(of: path)
        bytes[offset] ^= 4
        try bytes.write(to: path.url(isDirectory: false))
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: path.string)
    }

    func pack(_ bench: VaultBench) throws -> FilePath {
        let folder = bench.vaultPath.appending("packs")
        let names = try FileReading.entries(in: folder).map(\.name)
        return folder.appending(try #require(names.sorted().first))
    }

    @Test("Damage is repaired from the working copy, and the damaged pack goes out of use")
    func repairFromDocument() throws {
        let bench = try VaultBench()
        try VaultBench.noise(200_000, seed: 1).write(to: bench.document().url(isDirectory: false))
        let version = try bench.vault.keep(bench.document(), as: item, origin: VaultBench.origin())
        let pack = try pack(bench)
        try flip(pack, at: 1000)
        #expect(throws: VaultError.self) { try bench.vault.check(version) }
        let report = try bench.vault.verify()
        #expect(report.touchedVersions == [version.id])
        #expect(report.damages.map(\.pack) == [pack])
        #expect(try !bench.vault.repair(from: []).isClean)
        #expect(try bench.vault.repair(from: [.document(bench.document())]).isClean)
        try bench.vault.check(version)
        #expect(try FileStamp.ifPresent(at: pack) == nil)
    }

    @Test("Damage is repaired from another device's vault with the same key")
    func repairFromVault() throws {
        let (bench, other) = (try VaultBench(), try VaultBench(key: nil))
        let same = try Vault(at: other.scratch.path.appending("same"), key: bench.vault.key)
        try bench.write(["a": .file(VaultBench.text(5000, seed: 1)), "b": "two"])
        let version = try bench.vault.keep(bench.document(), as: item, origin: VaultBench.origin())
        try same.keep(bench.document(), as: item, origin: VaultBench.origin())
        let tree = try DiskTree(at: bench.document())
        try bench.write(.file("gone"))
        try flip(try pack(bench), at: 200)
        #expect(try bench.vault.verify().touchedVersions == [version.id])
        #expect(try !bench.vault.repair(from: [.vault(other.vault)]).isClean)
        #expect(try bench.vault.repair(from: [.vault(same)]).isClean)
        #expect(try bench.restored(version.id) == tree)
    }

    @Test("What is damaged is stored anew when the same bytes are kept again")
    func heals() throws {
        let bench = try VaultBench()
        try bench.write(["a": .file(VaultBench.text(5000, seed: 1)), "b": "two"])
        let first = try bench.vault.keep(bench.document(), as: item, origin: VaultBench.origin())
        try flip(try pack(bench), at: 200)
        #expect(try bench.vault.verify().touchedVersions == [first.id])
        let second = try bench.vault.keep(bench.document(), as: item, origin: VaultBench.origin())
        try bench.vault.check(first)
        try bench.vault.check(second)
        #expect(try bench.vault.verify().touchedVersions == [])
    }

    @Test("A pack with the only copy of something damaged is neither collected nor removed by a repair")
    func onlyCopyStays() throws {
        let bench = try VaultBench()
        try bench.write(["a": .file(VaultBench.text(5000, seed: 1)), "b": "two"])
        try bench.vault.keep(bench.document(), as: item, origin: VaultBench.origin())
        try bench.write(.file("other"))
        let pack = try pack(bench)
        try flip(pack, at: 200)
        let report = try bench.vault.repair(from: [.document(bench.document())])
        #expect(report.touchedVersions.count == 1)
        try bench.vault.collect(deadShareMin: 0)
        #expect(try bench.vault.verify().touchedVersions.count == 1)
        #expect(try FileStamp.ifPresent(at: pack) != nil)
    }

    @Test("A pack that an index made anew could not read all of stays until a repair has put that back")
    func unreadableStays() throws {
        let bench = try VaultBench()
        var versions: [KeptVersion] = []
        for seed in 0..<4 {
            let noise = VaultBench.noise(20_000, seed: UInt64(seed))
            try noise.write(to: bench.document().url(isDirectory: false))
            versions.append(try bench.vault.keep(bench.document(), as: item, origin: VaultBench.origin()))
        }
        // Nobody writes to it any more, which would keep it.
        bench.vault.store.dropIdleWriters()
        let pack = try pack(bench)
        // In the name that the record of the first version's only chunk has: the bytes themselves are whole.
        let offset = PackFormat.headerByteCount + 20
        try flip(pack, at: offset)
        removeIndex(bench)
        let vault = try Vault(at: bench.vaultPath)
        #expect(throws: VaultError.self) { try vault.check(versions[0]) }
        try vault.remove(versions.dropFirst().map(\.id))
        try vault.collect(deadShareMin: 0)
        #expect(try vault.repair(from: []).touchedVersions == [versions[0].id])
        try vault.collect(deadShareMin: 0)
        #expect(try FileStamp.ifPresent(at: pack) != nil)
        // Mended by hand, it has all that was in it.
        try flip(pack, at: offset)
        removeIndex(bench)
        try Vault(at: bench.vaultPath).check(versions[0])
        // And as it was before, it goes when what cannot be read is stored elsewhere.
        try flip(pack, at: offset)
        removeIndex(bench)
        let last = try Vault(at: bench.vaultPath)
        try VaultBench.noise(20_000, seed: 0).write(to: bench.document().url(isDirectory: false))
        #expect(try last.repair(from: [.document(bench.document())]).isClean)
        #expect(try FileStamp.ifPresent(at: pack) == nil)
        try last.check(versions[0])
    }

    private func removeIndex(_ bench: VaultBench) {
        for suffix in ["", "-wal", "-shm"] {
            try? FileManager.default.removeItem(
                atPath: bench.vaultPath.appending("index.sqlite" + suffix).string  // not all are there
            )
        }
    }

    @Test("A lost or ruined index is made anew, also by a vault that is open")
    func lostIndex() throws {
        let bench = try VaultBench()
        try bench.write(["a": "one"])
        let version = try bench.vault.keep(bench.document(), as: item, origin: VaultBench.origin())
        let index = bench.vaultPath.appending("index.sqlite")
        for ruin in [Data(), Data("no database at all".utf8), Data(repeating: 0, count: 8192)] {
            for suffix in ["-wal", "-shm"] {
                try? FileManager.default.removeItem(atPath: index.string + suffix)  // may not be there
            }
            try ruin.write(to: index.url(isDirectory: false))
            #expect(try Vault(at: bench.vaultPath).versions(of: item) == [version])
            #expect(try bench.vault.versions(of: item) == [version])
            try bench.vault.keep(
                bench.document(),
                as: item,
                origin: VaultBench.origin(),
                unlessUnchanged: true
            )
            #expect(try bench.vault.verify().isClean)
        }
    }

    @Test("A flipped bit in the key is found and mended, and another user's eyes are refused")
    func key() throws {
        let bench = try VaultBench()
        try bench.write(.file("one"))
        let version = try bench.vault.keep(bench.document(), as: item, origin: VaultBench.origin())
        let key = bench.vaultPath.appending("key")
        try flip(key, at: 10)
        let vault = try Vault(at: bench.vaultPath)
        #expect(try vault.verify().isKeyDamaged)
        #expect(try bench.restored(version.id, from: vault) == .file("one"))
        #expect(try vault.repair(from: []).isClean)
        try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: key.string)
        let error = #expect(throws: VaultError.self) { try Vault(at: bench.vaultPath) }
        #expect(error?.code == .notPrivate)
    }

    @Test("A full disk loses nothing that was promised, and what it left gets in nobody's way")
    func faults() throws {
        let bench = try VaultBench(in: ScratchFolder.memoryDisk)
        try bench.write(["a": "one", "b": .file(VaultBench.text(3000, seed: 1))])
        let first = try bench.vault.keep(bench.document(), as: item, origin: VaultBench.origin())
        try bench.write(["a": "two", "b": .file(VaultBench.text(3000, seed: 2))])
        var failureCount = 0
        for callNumber in stride(from: 1, through: 200, by: 3) {
            let vault = try Vault(at: bench.vaultPath)
            let injector = FaultInjector(callNumber: callNumber, errno: ENOSPC)
            let kept = SystemCallObservation.withObserver(injector) {
                // The error is not what is looked at here.
                try? vault.keep(bench.document(), as: FileMark(UUID()), origin: VaultBench.origin())
            }
            if kept == nil { failureCount += 1 }
            if injector.failed == nil { break }
        }
        #expect(failureCount > 5)
        #expect(try bench.restored(first.id) == ["a": "one", "b": .file(VaultBench.text(3000, seed: 1))])
        #expect(try bench.vault.verify().isClean)
    }
}
