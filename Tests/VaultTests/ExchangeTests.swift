import CrashHarness
import FileSystem
import Foundation
import SQLite
import SeededNumbers
import TestThreads
import Testing
import VaultHarness

@testable import Vault

@Suite("Contents from one vault into another", .onOwnThreads)
struct ExchangeTests {
    private let item = FileMark(UUID())
    private let key = [UInt8](repeating: 7, count: 32)

    private func keep(_ tree: DiskTree, _ bench: VaultBench) throws -> DocumentContents {
        try bench.write(tree)
        return try keep(bench)
    }

    private func keep(_ bench: VaultBench) throws -> DocumentContents {
        let document = Vault.Keepable(bench.document(), as: item)
        let kept = try bench.vault.keepContents(of: [document]) { _ in VaultBench.origin() }
        return try #require(kept.first).get().contents
    }

    /// Has a vault receive contents of which it is given these objects and no others.
    private func send(
        _ objects: [VaultObject],
        of contents: DocumentContents,
        from bench: VaultBench,
        to vault: Vault
    ) throws {
        let stored = try bench.vault.sent(objects)
        try vault.receive([(contents, item)], origin: { _ in VaultBench.origin() }) { wanted in
            wanted.compactMap { object in stored[object].map { (object, $0) } }
        }
    }

    /// What the index of a vault says of a document's versions is spoilt at one byte.
    private func spoil(_ document: FileMark, at byte: Int, in bench: VaultBench) throws {
        let place = bench.vaultPath.appending(VaultIndex.fileName)
        let connection = try SQLiteConnection(path: place.string)
        let rows = try connection.statement("SELECT record FROM versions WHERE item = ?1")
        rows.bind(1, [UInt8](document.bytes))
        #expect(try rows.step())
        var record = rows.blob(0)
        rows.reset()
        record[byte] = 0xFF
        let statement = try connection.statement("UPDATE versions SET record = ?1 WHERE item = ?2")
        statement.bind(1, record)
        statement.bind(2, [UInt8](document.bytes))
        try statement.run()
    }

    @Test("A version that is not what was written down keeps its own document from being kept, and no other")
    func damagedVersion() throws {
        let bench = try VaultBench(key: key)
        let items = (0..<3).map { _ in FileMark(UUID()) }
        func keepAll(_ text: String) throws -> [Result<DocumentContents, any Error>] {
            let documents = try items.enumerated().map { number, item in
                let path = bench.document("document \(number)")
                try Data("\(text) \(number)".utf8).write(to: path.url(isDirectory: false))
                return Vault.Keepable(path, as: item)
            }
            return try bench.vault.keepContents(of: documents) { _ in VaultBench.origin() }.map {
                $0.map(\.contents)
            }
        }
        for result in try keepAll("first") { _ = try result.get() }
        // Why it was kept: a list shows nothing of that.
        try spoil(items[1], at: 57, in: bench)
        let kept = try keepAll("second")
        #expect(throws: VaultError.self) { try kept[1].get() }
        for number in [0, 2] {
            let contents = try kept[number].get()
            #expect(try bench.vault.has(contents))
            // It is kept from being collected.
            #expect(try bench.vault.versions(of: items[number]).count == 2)
            let copy = bench.document("copy \(number)")
            try bench.vault.restore(contents, to: copy)
            #expect(try FileReading.contents(of: copy) == Data("second \(number)".utf8))
        }
        #expect(try bench.vault.versions(of: items[1]).count == 1)
    }

    @Test("An index in which not even a list of versions can be read is made anew, and all are kept")
    func damagedList() throws {
        let bench = try VaultBench(key: key)
        let other = FileMark(UUID())
        func keepBoth(_ text: String) throws -> [DocumentContents] {
            let documents = try [item, other].enumerated().map { number, item in
                let path = bench.document("document \(number)")
                try Data("\(text) \(number)".utf8).write(to: path.url(isDirectory: false))
                return Vault.Keepable(path, as: item)
            }
            return try bench.vault.keepContents(of: documents) { _ in VaultBench.origin() }.map {
                try $0.get().contents
            }
        }
        _ = try keepBoth("first")
        try spoil(item, at: 0, in: bench)
        for contents in try keepBoth("second") { #expect(try bench.vault.has(contents)) }
        for item in [item, other] { #expect(try bench.vault.versions(of: item).count == 2) }
    }

    /// Keeps documents together, one for each of these contents.
    private func keep(_ contents: [Data], in bench: VaultBench) throws -> [DocumentContents] {
        let documents = try contents.enumerated().map { number, bytes in
            let path = bench.document("document \(number)")
            try bytes.write(to: path.url(isDirectory: false))
            return Vault.Keepable(path, as: FileMark(UUID()))
        }
        return try bench.vault.keepContents(of: documents) { _ in VaultBench.origin() }.map {
            try $0.get().contents
        }
    }

    @Test(
        "What several documents that are kept together have in common is stored once, as is what is there already"
    )
    func shared() throws {
        let bench = try VaultBench(key: key)
        let (own, known, large) = (
            VaultBench.noise(3000, seed: 1), VaultBench.noise(3000, seed: 2),
            VaultBench.noise(2 << 20, seed: 3)
        )
        _ = try keep([known], in: bench)
        let kept = try keep([own, known, large, own, large], in: bench)
        var chunks: [ObjectName: Int] = [:]
        try bench.vault.store.withIndex { index in
            try index.forEachObject(of: .chunk) { place, _ in chunks[place.header.name, default: 0] += 1 }
        }
        let byteCount = try FileReading.entries(in: bench.vaultPath.appending("packs")).reduce(0) {
            let pack = bench.vaultPath.appending("packs").appending($1.name)
            return $0 + Int(try FileStamp(of: pack).byteCount)
        }
        #expect(byteCount < 2 << 20 + 16 << 10, "\(byteCount)")
        #expect(kept[0] == kept[3] && kept[2] == kept[4])
        for (contents, bytes) in zip(kept, [own, known, large, own, large]) {
            let copy = bench.document("copy \(UUID().uuidString)")
            try bench.vault.restore(contents, to: copy)
            #expect(try FileReading.contents(of: copy) == bytes)
        }
        #expect(chunks.count >= 3)
    }

    @Test("Documents in folders whose names only look alike are kept together, each with its own contents")
    func lookAlikes() throws {
        let bench = try VaultBench(key: key)
        let folders = ["caf\u{e9}", "cafe\u{301}"].map { bench.document($0) }
        let documents = try folders.enumerated().map { number, folder in
            try ItemMoves.createFolder(folder)
            let path = folder.appending("a.txt")
            try Data("in folder \(number)".utf8).write(to: path.url(isDirectory: false))
            return Vault.Keepable(path, as: FileMark(UUID()))
        }
        let kept = try bench.vault.keepContents(of: documents) { _ in VaultBench.origin() }
        for (number, contents) in kept.enumerated() {
            let copy = bench.document("copy \(number)")
            try bench.vault.restore(try contents.get().contents, to: copy)
            #expect(try FileReading.contents(of: copy) == Data("in folder \(number)".utf8))
        }
    }

    @Test("What is moved to other packs while it is read, one object after another, is read from there")
    func movedMeanwhile() throws {
        let bench = try VaultBench(key: key)
        let kept = try keep((0..<20).map { VaultBench.noise(1000, seed: UInt64($0)) }, in: bench)
        let objects = try bench.vault.objects(of: kept)
        var read: [VaultObject: Int] = [:]
        try bench.vault.withStored(objects) { object, shown in
            read[object] = shown.plainByteCount
            guard read.count == 1 else { return }
            bench.vault.store.dropIdleWriters()
            let packs = Set(try bench.vault.store.withIndex { try $0.packs() }.map(\.id))
            _ = try Collector(store: bench.vault.store).collect(deadShareMin: 0, forced: packs)
            #expect(packs.isDisjoint(with: try bench.vault.store.withIndex { try $0.packs() }.map(\.id)))
        }
        #expect(read.count == 20 && read.values.allSatisfy { $0 == 1000 })
    }

    @Test("Of a large file in which one byte is another, what leads to that byte is all that goes")
    func oneByte() throws {
        let (bench, other) = (try VaultBench(key: key), try VaultBench(key: key))
        var bytes = VaultBench.noise(8 << 20, seed: 3)
        try bytes.write(to: bench.document().url(isDirectory: false))
        let base = try keep(bench)
        try send(try bench.vault.objects(of: [base]), of: base, from: bench, to: other.vault)
        bytes[4 << 20] ^= 1
        try bytes.write(to: bench.document().url(isDirectory: false))
        let new = try keep(bench)
        let objects = try bench.vault.objects(of: [new], beyond: [base])
        #expect((1...8).contains(objects.count), "\(objects.count)")
        try send(objects, of: new, from: bench, to: other.vault)
        try other.vault.restore(new, to: other.document())
        #expect(try FileReading.contents(of: other.document()) == bytes)
    }

    @Test("Pieces of a large file are asked for one behind the other, and put in place whole")
    func large() throws {
        let (bench, other) = (try VaultBench(key: key), try VaultBench(key: key))
        // Large enough to be written past the kernel's cache, and without a whole block at its end.
        let bytes = VaultBench.noise((17 << 20) + 4321, seed: 5)
        try bytes.write(to: bench.document().url(isDirectory: false))
        let contents = try keep(bench)
        let pieces = try bench.vault.objects(of: [contents]).filter { $0.kind == .chunk }
        let stored = try bench.vault.sent(contents)
        var asked: [VaultObject] = []
        try other.vault.receive([(contents, item)], origin: { _ in VaultBench.origin() }) { wanted in
            let next = Array(wanted.prefix(7))
            asked += next.filter { $0.kind == .chunk }
            return next.compactMap { object in stored[object].map { (object, $0) } }
        }
        #expect(asked == pieces && pieces.count > 50)
        try other.vault.restore(contents, to: other.document())
        #expect(try FileReading.contents(of: other.document()) == bytes)
    }

    @Test("Contents are beyond themselves by nothing, and beyond what is not here by all of them")
    func ends() throws {
        let (bench, other) = (try VaultBench(key: key), try VaultBench(key: key))
        let here = try keep(["a": "one", "b": ["c": "two"]], bench)
        let elsewhere = try keep(["a": "other"], other)
        #expect(try bench.vault.objects(of: [here], beyond: [here]).isEmpty)
        let all = try bench.vault.objects(of: [here])
        #expect(Set(try bench.vault.objects(of: [here], beyond: [elsewhere])) == Set(all))
        #expect(Set(all).count == all.count)
    }

    @Test("Two states of a package differ by files at its top, or by more than is told by them")
    func difference() throws {
        let bench = try VaultBench(key: key)
        let base = try keep(["a": "one", "b": ["c": "two"], "e\u{301}": "three", "l": .link("a")], bench)
        let folder = bench.document().url(isDirectory: true)
        func difference(countMax: Int = 8) throws -> PackageDifference? {
            try bench.vault.difference(from: base, to: try keep(bench), countMax: countMax)
        }
        func write(_ text: String, _ name: String) throws {
            try Data(text.utf8).write(to: folder.appendingPathComponent(name))
        }
        #expect(try difference()?.members.isEmpty == true)
        for (name, text) in ["a": "1", "f": "new"] { try write(text, name) }
        let found = try #require(try difference())
        #expect(Set(found.members.map(\.next.name)) == ["a", "f"])
        #expect(try difference(countMax: 1) == nil)
        // What is there is what it is to become, not what it was; then as it was; then neither.
        let restorer = try ContentRestorer(bench.vault)
        func isReplaceable() throws -> Bool { try restorer.replaced(by: found, in: bench.document()) != nil }
        #expect(try !isReplaceable())
        try write("one", "a")
        #expect(try !isReplaceable())
        try FileManager.default.removeItem(at: folder.appendingPathComponent("f"))
        #expect(try isReplaceable())
        let file = folder.appendingPathComponent("a").path
        try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: file)
        #expect(try !isReplaceable())
        try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: file)
        #expect(try isReplaceable())
        try write("ONE", "a")
        #expect(try !isReplaceable())
    }

    @Test("A package is made anew for what is deep in it, removed, of another kind, or called otherwise")
    func noDifference() throws {
        let bench = try VaultBench(key: key)
        let tree: DiskTree = ["a": "one", "b": ["c": "two"], "e\u{301}": "three", "l": .link("a")]
        let folder = bench.document().url(isDirectory: true)
        let changes: [(URL) throws -> Void] = [
            { try Data("2".utf8).write(to: $0.appendingPathComponent("b/c")) },
            { try FileManager.default.removeItem(at: $0.appendingPathComponent("a")) },
            { folder in
                try FileManager.default.removeItem(at: folder.appendingPathComponent("a"))
                let inner = folder.appendingPathComponent("a")
                try FileManager.default.createDirectory(at: inner, withIntermediateDirectories: false)
            },
            { folder in
                #expect(rename(folder.path + "/e\u{301}", folder.path + "/\u{e9}") == 0)
            },
        ]
        for change in changes {
            let base = try keep(tree, bench)
            try change(folder)
            #expect(try bench.vault.difference(from: base, to: try keep(bench), countMax: 8) == nil)
        }
    }

    @Test("Packages changed at random: with what the base has, what goes beyond it is all that is needed")
    func packages() throws {
        let seed =
            ProcessInfo.processInfo.environment["SHEAF_SEED"].flatMap { UInt64($0) }
            ?? .random(in: 1...999_999)
        print("exchange: SHEAF_SEED=\(seed)")
        var random = SplitMix64(seed: seed)
        let (bench, other) = (try VaultBench(key: key), try VaultBench(key: key))
        let folder = bench.document().url(isDirectory: true)
        var base: DocumentContents?
        for step in 0..<10 {
            for _ in 0..<(step == 0 ? 400 : 1 + random.below(5)) {
                let inner = folder.appendingPathComponent("folder \(random.below(3))", isDirectory: true)
                try FileManager.default.createDirectory(at: inner, withIntermediateDirectories: true)
                let file = inner.appendingPathComponent("m\(random.below(300))")
                let byteCount = random.below(20) == 0 ? 300_000 : random.below(200)
                try VaultBench.noise(byteCount, seed: random.next()).write(to: file)
            }
            let new = try keep(bench)
            let objects = try bench.vault.objects(of: [new], beyond: base.map { [$0] } ?? [])
            let all = Set(try bench.vault.objects(of: [new]))
            #expect(all.isSuperset(of: objects))
            if step > 0 { #expect(objects.count < all.count / 2) }
            try send(objects, of: new, from: bench, to: other.vault)
            base = new
        }
        let last = try #require(base)
        try other.vault.restore(last, to: other.document())
        #expect(try DiskTree(at: other.document()) == DiskTree(at: bench.document()))
    }
}
