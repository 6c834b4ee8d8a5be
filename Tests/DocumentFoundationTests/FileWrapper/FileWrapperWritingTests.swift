import FileSystem
import Foundation
import Testing

@testable import DocumentFoundation

@Suite("FileWrapper writing")
struct FileWrapperWritingTests {
    private static let sample = WrapperTree.folder([
        "text.txt": .file("text"),
        "image.png": .file("image"),
        "sub": .folder(["deep": .folder(["x": .file("1")]), "y": .file("2")]),
    ])

    private static func inode(_ url: URL) throws -> Int {
        try #require(try FileManager.default.attributesOfItem(atPath: url.path)[.systemFileNumber] as? Int)
    }

    @Test("What is in the way of a save is told by name, with what helps, and not as the item's own name")
    func stagingInTheWay() throws {
        let folder = try WrapperFolder()
        let staging = folder[SaveSite.stagingName(for: "one")]
        try FileManager.default.createSymbolicLink(atPath: staging.path, withDestinationPath: "elsewhere")
        let wrapper = FileWrapper(regularFileWithContents: Data("1".utf8))
        let error = #expect(throws: CocoaError.self) {
            try wrapper.write(to: folder["one"], originalContentsURL: nil)
        }
        #expect(error?.code == .fileWriteNoPermission)
        #expect((error?.userInfo[NSURLErrorKey] as? URL)?.lastPathComponent == "one")
        let text = error?.userInfo[NSLocalizedDescriptionKey] as? String
        #expect(text?.contains(staging.lastPathComponent) == true)
        #expect(text?.contains("Remove it") == true)
    }

    @Test("A link that leads to a name in another form of Unicode is written anew, and matches nothing else")
    func linkForms() throws {
        let (composed, decomposed) = ("\u{E9}.png", "e\u{301}.png")
        let folder = try WrapperFolder()
        try WrapperTree.folder(["link": .link(composed), "x": .file("1")]).write(to: folder["one"])
        let tree = try FileWrapper(url: folder["one"])
        let old = try #require(tree.fileWrappers?["link"])
        #expect(old.symbolicLinkDestinationURL != nil)
        tree.removeFileWrapper(old)
        let new = FileWrapper(
            symbolicLinkWithDestinationURL: FileWrapper.destinationURL(ofLinkText: decomposed)
        )
        new.preferredFilename = "link"
        tree.addFileWrapper(new)
        #expect(!new.holdsSame(as: old) && !new.matchesContents(of: folder["one/link"]))
        try tree.write(to: folder["one"], options: .withNameUpdating, originalContentsURL: folder["one"])
        let text = try FileReading.symbolicLinkText(at: FilePath(folder["one/link"].path))
        #expect(Array(text.utf8) == Array(decomposed.utf8))
        #expect(new.matchesContents(of: folder["one/link"]))
    }

    @Test("Names are updated only when asked for")
    func names() throws {
        let folder = try WrapperFolder()
        let wrapper = Self.sample.wrapper
        try wrapper.write(to: folder["one"], originalContentsURL: nil)
        #expect(wrapper.filename == nil)
        try wrapper.write(to: folder["two"], options: [.atomic, .withNameUpdating], originalContentsURL: nil)
        #expect(wrapper.filename == "two")
        #expect(wrapper.fileWrappers?["sub"]?.fileWrappers?["y"]?.filename == "y")
        #expect(wrapper.matchesContents(of: folder["two"]))
        #expect(try WrapperTree(at: folder["one"]) == Self.sample)
    }

    @Test("What a tree was put together of is in memory once it was asked for, whatever is written in place")
    func unreadMemberOfANewTree() throws {
        let folder = try WrapperFolder()
        let size = 1 << 20
        try WrapperTree.folder(["big": .file(String(repeating: "a", count: size))]).write(to: folder["one"])
        let read = try FileWrapper(url: folder["one"], options: .withoutMapping)
        let member = try #require(read.fileWrappers?["big"])
        let tree = FileWrapper(directoryWithFileWrappers: ["big": member])
        try tree.write(to: folder["two"], options: .withNameUpdating, originalContentsURL: folder["one"])
        #expect(member.bytesInMemory == nil)
        let contents = try #require(member.regularFileContents)
        let file = try FileHandle(forWritingTo: folder["two/big"])
        try file.write(contentsOf: Data(repeating: UInt8(ascii: "b"), count: size))
        try file.close()
        #expect(contents.allSatisfy { $0 == UInt8(ascii: "a") })
    }

    @Test("What is in the way is replaced whole, of whatever kind")
    func replacing() throws {
        let folder = try WrapperFolder()
        try WrapperTree.folder(["other": .file("x")]).write(to: folder["doc"])
        try Self.sample.wrapper.write(to: folder["doc"], originalContentsURL: nil)
        #expect(try WrapperTree(at: folder["doc"]) == Self.sample)
        try WrapperTree.file("plain").wrapper.write(to: folder["doc"], originalContentsURL: nil)
        #expect(try WrapperTree(at: folder["doc"]) == .file("plain"))
        try WrapperTree.link("doc").wrapper.write(to: folder["link"], originalContentsURL: nil)
        try WrapperTree.link("text").wrapper.write(to: folder["link"], originalContentsURL: nil)
        #expect(try WrapperTree(at: folder["link"]) == .link("text"))
        #expect(try folder.names == ["doc", "link"])
    }

    @Test("Unchanged members are linked from the original, and never shared without one")
    func linking() throws {
        let folder = try WrapperFolder()
        try Self.sample.write(to: folder["doc"])
        let wrapper = try FileWrapper(url: folder["doc"])
        wrapper.addRegularFile(withContents: Data("n".utf8), preferredFilename: "new")
        try wrapper.write(to: folder["linked"], originalContentsURL: folder["doc"])
        try wrapper.write(to: folder["copied"], originalContentsURL: nil)
        let original = try Self.inode(folder["doc/image.png"])
        #expect(try Self.inode(folder["linked/image.png"]) == original)
        #expect(try Self.inode(folder["copied/image.png"]) != original)
        #expect(try WrapperTree(at: folder["linked"]) == WrapperTree(at: folder["copied"]))
        #expect(try WrapperTree(at: folder["doc"]) == Self.sample)
    }

    @Test("Attributes that were set are applied, and do not reach the file that was read")
    func attributes() throws {
        let folder = try WrapperFolder()
        try Self.sample.write(to: folder["doc"])
        let wrapper = try FileWrapper(url: folder["doc"])
        let child = try #require(wrapper.fileWrappers?["text.txt"])
        var attributes = child.fileAttributes
        attributes[FileAttributeKey.posixPermissions.rawValue] = 0o600
        attributes[FileAttributeKey.modificationDate.rawValue] = Date(timeIntervalSince1970: 1000)
        child.fileAttributes = attributes
        try wrapper.write(to: folder["out"], originalContentsURL: folder["doc"])
        let written = try FileManager.default.attributesOfItem(atPath: folder["out/text.txt"].path)
        #expect(written[.posixPermissions] as? Int == 0o600)
        #expect(written[.modificationDate] as? Date == Date(timeIntervalSince1970: 1000))
        let read = try FileManager.default.attributesOfItem(atPath: folder["doc/text.txt"].path)
        #expect(read[.modificationDate] as? Date != Date(timeIntervalSince1970: 1000))
    }

    @Test("A write that cannot be made leaves the old contents, and says why")
    func errors() throws {
        let folder = try WrapperFolder()
        let error = #expect(throws: CocoaError.self) {
            try Self.sample.wrapper.write(to: folder["absent/doc"], originalContentsURL: nil)
        }
        #expect(error?.code == .fileNoSuchFile)
        try Self.sample.write(to: folder["doc"])
        let wrapper = Self.sample.wrapper
        wrapper.addRegularFile(withContents: Data(), preferredFilename: "a/b")
        let invalid = #expect(throws: CocoaError.self) {
            try wrapper.write(to: folder["doc"], originalContentsURL: nil)
        }
        #expect(invalid?.code == .fileWriteInvalidFileName)
        #expect(try WrapperTree(at: folder["doc"]) == Self.sample)
        #expect(try folder.names == ["doc"])
    }

    @Test("Contents that changed before they were read fail the write, not the document")
    func staleContents() throws {
        let folder = try WrapperFolder()
        try Self.sample.write(to: folder["doc"])
        let wrapper = try FileWrapper(url: folder["doc"])
        try Data("changed".utf8).write(to: folder["doc/text.txt"], options: .atomic)
        try FileManager.default.setAttributes(
            [.modificationDate: Date.now],
            ofItemAtPath: folder["doc/text.txt"].path
        )
        #expect(throws: CocoaError.self) {
            try wrapper.write(to: folder["out"], originalContentsURL: folder["doc"])
        }
        #expect(try folder.names == ["doc"])
    }
}
