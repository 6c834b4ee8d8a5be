import DocumentFoundation
import Foundation
import Testing

/// Takes minutes if each child is looked for among all.
@Suite("FileWrapper with very many children", .timeLimit(.minutes(3)))
struct FileWrapperManyChildrenTests {
    @Test("Files are added one by one")
    func adding() {
        let folder = FileWrapper(directoryWithFileWrappers: [:])
        for number in 0..<100_000 {
            folder.addRegularFile(withContents: Data(), preferredFilename: "\(number)")
        }
        #expect(folder.fileWrappers?.count == 100_000)
    }

    @Test("A directory is made of a dictionary")
    func making() {
        let numbers = 0..<100_000
        let children = numbers.map { ("\($0)", FileWrapper(regularFileWithContents: Data())) }
        let folder = FileWrapper(
            directoryWithFileWrappers: Dictionary(uniqueKeysWithValues: children)
        )
        #expect(folder.fileWrappers?.count == numbers.count)
    }

    @Test("Files that prefer one name are added, found and taken out again")
    func equalNames() {
        let folder = FileWrapper(directoryWithFileWrappers: [:])
        var children: [FileWrapper] = []
        for _ in 0..<50_000 {
            let child = FileWrapper(regularFileWithContents: Data())
            child.preferredFilename = "n"
            folder.addFileWrapper(child)
            folder.addFileWrapper(child)
            children.append(child)
        }
        #expect(folder.fileWrappers?.count == children.count)
        let keys = Set(children.compactMap { folder.keyForChildFileWrapper($0) })
        #expect(keys.count == children.count)
        for child in children { folder.removeFileWrapper(child) }
        #expect(folder.fileWrappers?.isEmpty == true)
    }

    @Test("A child with other keys in other directories is found in each, and leaves each alone")
    func severalParents() {
        let child = FileWrapper(regularFileWithContents: Data())
        child.preferredFilename = "n"
        let folders = (0..<3).map { count in
            let folder = FileWrapper(directoryWithFileWrappers: [:])
            for _ in 0..<count { folder.addRegularFile(withContents: Data(), preferredFilename: "n") }
            return folder
        }
        #expect(folders.map { $0.addFileWrapper(child) } == ["n", "n 2", "n 3"])
        #expect(folders.map { $0.addFileWrapper(child) } == ["n", "n 2", "n 3"])
        folders[1].removeFileWrapper(child)
        #expect(folders.map { $0.keyForChildFileWrapper(child) } == ["n", nil, "n 3"])
        #expect(folders.map { $0.fileWrappers?.count } == [1, 1, 3])
        let key = folders[1].addFileWrapper(child)
        #expect(folders[1].keyForChildFileWrapper(child) == key)
        #expect(folders[1].fileWrappers?[key] === child)
    }
}
