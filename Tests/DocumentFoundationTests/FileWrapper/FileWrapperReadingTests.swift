import FileSystem
import Foundation
import Testing

@testable import DocumentFoundation

@Suite("FileWrapper reading")
struct FileWrapperReadingTests {
    private static let sample = WrapperTree.folder([
        "text.txt": .file("text"),
        "link": .link("text.txt"),
        "sub": .folder(["deep": .folder(["x": .file("1")]), "y": .file("2")]),
    ])

    @Test("A tree read from disk is what was there, with the names it has there")
    func roundTrip() throws {
        let folder = try WrapperFolder()
        try Self.sample.write(to: folder["doc"])
        let wrapper = try FileWrapper(url: folder["doc"])
        #expect(WrapperTree(wrapper) == Self.sample)
        #expect(wrapper.filename == "doc" && wrapper.preferredFilename == "doc")
        #expect(wrapper.fileWrappers?["text.txt"]?.filename == "text.txt")
        #expect(wrapper.fileWrappers?["text.txt"]?.fileAttributes["NSFileSize"] as? Int == 4)
    }

    @Test("A file that was replaced before its bytes were asked for gives none", arguments: [true, false])
    func replacedFile(_ isTop: Bool) throws {
        let folder = try WrapperFolder()
        try Self.sample.write(to: folder["doc"])
        let file = folder["doc/text.txt"]
        let top = try FileWrapper(url: isTop ? file : folder["doc"])
        let wrapper = try #require(isTop ? top : top.fileWrappers?["text.txt"])
        let date = try FileManager.default.attributesOfItem(atPath: file.path)[.modificationDate]
        try FileManager.default.moveItem(at: file, to: folder["kept"])
        try Data("TEXT".utf8).write(to: file)
        try FileManager.default.setAttributes([.modificationDate: date as Any], ofItemAtPath: file.path)
        #expect(wrapper.regularFileContents == nil)
        #expect(top.serializedRepresentation == nil)
        #expect(wrapper.fileAttributes[FileAttributeKey.posixPermissions.rawValue] != nil)
    }

    @Test("A member that was written to in place after the opening gives nothing")
    func writtenInPlace() throws {
        let folder = try WrapperFolder()
        try Self.sample.write(to: folder["doc"])
        let wrapper = try FileWrapper(url: folder["doc"])
        let file = folder["doc/text.txt"]
        let handle = try FileHandle(forWritingTo: file)
        try handle.write(contentsOf: Data("TEXT".utf8))
        try handle.close()
        // The clock of a file system ticks slower than a test runs.
        try FileManager.default.setAttributes([.modificationDate: Date.now], ofItemAtPath: file.path)
        #expect(wrapper.fileWrappers?["text.txt"]?.regularFileContents == nil)
        #expect(wrapper.fileWrappers?["sub"]?.fileWrappers?["y"]?.regularFileContents == Data("2".utf8))
    }

    @Test("A member with a date that is still to come can be read")
    func futureDate() throws {
        let folder = try WrapperFolder()
        try Self.sample.write(to: folder["doc"])
        let future: [FileAttributeKey: Any] = [.modificationDate: Date.now.addingTimeInterval(86_400)]
        try FileManager.default.setAttributes(future, ofItemAtPath: folder["doc/text.txt"].path)
        try FileManager.default.setAttributes(future, ofItemAtPath: folder["doc/sub"].path)
        let wrapper = try FileWrapper(url: folder["doc"])
        #expect(WrapperTree(wrapper) == Self.sample)
    }

    @Test("A directory whose entries changed before they were asked for gives none, and a gone one neither")
    func changedDirectory() throws {
        let folder = try WrapperFolder()
        try Self.sample.write(to: folder["doc"])
        let wrapper = try FileWrapper(url: folder["doc"])
        let sub = try #require(wrapper.fileWrappers?["sub"])
        try FileManager.default.removeItem(at: folder["doc/sub/deep"])
        try FileManager.default.setAttributes(
            [.modificationDate: Date.now],
            ofItemAtPath: folder["doc/sub"].path
        )
        #expect(sub.fileWrappers == nil)
        try FileManager.default.removeItem(at: folder["doc"])
        #expect(wrapper.fileWrappers?["link"]?.symbolicLinkDestinationURL == nil)
        #expect(try WrapperTree(at: folder.url) == .folder([:]))
        #expect(wrapper.fileWrappers?["text.txt"]?.regularFileContents == nil)
    }

    @Test("Adding to a directory that changed keeps what is there now")
    func addingToChanged() throws {
        let folder = try WrapperFolder()
        try Self.sample.write(to: folder["doc"])
        let wrapper = try FileWrapper(url: folder["doc"])
        let sub = try #require(wrapper.fileWrappers?["sub"])
        try Data("new".utf8).write(to: folder["doc/sub/z"])
        try FileManager.default.setAttributes(
            [.modificationDate: Date.now],
            ofItemAtPath: folder["doc/sub"].path
        )
        sub.addRegularFile(withContents: Data("mine".utf8), preferredFilename: "z")
        #expect(sub.fileWrappers?.keys.sorted() == ["deep", "y", "z", "z 2"])
        #expect(sub.fileWrappers?["z"]?.regularFileContents == Data("new".utf8))
    }

    @Test("A folder that could not be listed when something was added to it is not saved, until it can be")
    func addingToUnlisted() throws {
        let folder = try WrapperFolder()
        try Self.sample.write(to: folder["doc"])
        let wrapper = try FileWrapper(url: folder["doc"])
        let sub = try #require(wrapper.fileWrappers?["sub"])
        SystemCallObservation.withObserver(LockedFolder(name: "sub")) {
            #expect(sub.addRegularFile(withContents: Data("mine".utf8), preferredFilename: "y") == "y")
            #expect(sub.fileWrappers == nil)
            for original in [folder["doc"], nil] {
                let error = #expect(throws: CocoaError.self) {
                    try wrapper.write(to: folder["doc"], originalContentsURL: original)
                }
                #expect(error?.code == .fileReadNoPermission)
                #expect((error?.userInfo[NSUnderlyingErrorKey] as? NSError)?.code == Int(EACCES))
            }
            #expect(throws: CocoaError.self) {
                try wrapper.write(to: folder["copy"], originalContentsURL: folder["doc"])
            }
        }
        #expect(try WrapperTree(at: folder.url) == .folder(["doc": Self.sample]))
        try wrapper.write(to: folder["doc"], originalContentsURL: folder["doc"])
        let deep = WrapperTree.folder(["x": .file("1")])
        let saved = WrapperTree.folder([
            "text.txt": .file("text"), "link": .link("text.txt"),
            "sub": .folder(["deep": deep, "y": .file("2"), "y 2": .file("mine")]),
        ])
        #expect(try WrapperTree(at: folder["doc"]) == saved)
        #expect(WrapperTree(wrapper) == saved)
    }

    @Test("A folder with what no wrapper can stand for is not saved without it", arguments: [true, false])
    func addingToUnsupported(_ isCompared: Bool) throws {
        let folder = try WrapperFolder()
        try Self.sample.write(to: folder["doc"])
        let wrapper = try FileWrapper(url: folder["doc"])
        #expect(mkfifo(folder["doc/sub/pipe"].path, 0o600) == 0)
        let sub = try #require(wrapper.fileWrappers?["sub"])
        sub.addRegularFile(withContents: Data("mine".utf8), preferredFilename: "z")
        let known = try FileWrapper(url: folder["doc"])
        let path = try #require(FilePath(folder["doc"]))
        #expect(throws: CocoaError.self) {
            _ = try wrapper.captureForSave(comparedTo: isCompared ? known : nil).plan(over: path)
        }
        try FileManager.default.removeItem(at: folder["doc/sub/pipe"])
        #expect(sub.fileWrappers?.keys.sorted() == ["deep", "y", "z"])
    }

    /// A disk that lets nobody list a folder of this name.
    private struct LockedFolder: SystemCallObserver {
        let name: String

        func willMake(_ call: SystemCall) -> CInt {
            call.name == "openat" && call.path.name == name ? EACCES : 0
        }
        func didMake(_ call: SystemCall) {}
    }

    @Test("A snapshot read at once outlives the files", arguments: [4, 1 << 20])
    func immediate(_ byteCount: Int) throws {
        let folder = try WrapperFolder()
        let tree = WrapperTree.folder([
            "big": .file(String(repeating: "b", count: byteCount)), "sub": .folder(["l": .link("x")]),
        ])
        try tree.write(to: folder["doc"])
        let wrapper = try FileWrapper(url: folder["doc"], options: [.immediate, .withoutMapping])
        let handle = try FileHandle(forWritingTo: folder["doc/big"])
        try handle.truncate(atOffset: 0)
        try handle.close()
        try FileManager.default.removeItem(at: folder["doc"])
        #expect(WrapperTree(wrapper) == tree)
    }

    @Test("What cannot be read is told with Apple's codes and the item")
    func errors() throws {
        let folder = try WrapperFolder()
        let error = #expect(throws: CocoaError.self) { try FileWrapper(url: folder["absent"]) }
        #expect(error?.code == .fileReadNoSuchFile)
        #expect(error?.userInfo[NSURLErrorKey] as? URL == folder["absent"])
        #expect((error?.userInfo[NSUnderlyingErrorKey] as? NSError)?.code == Int(ENOENT))
        #expect(mkfifo(folder["pipe"].path, 0o600) == 0)
        #expect(throws: CocoaError.self) { try FileWrapper(url: folder["pipe"]) }
        #expect(throws: CocoaError.self) { try FileWrapper(url: folder.url) }
        #expect(throws: CocoaError.self) {
            try FileWrapper(url: try #require(URL(string: "https://example.org/x")))
        }
    }

    @Test("Reading again keeps the wrappers of members that are still there, and finds the others")
    func readingAgain() throws {
        let folder = try WrapperFolder()
        try Self.sample.write(to: folder["doc"])
        let wrapper = try FileWrapper(url: folder["doc"])
        let before = try #require(wrapper.fileWrappers)
        #expect(WrapperTree(wrapper) == Self.sample)
        wrapper.removeFileWrapper(try #require(before["link"]))
        wrapper.addRegularFile(withContents: Data("mine".utf8), preferredFilename: "mine")
        let deep = before["sub"]?.fileWrappers?["deep"]

        try FileManager.default.removeItem(at: folder["doc/text.txt"])
        try Data("other text".utf8).write(to: folder["doc/text.txt"])
        try FileManager.default.removeItem(at: folder["doc/sub/y"])
        try WrapperTree.folder(["n": .file("new")]).write(to: folder["doc/sub/y"])
        try wrapper.read(from: folder["doc"])
        #expect(
            WrapperTree(wrapper)
                == .folder([
                    "text.txt": .file("other text"),
                    "link": .link("text.txt"),
                    "sub": .folder([
                        "deep": .folder(["x": .file("1")]), "y": .folder(["n": .file("new")]),
                    ]),
                ])
        )
        #expect(wrapper.fileWrappers?["text.txt"] === before["text.txt"])
        #expect(wrapper.fileWrappers?["sub"]?.fileWrappers?["deep"] === deep)
    }

    @Test("Reading again may change the kind, and a failure changes nothing")
    func kindChange() throws {
        let folder = try WrapperFolder()
        try Self.sample.write(to: folder["doc"])
        let wrapper = try FileWrapper(url: folder["doc"])
        #expect(throws: CocoaError.self) { try wrapper.read(from: folder["absent"]) }
        #expect(WrapperTree(wrapper) == Self.sample)
        try wrapper.read(from: folder["doc/text.txt"])
        #expect(wrapper.isRegularFile && wrapper.regularFileContents == Data("text".utf8))
        try wrapper.read(from: folder["doc"], options: .immediate)
        #expect(WrapperTree(wrapper) == Self.sample)
    }

    @Test("A wrapper matches what it was read from until that changes")
    func matching() throws {
        let folder = try WrapperFolder()
        try Self.sample.write(to: folder["doc"])
        let wrapper = try FileWrapper(url: folder["doc"])
        #expect(wrapper.matchesContents(of: folder["doc"]))
        try FileManager.default.setAttributes(
            [.modificationDate: Date(timeIntervalSince1970: 1)],
            ofItemAtPath: folder["doc/sub/deep/x"].path
        )
        #expect(!wrapper.matchesContents(of: folder["doc"]))
        try wrapper.read(from: folder["doc"])
        #expect(wrapper.matchesContents(of: folder["doc"]))
        #expect(!wrapper.matchesContents(of: folder["doc/text.txt"]))
        #expect(!wrapper.matchesContents(of: folder["absent"]))
        #expect(!FileWrapper(regularFileWithContents: Data()).matchesContents(of: folder["doc/text.txt"]))
    }
}
