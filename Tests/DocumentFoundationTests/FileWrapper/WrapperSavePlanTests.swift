import FileSystem
import Foundation
import Testing

@testable import DocumentFoundation

@Suite("WrapperSavePlan")
struct WrapperSavePlanTests {
    private static let sample = WrapperTree.folder([
        "text.txt": .file("text"),
        "image.png": .file("image"),
        "sub": .folder(["deep": .folder(["x": .file("1")]), "y": .file("2")]),
    ])

    /// A document on disk and the wrapper that was read from it.
    private struct Document {
        let folder: WrapperFolder
        var path: FilePath
        var wrapper: FileWrapper

        init(_ tree: WrapperTree = sample) throws {
            folder = try WrapperFolder()
            try tree.write(to: folder["doc"])
            path = try #require(FilePath(folder["doc"]))
            wrapper = try FileWrapper(url: folder["doc"])
        }

        /// Saves and gives what was written: "+" for placed, "-" for removed, nil for everything.
        @discardableResult
        func save(_ new: FileWrapper? = nil) throws -> [String]? {
            let plan = try (new ?? wrapper).captureForSave(comparedTo: wrapper).plan(over: path)
            try plan.write(to: path)
            plan.noteWritten(at: path)
            return plan.lines
        }

        var onDisk: WrapperTree { get throws { try WrapperTree(at: folder["doc"]) } }
    }

    @Test("Nothing is written of a tree that was not changed, nor what was changed back")
    func unchanged() throws {
        let document = try Document()
        #expect(try document.save() == [])
        _ = WrapperTree(document.wrapper)
        let child = try #require(document.wrapper.fileWrappers?["text.txt"])
        document.wrapper.removeFileWrapper(child)
        document.wrapper.addFileWrapper(child)
        #expect(try document.save() == [])
        #expect(try document.onDisk == Self.sample)
    }

    @Test("Members that were added, replaced, removed and renamed are what is written, at any depth")
    func changes() throws {
        let document = try Document()
        let wrapper = document.wrapper
        let sub = try #require(wrapper.fileWrappers?["sub"])
        sub.addRegularFile(withContents: Data("z".utf8), preferredFilename: "z")
        #expect(try document.save() == ["+sub/z"])
        wrapper.removeFileWrapper(try #require(wrapper.fileWrappers?["text.txt"]))
        #expect(try document.save() == ["-text.txt"])
        wrapper.fileWrappers?["image.png"]?.preferredFilename = "picture.png"
        #expect(try document.save() == ["+picture.png", "-image.png"])
        sub.preferredFilename = "folder"
        #expect(try document.save() == ["+folder", "-sub"])
        let deep = try #require(sub.fileWrappers?["deep"])
        deep.removeFileWrapper(try #require(deep.fileWrappers?["x"]))
        deep.addRegularFile(withContents: Data("new".utf8), preferredFilename: "x")
        #expect(try document.save() == ["+folder/deep/x"])
        let tree = WrapperTree.folder([
            "picture.png": .file("image"),
            "folder": .folder(["deep": .folder(["x": .file("new")]), "y": .file("2"), "z": .file("z")]),
        ])
        #expect(try document.onDisk == tree)
        #expect(WrapperTree(wrapper) == tree)
        #expect(wrapper.matchesContents(of: document.folder["doc"]))
        #expect(try document.save() == [])
    }

    @Test(
        "A tree that was read elsewhere is written whole, its members read or not",
        arguments: [false, true]
    )
    func readElsewhere(isRead: Bool) throws {
        let document = try Document()
        let other = WrapperTree.folder([
            "text.txt": .file("text"), "image.png": .file("another"),
            "sub": .folder(["deep": .folder(["x": .file("1"), "new": .file("3")])]),
        ])
        try other.write(to: document.folder["other"])
        let tree = try FileWrapper(url: document.folder["other"])
        if isRead { _ = WrapperTree(tree) }
        try document.save(tree)
        #expect(try document.onDisk == other)
        #expect(try WrapperTree(at: document.folder["other"]) == other)
        // From now on it stands for the document.
        tree.addRegularFile(withContents: Data("4".utf8), preferredFilename: "later")
        var saved = document
        saved.wrapper = tree
        #expect(try saved.save() == ["+later"])
    }

    @Test("Bytes that are the same as on disk are not written again")
    func sameBytes() throws {
        let document = try Document()
        let wrapper = document.wrapper
        wrapper.removeFileWrapper(try #require(wrapper.fileWrappers?["image.png"]))
        wrapper.addRegularFile(withContents: Data("image".utf8), preferredFilename: "image.png")
        #expect(try document.save() == [])
        wrapper.removeFileWrapper(try #require(wrapper.fileWrappers?["image.png"]))
        wrapper.addRegularFile(withContents: Data("IMAGE".utf8), preferredFilename: "image.png")
        #expect(try document.save() == ["+image.png"])
    }

    @Test("A new tree at each save is compared with the last one")
    func freshTrees() throws {
        var document = try Document()
        func fresh(_ edit: (inout [String: WrapperTree]) -> Void) throws -> FileWrapper {
            guard case .folder(var members) = try document.onDisk else { return document.wrapper }
            edit(&members)
            return WrapperTree.folder(members).wrapper
        }
        for (expected, edit) in [
            ([], { _ in }),
            (["+text.txt"], { $0["text.txt"] = .file("other") }),
            (
                ["+new", "-image.png"],
                {
                    $0["new"] = .file("n"); $0["image.png"] = nil
                }
            ),
            (["+sub"], { $0["sub"] = .file("no folder now") }),
            (["+sub"], { $0["sub"] = .folder(["y": .link("z")]) }),
            (["+sub/w", "+sub/y"], { $0["sub"] = .folder(["y": .link("w"), "w": .file("")]) }),
            ([], { _ in }),
        ] as [([String], (inout [String: WrapperTree]) -> Void)] {
            let new = try fresh(edit)
            #expect(try document.save(new) == expected)
            #expect(try document.onDisk == WrapperTree(new))
            #expect(new.matchesContents(of: document.folder["doc"]))
            document.wrapper = new
        }
        // The last tree now counts as read from there.
        document.wrapper.addRegularFile(withContents: Data(), preferredFilename: "more")
        #expect(try document.save() == ["+more"])
    }

    @Test("A new directory that takes over old children writes only what is new in them")
    func sharedChildren() throws {
        var document = try Document()
        var children = try #require(document.wrapper.fileWrappers)
        children["text.txt"] = FileWrapper(regularFileWithContents: Data("other".utf8))
        children["sub"]?.addRegularFile(withContents: Data("z".utf8), preferredFilename: "z")
        let new = FileWrapper(directoryWithFileWrappers: children)
        #expect(try document.save(new) == ["+sub/z", "+text.txt"])
        document.wrapper = new
        #expect(try document.onDisk == WrapperTree(new))
        children["sub"]?.addRegularFile(withContents: Data("w".utf8), preferredFilename: "w")
        #expect(try document.save() == ["+sub/w"])
        #expect(try document.save() == [])
    }

    @Test("What the application changes between capture and writing is left for the next save")
    func changesMeanwhile() throws {
        let document = try Document()
        let wrapper = document.wrapper
        wrapper.addRegularFile(withContents: Data("1".utf8), preferredFilename: "first")
        let sub = WrapperTree.folder(["a": .file("a")]).wrapper
        sub.preferredFilename = "later"
        wrapper.addFileWrapper(sub)
        let capture = wrapper.captureForSave()
        wrapper.removeFileWrapper(try #require(wrapper.fileWrappers?["first"]))
        wrapper.addRegularFile(withContents: Data("2".utf8), preferredFilename: "second")
        sub.addRegularFile(withContents: Data("b".utf8), preferredFilename: "b")
        let plan = try capture.plan(over: document.path)
        #expect(plan.lines == ["+first", "+later"])
        try plan.write(to: document.path)
        plan.noteWritten(at: document.path)
        #expect(try WrapperTree(at: document.folder["doc/later"]) == .folder(["a": .file("a")]))
        #expect(try document.save() == ["+later/b", "+second", "-first"])
        #expect(try document.onDisk == WrapperTree(wrapper))
    }

    @Test("Members that were never read can be read after saves that moved them")
    func lazyAfterSaves() throws {
        let document = try Document()
        let wrapper = document.wrapper
        wrapper.addRegularFile(withContents: Data(), preferredFilename: "n1")
        wrapper.addRegularFile(withContents: Data(), preferredFilename: "n2")
        #expect(try document.save() == ["+n1", "+n2"])
        #expect(wrapper.fileWrappers?["sub"]?.fileWrappers?["y"]?.regularFileContents == Data("2".utf8))
        #expect(wrapper.fileWrappers?["text.txt"]?.regularFileContents == Data("text".utf8))
    }

    @Test("Members can be read after their own tree was written over them without updating names")
    func lazyAfterWriting() throws {
        let document = try Document()
        let wrapper = document.wrapper
        let url = document.folder["doc"]
        for name in ["n1", "n2"] { wrapper.addRegularFile(withContents: Data(), preferredFilename: name) }
        try wrapper.write(to: url, originalContentsURL: url)
        #expect(wrapper.fileWrappers?["n1"]?.filename == nil)
        #expect(WrapperTree(wrapper) == (try WrapperTree(at: url)))
        let other = try FileWrapper(url: url)
        try other.write(to: url, originalContentsURL: nil)
        #expect(WrapperTree(other) == (try WrapperTree(at: url)))
    }

    @Test("A removed wrapper keeps its bytes for an undo, though they were never asked for")
    func undo() throws {
        let document = try Document()
        let wrapper = document.wrapper
        let image = try #require(wrapper.fileWrappers?["image.png"])
        wrapper.removeFileWrapper(image)
        #expect(try document.save() == ["-image.png"])
        #expect(image.regularFileContents == Data("image".utf8))
        wrapper.addFileWrapper(image)
        #expect(try document.save() == ["+image.png"])
        #expect(try document.onDisk == Self.sample)
    }

    @Test("A document that moved, or another in its place, is written as it must be")
    func moving() throws {
        var document = try Document()
        let moved = document.folder["moved"]
        try FileManager.default.moveItem(at: document.folder["doc"], to: moved)
        try Self.sample.write(to: document.folder["doc"])
        document.wrapper.addRegularFile(withContents: Data(), preferredFilename: "n")
        let path = try #require(FilePath(moved))
        document.wrapper.noteMoved(to: path, foundAs: try FileStamp(of: path))
        #expect(WrapperTree(document.wrapper) != nil)
        let plan = try document.wrapper.captureForSave().plan(over: path)
        #expect(plan.lines == ["+n"])
        document.path = try #require(FilePath(document.folder["doc"]))
        #expect(try document.save() == nil)
        #expect(try document.onDisk == WrapperTree(document.wrapper))
    }

    @Test("Random edits and saves keep disk and wrappers the same")
    func random() throws {
        for seed in UInt64(1)...40 {
            var random = WrapperSeed(seed)
            var document = try Document(random.folder())
            for step in 0..<12 {
                let expected = edit(&document.wrapper, &random)
                let known = document.wrapper
                try document.save()
                #expect(try document.onDisk == expected, "seed \(seed), step \(step)")
                #expect(WrapperTree(known) == expected, "seed \(seed), step \(step)")
                #expect(try document.save() == [], "seed \(seed), step \(step)")
            }
        }
    }

    /// Does something to one of the directories, and gives what the tree is then.
    private func edit(_ top: inout FileWrapper, _ random: inout WrapperSeed) -> WrapperTree? {
        var directory = top
        while let next = directory.fileWrappers?.sorted(by: { $0.key < $1.key }).map(\.value)
            .filter(\.isDirectory).randomElement(using: &random), Bool.random(using: &random)
        {
            directory = next
        }
        for _ in 0..<Int.random(in: 0...3, using: &random) {
            let children = (directory.fileWrappers ?? [:]).sorted { $0.key < $1.key }.map(\.value)
            let child = children.randomElement(using: &random)
            switch Int.random(in: 0..<4, using: &random) {
            case 0: if let child { directory.removeFileWrapper(child) }
            case 1: child?.preferredFilename = random.name()
            case 2:
                if let child, child !== top {
                    directory.removeFileWrapper(child)
                    top.addFileWrapper(child)
                }
            default:
                let new = random.tree(depth: 2).wrapper
                new.preferredFilename = random.name()
                directory.addFileWrapper(new)
            }
        }
        return WrapperTree(top)
    }
}

extension WrapperSavePlan {
    /// What it does, as text; nil when it writes everything.
    fileprivate var lines: [String]? {
        guard case .changes(let changes) = work else { return nil }
        return changes.placed.keys.map { "+\($0)" }.sorted() + changes.removed.map { "-\($0)" }.sorted()
    }
}
