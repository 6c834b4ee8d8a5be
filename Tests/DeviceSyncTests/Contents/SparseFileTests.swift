import DocumentTesting
import Foundation
import SyncMessages
import TestThreads
import Testing

@testable import DeviceSync

/// Files that are nearly all holes.
@Suite("Sparse files", .onOwnThreads, .timeLimit(.minutes(2)))
struct SparseFileTests {
    @Test("A disk image of which nothing is there is named, is in nobody's way, and goes when it is shorter")
    func diskImage() throws {
        let pair = try DevicePair()
        let (one, two) = (pair.one, pair.two)
        let image = one.folder.appendingPathComponent("disk.img")
        #expect(FileManager.default.createFile(atPath: image.path, contents: nil))
        let file = try FileHandle(forWritingTo: image)
        try file.truncate(atOffset: 1 << 40)
        try file.close()
        try one.write("beside", to: "b.txt")
        pair.wait { two.text("b.txt") == "beside" && one.status?.stuck["disk.img"] != nil }
        let explanation = try #require(one.explanation("disk.img"))
        #expect(!explanation.isSettled)
        #expect(explanation.causes.contains { $0.contains("1024 GiB long") }, "\(explanation.causes)")
        #expect(explanation.next.contains("16 GiB"), "\(explanation)")
        let later = try FileHandle(forWritingTo: image)
        try later.truncate(atOffset: 0)
        try later.write(contentsOf: Data("short".utf8))
        try later.close()
        pair.wait { two.text("disk.img") == "short" && pair.isSettled }
        #expect(one.explanation("disk.img")?.isSettled == true)
        pair.end()
    }
}
