import Foundation
import Testing
import UniformTypeIdentifiers

@Suite("Names for files of a type")
struct PathNamesTests {
    private let folder = URL(fileURLWithPath: "/tmp/photos", isDirectory: true)

    @Test("A name gets the preferred extension unless it has a fitting one")
    func components() {
        #expect(folder.appendingPathComponent("puppy", conformingTo: .png).path == "/tmp/photos/puppy.png")
        #expect(
            folder.appendingPathComponent("puppy.jpg", conformingTo: .image).lastPathComponent == "puppy.jpg"
        )
        #expect(
            folder.appendingPathComponent("puppy.JPG", conformingTo: .jpeg).lastPathComponent == "puppy.JPG"
        )
        #expect(
            folder.appendingPathComponent("puppy.jpg", conformingTo: .plainText).lastPathComponent
                == "puppy.jpg.txt"
        )
        #expect(folder.appendingPathComponent("puppy", conformingTo: .data).lastPathComponent == "puppy")
    }

    @Test("Packages are named as folders")
    func packages() {
        let url = folder.appendingPathComponent("Letter", conformingTo: .rtfd)
        #expect(url.hasDirectoryPath && url.lastPathComponent == "Letter.rtfd")
        #expect(!folder.appendingPathComponent("Letter", conformingTo: .rtf).hasDirectoryPath)
    }

    @Test("An extension is added to a place")
    func extensions() {
        var url = folder.appendingPathComponent("notes")
        #expect(url.appendingPathExtension(for: .json).path == "/tmp/photos/notes.json")
        url.appendPathExtension(for: .json)
        url.appendPathExtension(for: .json)
        #expect(url.path == "/tmp/photos/notes.json")
        var other = folder
        other.appendPathComponent("letter", conformingTo: .rtf)
        #expect(other.path == "/tmp/photos/letter.rtf")
        #expect(URL(fileURLWithPath: "/").appendingPathExtension(for: .json).path == "/")
    }

    @Test("NSURL and NSString do the same")
    func foundationClasses() {
        let url = NSURL(fileURLWithPath: "/tmp/photos", isDirectory: true)
        #expect(url.appendingPathComponent("a", conformingTo: .png).path == "/tmp/photos/a.png")
        #expect(NSURL(fileURLWithPath: "/tmp/a").appendingPathExtension(for: .png).path == "/tmp/a.png")
        #expect(NSString("/tmp").appendingPathComponent("a", conformingTo: .png) == "/tmp/a.png")
        #expect(NSString("/tmp/a.gif").appendingPathExtension(for: .image) == "/tmp/a.gif")
    }

    @Test("A dynamic type's extension is a fitting one")
    func dynamic() throws {
        let type = try #require(UTType(filenameExtension: "zzqx"))
        #expect(folder.appendingPathComponent("a.zzqx", conformingTo: type).lastPathComponent == "a.zzqx")
        #expect(folder.appendingPathComponent("a", conformingTo: type).lastPathComponent == "a.zzqx")
    }
}
