import Foundation
import Testing

@testable import UIKit

@Suite("UploadFolder")
struct UploadFolderTests {
    let uploads: UploadFolder

    init() throws { uploads = try UploadFolder() }

    @Test("The files of a batch lie together under their paths, with their folders made")
    func together() throws {
        defer { uploads.removeAll() }
        let one = try uploads.place("one.txt", batch: "b", tab: "t")
        let deep = try uploads.place("folder/deep/two.txt", batch: "b", tab: "t")
        try Data("1".utf8).write(to: one)
        try Data("2".utf8).write(to: deep)
        let home = try #require(uploads.take("b", of: "t"))
        #expect(one == home.appendingPathComponent("one.txt"))
        #expect(deep == home.appendingPathComponent("folder/deep/two.txt"))
        #expect(
            try FileManager.default.contentsOfDirectory(atPath: home.path).sorted() == ["folder", "one.txt"]
        )
    }

    @Test("Batches of other names and of other tabs are apart, and taken once")
    func apart() throws {
        defer { uploads.removeAll() }
        let places = [("b", "t"), ("c", "t"), ("b", "u")]
        let homes = try places.map {
            try uploads.place("x", batch: $0.0, tab: $0.1).deletingLastPathComponent()
        }
        #expect(Set(homes).count == 3)
        #expect(uploads.take("c", of: "u") == nil)
        #expect(uploads.take("b", of: "t")?.path == homes[0].path)
        #expect(uploads.take("b", of: "t") == nil)
        #expect(uploads.take("b", of: "u")?.path == homes[2].path)
    }

    @Test("Nobody else can look inside, and it goes as a whole")
    func privacy() throws {
        let file = try uploads.place("x", batch: "b", tab: "t")
        let folder = file.deletingLastPathComponent().deletingLastPathComponent()
        let attributes = try FileManager.default.attributesOfItem(atPath: folder.path)
        #expect((attributes[.posixPermissions] as? NSNumber)?.intValue == 0o700)
        uploads.removeAll()
        #expect(!FileManager.default.fileExists(atPath: folder.path))
    }
}
