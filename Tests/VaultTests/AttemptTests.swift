import CrashHarness
import FileSystem
import Foundation
import TestThreads
import Testing
import VaultHarness

@testable import Vault

@Suite("What is kept while others take away", .onOwnThreads)
struct AttemptTests {
    private let item = FileMark(UUID())
    private let other = FileMark(UUID())

    // MARK: Attempts one after the other

    /// Keeps a document, others taking away so often what is relied upon.
    private func keep(
        _ bench: VaultBench,
        disturbedTimes count: Int
    ) throws -> [Result<Vault.Kept, any Error>] {
        var left = count
        let store = bench.vault.store
        return try bench.vault.keepContents(of: [Vault.Keepable(bench.document(), as: item)]) { _ in
            left -= 1
            if left >= 0 {
                do { try store.writeIndex { try $0.advanceGeneration() } } catch { Issue.record(error) }
            }
            return VaultBench.origin()
        }
    }

    @Test(
        "A document is kept though others take away meanwhile, and nothing stays of the attempts before",
        arguments: [0, 1, 3, 5]
    )
    func disturbed(count: Int) throws {
        let bench = try VaultBench()
        try bench.write(["a": .file(VaultBench.text(5000, seed: 1)), "b": "two"])
        let kept = try #require(try keep(bench, disturbedTimes: count).first).get()
        #expect(try bench.vault.has(kept.contents))
        #expect(try bench.vault.versions(of: item).count == 1)
        // Records that are no version's would be taken for a later program's.
        try bench.vault.collect(deadShareMin: 0)
        #expect(try bench.vault.verify().isClean)
        bench.vault.store.dropIdleWriters()
        try bench.vault.store.replaceIndex()
        #expect(try bench.vault.versions(of: item).count == 1)
    }

    @Test("Where others take away all the time, the vault is busy")
    func busy() throws {
        let bench = try VaultBench()
        try bench.write(["a": "one", "b": "two"])
        let error = #expect(throws: VaultError.self) { _ = try keep(bench, disturbedTimes: .max) }
        #expect(error?.code == .busy)
        #expect(try bench.vault.versions(of: item) == [])
        let kept = try #require(try keep(bench, disturbedTimes: 0).first).get()
        #expect(try bench.vault.has(kept.contents))
    }

    @Test("Who finds that a version keeps a state already keeps it anew where that is removed meanwhile")
    func removedMeanwhile() throws {
        let bench = try VaultBench()
        try bench.write(["a": "one"])
        let first = try bench.vault.keep(bench.document(), as: item, origin: VaultBench.origin())
        let state = (root: try first.root(), item: item, origin: VaultBench.origin())
        let session = try KeepSession(store: bench.vault.store)
        let isKnown = try bench.vault.versions([state], by: session).first?.get() == nil
        #expect(isKnown)
        try session.checkCurrent()
        try bench.vault.remove([first.id])
        #expect(throws: KeepSession.Stale.self) { try session.checkCurrent() }
        #expect(throws: KeepSession.Stale.self) { try session.commit { _ in } }
        try session.refresh()
        let made = try bench.vault.versions([state], by: session).first?.get()
        let (version, object) = try #require(made)
        try session.commit { try $0.insert(version, object: object) }
        #expect(try bench.vault.versions(of: item).map(\.id) == [version.id])
        try bench.vault.check(version)
    }

    // MARK: What an attempt has left

    /// Keeps a document as `Vault.keep` does, as if all of it had been at rest for a while.
    private func attempt(
        _ bench: VaultBench,
        by session: KeepSession,
        meanwhile: () throws -> Void = {}
    ) throws -> KeptVersion {
        let moment = Vault.fileMoment + 10_000_000_000
        var keeper = ItemKeeper(session: session, item: item, moment: moment)
        let root = try keeper.keep(bench.document(), .all)
        let version = try KeptVersion(id: .fresh(), item: item, origin: VaultBench.origin(), root: root)
        let object = try session.storeRecord(of: version)
        let caches = keeper.caches
        try meanwhile()
        try session.commit { index in
            try index.insert(version, object: object)
            for cache in caches {
                try index.setMemberCache(item, cache, generation: session.generation)
            }
        }
        return version
    }

    private func write(_ bytes: Data, _ name: String, _ bench: VaultBench) throws {
        try bytes.write(to: bench.document(name).url(isDirectory: false))
    }

    @Test(
        "A list that an attempt stored which came to nothing is not relied upon, as its pieces may be gone",
        arguments: [false, true]
    )
    func doubted(isChanged: Bool) throws {
        let bench = try VaultBench()
        let store = bench.vault.store
        // So large that each piece is looked up when it is read.
        let bytes = VaultBench.noise(FileKeeper.sharedByteCountMin + 100_000, seed: 1)
        try write(bytes, "document", bench)
        // What it is like is remembered when its list is gone; another has most of its pieces.
        let first = try attempt(bench, by: try KeepSession(store: store))
        let list = try #require(try first.root().content).name
        try write(Data("small".utf8), "small", bench)
        try bench.vault.keep(
            bench.document("small"),
            as: item,
            origin: VaultBench.origin(),
            isElsewhere: true
        )
        try write(bytes + VaultBench.noise(300_000, seed: 2), "larger", bench)
        let larger = try bench.vault.keep(bench.document("larger"), as: other, origin: VaultBench.origin())
        try bench.vault.remove([first.id])
        try bench.vault.collect(deadShareMin: 0)
        #expect(try store.withIndex { try $0.isDamaged(list) } == nil)

        // Pieces stay known while their pack is written to: this session is to write to another.
        var held: PackWriter? = try store.takeWriter()
        let session = try KeepSession(store: store)
        #expect(held != nil)
        #expect(throws: KeepSession.Stale.self) {
            _ = try attempt(bench, by: session) {
                held = nil
                try bench.vault.remove([larger.id])
                try bench.vault.collect(deadShareMin: 0)
            }
        }
        if isChanged { try write(VaultBench.noise(50_000, seed: 3), "document", bench) }
        try session.refresh()
        let second = try attempt(bench, by: session)
        try bench.vault.check(second)
        #expect(try store.withIndex { try $0.isDamaged(list) } == (isChanged ? nil : false))
        try bench.vault.collect(deadShareMin: 0)
        try bench.vault.check(second)
        #expect(try bench.vault.verify().isClean)
    }
}
