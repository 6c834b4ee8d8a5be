import Foundation
import Testing

@testable import UIKit

/// What a person sees of versions in conflict.
@Suite("ConflictDescription")
struct ConflictDescriptionTests {
    private static let png = PictureHeader.png(3, 2)

    @Test(
        "A picture is told by its first bytes",
        arguments: [
            (png, "image/png"), (PictureHeader.jpeg(3, 2), "image/jpeg"),
            (PictureHeader.gif(3, 2, image: [0, 0, 3, 2]), "image/gif"),
            (PictureHeader.lossyWebP(3, 2), "image/webp"),
        ]
    )
    func kinds(contents: Data, type: String) {
        var pictures = ConflictPictures()
        let address = pictures.address(of: contents)
        #expect(address == "data:\(type);base64,\(contents.base64EncodedString())")
    }

    @Test("What is no picture has no address, and neither have one that is too large and one too many")
    func none() {
        var pictures = ConflictPictures()
        for text in ["", "text", "RIFF1234WAVEfmt ", "<svg onload='alert()'/>", "GIF"] {
            #expect(pictures.address(of: Data(text.utf8)) == nil, "\(text)")
        }
        let large = Self.png + Data(count: ConflictPictures.byteCountMax - Self.png.count)
        #expect(pictures.address(of: large + Data([0])) == nil)
        for _ in 0..<4 { #expect(pictures.address(of: large) != nil) }
        #expect(pictures.address(of: Self.png) == nil)
    }

    @Test(
        "A small file with a vast picture in it has no address, nor has one that does not say how vast it is"
    )
    func vast() {
        var pictures = ConflictPictures()
        #expect(pictures.address(of: PictureHeader.png(40_000, 40_000)) == nil)
        #expect(pictures.address(of: PictureHeader.png(.max, .max)) == nil)
        #expect(pictures.address(of: PictureHeader.webP("VP8 ", Data(count: 100))) == nil)
        #expect(pictures.address(of: Self.png.prefix(12)) == nil)
        // Small enough each, but not all together: the page draws them at the same time.
        let large = PictureHeader.png(8_000, 5_000)
        for _ in 0..<3 { #expect(pictures.address(of: large) != nil) }
        #expect(pictures.address(of: large) == nil && pictures.address(of: Self.png) == nil)
    }

    @Test(
        "Of packages nothing is in memory for having been looked at: neither what is alike nor what is large"
    )
    func unread() throws {
        let playground = try Playground()
        let trees = try ["own", "other"].map { name in
            let url = playground[name]
            try FileManager.default.createDirectory(at: url, withIntermediateDirectories: false)
            for (member, byteCount) in [("alike", 64 << 20), ("larger", name == "own" ? 64 << 20 : 65 << 20)]
            {
                try Data("x".utf8).write(to: url.appendingPathComponent(member))
                let file = try FileHandle(forWritingTo: url.appendingPathComponent(member))
                try file.truncate(atOffset: UInt64(byteCount))
                try file.close()
            }
            try Self.png.write(to: url.appendingPathComponent("image"))
            return try FileWrapper(url: url, options: .withoutMapping)
        }
        let one = try #require(trees[1].fileWrappers?["image"])
        trees[1].removeFileWrapper(one)
        var pictures = ConflictPictures()
        var package = ConflictDescription.Version()
        package.compare(trees[0], with: trees[1], &pictures)
        #expect(package.members?.map(\.name) == ["image", "larger"])
        #expect(package.members?.map { $0.picture != nil } == [true, false])
        for tree in trees {
            let members = try #require(tree.fileWrappers)
            #expect(members.values.allSatisfy { $0.bytesInMemory == nil })
        }
    }

    @Test("A file that is a picture, and members that are, show it; others show what they are")
    func described() throws {
        var pictures = ConflictPictures()
        var file = ConflictDescription.Version()
        file.compare(Self.png, with: Data("text".utf8), &pictures)
        #expect(file.picture?.hasPrefix("data:image/png;base64,") == true)
        let own = FileWrapper(directoryWithFileWrappers: [
            "image": FileWrapper(regularFileWithContents: Self.png),
            "text.txt": FileWrapper(regularFileWithContents: Data("mine".utf8)),
            "same": FileWrapper(regularFileWithContents: Self.png),
        ])
        let other = FileWrapper(directoryWithFileWrappers: [
            "text.txt": FileWrapper(regularFileWithContents: Data("theirs".utf8)),
            "same": FileWrapper(regularFileWithContents: Self.png),
        ])
        var package = ConflictDescription.Version()
        package.compare(own, with: other, &pictures)
        let members = try #require(package.members)
        #expect(members.map(\.name) == ["image", "text.txt"])
        #expect(members.map(\.isOnlyHere) == [true, false])
        #expect(members.map { $0.picture != nil } == [true, false])
        let message = ConflictDescription(mine: package, others: [file]).message
        #expect((message["others"] as? [[String: Any]])?.first?["picture"] as? String == file.picture)
    }
}
