import ChangeSets
import DocumentFoundation
import Foundation
import Merging
import Testing
import UIKit
import UniformTypeIdentifiers

/// What documents are given to merge, and what comes of it.
@Suite("DocumentMergers")
struct DocumentMergersTests {
    let playground: Playground

    init() throws {
        playground = try Playground()
    }

    private func data(_ text: String) -> Data { Data(text.utf8) }

    private func merge(
        _ type: UTType,
        _ base: String?,
        _ mine: String,
        _ theirs: String
    ) throws
        -> (text: String, conflicts: [MergeConflict])
    {
        let merged = try #require(
            try DocumentMergers.merge(
                ofType: type.identifier,
                base: base.map(data),
                mine: data(mine),
                theirs: data(theirs)
            )
        )
        return (String(decoding: try #require(merged.contents as? Data), as: UTF8.self), merged.conflicts)
    }

    @Test("Files merge by their type: text by line, JSON by key, all else not at all")
    func files() throws {
        let text = try merge(.plainText, "a\nb\nc\n", "A\nb\nc\n", "a\nb\nC\n")
        #expect(text.text == "A\nb\nC\n" && text.conflicts.isEmpty)
        let json = try merge(.json, "{\"a\":1,\"b\":2}", "{\"a\":3,\"b\":2}", "{\"a\":1,\"b\":4}")
        #expect(json.text == "{\"a\":3,\"b\":4}" && json.conflicts.isEmpty)
        let image = try merge(.png, "a\nb\nc\n", "A\nb\nc\n", "a\nb\nC\n")
        #expect(image.text == "a\nb\nC\n" && image.conflicts.count == 1)
        #expect(try merge(.png, "a", "a", "b").conflicts.isEmpty)
    }

    @Test("Without a base what differs is a conflict: a key that is missing may have been taken away")
    func unknownBase() throws {
        #expect(try merge(.json, nil, "{\"a\":1}", "{\"b\":2}").conflicts.count == 1)
        #expect(try merge(.plainText, nil, "same", "same").conflicts.isEmpty)
    }

    @Test("Replicas need no base")
    func replicas() throws {
        var (mine, theirs) = (
            Replica(device: DeviceID(UUID())), Replica(device: DeviceID(UUID()))
        )
        try mine.record(.add, "Note", "a", [PropertyChange("text", .set(.text("mine")))], at: 1)
        try theirs.record(.add, "Note", "b", [PropertyChange("text", .set(.text("theirs")))], at: 1)
        let merged = try #require(
            try DocumentMergers.merge(
                ofType: UTType.replica.identifier,
                base: nil,
                mine: Data(mine.encodedState()),
                theirs: Data(theirs.encodedState())
            )
        )
        #expect(merged.conflicts.isEmpty)
        let both = try Replica(
            state: try #require(merged.contents as? Data),
            device: DeviceID(UUID())
        )
        #expect(both.contains("Note", "a") && both.contains("Note", "b"))
    }

    @Test("What is neither data nor a wrapper, or not of one kind, is not merged")
    func otherContents() throws {
        let folder = FileWrapper(directoryWithFileWrappers: [:])
        #expect(try DocumentMergers.merge(ofType: nil, base: nil, mine: 1, theirs: 2) == nil)
        #expect(try DocumentMergers.merge(ofType: nil, base: nil, mine: data("x"), theirs: folder) == nil)
    }

    // MARK: Packages

    /// A package on disk, with what it is given.
    private func put(_ members: [String: String]) throws -> URL {
        let url = playground["A.book"]
        for (name, text) in members {
            let place = url.appendingPathComponent(name)
            try FileManager.default.createDirectory(
                at: place.deletingLastPathComponent(),
                withIntermediateDirectories: true
            )
            try data(text).write(to: place)
        }
        return url
    }

    private func replace(_ name: String, with text: String, in tree: FileWrapper) {
        if let old = tree.fileWrappers?[name] { tree.removeFileWrapper(old) }
        tree.addRegularFile(withContents: data(text), preferredFilename: name)
    }

    private func text(_ path: String..., in contents: Any) throws -> String? {
        var wrapper = contents as? FileWrapper
        for name in path { wrapper = wrapper?.fileWrappers?[name] }
        return try wrapper.map { String(decoding: try #require($0.regularFileContents), as: UTF8.self) }
    }

    @Test("Members merge each by its own type; what one side alone has touched is not read")
    func packages() throws {
        let url = try put([
            "text.txt": "one\ntwo\nthree\n", "data.json": "{\"a\":1,\"b\":2}", "picture.png": "p",
            "pages/1.txt": "1", "pages/2.txt": "2", "rest/x": "x",
        ])
        let tree = try FileWrapper(url: url)
        for name in ["text.txt", "data.json"] { _ = tree.fileWrappers?[name]?.regularFileContents }
        replace("text.txt", with: "ONE\ntwo\nthree\n", in: tree)
        replace("data.json", with: "{\"a\":1,\"b\":3}", in: tree)
        #expect(try text("pages", "1.txt", in: tree) == "1")
        replace("1.txt", with: "mine", in: try #require(tree.fileWrappers?["pages"]))
        _ = try put(["text.txt": "one\ntwo\nTHREE\n", "data.json": "{\"a\":4,\"b\":2}", "pages/3.txt": "3"])
        let theirs = try FileWrapper(url: url)
        let base = try #require(tree.asSaved)
        #expect(try text("text.txt", in: base) == "one\ntwo\nthree\n")
        let merged = try #require(
            try DocumentMergers.merge(ofType: "com.apple.package", base: base, mine: tree, theirs: theirs)
        )
        #expect(merged.conflicts.isEmpty)
        #expect(try text("text.txt", in: merged.contents) == "ONE\ntwo\nTHREE\n")
        #expect(try text("data.json", in: merged.contents) == "{\"a\":4,\"b\":3}")
        #expect(try text("pages", "1.txt", in: merged.contents) == "mine")
        #expect(try text("pages", "3.txt", in: merged.contents) == "3")
        let contents = try #require(merged.contents as? FileWrapper)
        for path in [["picture.png"], ["pages", "2.txt"]] {
            let member = path.reduce(contents) { $0.fileWrappers?[$1] ?? $0 }
            #expect(member.bytesInMemory == nil, "\(path) was read")
        }
        #expect(contents.fileWrappers?["rest"] === theirs.fileWrappers?["rest"])
    }

    @Test("A member that was never read here, and that the other one changed, has no base: both are told")
    func unreadMember() throws {
        let url = try put(["text.txt": "one\ntwo\n"])
        let tree = try FileWrapper(url: url)
        replace("text.txt", with: "ONE\ntwo\n", in: tree)
        _ = try put(["text.txt": "one\nTWO more\n"])
        let theirs = try FileWrapper(url: url)
        let merged = try #require(
            try DocumentMergers.merge(ofType: nil, base: tree.asSaved, mine: tree, theirs: theirs)
        )
        #expect(merged.conflicts.map(\.place) == [[.member("text.txt")]])
        #expect(merged.conflicts.first?.base == nil)
    }

    @Test("A member gone on one side goes; one that the other side changed stays, and is told")
    func deletions() throws {
        let url = try put(["a.txt": "a", "b.txt": "b", "c.txt": "c"])
        let tree = try FileWrapper(url: url)
        let members = try #require(tree.fileWrappers)
        for name in ["a.txt", "b.txt"] {
            _ = members[name]?.regularFileContents
            members[name].map(tree.removeFileWrapper)
        }
        try FileManager.default.removeItem(at: url.appendingPathComponent("c.txt"))
        _ = try put(["b.txt": "changed"])
        let merged = try #require(
            try DocumentMergers.merge(
                ofType: nil,
                base: tree.asSaved,
                mine: tree,
                theirs: try FileWrapper(url: url)
            )
        )
        #expect((merged.contents as? FileWrapper)?.fileWrappers?.keys.sorted() == ["b.txt"])
        #expect(try text("b.txt", in: merged.contents) == "changed")
        #expect(merged.conflicts.map(\.place) == [[.member("b.txt")]])
    }

    @Test("Members that a clock which ran ahead has dated are known as those of any other date")
    func futureDates() throws {
        let url = try put(["a.txt": "a", "b.txt": "b"])
        let yearSeconds = 365.0 * 86_400
        for name in ["a.txt", "b.txt"] {
            let place = url.appendingPathComponent(name).path
            try FileManager.default.setAttributes(
                [.modificationDate: Date.now + yearSeconds],
                ofItemAtPath: place
            )
        }
        // What was written in the tick in which it is listed may be written again in it.
        let datedAt = Date.now
        while Date.now.timeIntervalSince(datedAt) < 0.05 { sched_yield() }
        let tree = try FileWrapper(url: url)
        replace("a.txt", with: "A", in: tree)
        _ = try put(["b.txt": "B"])
        let merged = try #require(
            try DocumentMergers.merge(
                ofType: nil,
                base: tree.asSaved,
                mine: tree,
                theirs: try FileWrapper(url: url)
            )
        )
        #expect(merged.conflicts.isEmpty)
        #expect(try text("a.txt", in: merged.contents) == "A")
        #expect(try text("b.txt", in: merged.contents) == "B")
    }

    /// The names of members, as bytes.
    private func names(in contents: Any) throws -> Set<[UInt8]> {
        let members = try #require((contents as? FileWrapper)?.fileWrappers)
        return Set(members.keys.map { Array($0.utf8) })
    }

    @Test("Who gives a member's name another form has renamed it; what would have both forms is in conflict")
    func forms() throws {
        let (composed, decomposed) = ("\u{E9}.txt", "e\u{301}.txt")
        let url = try put([composed: "1", "z.txt": "z"])
        let tree = try FileWrapper(url: url)
        try tree.read(from: url, options: .immediate)
        replace("z.txt", with: "Z", in: tree)
        try #require(rename(url.path + "/" + composed, url.path + "/" + decomposed) == 0)
        let renamed = try #require(
            try DocumentMergers.merge(
                ofType: nil,
                base: tree.asSaved,
                mine: tree,
                theirs: try FileWrapper(url: url)
            )
        )
        #expect(renamed.conflicts.isEmpty)
        #expect(try names(in: renamed.contents) == [Array(decomposed.utf8), Array("z.txt".utf8)])
        #expect(try text("z.txt", in: renamed.contents) == "Z")
        replace(composed, with: "edited", in: tree)
        let both = try #require(
            try DocumentMergers.merge(
                ofType: nil,
                base: tree.asSaved,
                mine: tree,
                theirs: try FileWrapper(url: url)
            )
        )
        #expect(!both.conflicts.isEmpty)
        #expect(try names(in: both.contents).count == 3)
    }

    @Test("A link that leads to a name in another form of Unicode was changed")
    func linkForms() throws {
        let (composed, decomposed) = ("\u{E9}.png", "e\u{301}.png")
        let url = try put(["z.txt": "z"])
        let link = url.appendingPathComponent("link").path
        try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: composed)
        let tree = try FileWrapper(url: url)
        try tree.read(from: url, options: .immediate)
        let member = try #require(tree.fileWrappers?["link"])
        #expect(member.symbolicLinkDestinationURL != nil)
        replace("z.txt", with: "Z", in: tree)
        try FileManager.default.removeItem(atPath: link)
        try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: decomposed)
        let theirs = try FileWrapper(url: url)
        let merged = try #require(
            try DocumentMergers.merge(ofType: nil, base: tree.asSaved, mine: tree, theirs: theirs)
        )
        #expect(merged.conflicts.isEmpty)
        let outcome = try #require((merged.contents as? FileWrapper)?.fileWrappers?["link"])
        #expect(outcome === theirs.fileWrappers?["link"])
        #expect(try text("z.txt", in: merged.contents) == "Z")
    }

    /// Has files be older than any reading of them: what was written in the same tick might be written again in it.
    private func age(_ url: URL) throws {
        let names = FileManager.default.enumerator(atPath: url.path)
        while let name = names?.nextObject() as? String {
            let place = url.appendingPathComponent(name).path
            try FileManager.default.setAttributes([.modificationDate: Date.now - 60], ofItemAtPath: place)
        }
    }

    /// Which files of a package are in memory, by their paths.
    private func inMemory(_ contents: Any, in folder: String = "") -> [String] {
        let members = (contents as? FileWrapper)?.fileWrappers ?? [:]
        return members.sorted { $0.key < $1.key }.flatMap { name, member in
            member.isDirectory
                ? inMemory(member, in: folder + name + "/")
                : member.bytesInMemory == nil ? [] : [folder + name]
        }
    }

    @Test("Of a folder that one side has taken away nothing is read that the other one has not changed")
    func removedFolder() throws {
        let url = try put(["a.txt": "a", "pages/1.txt": "1", "pages/2.txt": "2", "pages/deep/3.txt": "3"])
        try age(url)
        // Mine is without it.
        let tree = try FileWrapper(url: url)
        let removed = try #require(tree.fileWrappers?["pages"])
        // Read, so that it is known what it was beside others that come.
        #expect(try text("deep", "3.txt", in: removed) == "3")
        tree.removeFileWrapper(removed)
        let base = try #require(tree.asSaved)
        let untouched = try FileWrapper(url: url)
        let gone = try #require(
            try DocumentMergers.merge(ofType: nil, base: base, mine: tree, theirs: untouched)
        )
        #expect(gone.conflicts.isEmpty)
        #expect((gone.contents as? FileWrapper)?.fileWrappers?.keys.sorted() == ["a.txt"])
        // What is new there stays, and what has changed is told.
        _ = try put(["pages/2.txt": "changed", "pages/deep/new.txt": "new"])
        let theirs = try FileWrapper(url: url)
        let kept = try #require(
            try DocumentMergers.merge(ofType: nil, base: tree.asSaved, mine: tree, theirs: theirs)
        )
        #expect(kept.conflicts.map(\.place) == [[.member("pages"), .member("2.txt")]])
        let pages = try #require((kept.contents as? FileWrapper)?.fileWrappers?["pages"])
        #expect(pages.fileWrappers?.keys.sorted() == ["2.txt", "deep"])
        #expect(pages.fileWrappers?["deep"]?.fileWrappers?.keys.sorted() == ["new.txt"])
        #expect(inMemory(base) == ["pages/deep/3.txt"] && inMemory(untouched).isEmpty)
        #expect(inMemory(theirs) == ["pages/2.txt"])
        // Theirs is: mine, unread, is what it was.
        let unread = try FileWrapper(url: url)
        #expect(try text("a.txt", in: unread) == "a")
        replace("a.txt", with: "A", in: unread)
        try FileManager.default.removeItem(at: url.appendingPathComponent("pages"))
        let other = try #require(
            try DocumentMergers.merge(
                ofType: nil,
                base: unread.asSaved,
                mine: unread,
                theirs: try FileWrapper(url: url)
            )
        )
        #expect(other.conflicts.isEmpty)
        #expect((other.contents as? FileWrapper)?.fileWrappers?.keys.sorted() == ["a.txt"])
        #expect(inMemory(unread) == ["a.txt"])
    }

    @Test(
        "A folder in whose place there is a file now goes where it is as it was, and is in conflict where it is not"
    )
    func folderBecomesFile() throws {
        let url = try put(["a.txt": "a", "pages/1.txt": "1", "pages/deep/3.txt": "3"])
        try age(url)
        let tree = try FileWrapper(url: url)
        replace("pages", with: "file", in: tree)
        let untouched = try FileWrapper(url: url)
        let gone = try #require(
            try DocumentMergers.merge(ofType: nil, base: tree.asSaved, mine: tree, theirs: untouched)
        )
        #expect(gone.conflicts.isEmpty && inMemory(untouched).isEmpty)
        #expect(try text("pages", in: gone.contents) == "file")
        _ = try put(["pages/deep/3.txt": "changed"])
        let theirs = try FileWrapper(url: url)
        let kept = try #require(
            try DocumentMergers.merge(ofType: nil, base: tree.asSaved, mine: tree, theirs: theirs)
        )
        #expect(kept.conflicts.map(\.place) == [[.member("pages")]])
        #expect(kept.conflicts.map(\.standing) == [.theirs])
        #expect((kept.contents as? FileWrapper)?.fileWrappers?["pages"] === theirs.fileWrappers?["pages"])
    }

    @Test(
        "What two packages have alike is not in memory once they are merged, whether or not anything is known of before"
    )
    func alike() throws {
        let versions = try ["mine", "theirs"].map { name in
            let url = try put(["a.txt": name, "large.bin": ""])
            let large = try FileHandle(forWritingTo: url.appendingPathComponent("large.bin"))
            try large.truncate(atOffset: 64 << 20)
            try large.close()
            let place = playground[name + ".book"]
            try FileManager.default.moveItem(at: url, to: place)
            return try FileWrapper(url: place, options: .withoutMapping)
        }
        let merged = try #require(
            try DocumentMergers.merge(ofType: nil, base: nil, mine: versions[0], theirs: versions[1])
        )
        #expect(merged.conflicts.map(\.place) == [[.member("a.txt")]])
        for version in versions { #expect(version.fileWrappers?["large.bin"]?.bytesInMemory == nil) }
    }

    @Test("An app that makes a new tree each time merges as one that changes the tree it was given")
    func newTrees() throws {
        let url = try put(["a.txt": "a", "b.txt": "one\ntwo\n"])
        let base = try FileWrapper(url: url)
        try base.read(from: url, options: .immediate)
        let mine = FileWrapper(directoryWithFileWrappers: [
            "a.txt": FileWrapper(regularFileWithContents: data("a")),
            "b.txt": FileWrapper(regularFileWithContents: data("ONE\ntwo\n")),
        ])
        _ = try put(["a.txt": "A", "b.txt": "one\nTWO\n"])
        let merged = try #require(
            try DocumentMergers.merge(
                ofType: nil,
                base: base.asSaved,
                mine: mine,
                theirs: try FileWrapper(url: url)
            )
        )
        #expect(merged.conflicts.isEmpty)
        #expect(try text("a.txt", in: merged.contents) == "A")
        #expect(try text("b.txt", in: merged.contents) == "ONE\nTWO\n")
    }

    @Test("One side's changes alone are that side, and the same changes are no conflict")
    func laws() throws {
        let url = try put(["a.txt": "a", "d/b.txt": "b"])
        let tree = try FileWrapper(url: url)
        try tree.read(from: url, options: .immediate)
        let base = try #require(tree.asSaved)
        let untouched = try FileWrapper(url: url)
        #expect(
            try DocumentMergers.merge(ofType: nil, base: base, mine: tree, theirs: untouched)?.contents
                as? FileWrapper === untouched
        )
        replace("a.txt", with: "A", in: tree)
        let own = try #require(
            try DocumentMergers.merge(ofType: nil, base: tree.asSaved, mine: tree, theirs: untouched)
        )
        #expect(try text("a.txt", in: own.contents) == "A")
        _ = try put(["a.txt": "A"])
        let theirs = try FileWrapper(url: url)
        let same = try #require(
            try DocumentMergers.merge(ofType: nil, base: tree.asSaved, mine: tree, theirs: theirs)
        )
        #expect(same.conflicts.isEmpty && same.contents as? FileWrapper === theirs)
    }
}
