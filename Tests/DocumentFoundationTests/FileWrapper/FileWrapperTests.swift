import FileSystem
import Foundation
import Testing

@testable import DocumentFoundation

@Suite("FileWrapper")
struct FileWrapperTests {
    @Test("A wrapper knows its kind and holds what it was made of")
    func kinds() {
        let file = FileWrapper(regularFileWithContents: Data("x".utf8))
        #expect(file.isRegularFile && !file.isDirectory && !file.isSymbolicLink)
        #expect(file.regularFileContents == Data("x".utf8))
        #expect(file.preferredFilename == nil && file.filename == nil)
        let link = FileWrapper(symbolicLinkWithDestinationURL: URL(fileURLWithPath: "/tmp/x"))
        #expect(link.isSymbolicLink && link.symbolicLinkDestinationURL?.path == "/tmp/x")
        let folder = FileWrapper(directoryWithFileWrappers: ["f": file])
        #expect(folder.isDirectory && folder.fileWrappers?["f"] === file)
        #expect(file.preferredFilename == "f")
    }

    @Test("Wrappers made in memory have open permissions, and keep attributes that are set")
    func attributes() {
        let file = FileWrapper(regularFileWithContents: Data())
        #expect(file.fileAttributes[FileAttributeKey.posixPermissions.rawValue] as? Int == 0o666)
        let folder = FileWrapper(directoryWithFileWrappers: [:])
        #expect(folder.fileAttributes[FileAttributeKey.posixPermissions.rawValue] as? Int == 0o777)
        file.fileAttributes = [FileAttributeKey.posixPermissions.rawValue: 0o600, "mine": "kept"]
        #expect(file.fileAttributes["mine"] as? String == "kept")
    }

    @Test("The first child keeps its name and later ones get a number")
    func uniquing() {
        let folder = FileWrapper(directoryWithFileWrappers: [:])
        let keys = (0..<3).map { _ in folder.addRegularFile(withContents: Data(), preferredFilename: "a.txt")
        }
        #expect(keys == ["a.txt", "a 2.txt", "a 3.txt"])
        let third = folder.fileWrappers?["a 3.txt"]
        #expect(third?.preferredFilename == "a.txt")
        #expect(third.flatMap { folder.keyForChildFileWrapper($0) } == "a 3.txt")
    }

    @Test("Names that are the same text in other bytes clash, names in other case do not")
    func clashes() {
        let folder = FileWrapper(directoryWithFileWrappers: [:])
        #expect(folder.addRegularFile(withContents: Data(), preferredFilename: "\u{E9}") == "\u{E9}")
        #expect(folder.addRegularFile(withContents: Data(), preferredFilename: "e\u{301}") == "e\u{301} 2")
        #expect(folder.addRegularFile(withContents: Data(), preferredFilename: "A") == "A")
        #expect(folder.addRegularFile(withContents: Data(), preferredFilename: "a") == "a")
    }

    @Test("A dictionary of children keeps its keys, and children that prefer other names get those")
    func dictionary() {
        let named = FileWrapper(regularFileWithContents: Data())
        named.preferredFilename = "b"
        let plain = FileWrapper(regularFileWithContents: Data())
        let folder = FileWrapper(directoryWithFileWrappers: ["a": named, "b": plain])
        #expect(folder.fileWrappers?["b"] === plain)
        #expect(folder.fileWrappers?["b 2"] === named)
    }

    @Test("A new preferred name is a new key in every parent")
    func rekeying() {
        let child = FileWrapper(regularFileWithContents: Data())
        child.preferredFilename = "old"
        let one = FileWrapper(directoryWithFileWrappers: ["old": child])
        let other = FileWrapper(directoryWithFileWrappers: [
            "new": FileWrapper(regularFileWithContents: Data()), "old": child,
        ])
        child.preferredFilename = "new"
        #expect(one.keyForChildFileWrapper(child) == "new")
        #expect(other.keyForChildFileWrapper(child) == "new 2")
        #expect(one.fileWrappers?.keys.sorted() == ["new"])
    }

    @Test("Removing takes a child out, and a second time does nothing; adding a child again changes nothing")
    func removing() {
        let folder = FileWrapper(directoryWithFileWrappers: [:])
        let child = FileWrapper(regularFileWithContents: Data())
        child.preferredFilename = "c"
        #expect(folder.addFileWrapper(child) == "c")
        #expect(folder.addFileWrapper(child) == "c")
        #expect(folder.fileWrappers?.count == 1)
        folder.removeFileWrapper(child)
        folder.removeFileWrapper(child)
        #expect(folder.fileWrappers?.isEmpty == true)
        #expect(folder.keyForChildFileWrapper(child) == nil)
    }

    @Test("A subclass takes part in a tree and may override what it is asked")
    func subclassing() {
        final class Counting: FileWrapper {
            var asked = 0
            override var regularFileContents: Data? {
                asked += 1
                return super.regularFileContents
            }
        }
        let child = Counting(regularFileWithContents: Data("x".utf8))
        let folder = FileWrapper(directoryWithFileWrappers: ["c": child])
        #expect(folder.fileWrappers?["c"]?.regularFileContents == Data("x".utf8))
        #expect(child.asked == 1)
    }

    @Test("Asking for what a wrapper is not traps")
    func wrongKind() async {
        await #expect(processExitsWith: .failure) {
            _ = FileWrapper(regularFileWithContents: Data()).fileWrappers
        }
        await #expect(processExitsWith: .failure) {
            _ = FileWrapper(directoryWithFileWrappers: [:]).regularFileContents
        }
        await #expect(processExitsWith: .failure) {
            _ = FileWrapper(directoryWithFileWrappers: [:]).symbolicLinkDestinationURL
        }
    }

    @Test("Adding a child without a name, or a wrapper into itself, traps; so does taking a name away")
    func misuse() async {
        await #expect(processExitsWith: .failure) {
            let folder = FileWrapper(directoryWithFileWrappers: [:])
            folder.addFileWrapper(FileWrapper(regularFileWithContents: Data()))
        }
        await #expect(processExitsWith: .failure) {
            let inner = FileWrapper(directoryWithFileWrappers: [:])
            let outer = FileWrapper(directoryWithFileWrappers: ["inner": inner])
            outer.preferredFilename = "outer"
            inner.addFileWrapper(outer)
        }
        await #expect(processExitsWith: .failure) {
            FileWrapper(regularFileWithContents: Data()).preferredFilename = nil
        }
    }
}

@Suite("WrapperNames")
struct WrapperNamesTests {
    @Test("A number goes before the extension, and a leading dot starts none")
    func numbering() {
        #expect(NumberedName.of("a.txt", 2) == "a 2.txt")
        #expect(NumberedName.of("a.tar.gz", 3) == "a.tar 3.gz")
        #expect(NumberedName.of(".hidden", 2) == ".hidden 2")
        #expect(NumberedName.of("dot.", 2) == "dot. 2")
    }

    @Test("Keys stay within what a directory entry can hold, whole characters at a time")
    func length() {
        let name = String(repeating: "é", count: 125) + ".text"
        let key = NumberedName.of(name, 10)
        #expect(key.utf8.count <= NumberedName.byteCountMax)
        #expect(key.hasSuffix("é 10.text"))
    }

    @Test("Thousands of equal names are told apart in no time")
    func many() {
        let folder = FileWrapper(directoryWithFileWrappers: [:])
        for _ in 0..<5000 { folder.addRegularFile(withContents: Data(), preferredFilename: "n.txt") }
        #expect(folder.fileWrappers?.count == 5000)
        #expect(folder.fileWrappers?["n 5000.txt"] != nil)
    }
}
