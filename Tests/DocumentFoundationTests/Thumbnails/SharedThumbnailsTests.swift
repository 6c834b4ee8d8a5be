import FileSystem
import Foundation
import Testing

@testable import DocumentFoundation

/// Pictures that the desktop's programs share.
@Suite("SharedThumbnails")
struct SharedThumbnailsTests {
    /// A PNG without a picture, with what is said of a file.
    private func picture(_ texts: [(String, String)]) -> Data {
        var bytes: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]
        func chunk(_ kind: String, _ data: [UInt8]) {
            withUnsafeBytes(of: UInt32(data.count).bigEndian) { bytes += $0 }
            bytes += Array(kind.utf8) + data + [0, 0, 0, 0]
        }
        chunk("IHDR", [UInt8](repeating: 0, count: 13))
        for (key, value) in texts { chunk("tEXt", Array(key.utf8) + [0] + Array(value.utf8)) }
        chunk("IDAT", [1, 2, 3])
        return Data(bytes)
    }

    /// A place of the standard's own example.
    private func photo(_ name: String) -> FilePath {
        ["home", "jens", "photos", name].reduce(FilePath("/")) { $0.appending($1) }
    }

    @Test("The name of a picture is made of the file's URI, as the standard's own example has it")
    func names() throws {
        #expect(SharedThumbnails.address(of: photo("me.png")) == "file://" + photo("me.png").string)
        #expect(SharedThumbnails.address(of: FilePath("/a b/ü;(1).txt")) == "file:///a%20b/%C3%BC%3B(1).txt")
        let base = FileManager.default.temporaryDirectory.appendingPathComponent(
            "thumbs-\(UUID().uuidString)"
        )
        defer { try? FileManager.default.removeItem(at: base) }
        let normal = base.appendingPathComponent("normal")
        try FileManager.default.createDirectory(at: normal, withIntermediateDirectories: true)
        let made = picture([
            ("Thumb::URI", SharedThumbnails.address(of: photo("me.png"))), ("Thumb::MTime", "1700000000"),
        ])
        try made.write(to: normal.appendingPathComponent("c6ee772d9e49320e97ec29a7eb5b1697.png"))
        let shared = SharedThumbnails(folder: FilePath(base.path))
        let path = photo("me.png")
        #expect(shared.thumbnail(of: path, modifiedSeconds: 1_700_000_000, byteCountMax: made.count) == made)
        #expect(
            shared.thumbnail(of: path, modifiedSeconds: 1_700_000_000, byteCountMax: made.count - 1) == nil
        )
        // One of a former state is none of this one.
        #expect(shared.thumbnail(of: path, modifiedSeconds: 1_700_000_001, byteCountMax: made.count) == nil)
        #expect(
            shared.thumbnail(
                of: photo("you.png"),
                modifiedSeconds: 1_700_000_000,
                byteCountMax: made.count
            ) == nil
        )
    }

    @Test("What is cut off or no PNG says nothing")
    func malformed() {
        let whole = [UInt8](picture([("Thumb::MTime", "12.5")]))
        #expect(SharedThumbnails.modifiedSeconds(inPicture: whole) == 12)
        for count in whole.indices {
            let found = SharedThumbnails.modifiedSeconds(inPicture: Array(whole.prefix(count)))
            #expect(found == nil || found == 12)
        }
        #expect(SharedThumbnails.modifiedSeconds(inPicture: [UInt8](picture([]))) == nil)
    }
}
