import CrashHarness
import FileSystem
import Foundation
import SQLite
import SeededNumbers
import TestThreads
import Testing
import VaultHarness

@testable import Vault

@Suite("Large documents that are lent", .onOwnThreads)
struct LendingTests {
    let item = FileMark(UUID())
    let other = FileMark(UUID())
    let key = [UInt8](repeating: 7, count: 32)
    /// Of several chunks.
    let large = VaultBench.noise(1 << 20, seed: 1)

    func lender() throws -> VaultBench { try VaultBench(key: key, lentByteCountMin: 40_000) }

    func keep(
        _ bench: VaultBench,
        _ name: String = "document",
        as item: FileMark? = nil,
        isReadAnew: Bool = false
    ) throws -> Vault.Kept {
        let document = Vault.Keepable(bench.document(name), as: item ?? self.item, isReadAnew: isReadAnew)
        let kept = try bench.vault.keepContents(of: [document]) { _ in VaultBench.origin() }
        return try #require(kept.first).get()
    }

    func write(_ bytes: Data, _ bench: VaultBench, _ name: String = "document") throws {
        try bytes.write(to: bench.document(name).url(isDirectory: false), options: .atomic)
    }

    /// Writes into a file as some programs do, which leaves it the file that it is.
    func overwrite(_ bytes: Data, at offset: Int, _ path: FilePath) throws {
        let file = try FileHandle(forWritingTo: path.url(isDirectory: false))
        try file.seek(toOffset: UInt64(offset))
        try file.write(contentsOf: bytes)
        try file.close()
    }

    func restored(_ contents: DocumentContents, _ bench: VaultBench) throws -> Data {
        let target = bench.document("restored-\(UUID().uuidString)")
        try bench.vault.restore(contents, to: target)
        return try FileReading.contents(of: target)
    }

    func lentFiles(_ bench: VaultBench) throws -> [FilePath] {
        let folder = bench.vaultPath.appending("packs")
        return try FileReading.entries(in: folder).map(\.name).filter { $0.hasPrefix(".sheaf-lent-") }
            .sorted()
            .map(folder.appending)
    }

    func packByteCount(_ bench: VaultBench) throws -> Int {
        let folder = bench.vaultPath.appending("packs")
        return try FileReading.entries(in: folder).map(\.name).filter { $0.hasSuffix(".pack") }
            .reduce(0) { try $0 + Int(FileStamp(of: folder.appending($1)).byteCount) }
    }

    func inode(_ path: FilePath) throws -> UInt64 { try FileStamp(of: path).inode }

    // MARK: Keeping

    @Test("A large document is kept without a copy of its bytes, and is itself not changed by that")
    func kept() throws {
        let bench = try lender()
        try write(large, bench)
        let before = try FileStamp(of: bench.document())
        let kept = try keep(bench)
        #expect(try packByteCount(bench) < 20_000)
        #expect(try lentFiles(bench).map(inode) == [inode(bench.document())])
        #expect(try FileStamp(of: bench.document()) == before)
        #expect(try restored(kept.contents, bench) == large)
        #expect(try bench.vault.has(kept.contents))
        #expect(try bench.vault.verify().isClean)
        // As it looks now, the link included: to look again finds nothing new.
        let status = try SourceFolder(at: bench.document().parent).status(of: "document")
        #expect(kept.readStatus == status)
    }

    @Test("What an app puts in its place leaves a lent document alone, and each is lent by itself")
    func replaced() throws {
        let bench = try lender()
        try write(large, bench)
        let first = try keep(bench).contents
        let changed = large.prefix(500_000) + Data("more".utf8) + large.suffix(from: 500_000)
        try write(changed, bench)
        let second = try keep(bench).contents
        #expect(try lentFiles(bench).count == 2)
        #expect(try restored(first, bench) == large)
        #expect(try restored(second, bench) == changed)
        #expect(try packByteCount(bench) < 40_000)
        #expect(try bench.vault.verify().isClean)
        // The former file has all of the first still, whatever becomes of the document's own.
        try overwrite(VaultBench.noise(1 << 20, seed: 9), at: 0, bench.document())
        #expect(try restored(first, bench) == large)
        try bench.vault.collect(deadShareMin: 0)
        #expect(try restored(first, bench) == large)
    }

    @Test(
        "What somebody has made of a lent document in place is found when it is needed, and never taken for what it was",
        arguments: [1 << 20, FileKeeper.sharedByteCountMin + 5]
    )
    func changedInPlace(byteCount: Int) throws {
        let bench = try lender()
        let large = VaultBench.noise(byteCount, seed: 1)
        try write(large, bench)
        let first = try keep(bench).contents
        #expect(try restored(first, bench) == large)
        try overwrite(Data([large[300_000] ^ 1]), at: 300_000, bench.document())
        #expect(throws: VaultError.self) { try restored(first, bench) }
        #expect(try !bench.vault.has(first))
        let second = try keep(bench).contents
        #expect(second != first)
        #expect(try lentFiles(bench).count == 1)
        #expect(try restored(second, bench) == FileReading.contents(of: bench.document()))
        #expect(throws: VaultError.self) { try restored(first, bench) }
        // The version is listed, and known to have lost something.
        #expect(try bench.vault.verify().touchedVersions.count == 1)
        // It keeps nobody from collecting, and goes with it.
        let versions = try bench.vault.versions(of: item)
        try bench.vault.remove([versions[0].id])
        try bench.vault.collect(deadShareMin: 0)
        #expect(try bench.vault.verify().isClean)
        #expect(try restored(second, bench) == FileReading.contents(of: bench.document()))
    }

    @Test("What is small, or in a package, has its own copy of bytes that are lent")
    func independent() throws {
        let bench = try lender()
        try write(large, bench)
        _ = try keep(bench)
        try write(large.prefix(30_000), bench, "small")
        let small = try keep(bench, "small", as: other).contents
        try ItemMoves.createFolder(bench.document("package"))
        try write(large, bench, "package/member")
        let package = try keep(bench, "package", as: FileMark(UUID())).contents
        #expect(try lentFiles(bench).count == 1)
        // Nothing is left of what is lent.
        try overwrite(VaultBench.noise(1 << 20, seed: 9), at: 0, bench.document())
        #expect(try restored(small, bench) == large.prefix(30_000))
        let target = bench.document("package restored")
        try bench.vault.restore(package, to: target)
        #expect(try FileReading.contents(of: target.appending("member")) == large)
    }

    @Test("Of two documents with the same bytes each has them to itself once it is read anew")
    func twins() throws {
        let bench = try lender()
        try write(large, bench)
        try write(large, bench, "twin")
        let contents = try keep(bench).contents
        #expect(try keep(bench, "twin", as: other).contents == contents)
        #expect(try lentFiles(bench).count == 2)
        // Whichever of the two the index counts on.
        for name in ["document", "twin"] {
            try overwrite(Data("changed".utf8), at: 0, bench.document(name))
            _ = try? restored(contents, bench)
            let whole = name == "document" ? ("twin", other) : ("document", item)
            #expect(try keep(bench, whole.0, as: whole.1, isReadAnew: true).contents == contents)
            #expect(try restored(contents, bench) == large)
            try overwrite(large.prefix(7), at: 0, bench.document(name))
        }
    }

    @Test(
        "A document on another volume is copied",
        .enabled(if: FileManager.default.isWritableFile(atPath: "/dev/shm"))
    )
    func otherVolume() throws {
        let bench = try lender()
        let folder = try ScratchFolder(in: FilePath("/dev/shm"))
        let path = folder.path.appending("document")
        try large.write(to: path.url(isDirectory: false))
        guard try FileStamp(of: path).device != FileStamp(of: bench.vaultPath).device else { return }
        let document = Vault.Keepable(path, as: item)
        let kept = try bench.vault.keepContents(of: [document]) { _ in VaultBench.origin() }
        try FileManager.default.removeItem(atPath: path.string)
        #expect(try restored(try #require(kept.first).get().contents, bench) == large)
        #expect(try lentFiles(bench) == [])
    }

    @Test("A vault that is not told to borrow copies, also what another opening of it has borrowed")
    func copied() throws {
        let bench = try lender()
        try write(large, bench)
        let contents = try keep(bench).contents
        let copying = try Vault(at: bench.vaultPath)
        _ = try copying.keep(bench.document(), as: other, origin: VaultBench.origin())
        try overwrite(Data("changed".utf8), at: 0, bench.document())
        #expect(try restored(contents, bench) == large)
    }

    // MARK: The index, and what is not needed

    @Test("With its index lost, a vault knows again what is lent to it")
    func rebuilt() throws {
        let bench = try lender()
        try write(large, bench)
        let first = try keep(bench).contents
        let changed = VaultBench.noise(1 << 20, seed: 2)
        try write(changed, bench)
        let second = try keep(bench).contents
        for suffix in ["", "-wal", "-shm"] {
            try? FileManager.default.removeItem(
                atPath: bench.vaultPath.appending("index.sqlite" + suffix).string
            )
        }
        let vault = try Vault(at: bench.vaultPath, lentByteCountMin: 40_000)
        for (contents, bytes) in [(first, large), (second, changed)] {
            #expect(try vault.has(contents))
            let target = bench.document("restored-\(UUID().uuidString)")
            try vault.restore(contents, to: target)
            #expect(try FileReading.contents(of: target) == bytes)
        }
        #expect(try vault.verify().isClean)
    }

    @Test(
        "A vault of a format before goes on",
        arguments: [
            """
            DROP INDEX lentObjects; ALTER TABLE packs DROP COLUMN lentInode;
            ALTER TABLE packs DROP COLUMN isChanged; PRAGMA user_version = 3;
            """,
            "ALTER TABLE packs DROP COLUMN isChanged; PRAGMA user_version = 4;",
            "PRAGMA user_version = 5;",
        ]
    )
    func formerFormat(change: String) throws {
        let bench = try VaultBench(key: key)
        try write(large, bench)
        let contents = try keep(bench).contents
        let connection = try SQLiteConnection(path: bench.vaultPath.appending(VaultIndex.fileName).string)
        try connection.execute("ALTER TABLE packs DROP COLUMN content; \(change)")
        let vault = try Vault(at: bench.vaultPath, lentByteCountMin: 40_000)
        #expect(try vault.has(contents))
        try write(large + large, bench, "more")
        let document = Vault.Keepable(bench.document("more"), as: other)
        let kept = try vault.keepContents(of: [document]) { _ in VaultBench.origin() }
        let target = bench.document("restored")
        try vault.restore(try #require(kept.first).get().contents, to: target)
        #expect(try FileReading.contents(of: target) == large + large)
    }

    @Test(
        "What no version needs of lent files goes, and the rest of one is copied; documents stay as they are"
    )
    func collected() throws {
        let bench = try lender()
        try write(large, bench)
        _ = try keep(bench)
        // Shares its first half with what it was.
        try write(large.prefix(1 << 19) + VaultBench.noise(1 << 19, seed: 3), bench)
        let second = try keep(bench).contents
        // Shares its first half with that, which is all that is needed of it then.
        try write(VaultBench.noise(1 << 19, seed: 3) + VaultBench.noise(1 << 19, seed: 4), bench, "other")
        let third = try keep(bench, "other", as: other).contents
        let stamps = try ["document", "other"].map { try FileStamp(of: bench.document($0)) }
        let first = try #require(try bench.vault.versions(of: item).first)
        try bench.vault.remove([first.id])
        try bench.vault.collect()
        #expect(try lentFiles(bench).count == 2)
        try bench.vault.removeVersions(of: item)
        try bench.vault.collect()
        #expect(try lentFiles(bench).map(inode) == [inode(bench.document("other"))])
        #expect(try restored(third, bench) == FileReading.contents(of: bench.document("other")))
        #expect(try !bench.vault.has(second))
        #expect(try ["document", "other"].map { try FileStamp(of: bench.document($0)) } == stamps)
        #expect(try bench.vault.verify().isClean)
    }

    @Test("What was changed in place of a lent file that is to go is let go, not copied")
    func collectedAfterChange() throws {
        let bench = try lender()
        try write(large, bench)
        _ = try keep(bench)
        // Most of it is in another file now; what is left of it is needed.
        try write(large.prefix(900_000), bench, "other")
        let contents = try keep(bench, "other", as: other).contents
        try overwrite(VaultBench.noise(1 << 20, seed: 5), at: 0, bench.document())
        try FileManager.default.removeItem(atPath: bench.document().string)
        try bench.vault.collect(deadShareMin: 0)
        #expect(try lentFiles(bench).map(inode) == [inode(bench.document("other"))])
        #expect(try restored(contents, bench) == large.prefix(900_000))
    }

    // MARK: From elsewhere

    struct CutOff: Error {}

    /// - Parameter countMax: After so many objects the line is cut off.
    /// - Returns: How many objects were got.
    @discardableResult
    func receive(
        _ contents: DocumentContents,
        _ stored: [VaultObject: StoredObject],
        in vault: Vault,
        countMax: Int = .max
    ) throws -> Int {
        var count = 0
        try vault.receive([(contents, item)], origin: { _ in VaultBench.origin() }) { wanted in
            guard count < countMax else { throw CutOff() }
            // Not in their order.
            let some = wanted.prefix(3).reversed().compactMap { object in stored[object].map { (object, $0) }
            }
            count += some.count
            return some
        }
        return count
    }

    @Test(
        "A large document comes as the file that it is to be, and as a copy wherever that is in use",
        arguments: ["noise", "text", "zeros"]
    )
    func received(_ kind: String) throws {
        let bytes =
            switch kind {
            case "noise": large + large.prefix(300_000)
            case "text": Data(VaultBench.text(1_000_000, seed: 2).utf8)
            default: Data(count: 3_000_000) + large + Data(count: 1_000_000)
            }
        let (bench, target) = (try lender(), try lender())
        try write(bytes, bench)
        let contents = try keep(bench).contents
        try receive(contents, try bench.vault.sent(contents), in: target.vault)
        #expect(try target.vault.has(contents))
        #expect(try packByteCount(target) < 20_000)
        let lent = try #require(try lentFiles(target).first)
        let names = ["looked at", "first", "second"]
        for name in names {
            try target.vault.restore(
                contents,
                to: target.document(name),
                modified: FileTime(nanosecondsSince1970: 1_000_000_000_500_000_000),
                lends: name != "looked at"
            )
            #expect(try FileReading.contents(of: target.document(name)) == bytes)
        }
        #expect(try inode(lent) == inode(target.document("first")))
        #expect(Set(try names.map { try inode(target.document($0)) }).count == 3)
        let date = try FileStamp(of: target.document("first")).modificationDate
        #expect(date == Date(timeIntervalSince1970: 1_000_000_000.5))
        #expect(try target.vault.verify().isClean)
    }

    @Test("A file that somebody has had is not given to a document again, whoever has it no more")
    func notAgain() throws {
        let (bench, target) = (try lender(), try lender())
        try write(large, bench)
        let contents = try keep(bench).contents
        let stored = try bench.vault.sent(contents)
        try receive(contents, stored, in: target.vault)
        let place = target.document("document")
        try target.vault.restore(contents, to: place, lends: true)
        try overwrite(Data("changed".utf8), at: 0, place)
        try FileManager.default.removeItem(atPath: place.string)
        #expect(throws: VaultError.self) {
            try target.vault.restore(contents, to: target.document("first"), lends: true)
        }
        // What is missing comes again, and that alone.
        #expect(try receive(contents, stored, in: target.vault) == 1)
        try target.vault.restore(contents, to: target.document("second"), lends: true)
        #expect(try FileReading.contents(of: target.document("second")) == large)
    }

    @Test("What has come of a large document before the line was cut off does not come again")
    func cutOff() throws {
        let (bench, target) = (try lender(), try lender())
        try write(large, bench)
        let contents = try keep(bench).contents
        let stored = try bench.vault.sent(contents)
        #expect(throws: CutOff.self) { try receive(contents, stored, in: target.vault, countMax: 6) }
        #expect(try !target.vault.has(contents))
        #expect(try lentFiles(target).count == 1)
        // Another process.
        let vault = try Vault(at: target.vaultPath, lentByteCountMin: 40_000)
        let count = try receive(contents, stored, in: vault)
        #expect(count > 0 && count <= stored.count - 5)
        try vault.restore(contents, to: target.document(), lends: true)
        #expect(try FileReading.contents(of: target.document()) == large)
        #expect(try lentFiles(target).map(inode) == [inode(target.document())])
        #expect(try vault.verify().isClean)
    }

    @Test(
        "Of a document that has come before in another state only what is new comes, and the new file is lent, too"
    )
    func difference() throws {
        let (bench, target) = (try lender(), try lender())
        try write(large, bench)
        let first = try keep(bench).contents
        try receive(first, try bench.vault.sent(first), in: target.vault)
        try target.vault.restore(first, to: target.document(), lends: true)
        let changed = large.prefix(500_000) + Data("more".utf8) + large.suffix(from: 500_000)
        try write(changed, bench)
        let second = try keep(bench).contents
        let count = try receive(second, try bench.vault.sent(second), in: target.vault)
        #expect(count > 0 && count <= 4)
        try target.vault.restore(second, to: target.document("new"), lends: true)
        #expect(try FileReading.contents(of: target.document("new")) == changed)
        #expect(try FileReading.contents(of: target.document()) == large)
        // The former file is not needed for it.
        try target.vault.removeVersions(
            of: item,
            but: [try #require(try target.vault.newestVersion(of: item)).id]
        )
        try target.vault.collect()
        #expect(try lentFiles(target).map(inode) == [inode(target.document("new"))])
        #expect(try restored(second, target) == changed)
    }

    @Test("A document that is not what its pieces say, or too large for the disk, is refused whole")
    func hostile() throws {
        let bench = try lender()
        var target = bench
        try write(large, bench)
        let contents = try keep(bench).contents
        let stored = try bench.vault.sent(contents)
        let chunk = try #require(stored.keys.first { $0.kind == .chunk })
        // As long as they should be, and put here and there.
        let others = try [0, 1].map { rest in
            try #require(stored.keys.first { $0.kind == .chunk && $0.name.bytes[0] % 2 == rest })
        }
        let zeros = others.map { ($0, [UInt8](repeating: 0, count: stored[$0]?.bytes.count ?? 0)) }
        for (name, bytes) in zeros + [(chunk, Array("other".utf8))] {
            // What has come before need not come again.
            target = try lender()
            var hostile = stored
            hostile[name] = StoredObject(isPressed: false, plainByteCount: bytes.count, bytes: bytes)
            let error = #expect(throws: VaultError.self) { try receive(contents, hostile, in: target.vault) }
            #expect(error?.code == .damaged)
            #expect(try !target.vault.has(contents))
        }
        try receive(contents, stored, in: target.vault)
        #expect(try restored(contents, target) == large)
        // A list that says more bytes than the document has.
        var entry = contents.entry
        entry.byteCount += 1
        let wrong = DocumentContents(entry)
        let third = try lender()
        #expect(throws: VaultError.self) { try receive(wrong, stored, in: third.vault) }
    }

    // MARK: Faults

    @Test(
        "Whichever call fails while a large document is kept, comes, or is put in place, nothing is wrong afterwards"
    )
    func faults() throws {
        let source = try lender()
        try write(large, source)
        let contents = try keep(source).contents
        let stored = try source.vault.sent(contents)
        for callNumber in 1... {
            let bench = try lender()
            try write(large, bench)
            let injector = FaultInjector(callNumber: callNumber, errno: EIO)
            try? SystemCallObservation.withObserver(injector) {
                _ = try keep(bench)
                try receive(contents, stored, in: bench.vault)
                try bench.vault.restore(contents, to: bench.document("placed"), lends: true)
                try bench.vault.collect(deadShareMin: 0)
            }
            let vault = try Vault(at: bench.vaultPath, lentByteCountMin: 40_000)
            try receive(contents, stored, in: vault)
            let target = bench.document("afterwards")
            try vault.restore(contents, to: target, lends: true)
            #expect(try FileReading.contents(of: target) == large, "call \(callNumber)")
            #expect(try vault.verify().isClean, "call \(callNumber): \(String(describing: injector.failed))")
            guard injector.failed != nil else { break }
        }
    }
}
