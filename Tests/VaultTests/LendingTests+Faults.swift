import CrashHarness
import Foundation
import Testing
import VaultHarness

@testable import FileSystem
@testable import Vault

// What goes wrong on the way, and what others do meanwhile.
extension LendingTests {
    /// A disk that says of lent files that they are not to be read.
    private struct Forbidding: SystemCallObserver {
        func willMake(_ call: SystemCall) -> CInt {
            call.name == "openat" && call.path.name.hasPrefix(".sheaf-lent-") ? EACCES : 0
        }
        func didMake(_ call: SystemCall) {}
    }

    @Test(
        "What could not be written of a large document comes again",
        arguments: ["pwrite", "fsync"]
    )
    func unwritten(call: String) throws {
        let (bench, target) = (try lender(), try lender())
        // Written in several parts, while more comes.
        let bytes = VaultBench.noise(4 << 20, seed: 9)
        try write(bytes, bench)
        let contents = try keep(bench).contents
        let stored = try bench.vault.sent(contents)
        let full = FullOnce(call: call)
        SystemCallObservation.withObserver(full) {
            // In their order, so that they are written one behind the other.
            _ = #expect(throws: SystemError.self) {
                try target.vault.receive([(contents, item)], origin: { _ in VaultBench.origin() }) { wanted in
                    wanted.prefix(8).compactMap { object in stored[object].map { (object, $0) } }
                }
            }
        }
        #expect(full.hasRefused)
        #expect(try !target.vault.has(contents))
        // What the disk has refused it may take for written the next time that it is asked.
        var asked: Set<VaultObject> = []
        try target.vault.receive([(contents, item)], origin: { _ in VaultBench.origin() }) { wanted in
            asked.formUnion(wanted)
            return wanted.compactMap { object in stored[object].map { (object, $0) } }
        }
        #expect(asked.isSuperset(of: stored.keys.filter { $0.kind == .chunk }))
        #expect(try lentFiles(target).count == 1)
        try target.vault.restore(contents, to: target.document(), lends: true)
        #expect(try FileReading.contents(of: target.document()) == bytes)
        #expect(try target.vault.verify().isClean)
    }

    @Test("Where there is no room for a large document, what room there was is free again")
    func noRoom() throws {
        let (bench, target) = (try lender(), try lender())
        try write(large, bench)
        let contents = try keep(bench).contents
        let stored = try bench.vault.sent(contents)
        let full = FullOnce(call: "fallocate")
        SystemCallObservation.withObserver(full) {
            _ = #expect(throws: SystemError.self) { try receive(contents, stored, in: target.vault) }
        }
        #expect(full.hasRefused)
        #expect(try lentFiles(target) == [])
        #expect(try target.vault.store.withIndex { try $0.packs().filter(\.isLent) }.isEmpty)
        try receive(contents, stored, in: target.vault)
        #expect(try restored(contents, target) == large)
    }

    @Test("Two documents with the same large contents come together")
    func together() throws {
        let (bench, target) = (try lender(), try lender())
        try write(large, bench)
        let contents = try keep(bench).contents
        let stored = try bench.vault.sent(contents)
        let documents = [(contents: contents, item: item), (contents: contents, item: other)]
        try target.vault.receive(documents, origin: { _ in VaultBench.origin() }) { wanted in
            wanted.compactMap { object in stored[object].map { (object, $0) } }
        }
        for name in ["first", "second"] {
            try target.vault.restore(contents, to: target.document(name), lends: true)
            #expect(try FileReading.contents(of: target.document(name)) == large)
        }
    }

    @Test("A large document comes whole though somebody collects before all of it is here")
    func collectedMeanwhile() throws {
        let (bench, target) = (try lender(), try lender())
        try write(large, bench)
        let contents = try keep(bench).contents
        let stored = try bench.vault.sent(contents)
        var isCollected = false
        try target.vault.receive([(contents, item)], origin: { _ in VaultBench.origin() }) { wanted in
            if wanted.first?.kind == .chunk, !isCollected {
                isCollected = true
                try Vault(at: target.vaultPath, key: key).store.writeIndex { try $0.advanceGeneration() }
            }
            return wanted.prefix(3).compactMap { object in stored[object].map { (object, $0) } }
        }
        #expect(isCollected)
        #expect(try restored(contents, target) == large)
    }

    @Test("A large document that comes while the index is made anew is taken for no pack of that")
    func replacedMeanwhile() throws {
        let (bench, target) = (try lender(), try lender())
        try write(large, bench)
        let contents = try keep(bench).contents
        let stored = try bench.vault.sent(contents)
        try write(Data("small".utf8), target, "other")
        let small = try keep(target, "other", as: other).contents
        var isReplaced = false
        try target.vault.receive([(contents, item)], origin: { _ in VaultBench.origin() }) { wanted in
            if wanted.first?.kind == .chunk, !isReplaced {
                isReplaced = true
                try Vault(at: target.vaultPath, key: key).store.replaceIndex()
            }
            return wanted.prefix(3).compactMap { object in stored[object].map { (object, $0) } }
        }
        #expect(isReplaced)
        #expect(try restored(contents, target) == large)
        #expect(try restored(small, target) == Data("small".utf8))
    }

    @Test("A package with a copy of a large document does not count on that document's file")
    func copyInPackage() throws {
        let (bench, target) = (try lender(), try lender())
        let text = VaultBench.text(1 << 20, seed: 3)
        try write(Data(text.utf8), bench)
        let contents = try keep(bench).contents
        try receive(contents, try bench.vault.sent(contents), in: target.vault)
        try target.vault.restore(contents, to: target.document(), lends: true)
        try bench.write(.folder(["movie": .file(text)]), "package")
        let package = try keep(bench, "package", as: other).contents
        try receive(package, try bench.vault.sent(package), in: target.vault)
        try overwrite(Data("changed".utf8), at: 0, target.document())
        let place = target.document("copy")
        try target.vault.restore(package, to: place)
        #expect(try FileReading.contents(of: place.appending("movie")) == Data(text.utf8))
    }

    @Test("What is as a part of a lent document is not here for any other document")
    func partOfOther() throws {
        let target = try VaultBench(key: key, lentByteCountMin: 900_000)
        let copying = try VaultBench(key: key)
        try write(large.prefix(800_000), copying)
        let small = try keep(copying).contents
        try write(large, target)
        _ = try keep(target)
        // The lists that lead to its pieces are here; these are lent.
        let lists = try copying.vault.sent(try copying.vault.objects(of: [small]).filter { $0.kind == .list })
        let session = try KeepSession(store: target.vault.store)
        for (object, stored) in lists {
            let plain = try ObjectReader(store: copying.vault.store).object(object.name, object.kind)
            try plain.withUnsafeBytes { plain in
                try stored.show { try session.storeMissing(object, plain, $0) }
            }
        }
        try session.commit { _ in }
        #expect(try !target.vault.has(small))
        try receive(small, try copying.vault.sent(small), in: target.vault)
        #expect(try target.vault.has(small))
        try overwrite(Data(count: 800_000), at: 0, target.document())
        #expect(try restored(small, target) == large.prefix(800_000))
    }

    @Test("A file that was to be lent and was collected before is not said to be")
    func collectedBefore() throws {
        let bench = try lender()
        try write(large, bench)
        let store = bench.vault.store
        let file = try StorageFolder(containing: bench.document()).source("document")
        let loan = try #require(try store.borrow(file))
        loan.pieces = [ContentTree.Piece(name: ObjectName(), byteCount: UInt64(large.count))]
        try bench.vault.collect()
        #expect(try lentFiles(bench) == [])
        #expect(throws: KeepSession.Stale.self) { try store.writeIndex { try store.tell($0, of: [loan]) } }
        #expect(try store.withIndex { try $0.place(of: ObjectName()) } == nil)
    }

    @Test("A file on another volume with the inode of a lent document is not taken for that")
    func sameInode() throws {
        let bench = try lender()
        try write(large, bench)
        let session = try KeepSession(store: bench.vault.store)
        let folder = try SourceFolder(at: bench.document().parent)
        let lent = try session.borrow(try folder.file("document"))
        #expect(lent != nil)
        var elsewhere = try folder.status(of: "document")
        elsewhere.stamp.device += 1
        let descriptor = try SystemCalls.openat(folder.folder, "document", O_RDONLY)
        let loan = try session.borrow(SourceFile(descriptor, elsewhere))
        #expect(loan == nil)
        #expect(lent?.file.openedStatus.stamp.device == elsewhere.stamp.device - 1)
    }

    @Test("The row of a file that was never made goes when the vault is collected")
    func neverMade() throws {
        let bench = try lender()
        let id = try #require(PackID(bytes: VersionID.fresh().bytes))
        _ = try bench.vault.store.writeIndex { try $0.insertLent(id, inode: 0) }
        try bench.vault.collect()
        #expect(try bench.vault.store.withIndex { try $0.packs() }.isEmpty)
    }

    @Test("A lent file that nobody may read is missing, and in the way of nothing else")
    func forbidden() throws {
        let bench = try lender()
        try write(large, bench)
        let contents = try keep(bench).contents
        try write(Data("small".utf8), bench, "other")
        let small = try keep(bench, "other", as: other).contents
        for suffix in ["", "-wal", "-shm"] {
            try? FileManager.default.removeItem(
                atPath: bench.vaultPath.appending("index.sqlite" + suffix).string  // not all are there
            )
        }
        try SystemCallObservation.withObserver(Forbidding()) {
            let vault = try Vault(at: bench.vaultPath, lentByteCountMin: 40_000)
            #expect(try vault.has(small) && !vault.has(contents))
            #expect(try vault.versions(of: item).count == 1)
            try vault.collect(deadShareMin: 0)
        }
        // It may be read again, and is kept again.
        let vault = try Vault(at: bench.vaultPath, lentByteCountMin: 40_000)
        let document = Vault.Keepable(bench.document(), as: item, isReadAnew: true)
        let kept = try vault.keepContents(of: [document]) { _ in VaultBench.origin() }
        #expect(try kept.first?.get().contents == contents)
        #expect(try vault.has(contents))
    }

    @Test("Whoever may not read a lent file any more finds it missing, and gets it from elsewhere")
    func forbiddenLater() throws {
        let (bench, target) = (try lender(), try lender())
        try write(large, bench)
        let contents = try keep(bench).contents
        let stored = try bench.vault.sent(contents)
        try receive(contents, stored, in: target.vault)
        try target.vault.restore(contents, to: target.document(), lends: true)
        SystemCallObservation.withObserver(Forbidding()) {
            let error = #expect(throws: VaultError.self) { try restored(contents, target) }
            #expect(error?.code == .damaged)
        }
        #expect(try !target.vault.has(contents))
        try receive(contents, stored, in: target.vault)
        #expect(try restored(contents, target) == large)
    }
}
