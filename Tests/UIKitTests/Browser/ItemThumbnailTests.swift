import FileSystem
import Foundation
import Testing

@testable import DocumentFoundation
@testable import UIKit

/// The pictures of items in the browser's list.
@Suite("ItemThumbnail")
struct ItemThumbnailTests {
    private static let png = PictureHeader.png(30, 20)
    private static let jpeg = PictureHeader.jpeg(30, 20)

    let shelf: Shelf
    let location: BrowserLocation

    init() throws {
        shelf = try Shelf()
        let kinds = ItemKinds(
            isPackage: Shelf.kinds.isPackage,
            type: { fileExtension, form in
                let identifier = ["png": "public.png", "svg": "public.svg-image"][fileExtension]
                return ItemType(
                    identifier: identifier ?? "public.data",
                    title: "",
                    isDocument: form == .package
                )
            }
        )
        location = try BrowserLocation(shelf.url, kinds: kinds)
    }

    private func write(_ contents: Data, to url: URL) throws {
        try FileManager.default.createDirectory(
            at: url.deletingLastPathComponent(),
            withIntermediateDirectories: true
        )
        try contents.write(to: url)
    }

    private func write(_ contents: Data, to id: String) throws { try write(contents, to: shelf.at(id)) }

    private func picture(of id: String) -> ItemThumbnail? {
        let nobodys = SharedThumbnails(folder: FilePath(shelf.outside.path).appending("none"))
        return ItemThumbnail(of: id, in: location, nobodys)
    }

    @Test("A file that is a picture is its own, and of the type that its bytes tell")
    func ownBytes() throws {
        try write(Self.png, to: "folder/a.png")
        try write(Self.jpeg, to: "b.png")
        try write(Self.png, to: "c.txt")
        #expect(picture(of: "folder/a.png")?.contents == Self.png)
        #expect(picture(of: "folder/a.png")?.type == .png)
        #expect(picture(of: "b.png")?.type == .jpeg)
        #expect(picture(of: "c.txt") == nil)
        #expect(picture(of: "folder") == nil)
        #expect(picture(of: "") == nil)
    }

    @Test(
        "What could become active is no picture, whatever it is called",
        arguments: [
            "<!doctype html><script>alert(1)</script>",
            "<svg xmlns=\"http://www.w3.org/2000/svg\"><script>alert(1)</script></svg>",
            "<?xml version=\"1.0\"?><svg/>", "", "RIFF", "RIFF1234WEBX", "GIF7", "%PDF-1.7",
        ]
    )
    func activeContents(text: String) throws {
        try write(Data(text.utf8), to: "a.png")
        try write(Data(text.utf8), to: "a.svg")
        try write(Data(text.utf8), to: "p.pack/QuickLook/Thumbnail.png")
        for id in ["a.png", "a.svg", "p.pack"] { #expect(picture(of: id) == nil, "\(id)") }
    }

    @Test("A picture that is too large is none, be it a file or in a package")
    func large() throws {
        let largest = Self.png + Data(count: ItemThumbnail.byteCountMax - Self.png.count)
        for (name, contents) in [("largest", largest), ("larger", largest + [0])] {
            try write(contents, to: "\(name).png")
            try write(contents, to: "\(name).pack/QuickLook/Thumbnail.png")
        }
        #expect(picture(of: "largest.png") != nil && picture(of: "largest.pack") != nil)
        #expect(picture(of: "larger.png") == nil && picture(of: "larger.pack") == nil)
    }

    @Test("A picture of too many points is none, nor one that does not say how many it has")
    func points() throws {
        let pictures = [
            "most.png": PictureHeader.png(8_000, 5_000), "more.png": PictureHeader.png(8_000, 5_001),
            "vast.png": PictureHeader.png(20_000, 20_000), "vast.jpg.png": PictureHeader.jpeg(20_000, 20_000),
            "vast.gif.png": PictureHeader.gif(1, 1, image: [0, 0, 20_000, 20_000]),
            "vast.webp.png": PictureHeader.losslessWebP(16_384, 16_384),
            "cut.png": Self.png.prefix(20), "cut.jpg.png": Self.jpeg.prefix(6),
        ]
        for (name, contents) in pictures {
            try write(contents, to: name)
            try write(contents, to: "\(name).pack/QuickLook/Thumbnail.png")
            for id in [name, "\(name).pack"] {
                #expect((picture(of: id) != nil) == (name == "most.png"), "\(id)")
            }
        }
    }

    @Test("A package has its own, and nothing in it is an item")
    func packages() throws {
        try write(Self.png, to: "p.pack/picture.png")
        #expect(picture(of: "p.pack") == nil)
        try write(Self.jpeg, to: "p.pack/QuickLook/Thumbnail.jpg")
        #expect(picture(of: "p.pack")?.contents == Self.jpeg)
        #expect(picture(of: "p.pack/picture.png") == nil)
        // A folder that only looks like one.
        try write(Self.png, to: "folder/QuickLook/Thumbnail.png")
        #expect(picture(of: "folder") == nil)
    }

    @Test("Nothing outside the location has a picture, by whatever way it is asked for")
    func outside() throws {
        try write(Self.png, to: shelf.outside.appendingPathComponent("a.png"))
        try write(Self.png, to: shelf.outside.appendingPathComponent("p.pack/QuickLook/Thumbnail.png"))
        try write(Self.png, to: "here.png")
        try write(Self.png, to: ".hidden.png")
        try write(Self.png, to: "q.pack/text.png")
        try shelf.link("out.png", to: "../outside/a.png")
        try shelf.link("folder", to: "../outside")
        try shelf.link("out.pack", to: shelf.outside.appendingPathComponent("p.pack").path)
        try shelf.link("q.pack/QuickLook", to: shelf.outside.appendingPathComponent("p.pack/QuickLook").path)
        try shelf.link("in.png", to: "here.png")
        let ids = [
            "../outside/a.png", "folder/a.png", "out.png", "out.pack", "q.pack", ".hidden.png", "/etc/passwd",
            shelf.at("here.png").path, "./here.png", "here.png/", "a\u{0}.png", "folder/../here.png",
            "gone.png",
        ]
        for id in ids { #expect(picture(of: id) == nil, "\(id)") }
        // A link that stays inside leads to a picture.
        #expect(picture(of: "in.png")?.contents == Self.png)
    }

    @Test("A pipe is not waited for")
    func pipes() throws {
        try #require(mkfifo(shelf.at("a.png").path, 0o600) == 0)
        #expect(picture(of: "a.png") == nil)
    }

    @Test("A placeholder's is the one in it, if that is a picture")
    func placeholders() throws {
        for (name, thumbnail) in [("a.txt", Self.png), ("b.txt", Data("<svg/>".utf8)), ("c.txt", nil)] {
            let placeholder = Placeholder(
                name: name,
                byteCount: 7,
                isDirectory: false,
                typeIdentifier: nil,
                thumbnail: thumbnail
            )
            try write(try placeholder.encoded(), to: ".\(name).icloud")
        }
        #expect(picture(of: "a.txt")?.contents == Self.png)
        #expect(picture(of: "b.txt") == nil)
        #expect(picture(of: "c.txt") == nil)
    }

    @Test("One that the desktop's programs have made of the file as it is now goes first")
    func shared() throws {
        try write(Self.jpeg, to: "a.png")
        let path = FilePath(shelf.at("a.png").path)
        let seconds = try FileStamp(of: path).modificationSeconds
        let folder = shelf.outside.appendingPathComponent("thumbnails")
        let shared = SharedThumbnails(folder: FilePath(folder.path))
        #expect(ItemThumbnail(of: "a.png", in: location, shared)?.contents == Self.jpeg)
        let made = Self.picture(madeAtSeconds: seconds)
        try write(
            made,
            to: folder.appendingPathComponent("large/\(SharedThumbnails.fileName(for: path) ?? "")")
        )
        #expect(ItemThumbnail(of: "a.png", in: location, shared)?.contents == made)
        // It was made of the former state.
        try FileManager.default.setAttributes(
            [.modificationDate: Date(timeIntervalSince1970: Double(seconds) + 10)],
            ofItemAtPath: path.string
        )
        #expect(ItemThumbnail(of: "a.png", in: location, shared)?.contents == Self.jpeg)
    }

    /// A PNG that says when the file was changed that it shows.
    private static func picture(madeAtSeconds seconds: Int64) -> Data {
        var bytes = png
        let text = Array("Thumb::MTime".utf8) + [0] + Array("\(seconds)".utf8)
        withUnsafeBytes(of: UInt32(text.count).bigEndian) { bytes += $0 }
        return bytes + Array("tEXt".utf8) + text + [0, 0, 0, 0]
    }
}
