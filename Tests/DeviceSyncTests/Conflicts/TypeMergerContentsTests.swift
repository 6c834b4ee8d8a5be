import FileSystem
import Foundation
import Locks
import Merging
import SeededNumbers
import Sync
import TestFolders
import TestThreads
import Testing
import Vault

@testable import DeviceSync

/// Three versions of a document on disk, each in a folder of its own as a device has them when it merges.
private struct DocumentVersions {
    private let folder: TestFolder
    private let name: String

    init(_ name: String) throws {
        folder = try TestFolder("merging")
        self.name = name
        for version in ["base", "mine", "theirs", "outcome", "swapped"] {
            try ItemMoves.createFolder(FilePath(folder.path).appending(version))
        }
    }

    func path(_ version: String) -> FilePath {
        FilePath(folder.path).appending(version).appending(name)
    }

    func put(base: PackageTree, mine: PackageTree, theirs: PackageTree) throws {
        for (version, tree) in [("base", base), ("mine", mine), ("theirs", theirs)] {
            try Self.put(tree, at: path(version))
        }
    }

    func merge() throws -> Bool {
        try TypeMerger().merge(
            base: path("base"),
            mine: path("mine"),
            theirs: path("theirs"),
            to: path("outcome")
        )
    }

    /// Whether it is told beforehand that there is a conflict, on either device.
    ///
    /// - Parameter isBaseKnown: Whether what both come from is.
    func areInConflict(isBaseKnown: Bool) throws -> Bool {
        let (_, kept) = try kept()
        let base = isBaseKnown ? kept[0] : nil
        let isSo = TypeMerger().areInConflict(name, base: base, mine: kept[1], theirs: kept[2])
        #expect(TypeMerger().areInConflict(name, base: base, mine: kept[2], theirs: kept[1]) == isSo)
        return isSo
    }

    /// All three in a vault, in this order: base, mine, theirs.
    private func kept() throws -> (store: ContentStore, versions: [ContentName]) {
        let vault = try Vault(at: FilePath(folder.path).appending("vault-\(UUID().uuidString)"))
        let store = ContentStore(vault: vault, device: UUID(), deviceName: "here")
        let versions = try ["base", "mine", "theirs"].map { version in
            try #require(try store.keep(Vault.Keepable(path(version), as: .fresh(), isElsewhere: true)))
        }
        return (store, versions)
    }

    /// Whether it is told by what is written down of the members that there is a conflict, on either device.
    func haveContest(isBaseKnown: Bool) throws -> Bool {
        let (store, kept) = try kept()
        let base = isBaseKnown ? kept[0] : nil
        func isTold(_ mine: ContentName, _ theirs: ContentName) throws -> Bool {
            try store.areInConflict(base: base, mine: mine, theirs: theirs, by: TypeMerger())
        }
        let isSo = try isTold(kept[1], kept[2])
        #expect(try isTold(kept[2], kept[1]) == isSo)
        return isSo
    }

    func mergeWithoutBase() throws -> Bool {
        try TypeMerger().merge(base: nil, mine: path("mine"), theirs: path("theirs"), to: path("outcome"))
    }

    /// As the other device does it.
    func mergeSwapped() throws -> Bool {
        try TypeMerger().merge(
            base: path("base"),
            mine: path("theirs"),
            theirs: path("mine"),
            to: path("swapped")
        )
    }

    /// What both devices come to; nil for a conflict.
    func merged(_ comment: Comment = "") throws -> PackageTree? {
        let isMerged = try merge()
        #expect(try mergeSwapped() == isMerged, comment)
        guard isMerged else {
            #expect(try FileStamp.ifPresent(at: path("outcome")) == nil, comment)
            return nil
        }
        let tree = try Self.tree(at: path("outcome"))
        #expect(try Self.tree(at: path("swapped")) == tree, comment)
        return tree
    }

    static func put(_ tree: PackageTree, at path: FilePath) throws {
        switch tree {
        case .file(let bytes): try ItemMoves.createFile(path, contents: Data(bytes))
        case .link(let text): try #require(symlink(text, path.string) == 0)
        case .folder(let members):
            try ItemMoves.createFolder(path)
            for (name, member) in members { try put(member, at: path.appending(name.text)) }
        }
    }

    private static func tree(at path: FilePath) throws -> PackageTree {
        switch try FileStamp(of: path).kind {
        case .regular: return .file([UInt8](try FileReading.contents(of: path)))
        case .symbolicLink: return .link(try FileReading.symbolicLinkText(at: path))
        case .directory:
            var members: [MemberName: PackageTree] = [:]
            for entry in try FileReading.entries(in: path) {
                members[MemberName(entry.name)] = try tree(at: path.appending(entry.name))
            }
            return .folder(members)
        case .other: throw CocoaError(.fileReadUnknown)
        }
    }
}

/// Counts how often anything is read.
private final class ReadCounter: SystemCallObserver {
    let count = Locked(0)

    func willMake(_ call: SystemCall) -> CInt {
        if call.name == "read" { count.withLock { $0 += 1 } }
        return 0
    }

    func didMake(_ call: SystemCall) {}
}

/// Three versions, and whether it is told beforehand that they are in conflict, where the base is known and where it is not.
struct ToldConflict: Sendable {
    let name: String
    let base: PackageTree
    let mine: PackageTree
    let theirs: PackageTree
    let isTold: Bool
    let isToldWithoutBase: Bool

    private init(
        _ name: String,
        _ versions: [PackageTree],
        isTold: Bool,
        withoutBase isToldWithoutBase: Bool
    ) {
        (self.name, base, mine, theirs) = (name, versions[0], versions[1], versions[2])
        (self.isTold, self.isToldWithoutBase) = (isTold, isToldWithoutBase)
    }

    private static func file(_ text: String) -> PackageTree { .file(Array(text.utf8)) }

    static let all = [
        // No merger looks inside.
        ToldConflict("disk.img", ["1", "2", "3"].map(file), isTold: true, withoutBase: true),
        // What one has not changed, or both alike, is merged.
        ToldConflict("disk.img", ["1", "1", "3"].map(file), isTold: false, withoutBase: true),
        ToldConflict("disk.img", ["1", "2", "1"].map(file), isTold: false, withoutBase: true),
        ToldConflict("disk.img", ["1", "2", "2"].map(file), isTold: false, withoutBase: false),
        // A merger is to look; without what both come from it cannot.
        ToldConflict("a.txt", ["1", "2", "3"].map(file), isTold: false, withoutBase: true),
        ToldConflict("a.keyvalues", ["1", "2", "3"].map(file), isTold: false, withoutBase: false),
        // Kinds that are never merged, and one that is by its members.
        ToldConflict("a.txt", [file("1"), .link("2"), .link("3")], isTold: true, withoutBase: true),
        ToldConflict("a.txt", [file("1"), .link("2"), file("3")], isTold: true, withoutBase: true),
        ToldConflict("a.txt", [.link("1"), file("2"), file("3")], isTold: true, withoutBase: true),
        ToldConflict("a.book", [.folder([:]), .folder([:]), file("3")], isTold: true, withoutBase: true),
        ToldConflict(
            "a.book",
            ["1", "2", "3"].map { .folder([MemberName("a"): file($0)]) },
            isTold: false,
            withoutBase: false
        ),
    ]
}

@Suite("What is read to merge by type", .onOwnThreads)
struct TypeMergerContentsTests {
    private func file(_ text: String) -> PackageTree { .file(Array(text.utf8)) }

    /// A file that takes no room, and begins with a byte.
    private func putSparse(_ byte: UInt8, _ byteCount: Int64, at path: FilePath) throws {
        try ItemMoves.createFile(path, contents: Data([byte]))
        try #require(truncate(path.string, off_t(byteCount)) == 0)
    }

    @Test(
        "What no merger looks into, or what is too large for one, is in conflict without being read",
        arguments: ["disk.img", "log.txt", "app.keyvalues"]
    )
    func large(_ name: String) throws {
        let versions = try DocumentVersions(name)
        for (number, version) in ["base", "mine", "theirs"].enumerated() {
            try putSparse(UInt8(number), 3 << 30, at: versions.path(version))
        }
        let counter = ReadCounter()
        let isMerged = try SystemCallObservation.withObserver(counter) { try versions.merge() }
        #expect(!isMerged)
        // The first pieces, of each two versions: they differ there.
        #expect(counter.count.withLock { $0 } <= 6)
        #expect(try FileStamp.ifPresent(at: versions.path("outcome")) == nil)
    }

    @Test(
        "What is said to be in conflict beforehand is not merged, and nothing else is said of what is",
        arguments: ToldConflict.all
    )
    func told(_ told: ToldConflict) throws {
        let versions = try DocumentVersions(told.name)
        try versions.put(base: told.base, mine: told.mine, theirs: told.theirs)
        // What only one bears beside its bytes is merged, and no reason for a conflict.
        if case .file = told.mine { try #require(chmod(versions.path("mine").string, 0o600) == 0) }
        #expect(try versions.areInConflict(isBaseKnown: true) == told.isTold)
        #expect(try versions.areInConflict(isBaseKnown: false) == told.isToldWithoutBase)
        if told.isTold { #expect(try !versions.merge()) }
        if told.isToldWithoutBase { #expect(try !versions.mergeWithoutBase()) }
    }

    @Test("That a file is too large to be merged is said beforehand, whichever version is", arguments: 0..<3)
    func toldOfLarge(which: Int) throws {
        let texts = ["one\ntwo\nthree\n", "ONE\ntwo\nthree\n", "one\ntwo\nTHREE\n"]
        for (byteCount, isTold) in [(ItemMerge.byteCountMax, false), (ItemMerge.byteCountMax + 1, true)] {
            let versions = try DocumentVersions("log.txt")
            for (number, version) in ["base", "mine", "theirs"].enumerated() {
                let path = versions.path(version)
                try ItemMoves.createFile(path, contents: Data(texts[number].utf8))
                if number == which { try #require(truncate(path.string, off_t(byteCount)) == 0) }
            }
            #expect(try versions.areInConflict(isBaseKnown: true) == isTold)
            if isTold { #expect(try !versions.merge()) }
        }
    }

    @Test("What no merger looks into is merged where both, or only one, have changed none of its bytes")
    func unchanged() throws {
        for (mine, theirs, outcome) in [("2", "2", "2"), ("1", "2", "2"), ("1", "1", "1")] {
            let versions = try DocumentVersions("picture.png")
            try versions.put(base: file("1"), mine: file(mine), theirs: file(theirs))
            #expect(try versions.merged() == file(outcome))
        }
    }

    @Test("A member that is too large to be merged is in nobody's way unless both have changed it")
    func largeMembers() throws {
        let byteCount = ItemMerge.byteCountMax + 1
        for (isMine, isMerged) in [(false, true), (true, false)] {
            let versions = try DocumentVersions("A.book")
            try versions.put(
                base: .folder(["a.txt": file("one\ntwo\nthree\n")]),
                mine: .folder(["a.txt": file("ONE\ntwo\nthree\n")]),
                theirs: .folder(["a.txt": file("one\ntwo\nTHREE\n")])
            )
            let firstBytes: [(String, UInt8)] = [("base", 0), ("mine", isMine ? 1 : 0), ("theirs", 2)]
            for (version, byte) in firstBytes {
                let package = versions.path(version)
                try putSparse(0, byteCount, at: package.appending("same.txt"))
                try putSparse(byte, byteCount, at: package.appending("other.txt"))
            }
            #expect(try versions.merge() == isMerged)
            guard isMerged else { continue }
            let outcome = versions.path("outcome")
            let text = try FileReading.contents(of: outcome.appending("a.txt"))
            #expect(text == Data("ONE\ntwo\nTHREE\n".utf8))
            for name in ["same.txt", "other.txt"] {
                let theirs = versions.path("theirs").appending(name)
                #expect(try FileReading.haveSameBytes(outcome.appending(name), theirs))
            }
        }
    }

    @Test("Packages whose files a clock that ran ahead has dated merge as any others")
    func futureDates() throws {
        let versions = try DocumentVersions("A.book")
        try versions.put(
            base: .folder(["a.txt": file("a"), "b.png": file("b")]),
            mine: .folder(["a.txt": file("A"), "b.png": file("b")]),
            theirs: .folder(["a.txt": file("a"), "b.png": file("B")])
        )
        for version in ["base", "mine", "theirs"] {
            for name in ["a.txt", "b.png"] {
                try FileManager.default.setAttributes(
                    [.modificationDate: Date.now + 365 * 86_400],
                    ofItemAtPath: versions.path(version).appending(name).string
                )
            }
        }
        #expect(try versions.merged() == .folder(["a.txt": file("A"), "b.png": file("B")]))
    }

    @Test("A member whose name got another form is renamed, whichever side did it")
    func renamed() throws {
        let (composed, decomposed): (MemberName, MemberName) = ("\u{E9}.txt", "e\u{301}.txt")
        let versions = try DocumentVersions("A.book")
        try versions.put(
            base: .folder([composed: file("1"), "z.txt": file("z")]),
            mine: .folder([composed: file("1"), "z.txt": file("Z")]),
            theirs: .folder([decomposed: file("1"), "z.txt": file("z")])
        )
        #expect(try versions.merged() == .folder([decomposed: file("1"), "z.txt": file("Z")]))
    }

    @Test("Members whose names only look alike are two: each keeps its name and its contents")
    func lookingAlike() throws {
        let (composed, decomposed): (MemberName, MemberName) = ("\u{E9}.txt", "e\u{301}.txt")
        let versions = try DocumentVersions("A.book")
        try versions.put(
            base: .folder([composed: file("1"), decomposed: file("2"), "z.txt": file("z")]),
            mine: .folder([composed: file("one"), decomposed: file("2"), "z.txt": file("z")]),
            theirs: .folder([composed: file("1"), decomposed: file("2"), "z.txt": file("Z")])
        )
        #expect(
            try versions.merged()
                == .folder([composed: file("one"), decomposed: file("2"), "z.txt": file("Z")])
        )
    }

    @Test("Packages on disk come to what packages in memory do, or to nothing where that is in conflict")
    func random() throws {
        let packages = PackageMerger { path in
            switch path.last?.split(separator: ".").last {
            case "txt": TextMerger()
            case "json": JSONMerger()
            default: BytesMerger()
            }
        }
        var (mergedCount, toldCount) = (0, 0)
        for seed in UInt64(1)...40 {
            var numbers = SplitMix64(seed: seed)
            let base = Self.folder(&numbers, depth: 2)
            let mine = Self.edited(base, "m", &numbers)
            let theirs = Self.edited(base, "t", &numbers)
            let expected = packages.merge(base: base, mine: mine, theirs: theirs)
            let versions = try DocumentVersions("A.book")
            try versions.put(base: base, mine: mine, theirs: theirs)
            let merged = try versions.merged("seed \(seed)")
            #expect(merged == (expected.conflicts.isEmpty ? expected.contents : nil), "seed \(seed)")
            let isTold = try versions.haveContest(isBaseKnown: true)
            #expect(!isTold || merged == nil, "seed \(seed)")
            // Beside those there is only what mergers find that look inside.
            let isDeep = expected.conflicts.allSatisfy { $0.place.last.map(Self.isLookedInto) ?? true }
            #expect(isTold || isDeep, "seed \(seed)")
            if isTold { toldCount += 1 }
            if try versions.haveContest(isBaseKnown: false) {
                #expect(try !versions.mergeWithoutBase(), "seed \(seed)")
            }
            if merged != nil { mergedCount += 1 }
        }
        #expect(mergedCount > 0 && toldCount > 0)
    }

    private static func isLookedInto(_ step: MergeConflict.Step) -> Bool {
        guard case .member(let name) = step else { return true }
        return name.hasSuffix(".txt") || name.hasSuffix(".json")
    }

    @Test(
        "What both have made of a package's member that no merger looks into is told by what is written down of it"
    )
    func contests() throws {
        let base: [MemberName: PackageTree] = [
            "a.bin": file("a"), "b.txt": file("one\ntwo\n"), "c": .folder(["d.bin": file("d")]),
            "l": .link("x"),
        ]
        func isTold(
            _ mine: [MemberName: PackageTree],
            _ theirs: [MemberName: PackageTree],
            isBaseKnown: Bool = true
        ) throws -> Bool {
            let versions = try DocumentVersions("A.book")
            try versions.put(
                base: .folder(base),
                mine: .folder(base.merging(mine) { $1 }),
                theirs: .folder(base.merging(theirs) { $1 })
            )
            let isTold = try versions.haveContest(isBaseKnown: isBaseKnown)
            if isTold { #expect(try !(isBaseKnown ? versions.merge() : versions.mergeWithoutBase())) }
            return isTold
        }
        let (text, other) = (file("ONE\ntwo\n"), file("one\nTWO\n"))
        #expect(try isTold(["a.bin": file("1")], ["a.bin": file("2")]))
        #expect(try isTold(["c": .folder(["d.bin": file("1")])], ["c": .folder(["d.bin": file("2")])]))
        #expect(try isTold(["c": .folder([:])], ["c": .folder(["d.bin": file("2")])]))
        #expect(try isTold(["l": .link("\u{E9}")], ["l": .link("e\u{301}")]))
        #expect(try isTold(["c": file("file")], ["c": .folder(["d.bin": file("2")])]))
        #expect(try isTold(["new.bin": file("1")], ["new.bin": file("2")]))
        #expect(try isTold([:], ["a.bin": file("2")], isBaseKnown: false))
        #expect(try isTold(["b.txt": text], ["b.txt": other], isBaseKnown: false))
        // A merger is to look, or only one has changed it, or both alike.
        #expect(try !isTold(["b.txt": text], ["b.txt": other]))
        #expect(try !isTold(["a.bin": file("1"), "b.txt": text], ["b.txt": other, "l": .link("y")]))
        #expect(try !isTold(["a.bin": file("1")], ["a.bin": file("1"), "c": .folder([:])]))
        #expect(try !isTold(["c": file("file")], ["a.bin": file("1")]))
    }

    private static let names: [MemberName] = [
        "a.txt", "b.png", "c.json", "d", "\u{E9}.txt", "e\u{301}.txt",
    ]

    private static func folder(_ numbers: inout SplitMix64, depth: Int) -> PackageTree {
        var members: [MemberName: PackageTree] = [:]
        for name in names where numbers.below(2) == 0 {
            let isFolder = depth > 0 && numbers.below(3) == 0
            let isLink = numbers.below(5) == 0
            let text = "old \(numbers.below(3))"
            if isFolder {
                members[name] = folder(&numbers, depth: depth - 1)
            } else {
                members[name] = isLink ? .link(text) : .file(Array("\(text)\n".utf8))
            }
        }
        return .folder(members)
    }

    private static func edited(_ tree: PackageTree, _ tag: String, _ numbers: inout SplitMix64) -> PackageTree
    {
        guard case .folder(var members) = tree else {
            return numbers.below(6) == 0 ? .file(Array("\(tag) \(numbers.below(1000))\n".utf8)) : tree
        }
        for name in names {
            if let member = members[name] {
                members[name] = numbers.below(12) == 0 ? nil : edited(member, tag, &numbers)
            } else if numbers.below(12) == 0 {
                members[name] = .file(Array("\(tag) \(numbers.below(1000))\n".utf8))
            }
        }
        return .folder(members)
    }
}
