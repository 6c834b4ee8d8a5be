import CrashHarness
import FileSystem
import Foundation
import SQLite
import SeededNumbers
import TestThreads
import Testing
import VaultHarness

@testable import Vault

/// What is remembered of folders saves work and changes nothing: a folder of which only changes are looked at comes to the
/// same tree as one that is looked at whole.
@Suite("What was seen of folders", .onOwnThreads)
struct FolderCacheTests {
    private let item = FileMark(UUID())

    private func seed() -> UInt64 {
        ProcessInfo.processInfo.environment["SHEAF_SEED"].flatMap { UInt64($0) } ?? .random(in: 1...999_999)
    }

    /// A member's name; small numbers make neighbours, and names with and without a cut behind them.
    private func name(_ random: inout SplitMix64) -> String { "m\(random.below(300))" }

    private func rowCount(_ bench: VaultBench) throws -> Int {
        try bench.vault.store.withIndex { index in
            let statement = try index.connection.statement("SELECT count(*), total(leaf) FROM members")
            defer { statement.reset() }
            return try statement.step() ? statement.integer(0) : 0
        }
    }

    @Test("Members put in, changed and taken out at random: the same tree as when all is looked at")
    func sameTree() throws {
        let seed = seed()
        print("folder cache: SHEAF_SEED=\(seed)")
        var random = SplitMix64(seed: seed)
        let bench = try VaultBench()
        let folder = bench.document().url(isDirectory: true)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        for step in 0..<8 {
            var changed: Set<MemberPath> = []
            for _ in 0..<(step % 4 == 0 ? 90 : 1 + random.below(4)) {
                let name = name(&random)
                let file = folder.appendingPathComponent(name)
                if random.below(4) == 0 {
                    // One that is not there is not taken out.
                    try? FileManager.default.removeItem(at: file)
                } else {
                    try Data("\(random.next())".utf8).write(to: file)
                }
                changed.insert(try #require(MemberPath([name])))
            }
            if random.below(6) == 0 { try bench.vault.collect(deadShareMin: 0) }
            let told = try bench.vault.keep(
                bench.document(),
                as: item,
                origin: VaultBench.origin(),
                changed: changed
            )
            let looked = try bench.vault.keep(
                bench.document(),
                as: FileMark(UUID()),
                origin: VaultBench.origin()
            )
            let (own, whole) = (try told.root(), try looked.root())
            #expect(
                own.content == whole.content && own.byteCount == whole.byteCount,
                "step \(step), seed \(seed)"
            )
            if random.below(5) == 0 { try bench.vault.remove([looked.id]) }
        }
    }

    @Test("One change in a large folder rewrites its leaf's row and the folder's, no others")
    func fewRows() throws {
        let bench = try VaultBench()
        let folder = bench.document().url(isDirectory: true)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        for number in 0..<600 {
            try Data("\(number)".utf8).write(to: folder.appendingPathComponent("m\(number)"))
        }
        try bench.vault.keep(bench.document(), as: item, origin: VaultBench.origin())
        let rows = try rowCount(bench)
        #expect(rows > 5)
        try bench.vault.store.writeIndex { index in
            try index.connection.execute(
                """
                CREATE TABLE seen(leaf INTEGER);
                CREATE TRIGGER noted AFTER UPDATE ON members BEGIN INSERT INTO seen VALUES(new.leaf); END;
                """
            )
        }
        try Data("changed".utf8).write(to: folder.appendingPathComponent("m300"))
        let path = try #require(MemberPath(["m300"]))
        try bench.vault.keep(bench.document(), as: item, origin: VaultBench.origin(), changed: [path])
        let written = try bench.vault.store.withIndex { index in
            let statement = try index.connection.statement("SELECT count(*) FROM seen")
            defer { statement.reset() }
            return try statement.step() ? statement.integer(0) : 0
        }
        #expect(written == 2)
        #expect(try rowCount(bench) == rows)
    }

    @Test("A row that is damaged or missing is no row: the folder is looked at whole")
    func brokenRows() throws {
        for damage in [
            "DELETE FROM members WHERE leaf = 2", "UPDATE members SET cache = x'00' WHERE leaf = 1",
        ] {
            let bench = try VaultBench()
            let folder = bench.document().url(isDirectory: true)
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            for number in 0..<300 {
                try Data("\(number)".utf8).write(to: folder.appendingPathComponent("m\(number)"))
            }
            try bench.vault.keep(bench.document(), as: item, origin: VaultBench.origin())
            try bench.vault.store.writeIndex { try $0.connection.execute(damage) }
            var changed: Set<MemberPath> = []
            for number in 0..<300 {
                try Data("new \(number)".utf8).write(to: folder.appendingPathComponent("m\(number)"))
                changed.insert(try #require(MemberPath(["m\(number)"])))
            }
            let told = try bench.vault.keep(
                bench.document(),
                as: item,
                origin: VaultBench.origin(),
                changed: changed
            )
            let looked = try bench.vault.keep(
                bench.document(),
                as: FileMark(UUID()),
                origin: VaultBench.origin()
            )
            #expect(try told.root().content == looked.root().content)
        }
    }

    @Test("An index of the format before is taken over; what it had seen of members is seen again")
    func formatBefore() throws {
        let bench = try VaultBench()
        try bench.write(["a": "1", "b": "2"])
        let version = try bench.vault.keep(bench.document(), as: item, origin: VaultBench.origin())
        try bench.vault.store.writeIndex { index in
            try index.connection.execute(
                """
                DROP TABLE members;
                CREATE TABLE members(item BLOB NOT NULL, path TEXT NOT NULL, generation INTEGER NOT NULL,
                    cache BLOB NOT NULL, PRIMARY KEY(item, path)) STRICT, WITHOUT ROWID;
                INSERT INTO members VALUES(x'00', '/', 1, x'00');
                DROP INDEX lentObjects;
                ALTER TABLE packs DROP COLUMN lentInode;
                ALTER TABLE packs DROP COLUMN isChanged;
                ALTER TABLE packs DROP COLUMN content;
                PRAGMA user_version = 1;
                """
            )
        }
        let vault = try Vault(at: bench.vault.folder)
        #expect(try vault.versions(of: item).map(\.id) == [version.id])
        let again = try vault.keep(bench.document(), as: item, origin: VaultBench.origin())
        #expect(try again.root().content == version.root().content)
    }

    @Test("Members that bear more than an object may have are in several leaves, and can be read again")
    func largeMembers() throws {
        let bench = try VaultBench()
        let session = try KeepSession(store: bench.vault.store)
        func entry(_ name: String, _ content: ContentReference? = nil) -> ManifestEntry {
            let isMember = content == nil
            let note = Data(repeating: name.utf8.last ?? 0, count: ManifestEntry.attributesByteCountMax - 100)
            let dress = MemberDress(
                permissions: 0o600,
                modificationSeconds: 1,
                modificationNanoseconds: 0,
                attributes: isMember ? ["user.note": note] : [:]
            )
            return ManifestEntry(
                name: name,
                kind: isMember ? .file : .folder,
                dress: dress,
                byteCount: 0,
                content: content
            )
        }
        let entries = (10..<30).map { entry("m\($0)") }
        #expect(entries.allSatisfy { $0.isKeepable })
        var leaves = FolderLeaves(session: session)
        for entry in entries {
            try leaves.append(
                CachedMember(
                    name: entry.name,
                    kind: .file,
                    trace: MemberTrace(modified: 0, changed: 0),
                    isSettled: true,
                    byteCount: 0,
                    content: nil,
                    entry: entry.encoded[...]
                )
            )
        }
        let (cache, _) = try leaves.finish(nil, isCurrent: false)
        #expect(cache.leaves.map(\.isClosed) == [false, false])
        let whole = try ContentTree.folder(
            of: entries.map { (bytes: $0.encoded[...], isBoundary: ContentTree.isBoundary($0.name)) }
        ) { kind, bytes in try bytes.withUnsafeBytes { try session.hasher.name(kind, $0) } }
        #expect(cache.reference == whole)
        let root = entry("", cache.reference)
        let version = try KeptVersion(id: .fresh(), item: item, origin: VaultBench.origin(), root: root)
        let object = try session.storeRecord(of: version)
        try session.commit { try $0.insert(version, object: object) }
        try bench.vault.check(version)
        #expect(try bench.vault.verify().isClean)
        try bench.vault.collect(deadShareMin: 0)
        try bench.vault.check(version)
    }

    @Test("What is larger than an object may be is refused, and in the way of nothing else")
    func tooLarge() throws {
        let bench = try VaultBench()
        let session = try KeepSession(store: bench.vault.store)
        let bytes = [UInt8](repeating: 0, count: PackFormat.objectByteCountMax + 1)
        let error = #expect(throws: VaultError.self) { _ = try session.store(.folder, bytes) }
        #expect(error?.code == .unkeepable)
        #expect(throws: VaultError.self) { _ = try session.storeNew(.version, bytes) }
        _ = try session.store(.chunk, Array("whole".utf8))
        try session.commit { _ in }
        #expect(try bench.vault.verify().isClean)
    }

    @Test("What is written of a folder is read as it was; with any bit changed it is nothing")
    func coding() throws {
        let hasher = try VaultHasher(key: [UInt8](repeating: 7, count: 32))
        let node = try Array("node".utf8).withUnsafeBytes { try hasher.name(.folder, $0) }
        let cache = FolderCache(
            reference: ContentReference(name: node, level: 3),
            leaves: [
                .init(number: 1, node: node, byteCount: 17, isClosed: true, firstName: "a"),
                .init(number: 9, node: node, byteCount: 1 << 40, isClosed: false, firstName: "é\u{301}"),
            ]
        )
        let bytes = try cache.encoded(hasher)
        #expect(try FolderCache(bytes, hasher) == cache)
        for index in bytes.indices {
            var other = bytes
            other[index] ^= 1 << UInt8(index % 8)
            #expect(try FolderCache(other, hasher) == nil)
        }
    }
}
