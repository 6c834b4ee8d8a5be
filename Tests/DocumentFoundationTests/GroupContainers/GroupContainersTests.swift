import DocumentFoundation
import Foundation
import TestFolders
import Testing

@Suite("GroupContainers")
struct GroupContainersTests {
    private let folder: TestFolder
    private let groups: GroupContainers

    init() throws {
        folder = try TestFolder("groups")
        groups = GroupContainers(environment: ["XDG_DATA_HOME": folder.path, "HOME": "/nonexistent"])
    }

    @Test("A group's folder is made with what apps expect in it, for the user alone, and stays what it is")
    func container() throws {
        let url = try #require(groups.container("group.org.sheaf.test"))
        #expect(url.path == folder.path + "/sheaf/groups/group.org.sheaf.test")
        let library = url.appendingPathComponent("Library")
        #expect(
            try FileManager.default.contentsOfDirectory(atPath: library.path).sorted()
                == ["Application Support", "Caches", "Preferences"]
        )
        let attributes = try FileManager.default.attributesOfItem(atPath: url.path)
        #expect((attributes[.posixPermissions] as? NSNumber)?.intValue == 0o700)
        try Data("1".utf8).write(to: url.appendingPathComponent("shared"))
        #expect(groups.container("group.org.sheaf.test") == url)
        #expect(try String(contentsOf: url.appendingPathComponent("shared"), encoding: .utf8) == "1")
    }

    @Test("What is no name of a folder is no group, and nothing is reached by it")
    func names() {
        let wrong = ["", ".", "..", ".hidden", "a/b", "../sync", "a\0b", String(repeating: "x", count: 256)]
        for name in wrong { #expect(groups.container(name) == nil, "\(name)") }
    }

    @Test("Where the folder cannot be made there is none")
    func unavailable() throws {
        try Data().write(to: folder.url.appendingPathComponent("sheaf"))
        #expect(groups.container("group.org.sheaf.test") == nil)
    }
}
