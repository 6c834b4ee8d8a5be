import CrashHarness
import FileSystem
import Foundation
import Locks
import TestThreads
import Testing
import VaultHarness

@testable import Vault

@Suite("Versions of a document that bears another mark", .onOwnThreads)
struct HandingOverTests {
    private let former = FileMark(UUID())
    private let item = FileMark(UUID())

    /// Somebody who comes just before anything is written to a pack, once.
    private final class Latecomer: SystemCallObserver {
        private let hasComeOnce = Locked(false)
        private let come: @Sendable () throws -> Void

        init(_ come: @escaping @Sendable () throws -> Void) { self.come = come }

        var hasCome: Bool { hasComeOnce.withLock { $0 } }

        func willMake(_ call: SystemCall) -> CInt {
            guard call.name == "write", call.path.string.contains("/packs/"),
                hasComeOnce.withLock({ hasCome in
                    defer { hasCome = true }
                    return !hasCome
                })
            else { return 0 }
            do { try come() } catch { Issue.record(error) }
            return 0
        }

        func didMake(_ call: SystemCall) {}
    }

    private static let states: [DiskTree] = [["a": "one", "b": "both"], ["a": "two", "b": "both"]]

    private func keepAll(_ bench: VaultBench) throws -> [VersionID] {
        try Self.states.map { state in
            try bench.write(state)
            return try bench.vault.keep(bench.document(), as: former, origin: VaultBench.origin()).id
        }
    }

    private func withoutIndex(_ bench: VaultBench) throws -> Vault {
        for suffix in ["", "-wal", "-shm"] {
            try? FileManager.default.removeItem(
                atPath: bench.vaultPath.appending("index.sqlite" + suffix).string  // not all are there
            )
        }
        return try Vault(at: bench.vaultPath)
    }

    @Test("A document has its versions under its new mark, and under the former one")
    func copied() throws {
        let bench = try VaultBench()
        let kept = try keepAll(bench)
        let copied = try bench.vault.copyVersions(of: former, to: item)
        #expect(try bench.vault.versions(of: former).map(\.id) == kept)
        let copies = try bench.vault.versions(of: item)
        #expect(kept.compactMap { copied[$0] } == copies.map(\.id) && copied.count == kept.count)
        #expect(try copies.compactMap { try bench.restored($0.id) } == Self.states)
        #expect(try bench.vault.copyVersions(of: former, to: item) == [:])
        #expect(try bench.vault.versions(of: item) == copies)
        #expect(try bench.vault.verify().isClean)
    }

    @Test("Versions that are removed and collected while they are copied are not listed under the new mark")
    func collectedMeanwhile() throws {
        let bench = try VaultBench()
        _ = try keepAll(bench)
        let (other, mark) = (try Vault(at: bench.vaultPath), former)
        let latecomer = Latecomer {
            try other.removeVersions(of: mark)
            #expect(try other.collect(deadShareMin: 0).forgottenCount > 0)
        }
        let copied = try SystemCallObservation.withObserver(latecomer) {
            try bench.vault.copyVersions(of: former, to: item)
        }
        #expect(latecomer.hasCome && copied == [:])
        #expect(try bench.vault.versions(of: item) == [])
        #expect(try bench.vault.verify().isClean)
        let rebuilt = try withoutIndex(bench)
        #expect(try rebuilt.versions(of: item) == [])
        #expect(try rebuilt.verify().isClean)
    }

    @Test("A version that is removed while it is copied is removed under both marks, and the others stay")
    func removedMeanwhile() throws {
        let bench = try VaultBench()
        let kept = try keepAll(bench)
        let other = try Vault(at: bench.vaultPath)
        let latecomer = Latecomer { try other.remove([kept[0]]) }
        let copied = try SystemCallObservation.withObserver(latecomer) {
            try bench.vault.copyVersions(of: former, to: item)
        }
        #expect(latecomer.hasCome && Set(copied.keys) == [kept[1]])
        try checkThatOnlyLastIsLeft(of: kept, bench, bench.vault)
        try checkThatOnlyLastIsLeft(of: kept, bench, withoutIndex(bench))
    }

    private func checkThatOnlyLastIsLeft(of kept: [VersionID], _ bench: VaultBench, _ vault: Vault) throws {
        #expect(try vault.versions(of: former).map(\.id) == [kept[1]])
        let copies = try vault.versions(of: item)
        #expect(try copies.compactMap { try bench.restored($0.id, from: vault) } == [Self.states[1]])
        #expect(try vault.verify().isClean)
    }
}
