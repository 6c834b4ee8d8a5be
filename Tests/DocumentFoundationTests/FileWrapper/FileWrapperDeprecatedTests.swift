import Foundation
import Testing

@testable import DocumentFoundation

@Suite("FileWrapper, path-based")
struct FileWrapperDeprecatedTests {
    @available(*, deprecated, message: "It tests what is deprecated.")
    @Test("The path-based calls do what those that replaced them do")
    func paths() throws {
        let folder = try WrapperFolder()
        try WrapperTree.folder(["a": .file("1"), "l": .link("a")]).write(to: folder["doc"])
        let path = folder["doc"].path
        let wrapper = try #require(FileWrapper(path: path))
        #expect(FileWrapper(path: folder["absent"].path) == nil)
        #expect(!wrapper.needsToBeUpdated(fromPath: path))
        #expect(!wrapper.update(fromPath: path))
        #expect(wrapper.fileWrappers?["l"]?.symbolicLinkDestination() == "a")
        #expect(FileWrapper(symbolicLinkWithDestination: "b").symbolicLinkDestination() == "b")
        #expect(wrapper.addFile(withPath: path + "/a") == "a 2")
        #expect(wrapper.addFile(withPath: folder["absent"].path) == "")
        #expect(wrapper.addSymbolicLink(withDestination: "x y", preferredFilename: "l") == "l 2")
        let target = folder["out"].path
        #expect(wrapper.write(toFile: target, atomically: true, updateFilenames: true))
        #expect(!wrapper.write(toFile: target + "/x/y", atomically: true, updateFilenames: false))
        #expect(wrapper.filename == "out")
        #expect(
            try WrapperTree(at: folder["out"])
                == .folder(["a": .file("1"), "a 2": .file("1"), "l": .link("a"), "l 2": .link("x y")])
        )
        try Data("other".utf8).write(to: folder["out/a"])
        #expect(wrapper.needsToBeUpdated(fromPath: target))
        #expect(wrapper.update(fromPath: target))
        #expect(wrapper.fileWrappers?["a"]?.regularFileContents == Data("other".utf8))
    }
}
