import CLinux
import DocumentFoundation
import FileSystem
import Foundation
import Locks
import TestThreads
import Testing

/// NSFileVersion as apps use it.
@Suite("NSFileVersion", .onOwnThreads, .timeLimit(.minutes(3)))
struct NSFileVersionTests {
    private let stage: VersionStage

    init() throws {
        stage = try VersionStage()
    }

    @Test("What was saved before is listed, the oldest first, and the state on disk is not among them")
    func listing() throws {
        try stage.save("one", at: "a.txt")
        try stage.save("two", at: "a.txt")
        let url = try stage.save("three", at: "a.txt")
        #expect(try stage.texts(url) == ["one", "two"])
        let others = try stage.others(url)
        #expect(
            others.allSatisfy { !$0.isConflict && $0.isResolved && $0.isDiscardable && $0.hasLocalContents }
        )
        #expect(others.map(\.localizedName) == ["a", "a"])
        #expect(others.map(\.localizedNameOfSavingComputer) == ["desk", "desk"])
        #expect(others.allSatisfy { $0.originatorNameComponents == nil && !$0.hasThumbnail })
    }

    @Test("A state of the same size and date as the one before is another: what was kept of that is listed")
    func alikeInSizeAndDate() throws {
        let url = try stage.save("one", at: "a.txt")
        try stage.shell("cp", "-p", url.path, stage.place("dated").path)
        let file = try FileHandle(forWritingTo: url)
        try file.write(contentsOf: Data("two".utf8))
        try file.close()
        try stage.shell("touch", "-r", stage.place("dated").path, url.path)
        let stamps = try [url, stage.place("dated")].map { try FileStamp(of: FilePath($0.path)) }
        #expect(stamps[0].modificationDate == stamps[1].modificationDate)
        // Another process has not seen the bytes.
        #expect(try VersionStage(root: stage.root).texts(url) == ["one"])
    }

    @Test(
        "A version put where nothing is bears all that it bore, under any name, and so does what is in a package"
    )
    func elsewhere() throws {
        let url = try stage.write("one", at: "a.txt")
        let package = try stage.write("one", at: "p.rtfd/m.txt").deletingLastPathComponent()
        for place in [url, package.appendingPathComponent("m.txt")] {
            try dress(place)
            #expect(chmod(place.path, 0o664) == 0)
        }
        for place in [url, package] { try stage.keep(place) }
        try stage.save("two", at: "a.txt")
        try stage.write("two", at: "p.rtfd/m.txt")
        try stage.keep(package)
        let version = try #require(try stage.others(url).first)
        // Somebody may have read it in the meantime.
        #expect(try stage.text(version.url) == "one")
        let (copy, other) = (stage.place("a copy.bak"), stage.place("q.rtfd"))
        try stage.run {
            try version.put(atFree: copy)
            try #require(try stage.others(package).first).put(atFree: other)
            #expect(throws: CocoaError.self) { try version.put(atFree: copy) }
        }
        for place in [copy, other.appendingPathComponent("m.txt")] {
            #expect(
                try stage.text(place) == "one" && FileStamp(of: FilePath(place.path)).permissions == 0o664
            )
            #expect(attribute(of: place) == "kept")
        }
        #expect(try FileStamp(of: FilePath(other.path)).permissions & 0o700 == 0o700)
        #expect(try FileIdentity.mark(at: FilePath(copy.path)) == nil)
    }

    @Test("What a program has written late into what was a document bears what the document bears")
    func late() throws {
        let url = try stage.save("one", at: "a.txt")
        try dress(url)
        try #require(chmod(url.path, 0o640) == 0)
        func keepLate(_ text: String) throws -> NSFileVersion {
            let contents = Data(text.utf8)
            return try stage.store.keepConflict(contents: contents, of: url, dated: Date(), .autosave)
        }
        // So what is the document, but for that, is in no conflict with it.
        _ = try keepLate("one")
        #expect(try stage.store.unresolvedConflicts(at: url).isEmpty)
        let late = try keepLate("late")
        _ = try stage.run { try late.replaceItem(at: url) }
        #expect(try stage.text(url) == "late")
        #expect(try FileStamp(of: FilePath(url.path)).permissions == 0o640)
        #expect(attribute(of: url) == "kept")
    }

    private func dress(_ url: URL) throws {
        try #require(CLinux.setxattr(url.path, "user.t", "kept", 4, 0) == 0, "\(errno)")
    }

    private func attribute(of url: URL) -> String? {
        var value = [UInt8](repeating: 0, count: 16)
        let byteCount = CLinux.getxattr(url.path, "user.t", &value, value.count)
        return byteCount < 0 ? nil : String(decoding: value.prefix(byteCount), as: UTF8.self)
    }

    @Test("The current version is the item itself")
    func current() throws {
        let url = try stage.save("one", at: "a.txt")
        let current = try #require(stage.run { NSFileVersion.currentVersionOfItem(at: url) })
        #expect(current.url == url)
        #expect(current.localizedName == "a")
        let date = try FileManager.default.attributesOfItem(atPath: url.path)[.modificationDate] as? Date
        let shown = try #require(current.modificationDate)
        #expect(abs(shown.timeIntervalSince(try #require(date))) < 0.001)
        #expect(!current.isConflict && current.isResolved)
    }

    @Test("A version that is made, as derived classes are, is one that is not there")
    func made() throws {
        try stage.run {
            let version = NSFileVersion()
            #expect(version.localizedName == nil && version.modificationDate == nil)
            #expect(!version.isConflict && version.isResolved)
            #expect(version == version && version != NSFileVersion())
            #expect(!FileManager.default.fileExists(atPath: version.url.path))
            let place = stage.place("none.txt")
            #expect(throws: CocoaError.self) { try version.replaceItem(at: place) }
            try version.remove()
        }
    }

    @Test("Where nothing is, there are no versions to speak of")
    func nothingThere() throws {
        let url = stage.place("none.txt")
        stage.run {
            #expect(NSFileVersion.currentVersionOfItem(at: url) == nil)
            #expect(NSFileVersion.otherVersionsOfItem(at: url) == nil)
            #expect(NSFileVersion.unresolvedConflictVersionsOfItem(at: url) == nil)
        }
        #expect(stage.reports.all == [])
    }

    @Test("An item that was never kept has no versions, and asking changes nothing on it")
    func neverKept() throws {
        let url = try stage.write("one", at: "a.txt")
        #expect(try stage.others(url) == [])
        #expect(try FileReading.extendedAttributes(of: FilePath(url.path)).isEmpty)
    }

    @Test("A version's identifier finds it again, out of an archive and after the item has moved")
    func identifier() throws {
        try stage.save("one", at: "a.txt")
        let url = try stage.save("two", at: "a.txt")
        let version = try #require(try stage.others(url).first)
        let identifier = try #require(version.persistentIdentifier as? NSData)
        let archive = try NSKeyedArchiver.archivedData(
            withRootObject: identifier,
            requiringSecureCoding: true
        )
        let read = try #require(try NSKeyedUnarchiver.unarchivedObject(ofClass: NSData.self, from: archive))
        let moved = stage.place("b.txt")
        try FileManager.default.moveItem(at: url, to: moved)
        stage.run {
            #expect(NSFileVersion.version(itemAt: moved, forPersistentIdentifier: read) == version)
            #expect(NSFileVersion.version(itemAt: moved, forPersistentIdentifier: Data([7])) == nil)
            let current = NSFileVersion.currentVersionOfItem(at: moved)
            let found = current.flatMap {
                NSFileVersion.version(itemAt: moved, forPersistentIdentifier: $0.persistentIdentifier)
            }
            #expect(found == current)
        }
        try stage.save("elsewhere", at: "c.txt")
        let other = stage.place("c.txt")
        #expect(stage.run { NSFileVersion.version(itemAt: other, forPersistentIdentifier: read) } == nil)
    }

    @Test("Versions are equal when they are the same version of the same item")
    func equality() throws {
        try stage.save("one", at: "a.txt")
        try stage.save("two", at: "a.txt")
        let url = try stage.save("three", at: "a.txt")
        let (first, again) = (try stage.others(url), try stage.others(url))
        #expect(first == again && first[0] != first[1])
        #expect(Set(first + again).count == 2)
        let (current, same) = stage.run {
            (NSFileVersion.currentVersionOfItem(at: url), NSFileVersion.currentVersionOfItem(at: url))
        }
        #expect(current == same && current != first[0])
    }

    @Test("The copy of a version is read-only, and gone with the version")
    func copies() throws {
        try stage.save("one", at: "a.txt")
        let url = try stage.save("two", at: "a.txt")
        let version = try #require(try stage.others(url).first)
        let copy = version.url
        #expect(try stage.text(copy) == "one")
        #expect(copy.lastPathComponent == "a.txt")
        let permissions = try FileManager.default.attributesOfItem(atPath: copy.path)[.posixPermissions]
        #expect(permissions as? Int == 0o400)
        #expect(version.url == copy)
        try version.remove()
        #expect(!FileManager.default.fileExists(atPath: copy.path))
        #expect(version.modificationDate == nil)
        #expect(try stage.others(url) == [])
    }

    @Test("Another process that makes a copy clears up after one that has ended, and after no other")
    func copiesOfTheDead() throws {
        try stage.save("one", at: "a.txt")
        let url = try stage.save("two", at: "a.txt")
        let folder = stage.root.appendingPathComponent("cache/sheaf/versions")
        let dead = folder.appendingPathComponent(UUID().uuidString)
        try FileManager.default.createDirectory(at: dead, withIntermediateDirectories: true)
        try Data().write(to: dead.appendingPathComponent("lock"))
        let copy = try #require(try stage.others(url).first).url
        #expect(!FileManager.default.fileExists(atPath: dead.path))
        // As another process would see it: its own store, the same folders.
        let other = try VersionStage(root: stage.root)
        let others = try other.run { try #require(NSFileVersion.otherVersionsOfItem(at: url)) }
        #expect(try other.text(#require(others.first).url) == "one")
        #expect(try stage.text(copy) == "one")
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).count == 2)
    }

    @Test("Replacing an item puts the version in its place, and keeps what it replaced")
    func replacing() throws {
        try stage.save("one", at: "a.txt")
        let url = try stage.save("two", at: "a.txt")
        try Data("not kept yet".utf8).write(to: url)
        let version = try #require(try stage.others(url).first)
        #expect(try version.replaceItem(at: url) == url)
        #expect(try stage.text(url) == "one")
        #expect(try stage.texts(url).contains("not kept yet"))
        #expect(try stage.texts(url).contains("two"))
    }

    /// A program that saves, as editors do, while a version of the item is restored.
    private final class SavesMeanwhile: SystemCallObserver {
        /// What it writes.
        private let url: URL
        private let staging: String
        private let hasSaved = Locked(false)

        init(_ url: URL, in item: URL) {
            self.url = url
            staging = "/" + SaveSite.stagingName(for: item.lastPathComponent)
        }

        func willMake(_ call: SystemCall) -> CInt {
            guard call.name == "fsync", call.path.string.contains(staging),
                hasSaved.withLock({ saved in
                    defer { saved = true }
                    return !saved
                })
            else { return 0 }
            // Had it not been saved, it would be missed below.
            try? Data("another's".utf8).write(to: url, options: .atomic)
            return 0
        }
        func didMake(_ call: SystemCall) {}
    }

    @Test(
        "What another program saves while an item is replaced is kept, too",
        arguments: ["a.txt", "b.rtfd"]
    )
    func replacingMeanwhile(name: String) throws {
        let isPackage = name == "b.rtfd"
        let file = isPackage ? "b.rtfd/text.txt" : name
        for text in ["one", "two"] {
            try stage.write(text, at: file)
            try stage.keep(stage.place(name))
        }
        let url = stage.place(name)
        let version = try #require(try stage.others(url).first)
        let program = SavesMeanwhile(stage.place(file), in: url)
        try SystemCallObservation.withObserver(program) { _ = try version.replaceItem(at: url) }
        #expect(try stage.text(stage.place(file)) == "one")
        let texts = try stage.others(url).map { other in
            try stage.text(isPackage ? other.url.appendingPathComponent("text.txt") : other.url)
        }
        #expect(texts.contains("another's") && texts.contains("two"))
    }

    @Test("An item of another type keeps its name and takes the version's extension")
    func replacingOtherType() throws {
        try stage.save("plain", at: "a.txt")
        let text = stage.place("a.txt")
        let markdown = stage.place("a.md")
        try FileManager.default.moveItem(at: text, to: markdown)
        try stage.save("rich", at: "a.md")
        let named = stage.place("Named.md")
        try FileManager.default.moveItem(at: markdown, to: named)
        let version = try #require(try stage.others(named).first)
        #expect(try version.replaceItem(at: named).lastPathComponent == "Named.txt")
        #expect(try stage.text(stage.place("Named.txt")) == "plain")
        #expect(!FileManager.default.fileExists(atPath: named.path))
        #expect(try stage.texts(stage.place("Named.txt")).contains("rich"))
    }

    @Test(
        "An item of the same type keeps its name, whichever of the type's extensions it has",
        arguments: [("jpg", "jpeg"), ("html", "htm"), ("tiff", "TIF"), ("yml", "yaml"), ("zzz", "ZZZ")]
    )
    func replacingSameType(former: String, own: String) throws {
        try stage.save("one", at: "a.\(former)")
        let renamed = stage.place("a.\(own)")
        try FileManager.default.moveItem(at: stage.place("a.\(former)"), to: renamed)
        try stage.save("two", at: "a.\(own)")
        let version = try #require(try stage.others(renamed).first)
        #expect(try version.replaceItem(at: renamed) == renamed)
        #expect(try stage.text(renamed) == "one")
        #expect(!FileManager.default.fileExists(atPath: stage.place("a.\(former)").path))
    }

    @Test("A name that is taken by another item is refused, and nothing has changed")
    func replacingNameTaken() throws {
        try stage.save("plain", at: "a.txt")
        try FileManager.default.moveItem(at: stage.place("a.txt"), to: stage.place("a.md"))
        let url = try stage.save("rich", at: "a.md")
        try stage.write("another", at: "a.txt")
        let version = try #require(try stage.others(url).first)
        let error = #expect(throws: CocoaError.self) { try version.replaceItem(at: url) }
        #expect(error?.code == .fileWriteFileExists)
        #expect(try stage.text(url) == "rich")
        #expect(try stage.text(stage.place("a.txt")) == "another")
    }

    @Test("By moving, the version is gone when the item is replaced; a version that is gone is an error")
    func replacingByMoving() throws {
        try stage.save("one", at: "a.txt")
        let url = try stage.save("two", at: "a.txt")
        let version = try #require(try stage.others(url).first)
        try version.replaceItem(at: url, options: .byMoving)
        #expect(try stage.text(url) == "one")
        #expect(try stage.texts(url) == ["two"])
        let error = #expect(throws: CocoaError.self) { try version.replaceItem(at: url) }
        #expect(error?.code == .fileNoSuchFile)
        #expect(try stage.text(url) == "one")
    }

    @Test("A version is put where nothing is")
    func replacingNothing() throws {
        try stage.save("one", at: "a.txt")
        let url = try stage.save("two", at: "a.txt")
        let version = try #require(try stage.others(url).first)
        #expect(try version.replaceItem(at: stage.place("Copy.txt")).lastPathComponent == "Copy.txt")
        #expect(try stage.text(stage.place("Copy.txt")) == "one")
        #expect(try stage.text(url) == "two")
    }

    @Test("A package is replaced whole, and what it was is kept")
    func replacingPackage() throws {
        let package = stage.place("a.rtfd")
        try stage.write("one", at: "a.rtfd/text.txt")
        try stage.write("picture", at: "a.rtfd/images/1.png")
        try stage.keep(package)
        try stage.write("two", at: "a.rtfd/text.txt")
        try stage.write("new", at: "a.rtfd/new.txt")
        try stage.keep(package)
        let version = try #require(try stage.others(package).first)
        #expect(try stage.others(package).count == 1)
        let copy = version.url
        #expect(try stage.text(copy.appendingPathComponent("images/1.png")) == "picture")
        try version.replaceItem(at: package)
        #expect(try stage.text(package.appendingPathComponent("text.txt")) == "one")
        #expect(!FileManager.default.fileExists(atPath: package.appendingPathComponent("new.txt").path))
        #expect(try stage.others(package).count >= 2)
    }

    @Test("All but the current version are removed")
    func removingOthers() throws {
        try stage.save("one", at: "a.txt")
        try stage.save("two", at: "a.txt")
        let url = try stage.save("three", at: "a.txt")
        try stage.save("other", at: "b.txt")
        try stage.save("another", at: "b.txt")
        try stage.run { try NSFileVersion.removeOtherVersionsOfItem(at: url) }
        #expect(try stage.others(url) == [])
        #expect(try stage.text(url) == "three")
        #expect(try stage.texts(stage.place("b.txt")) == ["other"])
    }

    @Test("An app adds versions of its own, which stay until it says that they may go")
    func adding() throws {
        let url = try stage.save("one", at: "a.txt")
        let folder = stage.run { NSFileVersion.temporaryDirectoryURLForNewVersionOfItem(at: url) }
        defer { try? FileManager.default.removeItem(at: folder) }
        let contents = folder.appendingPathComponent("draft.txt")
        try Data("draft".utf8).write(to: contents)
        let added = try stage.run {
            try NSFileVersion.addOfItem(at: url, withContentsOf: contents, options: .byMoving)
        }
        #expect(!FileManager.default.fileExists(atPath: contents.path))
        #expect(try stage.text(added.url) == "draft")
        #expect(!added.isDiscardable)
        added.isDiscardable = true
        #expect(added.isDiscardable)
        #expect(try stage.others(url).contains(added))
        #expect(try stage.text(url) == "one")
    }

    @Test("What was added from elsewhere does not get into the versions that saves keep")
    func addingKeepsSavesApart() throws {
        let package = stage.place("a.rtfd")
        try stage.write("mine", at: "a.rtfd/text.txt")
        try stage.write("stays", at: "a.rtfd/other.txt")
        try stage.keep(package)
        try stage.write("added", at: "b.rtfd/other.txt")
        _ = try stage.run { try NSFileVersion.addOfItem(at: package, withContentsOf: stage.place("b.rtfd")) }
        try stage.write("mine again", at: "a.rtfd/text.txt")
        let changed = try #require(MemberPath(["text.txt"]))
        try stage.store.keep(package, VersionKeeping(.autosave, changed: [changed]))
        try stage.write("later", at: "a.rtfd/text.txt")
        let newest = try #require(try stage.others(package).last).url
        #expect(try stage.text(newest.appendingPathComponent("text.txt")) == "mine again")
        #expect(try stage.text(newest.appendingPathComponent("other.txt")) == "stays")
    }

    @Test("Nothing can be added to what is not there")
    func addingToNothing() throws {
        let contents = try stage.write("one", at: "a.txt")
        let error = #expect(throws: CocoaError.self) {
            try stage.run { try NSFileVersion.addOfItem(at: stage.place("none"), withContentsOf: contents) }
        }
        #expect(error?.code == .fileNoSuchFile)
    }

    @Test("There are no versions that only other devices have")
    func nonlocal() async throws {
        let url = try stage.save("one", at: "a.txt")
        #expect(try await NSFileVersion.nonlocalVersionsOfItem(at: url) == [])
        let error = await #expect(throws: CocoaError.self) {
            try await NSFileVersion.nonlocalVersionsOfItem(at: stage.place("none"))
        }
        #expect(error?.code == .fileReadNoSuchFile)
    }
}
