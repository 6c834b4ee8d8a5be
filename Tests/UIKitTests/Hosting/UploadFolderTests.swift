import Foundation
import Locks
import TestFolders
import Testing

@testable import UIKit

@Suite("UploadFolder")
struct UploadFolderTests {
    private let folder: TestFolder
    private let uploads: UploadFolder

    init() throws {
        folder = try TestFolder("uploads")
        uploads = try UploadFolder(in: folder.url)
    }

    @Test("The files of a batch lie together under their paths, with their folders made")
    func together() throws {
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

    @Test("All that a tab has is taken at once, and nothing of another's")
    func all() throws {
        for (batch, tab) in [("b", "t"), ("c", "t"), ("b", "u")] {
            _ = try uploads.place("x", batch: batch, tab: tab)
        }
        #expect(uploads.takeAll(of: "t").count == 2)
        #expect(uploads.takeAll(of: "t").isEmpty)
        #expect(uploads.take("b", of: "t") == nil)
        #expect(uploads.take("b", of: "u") != nil)
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

    @Test(
        "What a process left that was killed goes with the start of the next; what one has that lives stays"
    )
    func killed() async throws {
        let file = try uploads.place("x", batch: "b", tab: "t")
        try Data("living".utf8).write(to: file)
        let path = folder.path
        await #expect(processExitsWith: .signal(SIGKILL)) { [path = path as String] in
            let uploads = try UploadFolder(in: URL(fileURLWithPath: path))
            try Data("dead".utf8).write(to: uploads.place("x", batch: "b", tab: "t"))
            kill(getpid(), SIGKILL)
        }
        #expect(try FileManager.default.contentsOfDirectory(atPath: path).count == 2)
        let next = try UploadFolder(in: folder.url)
        #expect(try FileManager.default.contentsOfDirectory(atPath: path).count == 2)
        #expect(try String(contentsOf: file, encoding: .utf8) == "living")
        let other = try next.place("x", batch: "b", tab: "t")
        #expect(FileManager.default.fileExists(atPath: other.deletingLastPathComponent().path))
        next.removeAll()
        uploads.removeAll()
        #expect(try FileManager.default.contentsOfDirectory(atPath: path).isEmpty)
    }

    @Test("Many that begin at once take nobody for dead")
    func atOnce() throws {
        let made = Locked<[UploadFolder]>([])
        DispatchQueue.concurrentPerform(iterations: 64) { number in
            do {
                let uploads = try UploadFolder(in: folder.url)
                try Data("\(number)".utf8).write(to: uploads.place("x", batch: "b", tab: "t"))
                made.withLock { $0.append(uploads) }
            } catch { Issue.record("\(error)") }
        }
        for uploads in made.withLock({ $0 }) {
            let home = try #require(uploads.take("b", of: "t"))
            #expect(FileManager.default.fileExists(atPath: home.appendingPathComponent("x").path))
        }
        #expect(made.withLock { $0.count } == 64)
    }
}
