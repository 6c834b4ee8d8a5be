import CLinux
import CrashHarness
import FileSystem
import Foundation
import SeededNumbers
import TestThreads
import Testing
import VaultHarness

@testable import Vault

/// What is restored is what was kept: kept again, it has the same name on every device.
@Suite("What is restored", .onOwnThreads)
struct RestoringTests {
    private let item = FileMark(UUID())
    private let key = [UInt8](repeating: 7, count: 32)

    private func keep(
        _ name: String,
        in bench: VaultBench,
        isElsewhere: Bool = false,
        notes: DressNotes = DressNotes()
    ) throws -> DocumentContents {
        let document = Vault.Keepable(
            bench.document(name),
            as: item,
            isElsewhere: isElsewhere,
            notes: notes
        )
        return try #require(try bench.vault.keepContents(of: [document]) { _ in VaultBench.origin() }.first)
            .get().contents
    }

    /// Documents of some seeds, each in a vault of its own.
    private func forEachDocument(
        count: UInt64,
        _ body: (VaultBench, DocumentContents, Comment) throws -> Void
    ) throws {
        let environment = ProcessInfo.processInfo.environment["RESTORE_SEED"].flatMap { UInt64($0) }
        let first = environment ?? .random(in: 0 ... .max)
        for seed in first..<(first + (environment == nil ? count : 1)) {
            let bench = try VaultBench(key: key)
            var document = RandomDocument(random: SplitMix64(seed: seed))
            try document.write(to: bench.document())
            try body(bench, try keep("document", in: bench), "RESTORE_SEED=\(seed)")
        }
    }

    @Test("Any document, restored and kept again, is the very same, with a mark of its own or without")
    func same() throws {
        try forEachDocument(count: 150) { bench, contents, seed in
            let modified = FileTime(nanosecondsSince1970: 1_700_000_000_123_456_789)
            let target = bench.document("restored")
            let losses = try bench.vault.restore(contents, to: target, modified: modified, mark: item)
            #expect(losses.isEmpty, seed)
            #expect(try keep("restored", in: bench, isElsewhere: true) == contents, seed)
            #expect(try FileIdentity.mark(at: target) == (contents.kind == .symbolicLink ? nil : item), seed)
            // As its own document, with what was seen of it before.
            try FileManager.default.removeItem(atPath: bench.document().string)
            try bench.vault.restore(contents, to: bench.document())
            #expect(try keep("document", in: bench) == contents, seed)
        }
    }

    @Test(
        "What a volume does not let a document bear is not missing when it is kept again",
        arguments: PoorVolume.Poverty.allCases
    )
    private func poor(_ poverty: PoorVolume.Poverty) throws {
        var lossCount = 0
        try forEachDocument(count: 40) { bench, contents, seed in
            let losses = try SystemCallObservation.withObserver(PoorVolume(poverty)) {
                try bench.vault.restore(contents, to: bench.document("restored"))
            }
            let known = try #require(DressNotes(bytes: losses.bytes))
            #expect(known == losses, seed)
            #expect(try keep("restored", in: bench, isElsewhere: true, notes: known) == contents, seed)
            // It is not there, after all.
            let bare = try keep("restored", in: bench, isElsewhere: true)
            #expect((bare == contents) == losses.isEmpty, seed)
            if !losses.isEmpty { lossCount += 1 }
        }
        #expect(lossCount > 0)
    }

    @Test("What somebody changes on such a volume is changed, and nothing else of it")
    func changedThere() throws {
        let bench = try VaultBench(key: key)
        try bench.write(["a.txt": "one", "b.txt": "two"])
        let names = ["a.txt", "b.txt"].map { bench.document().appending($0).string }
        for name in names {
            #expect(chmod(name, 0o640) == 0)
            #expect(CLinux.setxattr(name, "user.note", "x", 1, 0) == 0)
        }
        let contents = try keep("document", in: bench)
        let target = bench.document("restored")
        let losses = try SystemCallObservation.withObserver(PoorVolume(.forgetfulOfPermissions)) {
            try bench.vault.restore(contents, to: target)
        }
        try Data("one and more".utf8).write(to: target.appending("a.txt").url(isDirectory: false))
        #expect(chmod(target.appending("b.txt").string, 0o444) == 0)
        #expect(CLinux.removexattr(target.appending("b.txt").string, "user.note") == 0)
        let changed = try keep("restored", in: bench, isElsewhere: true, notes: losses)
        try bench.vault.restore(changed, to: bench.document("elsewhere"))
        let found = try names.indices.map { number in
            let place = bench.document("elsewhere").appending(["a.txt", "b.txt"][number])
            let names = try SourceFolder(at: place.parent).file(place.name).userAttributes().keys.sorted()
            return "\(String(try FileStamp(of: place).permissions, radix: 8)) \(names)"
        }
        #expect(found == ["640 [\"user.note\"]", "444 []"])
    }

    @Test("Links of a package are as old as they were")
    func links() throws {
        let bench = try VaultBench(key: key)
        try bench.write(["a": "text", "l": .link("a")])
        let times = [timespec(), timespec(tv_sec: 1_000_000_000, tv_nsec: 7)]
        #expect(
            utimensat(AT_FDCWD, bench.document().appending("l").string, times, AT_SYMLINK_NOFOLLOW) == 0
        )
        try bench.vault.restore(try keep("document", in: bench), to: bench.document("restored"))
        let stamp = try FileStamp(of: bench.document("restored").appending("l"))
        #expect(stamp.modificationSeconds == 1_000_000_000 && stamp.modificationNanoseconds == 7)
    }

    @Test("What two have given to a document is borne by what they are merged to, whoever merges")
    func merged() throws {
        let bench = try VaultBench(key: key)
        func version(
            _ text: String,
            _ permissions: mode_t,
            _ note: String?,
            _ seconds: Int
        ) throws -> DocumentContents {
            try bench.write(["a.txt": .file(text)], text)
            let member = bench.document(text).appending("a.txt").string
            #expect(chmod(member, permissions) == 0)
            if let note { #expect(CLinux.setxattr(member, "user.note", note, note.utf8.count, 0) == 0) }
            let times = [timespec(), timespec(tv_sec: seconds, tv_nsec: 0)]
            #expect(utimensat(AT_FDCWD, member, times, 0) == 0)
            return try keep(text, in: bench, isElsewhere: true)
        }
        let base = try version("base", 0o644, "base", 1)
        let mine = try version("mine", 0o755, "base", 5)
        let theirs = try version("theirs", 0o600, "theirs", 3)
        try bench.write(["a.txt": "merged"], "merged")
        var outcomes: [DocumentContents] = []
        for (own, other) in [(mine, theirs), (theirs, mine)] {
            let notes = try #require(try bench.vault.mergedDress(base: base, mine: own, theirs: other))
            outcomes.append(try keep("merged", in: bench, isElsewhere: true, notes: notes))
        }
        #expect(outcomes[0] == outcomes[1])
        try bench.vault.restore(outcomes[0], to: bench.document("outcome"))
        let member = bench.document("outcome").appending("a.txt")
        let stamp = try FileStamp(of: member)
        #expect(stamp.permissions == 0o711 && stamp.modificationSeconds == 5)
        #expect(try FileReading.extendedAttribute("user.note", of: member) == Data("theirs".utf8))
        #expect(try FileReading.contents(of: member) == Data("merged".utf8))
        // Who does not know what both come from cannot say which of two values is the one that nobody has set.
        #expect(try bench.vault.mergedDress(base: nil, mine: mine, theirs: theirs) == nil)
        #expect(try bench.vault.mergedDress(base: nil, mine: theirs, theirs: mine) == nil)
    }

    @Test("What two have given to a document that cannot both be borne merges to nothing: both are kept")
    func inConflict() throws {
        let bench = try VaultBench(key: key)
        func version(
            _ name: String,
            _ members: [String],
            note: String? = "base",
            permissions: mode_t = 0o644
        ) throws -> DocumentContents {
            let contents = members.map { ($0, DiskTree.file(name)) }
            try bench.write(.folder(Dictionary(uniqueKeysWithValues: contents)), name)
            for member in members {
                let place = bench.document(name).appending(member).string
                #expect(chmod(place, permissions) == 0)
                guard let note else { continue }
                #expect(CLinux.setxattr(place, "user.note", note, note.utf8.count, 0) == 0)
            }
            return try keep(name, in: bench, isElsewhere: true)
        }
        let base = try version("base", ["a", "b"])
        func isMerged(_ mine: DocumentContents, _ theirs: DocumentContents) throws -> Bool {
            let outcomes = try [(mine, theirs), (theirs, mine)].map { own, other in
                try bench.vault.mergedDress(base: base, mine: own, theirs: other)
            }
            #expect(outcomes[0] == outcomes[1])
            return outcomes[0] != nil
        }
        let red = try version("red", ["a", "b"], note: "red")
        #expect(try !isMerged(red, try version("blue", ["a", "b"], note: "blue")))
        #expect(try isMerged(red, try version("again", ["a", "b"], note: "red")))
        // What was set stays against what was removed.
        #expect(try isMerged(red, try version("none", ["a", "b"], note: nil)))
        let fewer = try version("fewer", ["a"])
        #expect(try !isMerged(fewer, red))
        #expect(try !isMerged(fewer, try version("program", ["a", "b"], permissions: 0o755)))
        #expect(try isMerged(fewer, try version("same", ["a", "b"])))
    }

    @Test("What is no note of losses is none")
    func damaged() {
        #expect(DressNotes(bytes: [])?.isEmpty == true)
        #expect(DressNotes(bytes: [1, 2, 3]) == nil)
        #expect(DressNotes(bytes: [0, 0, 0, 1, 47, 0, 0]) == nil)
    }

    @Test("Folders that lie deeper in each other than anybody restores end no process")
    func depth() throws {
        let bench = try VaultBench()
        let session = try KeepSession(store: bench.vault.store)
        let dress = MemberDress(
            permissions: 0o700,
            modificationSeconds: 0,
            modificationNanoseconds: 0,
            attributes: [:]
        )
        func entry(_ name: String, _ content: ContentReference) -> ManifestEntry {
            ManifestEntry(name: name, kind: .folder, dress: dress, byteCount: 0, content: content)
        }
        var content = try ContentTree.folder(of: []) { try session.store($0, $1) }
        for _ in 0..<20_000 {
            let member = entry("a", content).encoded[...]
            content = try ContentTree.folder(of: [(bytes: member, isBoundary: true)]) {
                try session.store($0, $1)
            }
        }
        let root = entry("", content)
        let origin = VaultBench.origin()
        let version = try KeptVersion(id: .fresh(), item: FileMark(UUID()), origin: origin, root: root)
        let object = try session.storeRecord(of: version)
        try session.commit { try $0.insert(version, object: object) }
        #expect(throws: VaultError.self) { try bench.vault.check(version) }
        let contents = try version.contents()
        #expect(throws: VaultError.self) {
            _ = try bench.vault.mergedDress(base: nil, mine: contents, theirs: contents)
        }
        let error = #expect(throws: VaultError.self) { try bench.vault.collect(deadShareMin: 0) }
        #expect(error?.code == .damaged)
        try bench.vault.remove([version.id])
        try bench.vault.collect(deadShareMin: 0)
    }

    @Test("A link that leads to what only looks the same is another state")
    func alikeLinks() throws {
        let bench = try VaultBench(key: key)
        let dress = MemberDress(
            permissions: 0o777,
            modificationSeconds: 0,
            modificationNanoseconds: 0,
            attributes: [:]
        )
        let (composed, decomposed) = ("caf\u{e9}", "cafe\u{301}")
        let folder = bench.document("link").parent
        try #require(symlink(decomposed, folder.appending("link").string) == 0)
        for (text, isSame) in [(composed, false), (decomposed, true)] {
            let entry = ManifestEntry(
                name: "",
                kind: .link,
                dress: dress,
                byteCount: 0,
                content: nil,
                linkText: text
            )
            let found = try Restorer(store: bench.vault.store).holdsState(
                of: entry,
                at: "link",
                in: SourceFolder(at: folder)
            )
            #expect(found == isSame)
        }
    }
}
