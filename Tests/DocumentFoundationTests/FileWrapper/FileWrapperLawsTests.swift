import Foundation
import Testing

@testable import DocumentFoundation

/// What holds for any wrapper whose contents can be read.
func checkFileWrapperLaws(_ wrapper: FileWrapper) throws {
    let folder = try WrapperFolder()
    let tree = try #require(WrapperTree(wrapper))

    let data = try #require(wrapper.serializedRepresentation)
    let copy = try #require(FileWrapper(serializedRepresentation: data))
    #expect(WrapperTree(copy) == tree, "serialising and reading gives an equal tree")
    #expect(copy.serializedRepresentation == data, "the form of a tree is one")
    #expect(copy.preferredFilename == wrapper.preferredFilename)

    try wrapper.write(to: folder["out"], originalContentsURL: nil)
    #expect(try WrapperTree(at: folder["out"]) == tree, "what is written is the tree")
    let back = try FileWrapper(url: folder["out"])
    #expect(WrapperTree(back) == tree, "writing and reading gives an equal tree")

    try copy.read(from: folder["out"])
    #expect(WrapperTree(copy) == tree, "updating gives an equal tree")
    #expect(copy.matchesContents(of: folder["out"]), "what was updated matches")
    let updated = copy.serializedRepresentation
    try copy.read(from: folder["out"])
    #expect(copy.serializedRepresentation == updated, "updating what matches changes nothing")
    #expect(copy.matchesContents(of: folder["out"]))

    try checkNames(wrapper)
    #expect(try folder.names == ["out"], "nothing is left beside")
}

private func checkNames(_ wrapper: FileWrapper) throws {
    guard wrapper.isDirectory else { return }
    for (key, child) in try #require(wrapper.fileWrappers) {
        #expect(wrapper.keyForChildFileWrapper(child) == key, "every child has one key")
        let twin = FileWrapper(regularFileWithContents: Data())
        twin.preferredFilename = key
        let twinKey = wrapper.addFileWrapper(twin)
        #expect(twinKey != key && wrapper.fileWrappers?[key] === child, "names stay unique")
        wrapper.removeFileWrapper(twin)
        try checkNames(child)
    }
}

@Suite("FileWrapper laws")
struct FileWrapperLawsTests {
    @Test("The laws hold for every kind, from memory and from disk")
    func kinds() throws {
        for tree: WrapperTree in [
            .file(""), .file("text"), .link("a/b"), .link("/x"), .folder([:]), .folder(["a": .file("1")]),
        ] {
            let wrapper = tree.wrapper
            wrapper.preferredFilename = "top"
            try checkFileWrapperLaws(wrapper)
            let folder = try WrapperFolder()
            try tree.write(to: folder["doc"])
            try checkFileWrapperLaws(try FileWrapper(url: folder["doc"]))
        }
    }

    @Test("The laws hold for generated trees, from memory and from disk")
    func generated() throws {
        for seed in UInt64(1)...60 {
            var random = WrapperSeed(seed)
            let tree = random.tree()
            do {
                try checkFileWrapperLaws(tree.wrapper)
                let folder = try WrapperFolder()
                try tree.write(to: folder["doc"])
                try checkFileWrapperLaws(try FileWrapper(url: folder["doc"]))
            } catch {
                Issue.record("seed \(seed), \(tree): \(error)")
            }
        }
    }
}
