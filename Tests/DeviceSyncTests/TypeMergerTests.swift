import FileSystem
import Foundation
import TestFolders
import TestThreads
import Testing

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
}
