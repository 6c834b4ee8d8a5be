import CrashHarness
import Dispatch
import FileSystem
import Foundation
import Locks
import TestThreads
import Testing
import VaultHarness

@testable import Vault

@Suite("Collecting", .onOwnThreads)
struct CollectingTests {
    private let item = FileMark(UUID())

    private func byteCount(_ bench: VaultBench) throws -> Int {
        let folder = bench.vaultPath.appending("packs")
        return try FileReading.entries(in: folder).reduce(0) {
            $0 + Int(try FileStamp(of: folder.appending($1.name)).byteCount)
        }
    }

    @Test("What only removed versions had is gone, and what others have stays")
    func collects() throws {
        let bench = try VaultBench()
        let shared = DiskTree.file(VaultBench.text(20_000, seed: 1))
        try bench.write(["shared": shared, "own": .file(VaultBench.text(50_000, seed: 2))])
        let first = try bench.vault.keep(bench.document(), as: item, origin: VaultBench.origin())
        try bench.write(["shared": shared])
        let second = try bench.vault.keep(bench.document(), as: item, origin: VaultBench.origin())
        try bench.vault.remove([first.id])
        let before = try byteCount(bench)
        let report = try bench.vault.collect(deadShareMin: 0)
        #expect(report.sweptPackCount == 1)
        #expect(try before - byteCount(bench) == report.freedByteCount)
        #expect(report.freedByteCount > 10_000)
        #expect(try bench.restored(second.id) == ["shared": shared])
        #expect(try bench.vault.collect(deadShareMin: 0).freedByteCount <= 200)
        #expect(try bench.vault.verify().isClean)
    }

    @Test("Only one collects at a time")
    func busy() throws {
        let bench = try VaultBench()
        let error = try VaultLock.collection.hold(in: bench.vault.store.folder) {
            #expect(throws: VaultError.self) { try bench.vault.collect() }
        }
        #expect(error?.code == .busy)
        try bench.vault.collect()
    }

    @Test("Versions can be restored while their packs are made anew")
    func readersGoOn() throws {
        let bench = try VaultBench()
        let tree: DiskTree = ["a": .file(VaultBench.text(30_000, seed: 1)), "b": "two"]
        try bench.write(tree)
        let version = try bench.vault.keep(bench.document(), as: item, origin: VaultBench.origin())
        let failures = Locked<[String]>([])
        let (vault, path) = (bench.vault, bench.vaultPath)
        DispatchQueue.concurrentPerform(iterations: 2) { worker in
            do {
                if worker == 0 {
                    let other = try Vault(at: path)
                    for _ in 0..<8 {
                        // Something to collect, and all packs to be made anew.
                        vault.store.dropIdleWriters()
                        let packs = Set(try other.store.withIndex { try $0.packs() }.map(\.id))
                        _ = try Collector(store: other.store).collect(deadShareMin: 0, forced: packs)
                    }
                } else {
                    for _ in 0..<20 { try vault.check(version) }
                }
            } catch { failures.withLock { $0.append("\(error)") } }
        }
        #expect(failures.withLock { $0 } == [])
        #expect(try bench.restored(version.id) == tree)
    }

    @Test("Versions that a later program wrote are left alone, and all that they may lead to")
    func laterProgram() throws {
        let bench = try VaultBench()
        try bench.write(.file("one"))
        let version = try bench.vault.keep(bench.document(), as: item, origin: VaultBench.origin())
        var record = [UInt8](version.record)
        record[0] = 2
        let session = try KeepSession(store: bench.vault.store)
        _ = try session.store(.version, record)
        try session.commit { _ in }
        let error = #expect(throws: VaultError.self) { try bench.vault.collect(deadShareMin: 0) }
        #expect(error?.code == .unsupported)
        #expect(try bench.vault.verify().isClean)
        try bench.vault.store.replaceIndex()
        #expect(throws: VaultError.self) { try bench.vault.collect(deadShareMin: 0) }
        #expect(try bench.restored(version.id) == .file("one"))
    }

    @Test("Threads of one vault keep, list, verify and collect at once")
    func threads() throws {
        let bench = try VaultBench()
        let failures = Locked<[String]>([])
        let (vault, scratch) = (bench.vault, bench.scratch.path)
        DispatchQueue.concurrentPerform(iterations: 4) { worker in
            let (item, document) = (FileMark(UUID()), scratch.appending("document-\(worker)"))
            do {
                for round in 0..<8 {
                    let tree: DiskTree = ["same": "same", "own": .file("\(worker) \(round)")]
                    if round > 0 { try FileManager.default.removeItem(atPath: document.string) }
                    try tree.write(to: document)
                    let version = try vault.keep(document, as: item, origin: VaultBench.origin())
                    if round % 2 == 1 { try vault.removeVersions(of: item, but: [version.id]) }
                    do { try vault.collect(deadShareMin: 0) } catch let error as VaultError
                        where error.code == .busy
                    {}
                    if worker == 0, try !vault.verify().isClean {
                        failures.withLock { $0.append("not clean") }
                    }
                    try vault.check(version)
                }
            } catch { failures.withLock { $0.append("\(error)") } }
        }
        #expect(failures.withLock { $0 } == [])
        #expect(try vault.verify().isClean)
    }

    @Test("What is kept again just when it is collected is there")
    func keptAgain() throws {
        let bench = try VaultBench()
        let states = (0..<3).map { DiskTree.file(VaultBench.text(3000, seed: $0)) }
        try bench.write(states[0])
        let first = try bench.vault.keep(bench.document(), as: item, origin: VaultBench.origin())
        try bench.vault.remove([first.id])
        // Found to be there, then collected, then said.
        let session = try KeepSession(store: bench.vault.store)
        var keeper = ItemKeeper(session: session, item: item, moment: 0)
        _ = try keeper.keep(bench.document(), .all)
        bench.vault.store.dropIdleWriters()
        try Vault(at: bench.vaultPath).collect(deadShareMin: 0)
        #expect(throws: KeepSession.Stale.self) { try session.commit { _ in } }
        let second = try bench.vault.keep(bench.document(), as: item, origin: VaultBench.origin())
        #expect(try bench.restored(second.id) == states[0])
    }

    @Test(
        "Where there is no room for copies, what nothing needs goes all the same",
        arguments: ["write", "fsync"]
    )
    func fullDisk(call: String) throws {
        let bench = try VaultBench()
        let store = bench.vault.store
        func keep(_ tree: DiskTree) throws -> VersionID {
            try bench.write(tree)
            return try bench.vault.keep(bench.document(), as: item, origin: VaultBench.origin()).id
        }
        let needed = DiskTree.file(VaultBench.text(20_000, seed: 1))
        let first = try keep(.file(VaultBench.text(40_000, seed: 2)))
        // What comes now is in another pack.
        var writer: PackWriter? = try store.takeWriter()
        let unneeded = try #require(writer?.id)
        let second = try keep(["needed": needed, "own": .file(VaultBench.text(50_000, seed: 3))])
        let third = try keep(["needed": needed])
        try bench.vault.remove([first, second])
        writer = nil
        let full = FullOnce(call: call)
        let report = try SystemCallObservation.withObserver(full) { try bench.vault.collect(deadShareMin: 0) }
        #expect(full.hasRefused)
        #expect(report.sweptPackCount == 1)
        let left = try FileReading.entries(in: store.packs.path).map(\.name)
        #expect(left.count == 1 && !left.contains(unneeded.fileName))
        #expect(try bench.restored(third) == ["needed": needed])
        #expect(try bench.vault.collect(deadShareMin: 0).freedByteCount > 5_000)
        #expect(try bench.restored(third) == ["needed": needed])
        #expect(try bench.vault.verify().isClean)
    }

    @Test("No pack has a number that another had, also in an index that was made anew")
    func packNumbers() throws {
        let bench = try VaultBench()
        let store = bench.vault.store
        func insert() throws -> Int {
            let id = try #require(PackID(bytes: VersionID.fresh().bytes))
            return try store.writeIndex { try $0.insertLent(id, inode: 0) }
        }
        let first = try insert()
        try store.writeIndex { try $0.forget(pack: first) }
        let second = try insert()
        #expect(second > first)
        let id = try #require(PackID(bytes: VersionID.fresh().bytes))
        let third = try store.writeIndex { try $0.setPack(id, byteCount: 100) }
        #expect(third > second)
        #expect(try store.writeIndex { try $0.setPack(id, byteCount: 200) } == third)
        try store.replaceIndex()
        let fourth = try insert()
        #expect(![first, second, third].contains(fourth))
    }

    @Test("Packs are swept the emptiest first, as far as it is worth it")
    func plan() {
        func pack(_ number: Int, _ byteCount: Int, live: Int, isHeld: Bool = false) -> CollectionPlan.Pack {
            CollectionPlan.Pack(number: number, byteCount: byteCount, liveByteCount: live, isHeld: isHeld)
        }
        let packs = [
            pack(1, 1048, live: 1000), pack(2, 1048, live: 500), pack(3, 1048, live: 0),
            pack(4, 1048, live: 0, isHeld: true),
            pack(5, 1048, live: 900),
        ]
        #expect(CollectionPlan(packs: packs, deadShareMin: 0.3).swept == [3, 2])
        #expect(CollectionPlan(packs: packs, deadShareMin: 0).swept == [3, 2, 5])
        #expect(CollectionPlan(packs: packs, deadShareMin: 0, copiedByteCountMax: 600).swept == [3, 2])
        #expect(CollectionPlan(packs: [pack(1, 48, live: 0)], deadShareMin: 0.3).swept == [1])
    }
}
