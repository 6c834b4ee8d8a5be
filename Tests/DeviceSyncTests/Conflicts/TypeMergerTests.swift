import DocumentMerging
import FileSystem
import Foundation
import Merging
import TestFolders
import TestThreads
import Testing
import UniformTypeIdentifiers

@testable import DeviceSync

@Suite("Merging by type", .onOwnThreads)
struct TypeMergerTests {
    @Test(
        "A link by the name of an app's values is merged with nothing: nobody reads what it leads to",
        arguments: ["mine", "theirs"]
    )
    func link(_ version: String) throws {
        let folder = try TestFolder("merging")
        defer { withExtendedLifetime(folder) {} }
        func url(_ version: String) -> URL {
            folder.url.appendingPathComponent(version).appendingPathComponent("app.keyvalues")
        }
        for version in ["mine", "theirs", "outcome"] {
            try FileManager.default.createDirectory(
                at: folder.url.appendingPathComponent(version),
                withIntermediateDirectories: false
            )
        }
        let outside = folder.url.appendingPathComponent("outside")
        for place in [outside, url(version == "mine" ? "theirs" : "mine")] {
            // As they are alike, they would be merged without anything being made of them.
            try Data("alike".utf8).write(to: place)
        }
        try #require(symlink(outside.path, url(version).path) == 0)
        let isMerged = try TypeMerger().merge(
            base: nil,
            mine: FilePath(url("mine").path),
            theirs: FilePath(url("theirs").path),
            to: FilePath(url("outcome").path)
        )
        #expect(!isMerged && !FileManager.default.fileExists(atPath: url("outcome").path))
    }

    /// Takes what both have.
    private struct JoiningMerger: Merger {
        let needsBase = false

        func merge(base: [UInt8]?, mine: [UInt8], theirs: [UInt8]) -> MergedFile {
            MergedFile(contents: mine + theirs)
        }
    }

    @Test("What a process has registered for its own documents has no part in how a folder is kept in step")
    func registered() throws {
        let type = try #require(UTType(filenameExtension: "tga"))
        DocumentMergers.register(JoiningMerger(), for: type)
        #expect(DocumentMergers.merger(ofFileNamed: "a.tga") is JoiningMerger)
        let folder = try TestFolder("merging")
        defer { withExtendedLifetime(folder) {} }
        let paths = try ["base", "mine", "theirs", "outcome"].map { version in
            let own = folder.url.appendingPathComponent(version)
            try FileManager.default.createDirectory(at: own, withIntermediateDirectories: false)
            let url = own.appendingPathComponent("a.tga")
            if version != "outcome" { try Data(version.utf8).write(to: url) }
            return FilePath(url.path)
        }
        #expect(try !TypeMerger().merge(base: paths[0], mine: paths[1], theirs: paths[2], to: paths[3]))
    }
}
