import FileSystem
import Foundation
import SQLite
import Testing
import VaultHarness

@testable import Vault

// Large documents of one size that have much in common, as copies of a disk's image or of a database have.
extension LendingTests {
    /// Two documents of one size, the beginnings of which are the same.
    private static func alike(_ kind: String) -> (Data, Data) {
        let zeros = Data(count: 2_000_000)
        let noise = VaultBench.noise(1 << 20, seed: 1)
        return switch kind {
        case "an end changed":
            (noise, noise.prefix(900_000) + VaultBench.noise(noise.count - 900_000, seed: 2))
        case "a middle changed":
            (
                noise,
                noise.prefix(400_000) + VaultBench.noise(4096, seed: 3) + noise.suffix(noise.count - 404_096)
            )
        case "written after zeros": (zeros + zeros, zeros + noise + Data(count: zeros.count - noise.count))
        default: (zeros + noise + Data(count: zeros.count - noise.count), zeros + zeros)
        }
    }

    private func receive(
        _ documents: [DocumentContents],
        _ stored: [VaultObject: StoredObject],
        in vault: Vault
    ) throws {
        let pairs = documents.map { (contents: $0, item: FileMark(UUID())) }
        try vault.receive(pairs, origin: { _ in VaultBench.origin() }) { wanted in
            wanted.compactMap { object in stored[object].map { (object, $0) } }
        }
    }

    @Test("A piece that is said to be larger than any can be is in no lent file")
    func untruePieces() throws {
        let pieces = [ContentTree.Piece(name: ObjectName(), byteCount: .max)]
        let target = try lender()
        #expect(try target.vault.store.withIndexAtOneTime { try $0.lentFile(of: pieces) } == nil)
    }

    @Test(
        "Of large documents that begin alike each is what it is, in whatever order they come and get their places",
        arguments: ["an end changed", "a middle changed", "written after zeros", "zeros after writing"],
        [true, false]
    )
    func beginningAlike(kind: String, atOnce: Bool) throws {
        let (bench, target) = (try lender(), try lender())
        let (one, two) = Self.alike(kind)
        #expect(one.count == two.count && one != two)
        try write(one, bench)
        let first = try keep(bench).contents
        try write(two, bench, "other")
        let second = try keep(bench, "other", as: other).contents
        let stored = try bench.vault.sent(first).merging(bench.vault.sent(second)) { one, _ in one }
        if atOnce {
            try receive([first, second], stored, in: target.vault)
        } else {
            for contents in [first, second] { try receive([contents], stored, in: target.vault) }
        }
        for (name, contents, bytes) in [
            ("first", first, one), ("second", second, two), ("again", first, one),
        ] {
            try target.vault.restore(contents, to: target.document(name), lends: true)
            #expect(try FileReading.contents(of: target.document(name)) == bytes, "\(name)")
        }
        #expect(try target.vault.verify().isClean)
    }

    @Test("What was begun for one large document is gone on with for that alone")
    func begunForAnother() throws {
        let (bench, target) = (try lender(), try lender())
        let (one, two) = Self.alike("an end changed")
        try write(one, bench)
        let first = try keep(bench).contents
        try write(two, bench, "other")
        let second = try keep(bench, "other", as: other).contents
        let stored = try bench.vault.sent(first).merging(bench.vault.sent(second)) { one, _ in one }
        #expect(throws: CutOff.self) { try receive(first, stored, in: target.vault, countMax: 6) }
        try receive(second, stored, in: target.vault)
        try target.vault.restore(second, to: target.document("second"), lends: true)
        #expect(try receive(first, stored, in: target.vault) > 0)
        try target.vault.restore(first, to: target.document("first"), lends: true)
        #expect(try FileReading.contents(of: target.document("first")) == one)
        #expect(try FileReading.contents(of: target.document("second")) == two)
    }

    @Test("A file that somebody is at is given to no document")
    func inUse() throws {
        let (bench, target) = (try lender(), try lender())
        try write(large, bench)
        let contents = try keep(bench).contents
        try receive(contents, try bench.vault.sent(contents), in: target.vault)
        let row = try #require(try target.vault.store.withIndex { try $0.packs().first(where: \.isLent) })
        let held = try #require(try target.vault.store.open(row, writes: true))
        #expect(try held.lock(waits: false))
        try target.vault.restore(contents, to: target.document(), lends: true)
        #expect(try FileReading.contents(of: target.document()) == large)
        #expect(
            try FileStamp(of: target.vaultPath.appending("packs/\(row.fileName)")).inode
                != inode(target.document())
        )
    }

    @Test("A file that was filled when nobody noted with what is given to no document")
    func filledBefore() throws {
        let (bench, target) = (try lender(), try lender())
        try write(large, bench)
        let contents = try keep(bench).contents
        try receive(contents, try bench.vault.sent(contents), in: target.vault)
        let file = try #require(try lentFiles(target).first)
        let index = target.vaultPath.appending(VaultIndex.fileName)
        let connection = try SQLiteConnection(path: index.string)
        try connection.execute("ALTER TABLE packs DROP COLUMN content; PRAGMA user_version = 5;")
        // As one that was written over with another document's end.
        try overwrite(Data(count: 1000), at: large.count - 1000, file)
        let vault = try Vault(at: target.vaultPath, lentByteCountMin: 40_000)
        #expect(throws: VaultError.self) {
            try vault.restore(contents, to: target.document("damaged"), lends: true)
        }
        #expect(try receive(contents, try bench.vault.sent(contents), in: vault) > 0)
        try vault.restore(contents, to: target.document(), lends: true)
        #expect(try FileReading.contents(of: target.document()) == large)
    }

    @Test(
        "A few lists that name each other again and again are no document, however much they say that it has",
        arguments: [1, 1 << 30]
    )
    func endlessLists(pieceByteCount: UInt64) throws {
        let (bench, target) = (try lender(), try lender())
        try write(large, bench)
        let contents = try keep(bench).contents
        let hasher = try VaultHasher(key: key)
        var stored: [VaultObject: StoredObject] = [:]
        var piece = ContentTree.Piece(
            name: try #require(contents.entry.content).name,
            byteCount: pieceByteCount
        )
        for level in 1...4 {
            var list = ByteWriter()
            list.integer(UInt8(level))
            list.integer(UInt32(ContentTree.childCountMax))
            for _ in 0..<ContentTree.childCountMax {
                list.name(piece.name)
                list.integer(piece.byteCount)
            }
            let name = try list.bytes.withUnsafeBytes { try hasher.name(.list, $0) }
            stored[VaultObject(name, .list)] = StoredObject(
                isPressed: false,
                plainByteCount: list.bytes.count,
                bytes: list.bytes
            )
            piece = ContentTree.Piece(
                name: name,
                byteCount: piece.byteCount * UInt64(ContentTree.childCountMax)
            )
        }
        var entry = contents.entry
        entry.content = ContentReference(name: piece.name, level: 4)
        entry.byteCount = piece.byteCount
        let error = #expect(throws: (any Error).self) {
            try receive(DocumentContents(entry), stored, in: target.vault)
        }
        // One is none, for the other there is no room.
        #expect(
            (error as? VaultError)?.code == .damaged || (error as? SystemError)?.isFull == true,
            "\(error as Any)"
        )
        #expect(try lentFiles(target).isEmpty)
    }
}
