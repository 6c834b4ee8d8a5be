import DocumentFoundation
import FileSystem
import Foundation
import TestThreads
import Testing

/// Whose versions are whose.
@Suite("Versions follow their item", .onOwnThreads, .timeLimit(.minutes(3)))
struct VersionItemsTests {
    private let stage: VersionStage

    init() throws {
        stage = try VersionStage()
        try stage.save("one", at: "a.txt")
        try stage.save("two", at: "a.txt")
    }

    private var url: URL { stage.place("a.txt") }

    @Test("Versions follow an item that was renamed, and one that went to another folder")
    func moved() throws {
        try FileManager.default.createDirectory(at: stage.place("in"), withIntermediateDirectories: true)
        let target = stage.place("in/b.txt")
        try FileManager.default.moveItem(at: url, to: target)
        #expect(try stage.texts(target) == ["one"])
        try stage.save("three", at: "in/b.txt")
        #expect(try stage.texts(target) == ["one", "two"])
    }

    @Test("A copy made with attributes has no versions, removes none, and gets a history of its own")
    func copied() throws {
        try stage.shell("cp", "-a", url.path, stage.place("copy.txt").path)
        let copy = stage.place("copy.txt")
        #expect(try stage.others(copy) == [])
        try stage.run { try NSFileVersion.removeOtherVersionsOfItem(at: copy) }
        #expect(try stage.texts(url) == ["one"])
        try stage.keep(copy)
        try stage.save("copy's", at: "copy.txt")
        #expect(try stage.texts(copy) == ["two"])
        try stage.run { try NSFileVersion.removeOtherVersionsOfItem(at: copy) }
        #expect(try stage.others(copy) == [])
        #expect(try stage.texts(url) == ["one"])
        try stage.save("three", at: "a.txt")
        #expect(try stage.texts(url) == ["one", "two"])
    }

    @Test("A copy of a package tells itself from its original, too")
    func copiedPackage() throws {
        try stage.write("one", at: "a.rtfd/text.txt")
        try stage.keep(stage.place("a.rtfd"))
        try stage.write("two!", at: "a.rtfd/text.txt")
        try stage.keep(stage.place("a.rtfd"))
        try stage.shell("cp", "-a", stage.place("a.rtfd").path, stage.place("b.rtfd").path)
        #expect(try stage.others(stage.place("b.rtfd")) == [])
        #expect(try stage.others(stage.place("a.rtfd")).count == 1)
    }

    @Test("A copy is the heir of an original that is gone")
    func heir() throws {
        let copy = stage.place("copy.txt")
        try stage.shell("cp", "-a", url.path, copy.path)
        try FileManager.default.removeItem(at: url)
        #expect(try stage.texts(copy) == ["one"])
    }

    @Test("An editor that writes a new file without attributes in an item's place leaves it its versions")
    func replacedByEditor() throws {
        try Data("by an editor".utf8).write(to: url, options: .atomic)
        #expect(try FileReading.extendedAttributes(of: FilePath(url.path)).isEmpty)
        #expect(try stage.texts(url) == ["one", "two"])
        try stage.keep(url)
        try stage.save("three", at: "a.txt")
        #expect(try stage.texts(url) == ["one", "two", "by an editor"])
    }

    @Test("What is new at the place of an item that has moved on is another item")
    func newAtOldPlace() throws {
        let target = stage.place("b.txt")
        try FileManager.default.moveItem(at: url, to: target)
        try stage.keep(target)
        try stage.write("new", at: "a.txt")
        #expect(try stage.others(url) == [])
        #expect(try stage.texts(target) == ["one"])
    }

    @Test(
        "What is new at the place of an item that was renamed is another item, though nobody has heard of that"
    )
    func newAtNameOfRenamed() throws {
        // The time between the two is all that tells it from an editor's save.
        let stage = try VersionStage(savingSeconds: 0)
        try stage.save("one", at: "a.txt")
        try stage.save("two", at: "a.txt")
        let (url, target) = (stage.place("a.txt"), stage.place("b.txt"))
        try FileManager.default.moveItem(at: url, to: target)
        try stage.write("new", at: "a.txt")
        #expect(try stage.others(url) == [])
        try stage.keep(url)
        #expect(try stage.others(url) == [])
        #expect(try stage.texts(target) == ["one"])
    }

    @Test(
        "A file in whose place an editor writes a new one keeps its versions, whatever the backup is called",
        arguments: ["a.txt~", "old.txt"]
    )
    func backedUp(name: String) throws {
        try FileManager.default.moveItem(at: url, to: stage.place(name))
        try stage.write("by an editor", at: "a.txt")
        #expect(try stage.texts(url) == ["one", "two"])
    }

    @Test("A symbolic link has the versions of what it leads to")
    func link() throws {
        let link = stage.place("link.txt")
        try FileManager.default.createSymbolicLink(at: link, withDestinationURL: url)
        #expect(try stage.texts(link) == ["one"])
    }

    private func takeMark(of url: URL) throws {
        let program = "import os, sys; os.removexattr(sys.argv[1], sys.argv[2])"
        try stage.shell("python3", "-c", program, url.path, FileMark.attributeName)
    }

    @Test("An item that cannot be marked has its versions by its place, and by its document when that moves")
    func unmarkable() throws {
        // A file of which the mark is taken away again, as if the volume had no attributes.
        try takeMark(of: url)
        #expect(try stage.texts(url) == ["one"])
        let mark = try stage.store.keep(url, VersionKeeping(.explicit)).mark
        try takeMark(of: url)
        let target = stage.place("b.txt")
        try FileManager.default.moveItem(at: url, to: target)
        try stage.store.keep(target, VersionKeeping(.explicit, lastKnown: mark))
        #expect(try stage.texts(target) == ["one"])
    }
}
