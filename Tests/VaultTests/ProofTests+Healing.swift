import CrashHarness
import FileSystem
import Foundation
import Locks
import SQLite
import Testing
import VaultHarness

@testable import Vault

// What becomes of damage that others come by, or that is mended only half.
extension ProofTests {
    @Test("What is damaged of the newest version is stored anew when the document is found to be unchanged")
    func healsUnchanged() throws {
        let bench = try VaultBench()
        try bench.write(["a": .file(VaultBench.text(5000, seed: 1)), "b": "two"])
        let first = try bench.vault.keep(bench.document(), as: item, origin: VaultBench.origin())
        let tree = try DiskTree(at: bench.document())
        try flip(try pack(bench), at: 200)
        #expect(try bench.vault.verify().touchedVersions == [first.id])
        let again = try bench.vault.keep(
            bench.document(),
            as: item,
            origin: VaultBench.origin(),
            unlessUnchanged: true
        )
        #expect(again.id == first.id)
        #expect(try bench.vault.versions(of: item).count == 1)
        // From now on the version is all that is left of it.
        try bench.write(.file("other"))
        try bench.vault.check(first)
        #expect(try bench.restored(first.id) == tree)
        #expect(try bench.vault.verify().touchedVersions == [])
    }

    private struct Refusal: Error {}

    /// Stores anew what of a document is damaged, but for telling the index.
    private func putBackUntold(_ bench: VaultBench) throws {
        let session = try KeepSession(store: bench.vault.store)
        var keeper = ItemKeeper(session: session, item: FileMark(UUID()), moment: Vault.fileMoment)
        _ = try keeper.keep(bench.document(), .all)
        #expect(throws: Refusal.self) {
            try session.commit { (_: VaultIndex) throws -> Void in throw Refusal() }
        }
    }

    @Test("Lists that were stored anew without the index's being told stay where versions lead to them")
    func putBackAndNotTold() throws {
        let bench = try VaultBench()
        try VaultBench.noise(200_000, seed: 1).write(to: bench.document().url(isDirectory: false))
        let version = try bench.vault.keep(bench.document(), as: item, origin: VaultBench.origin())
        let list = try #require(try version.root().content)
        #expect(list.level > 0)
        try flip(try pack(bench), at: 1000)
        #expect(try bench.vault.verify().touchedVersions == [version.id])
        try putBackUntold(bench)
        // It finds them in the pack. That all below is there nobody has seen yet.
        let vault = try Vault(at: bench.vaultPath)
        #expect(try vault.store.withIndex { try $0.isDamaged(list.name) } == true)
        try vault.check(version)
        #expect(try vault.verify().touchedVersions == [])
        #expect(try vault.store.withIndex { try $0.isDamaged(list.name) } == false)
    }

    /// Has the index say that something is gone, when a document is looked at for the first time.
    private final class Disturbance: SystemCallObserver {
        private let index: String
        private let document: FilePath
        private let isDone = Locked(false)

        init(_ bench: VaultBench) {
            index = bench.vaultPath.appending(VaultIndex.fileName).string
            document = bench.document()
        }

        var hasHappened: Bool { isDone.withLock { $0 } }

        func willMake(_ call: SystemCall) -> CInt {
            guard call.path == document, case .read = call.effect else { return 0 }
            let isFirst = isDone.withLock { isDone in
                defer { isDone = true }
                return !isDone
            }
            guard isFirst else { return 0 }
            do {
                try SQLiteConnection(path: index).execute(
                    "UPDATE meta SET value = value + 1 WHERE key = 'generation'"
                )
            } catch { Issue.record(error) }
            return 0
        }

        func didMake(_ call: SystemCall) {}
    }

    @Test("A repair that somebody got in the way of puts back what is damaged all the same")
    func disturbedRepair() throws {
        let bench = try VaultBench()
        try VaultBench.noise(200_000, seed: 1).write(to: bench.document().url(isDirectory: false))
        let version = try bench.vault.keep(bench.document(), as: item, origin: VaultBench.origin())
        try flip(try pack(bench), at: 1000)
        let disturbance = Disturbance(bench)
        let report = try SystemCallObservation.withObserver(disturbance) {
            try bench.vault.repair(from: [.document(bench.document())])
        }
        #expect(disturbance.hasHappened)
        #expect(report.isClean)
        try bench.vault.check(version)
    }
}
