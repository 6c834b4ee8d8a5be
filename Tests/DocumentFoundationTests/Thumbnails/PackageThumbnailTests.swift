import FileSystem
import Foundation
import Testing

@testable import DocumentFoundation

@Suite("PackageThumbnail")
struct PackageThumbnailTests {
    private let base = FileManager.default.temporaryDirectory.resolvingSymlinksInPath()
        .appendingPathComponent("package-thumbnail-\(UUID().uuidString)")

    private func write(_ text: String, to path: String) throws {
        let place = base.appendingPathComponent(path)
        try FileManager.default.createDirectory(
            at: place.deletingLastPathComponent(),
            withIntermediateDirectories: true
        )
        try Data(text.utf8).write(to: place)
    }

    private func found(_ name: String, byteCountMax: Int = 100) -> String? {
        PackageThumbnail.contents(of: FilePath(base.path).appending(name), byteCountMax: byteCountMax)
            .map { String(decoding: $0, as: UTF8.self) }
    }

    @Test("The first that is there and small enough is the package's picture")
    func found() throws {
        defer { try? FileManager.default.removeItem(at: base) }
        try write("text", to: "a.pack/text.txt")
        #expect(found("a.pack") == nil)
        try write("jpeg", to: "a.pack/QuickLook/Thumbnail.jpg")
        #expect(found("a.pack") == "jpeg")
        #expect(found("a.pack", byteCountMax: 3) == nil)
        try write("a large png", to: "a.pack/QuickLook/Thumbnail.png")
        #expect(found("a.pack") == "a large png")
        #expect(found("a.pack", byteCountMax: 4) == "jpeg")
        #expect(found("b.pack") == nil)
    }

    @Test("A link is no picture, be it the file or its folder")
    func links() throws {
        defer { try? FileManager.default.removeItem(at: base) }
        try write("secret", to: "secret/Thumbnail.png")
        try write("text", to: "a.pack/QuickLook/text.txt")
        try write("text", to: "b.pack/text.txt")
        let link = FileManager.default.createSymbolicLink(atPath:withDestinationPath:)
        let secret = base.appendingPathComponent("secret").path
        try link(
            base.appendingPathComponent("a.pack/QuickLook/Thumbnail.png").path,
            secret + "/Thumbnail.png"
        )
        try link(base.appendingPathComponent("b.pack/QuickLook").path, secret)
        #expect(found("a.pack") == nil)
        #expect(found("b.pack") == nil)
    }
}
