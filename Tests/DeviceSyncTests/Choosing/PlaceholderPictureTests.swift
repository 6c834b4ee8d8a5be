import DocumentFoundation
import DocumentTesting
import FileSystem
import Foundation
import TestThreads
import Testing

@testable import DeviceSync

@Suite("Pictures in placeholders", .onOwnThreads)
struct PlaceholderPictureTests {
    @Test("A placeholder that is renamed elsewhere keeps its picture")
    func renamed() throws {
        let pair = try DevicePair()
        try pair.one.write("text", to: "p.rtfd/TXT.rtf")
        try pair.one.write("picture", to: "p.rtfd/QuickLook/Thumbnail.png")
        pair.wait { pair.two.contents == pair.one.contents && pair.two.contents.count == 4 && pair.isSettled }
        try #require(pair.two.running).evict("p.rtfd")
        let place = FilePath(pair.two.folder.path)
        #expect(Placeholder(at: place.appending(".p.rtfd.icloud"))?.thumbnail == Data("picture".utf8))
        try FileManager.default.moveItem(
            at: pair.one.folder.appendingPathComponent("p.rtfd"),
            to: pair.one.folder.appendingPathComponent("q.rtfd")
        )
        pair.wait { pair.two.contents.keys.sorted() == [".q.rtfd.icloud"] }
        #expect(Placeholder(at: place.appending(".q.rtfd.icloud"))?.thumbnail == Data("picture".utf8))
        pair.end()
    }
}
