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
                PRAGMA user_version = 1;
                """
            )
        }
        let vault = try Vault(at: bench.vault.folder)
        #expect(try vault.versions(of: item).map(\.id) == [version.id])
        let again = try vault.keep(bench.document(), as: item, origin: VaultBench.origin())
        #expect(try again.root().content == version.root().content)
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
