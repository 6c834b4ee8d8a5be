import FileSystem
import Foundation
import Testing

@testable import DocumentFoundation

@Suite("FileWrapper known members")
struct FileWrapperKnownMembersTests {
    @Test(
        "A member is known until somebody else writes, adds or removes it; what was never listed is not known"
    )
    func members() throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
        let pages = folder.appendingPathComponent("Pages")
        try FileManager.default.createDirectory(at: pages, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }  // in the system's temporary folder anyway
        try Data("one".utf8).write(to: pages.appendingPathComponent("1"))
        try Data("two".utf8).write(to: pages.appendingPathComponent("2"))
        let tree = try FileWrapper(url: folder)
        let item = try #require(FilePath(folder))
        func isKnown(_ names: String...) throws -> Bool {
            tree.isKnown(try #require(MemberPath(names)), of: item)
        }

        #expect(try !isKnown("Pages", "1"))
        let members = try #require(tree.fileWrappers?["Pages"]?.fileWrappers)
        #expect(members["1"]?.regularFileContents == Data("one".utf8))
        #expect(try isKnown("Pages", "1"))
        #expect(try isKnown("Pages", "3"))

        try Data("changed".utf8).write(to: pages.appendingPathComponent("1"))
        try Data("new".utf8).write(to: pages.appendingPathComponent("3"))
        try FileManager.default.removeItem(at: pages.appendingPathComponent("2"))
        #expect(try !isKnown("Pages", "1"))
        #expect(try !isKnown("Pages", "2"))
        #expect(try !isKnown("Pages", "3"))
    }
}
