import CrashHarness
import FileSystem
import Foundation
import TestThreads
import Testing
import VaultHarness

@testable import Vault

/// A disk that cannot read some bytes of one file.
private final class FailingSectors: SystemCallObserver {
    private let path: FilePath
    private let bytes: Range<Int>

    init(_ bytes: Range<Int>, of path: FilePath) { (self.bytes, self.path) = (bytes, path) }

    func willMake(_ call: SystemCall) -> CInt {
        guard case .read(let range) = call.effect, call.path == path else { return 0 }
        return range.overlaps(bytes) ? EIO : 0
    }

    func didMake(_ call: SystemCall) {}
}

@Suite("Packs with bad sectors", .onOwnThreads)
struct BadSectorTests {
    private let item = FileMark(UUID())
    private let bench: VaultBench
    private let versions: [KeptVersion]
    private let pack: FilePath

    /// A vault with four versions in one pack, which nobody writes to.
    init() throws {
        bench = try VaultBench()
        var versions: [KeptVersion] = []
        for seed in UInt64(0)..<4 {
            let noise = VaultBench.noise(20_000, seed: seed)
            try noise.write(to: bench.document().url(isDirectory: false))
            versions.append(try bench.vault.keep(bench.document(), as: item, origin: VaultBench.origin()))
        }
        bench.vault.store.dropIdleWriters()
        self.versions = versions
        let folder = bench.vaultPath.appending("packs")
        pack = folder.appending(try #require(try FileReading.entries(in: folder).map(\.name).first))
    }

    /// Does something while some bytes of the pack cannot be read.
    private func without<Value>(_ bytes: Range<Int>, _ body: () throws -> Value) rethrows -> Value {
        let sectors = FailingSectors(bytes, of: pack)
        SystemCallObservation.add(sectors)
        defer { SystemCallObservation.remove(sectors) }
        return try body()
    }

    private func byteCount() throws -> Int { Int(try FileStamp(of: pack).byteCount) }

    private func withoutIndex() throws -> Vault {
        for suffix in ["", "-wal", "-shm"] {
            let path = bench.vaultPath.appending("index.sqlite" + suffix).string
            if FileManager.default.fileExists(atPath: path) {
                try FileManager.default.removeItem(atPath: path)
            }
        }
        return try Vault(at: bench.vaultPath)
    }

    @Test("What is in a bad sector is damaged, and all beside it is whole; it is put back from the document")
    func healed() throws {
        // In the last version's bytes, which the document still has.
        let bad = 65_536..<69_632
        try without(bad) {
            for version in versions.dropLast() { try bench.vault.check(version) }
            let error = #expect(throws: VaultError.self) { try bench.vault.check(versions[3]) }
            #expect(error?.code == .damaged)
            let report = try bench.vault.verify()
            #expect(report.touchedVersions == [versions[3].id] && report.indexFaults == [])
            #expect(report.damages.allSatisfy { $0.pack == pack && $0.bytes.overlaps(bad) })
            #expect(report.damages.count == 1)
            #expect(try !bench.vault.repair(from: []).isClean)
            #expect(try bench.vault.repair(from: [.document(bench.document())]).isClean)
            for version in versions { try bench.vault.check(version) }
        }
        #expect(try FileStamp.ifPresent(at: pack) == nil)
        for version in versions { try bench.vault.check(version) }
    }

    @Test(
        "An index is made anew beside a bad sector, and nothing of the pack is cut off for it",
        arguments: [true, false]
    )
    func indexed(isAtEnd: Bool) throws {
        let end = try byteCount()
        let bad = isAtEnd ? end - 100..<end : 4096..<8192
        try without(bad) {
            let vault = try withoutIndex()
            let touched = versions.filter { (try? vault.check($0)) == nil }
            #expect(touched.count == (isAtEnd ? 0 : 1) || isAtEnd && touched == [versions[3]])
            try vault.collect(deadShareMin: 0)
            #expect(try byteCount() == end)
        }
        // The disk can read it again.
        let vault = try withoutIndex()
        for version in versions { try vault.check(version) }
    }

    @Test("A disk that reads nothing of a pack is no damage of that: its error is told, and nothing is noted")
    func dead() throws {
        try without(0..<(.max)) {
            let vault = try Vault(at: bench.vaultPath)
            for body in [{ try vault.check(versions[0]) }, { _ = try vault.verify() }] {
                let error = #expect(throws: SystemError.self) { try body() }
                #expect(error?.errno == EIO)
            }
        }
        #expect(try bench.vault.verify().isClean)
    }
}
