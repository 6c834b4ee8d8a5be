import CrashHarness
import FileSystem
import Foundation
import TestThreads
import Testing
import VaultHarness

@testable import Vault

@Suite("Keeping", .onOwnThreads)
struct KeepingTests {
    private let item = FileMark(UUID())

    @Test("A kept file is restored as it was, after the file has changed and after it is gone")
    func file() throws {
        let bench = try VaultBench()
        try bench.write(.file("first"))
        let first = try bench.vault.keep(bench.document(), as: item, origin: VaultBench.origin())
        try bench.write(.file("second"))
        let second = try bench.vault.keep(bench.document(), as: item, origin: VaultBench.origin())
        try FileManager.default.removeItem(atPath: bench.document().string)
        #expect(try bench.restored(first.id) == .file("first"))
        #expect(try bench.restored(second.id) == .file("second"))
        #expect(try bench.vault.versions(of: item).map(\.id) == [first.id, second.id])
        #expect(first.byteCount == 5)
    }

    @Test("A kept package is restored with its folders, links, permissions, times and attributes")
    func package() throws {
        let bench = try VaultBench()
        let tree: DiskTree = [
            "Info": "info", "Empty": "", "None": [:], "Pages": ["1": "one", "go": .link("../../Info")],
        ]
        try bench.write(tree)
        let page = bench.document().appending("Pages/1")
        try FileManager.default.setAttributes([.posixPermissions: 0o640], ofItemAtPath: page.string)
        let date = Date(timeIntervalSince1970: 1_000_000_000.5)
        try FileManager.default.setAttributes([.modificationDate: date], ofItemAtPath: page.string)
        try setAttribute("user.note", "sea", page)
        try setAttribute(FileMark.attributeName, "0123456789abcdef", page)
        let version = try bench.vault.keep(bench.document(), as: item, origin: VaultBench.origin())
        let target = bench.document("restored")
        try bench.vault.restore(version.id, to: target)
        #expect(try DiskTree(at: target) == tree)
        let stamp = try FileStamp(of: target.appending("Pages/1"))
        #expect(stamp.permissions == 0o640)
        #expect(stamp.modificationDate == date)
        let attributes = try FileReading.extendedAttributes(of: target.appending("Pages/1"))
        #expect(attributes == ["user.note": Data("sea".utf8)])
        #expect(version.kind == .directory)
    }

    private func setAttribute(_ name: String, _ value: String, _ path: FilePath) throws {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/python3")
        process.arguments = [
            "-c", "import os,sys; os.setxattr(sys.argv[1], sys.argv[2], sys.argv[3].encode())", path.string,
            name,
            value,
        ]
        try process.run()
        process.waitUntilExit()
        try #require(process.terminationStatus == 0)
    }

    @Test("A large file that changes in one place costs a few chunks more")
    func largeFile() throws {
        let bench = try VaultBench()
        var bytes = VaultBench.noise(5 << 20, seed: 1)
        try bytes.write(to: bench.document().url(isDirectory: false))
        let first = try bench.vault.keep(bench.document(), as: item, origin: VaultBench.origin())
        let before = try packByteCount(bench)
        bytes.insert(42, at: 2 << 20)
        try bytes.write(to: bench.document().url(isDirectory: false))
        let second = try bench.vault.keep(bench.document(), as: item, origin: VaultBench.origin())
        #expect(try packByteCount(bench) - before < 3 * Chunker.Sizes.standard.max)
        let target = bench.document("restored")
        try bench.vault.restore(second.id, to: target)
        #expect(try FileReading.contents(of: target) == bytes)
        try bench.vault.restore(first.id, to: bench.document("first"))
        bytes.remove(at: 2 << 20)
        #expect(try FileReading.contents(of: bench.document("first")) == bytes)
        #expect(try bench.vault.verify().isClean)
    }

    @Test(
        "A large file of pressed and other pieces is restored by several stretches, and not at all with a bit flipped"
    )
    func stretches() throws {
        let bench = try VaultBench()
        let text = Data(VaultBench.text(900_000, seed: 2).utf8)
        let bytes = VaultBench.noise(1_500_000, seed: 3) + text + VaultBench.noise(700_000, seed: 4)
        try bytes.write(to: bench.document().url(isDirectory: false))
        let version = try bench.vault.keep(bench.document(), as: item, origin: VaultBench.origin())
        try bench.vault.restore(version.id, to: bench.document("restored"))
        #expect(try FileReading.contents(of: bench.document("restored")) == bytes)
        let folder = bench.vaultPath.appending("packs")
        let pack = folder.appending(try #require(try FileReading.entries(in: folder).first).name)
        let whole = try FileReading.contents(of: pack)
        // In a noisy piece, and in a pressed one.
        for offset in [100_000, 1_600_000] {
            try write(whole, flippedAt: offset, to: pack)
            let error = #expect(throws: VaultError.self, "flipped at \(offset)") {
                try bench.vault.restore(version.id, to: bench.document("damaged-\(offset)"))
            }
            #expect(error?.code == .damaged)
        }
        // In the header of the first piece: the piece itself is whole, and the user gets it.
        try write(whole, flippedAt: 60, to: pack)
        try bench.vault.restore(version.id, to: bench.document("whole"))
        #expect(try FileReading.contents(of: bench.document("whole")) == bytes)
        #expect(throws: VaultError.self) { try bench.vault.check(version) }
        #expect(try bench.vault.verify().touchedVersions == [version.id])
    }

    private func write(_ bytes: Data, flippedAt offset: Int, to pack: FilePath) throws {
        var bytes = bytes
        bytes[offset] ^= 1
        let handle = try FileHandle(forWritingTo: pack.url(isDirectory: false))
        try handle.write(contentsOf: bytes)
        try handle.close()
    }

    @Test("An unchanged package costs a record; a changed member costs its folder and those above it")
    func sharing() throws {
        let bench = try VaultBench()
        var members: [String: DiskTree] = [:]
        for index in 0..<300 { members["member-\(index)"] = .file("contents of \(index)") }
        try bench.write(["One": .folder(members), "Two": .folder(members)])
        _ = try bench.vault.keep(bench.document(), as: item, origin: VaultBench.origin())
        let before = try packByteCount(bench)
        _ = try bench.vault.keep(bench.document(), as: item, origin: VaultBench.origin())
        let unchanged = try packByteCount(bench)
        #expect(unchanged - before < 600)
        try Data("other".utf8).write(to: bench.document().appending("One/member-7").url(isDirectory: false))
        let last = try bench.vault.keep(bench.document(), as: item, origin: VaultBench.origin())
        #expect(try packByteCount(bench) - unchanged < 40_000)
        members["member-7"] = .file("other")
        guard case .folder(let found) = try bench.restored(last.id) else {
            Issue.record("no package")
            return
        }
        #expect(found["One"] == .folder(members))
    }

    @Test("Members that are said to have changed are kept, others are taken from the version before")
    func hinted() throws {
        let bench = try VaultBench()
        try bench.write([
            "Info": "info", "Pages": ["1": "one", "2": "two", "3": "three"], "Media": ["a": "A"],
        ])
        _ = try bench.vault.keep(bench.document(), as: item, origin: VaultBench.origin())
        try Data("ONE".utf8).write(to: bench.document().appending("Pages/1").url(isDirectory: false))
        try Data("new".utf8).write(to: bench.document().appending("Pages/4").url(isDirectory: false))
        try FileManager.default.removeItem(atPath: bench.document().appending("Pages/3").string)
        // Not said: it is to stay out of the version.
        try Data("B".utf8).write(to: bench.document().appending("Media/b").url(isDirectory: false))
        let changed = Set(["1", "3", "4"].compactMap { MemberPath(["Pages", $0]) })
        let version = try bench.vault.keep(
            bench.document(),
            as: item,
            origin: VaultBench.origin(),
            changed: changed
        )
        #expect(
            try bench.restored(version.id)
                == ["Info": "info", "Pages": ["1": "ONE", "2": "two", "4": "new"], "Media": ["a": "A"]]
        )
        #expect(try bench.vault.verify().isClean)
    }

    @Test("A member written to within a step of the clock is read again")
    func racilyClean() throws {
        let bench = try VaultBench()
        try bench.write(["a": "1"])
        let file = bench.document().appending("a")
        let stamp = try FileStamp(of: file)
        _ = try bench.vault.keep(bench.document(), as: item, origin: VaultBench.origin())
        // In place, as long as before, with the time of before: only the change time could tell.
        let handle = try FileHandle(forWritingTo: file.url(isDirectory: false))
        try handle.write(contentsOf: Data("2".utf8))
        try handle.close()
        try FileManager.default.setAttributes(
            [.modificationDate: stamp.modificationDate],
            ofItemAtPath: file.string
        )
        let version = try bench.vault.keep(bench.document(), as: item, origin: VaultBench.origin())
        #expect(try bench.restored(version.id) == ["a": "2"])
    }

    @Test("What is settled is not read again, and what is not is")
    func settling() throws {
        let (before, after) = (Int64(5_000_000_000), Int64(5_000_000_001))
        var trace = MemberTrace(modified: 3_000_000_000, changed: 1)
        #expect(!trace.isSettled(by: before))
        #expect(trace.isSettled(by: after))
        (trace.modified, trace.changed) = (1, 3_000_000_000)
        #expect(!trace.isSettled(by: before))
        #expect(trace.isSettled(by: after))
    }

    @Test("A write through a hard link does not reach a version")
    func hardLink() throws {
        let bench = try VaultBench()
        try bench.write(["a": "one"])
        let link = bench.document("link")
        try FileManager.default.linkItem(atPath: bench.document().appending("a").string, toPath: link.string)
        let version = try bench.vault.keep(bench.document(), as: item, origin: VaultBench.origin())
        let handle = try FileHandle(forWritingTo: link.url(isDirectory: false))
        try handle.write(contentsOf: Data("two".utf8))
        try handle.close()
        #expect(try bench.restored(version.id) == ["a": "one"])
        let later = try bench.vault.keep(bench.document(), as: item, origin: VaultBench.origin())
        #expect(try bench.restored(later.id) == ["a": "two"])
    }

    @Test("What cannot be kept is named, and adds no version")
    func unkeepable() throws {
        let bench = try VaultBench()
        try bench.write(["a": "one"])
        let pipe = bench.document().appending("pipe").string
        #expect(mkfifo(pipe, 0o600) == 0)
        let error = #expect(throws: VaultError.self) {
            try bench.vault.keep(bench.document(), as: item, origin: VaultBench.origin())
        }
        #expect(error?.code == .unkeepable)
        #expect(error?.path.name == "pipe")
        #expect(try bench.vault.versions(of: item).isEmpty)
    }

    @Test("No version is added for what has not changed, when that is asked for")
    func unlessUnchanged() throws {
        let bench = try VaultBench()
        try bench.write(["a": "one"])
        let first = try bench.vault.keep(bench.document(), as: item, origin: VaultBench.origin())
        let second = try bench.vault.keep(
            bench.document(),
            as: item,
            origin: VaultBench.origin(),
            unlessUnchanged: true
        )
        #expect(first == second)
        #expect(try bench.vault.versions(of: item).count == 1)
    }

    @Test("Names that differ in bytes alone are two members")
    func normalization() throws {
        let bench = try VaultBench()
        let (composed, decomposed) = ("\u{e9}", "e\u{301}")
        try bench.write([:])
        for name in [composed, decomposed] {
            let path = bench.document().string + "/" + name
            let file = fopen(path, "w")
            fputs(name, file)
            fclose(file)
        }
        let version = try bench.vault.keep(bench.document(), as: item, origin: VaultBench.origin())
        let target = bench.document("restored")
        try bench.vault.restore(version.id, to: target)
        let names = try FileReading.entries(in: target).map { Array($0.name.utf8) }
        #expect(Set(names) == [Array(composed.utf8), Array(decomposed.utf8)])
    }

    @Test("A settled vault has an index that is read from one file, for those who have it open as well")
    func settled() throws {
        let bench = try VaultBench()
        let other = try Vault(at: bench.vaultPath)
        try bench.write(.file("first"))
        let first = try bench.vault.keep(bench.document(), as: item, origin: VaultBench.origin())
        let log = bench.vaultPath.appending("index.sqlite-wal")
        #expect(try FileStamp(of: log).byteCount > 0)
        try bench.vault.settle()
        #expect(try FileStamp(of: log).byteCount == 0)
        #expect(try other.versions(of: item).map(\.id) == [first.id])
        try bench.write(.file("second"))
        let second = try other.keep(bench.document(), as: item, origin: VaultBench.origin())
        #expect(Set(try bench.vault.versions(of: item).map(\.id)) == [first.id, second.id])
    }

    private func packByteCount(_ bench: VaultBench) throws -> Int {
        let folder = bench.vaultPath.appending("packs")
        return try FileReading.entries(in: folder).reduce(0) {
            $0 + Int(try FileStamp(of: folder.appending($1.name)).byteCount)
        }
    }
}
