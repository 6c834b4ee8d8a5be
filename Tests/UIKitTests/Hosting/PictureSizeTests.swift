import Foundation
import SeededNumbers
import Testing

@testable import UIKit

/// The headers of pictures, and nothing else of them.
enum PictureHeader {
    static func png(_ width: UInt32, _ height: UInt32) -> Data {
        Data([0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A, 0, 0, 0, 13]) + Data("IHDR".utf8)
            + bigEndian(width) + bigEndian(height) + Data([8, 2, 0, 0, 0, 0, 0, 0, 0])
    }

    /// - Parameters:
    ///   - marker: Says how it is compressed.
    ///   - segments: What comes before the frame.
    static func jpeg(
        _ width: UInt16,
        _ height: UInt16,
        marker: UInt8 = 0xC0,
        after segments: Data = Data()
    ) -> Data {
        let start = Data([0xFF, 0xD8]) + segments
        let frame = Data([0xFF, marker, 0, 11, 8]) + bigEndian(height) + bigEndian(width)
        return start + frame + Data([1, 1, 0x11, 0])
    }

    /// - Parameter image: The first image's left, top, width and height.
    static func gif(_ width: UInt16, _ height: UInt16, image: [UInt16], after blocks: Data = Data()) -> Data {
        let screen = Data("GIF89a".utf8) + littleEndian(width) + littleEndian(height) + Data([0x81, 0, 0])
        let colors = Data(count: 12)
        return screen + colors + blocks + Data([0x2C]) + image.reduce(Data()) { $0 + littleEndian($1) }
    }

    static func webP(_ kind: String, _ contents: Data) -> Data {
        Data("RIFF".utf8) + Data(count: 4) + Data("WEBP\(kind)".utf8) + Data(count: 4) + contents
    }

    static func lossyWebP(_ width: UInt16, _ height: UInt16) -> Data {
        webP("VP8 ", Data([0, 0, 0, 0x9D, 0x01, 0x2A]) + littleEndian(width) + littleEndian(height))
    }

    static func losslessWebP(_ width: UInt32, _ height: UInt32) -> Data {
        webP("VP8L", Data([0x2F]) + littleEndian(width - 1 | (height - 1) << 14))
    }

    static func extendedWebP(_ width: UInt32, _ height: UInt32) -> Data {
        webP("VP8X", Data(count: 4) + littleEndian(width - 1).prefix(3) + littleEndian(height - 1).prefix(3))
    }

    private static func bigEndian(_ value: some FixedWidthInteger) -> Data {
        withUnsafeBytes(of: value.bigEndian) { Data($0) }
    }

    private static func littleEndian(_ value: some FixedWidthInteger) -> Data {
        withUnsafeBytes(of: value.littleEndian) { Data($0) }
    }
}

@Suite("PictureSize")
struct PictureSizeTests {
    /// A profile and a comment, with a fill byte between them and a preview's frame in it.
    private static let segments = Data([
        0xFF, 0xE1, 0, 9, 0xFF, 0xC0, 0, 17, 8, 0, 0, 0xFF, 0xFF, 0xFE, 0, 3, 65,
    ])
    /// An animation's extension, in two blocks.
    private static let blocks = Data([0x21, 0xFF, 2, 0x2C, 0x2C, 1, 0x2C, 0])
    private static let headers: [Data] = [
        PictureHeader.png(300, 200),
        PictureHeader.jpeg(300, 200),
        PictureHeader.jpeg(300, 200, marker: 0xC2, after: segments),
        PictureHeader.gif(300, 200, image: [0, 0, 300, 200]),
        PictureHeader.gif(300, 1, image: [10, 20, 30, 180], after: blocks),
        PictureHeader.lossyWebP(300 | 0x4000, 200 | 0x8000),
        PictureHeader.losslessWebP(300, 200),
        PictureHeader.extendedWebP(300, 200),
    ]

    private func size(_ contents: Data) -> PictureSize? {
        PictureType(of: contents).flatMap { PictureSize(of: contents, $0) }
    }

    @Test("The header says how large a picture is", arguments: headers)
    func sizes(header: Data) throws {
        for contents in [header, header + Data(repeating: 0xFF, count: 100), (Data([1, 2]) + header)[2...]] {
            let found = try #require(size(contents))
            #expect(found.width == 300 && found.height == 200)
        }
    }

    @Test("A header that is cut off says nothing or the same", arguments: headers)
    func cutOff(header: Data) throws {
        let whole = try #require(size(header))
        for count in 0..<header.count { #expect(size(header.prefix(count)) ?? whole == whole) }
        #expect(size(header.prefix(header.count / 2)) == nil)
    }

    @Test("Malformed headers say nothing, and vast ones do not overflow")
    func malformed() throws {
        #expect(size(PictureHeader.png(0, 200)) == nil && size(PictureHeader.png(300, 0)) == nil)
        #expect(size(PictureHeader.jpeg(300, 0)) == nil)
        #expect(size(PictureHeader.webP("ALPH", Data(count: 100))) == nil)
        #expect(size(PictureHeader.webP("VP8L", Data(count: 100))) == nil)
        #expect(size(PictureHeader.webP("VP8 ", Data(count: 100))) == nil)
        // A segment without a length that goes on, one beyond the end, and the picture's data before any frame.
        for segments in [[0xFF, 0xE0, 0, 0], [0xFF, 0xE0, 0xFF, 0xFF], [0xFF, 0xDA, 0, 2], [0, 0]]
            as [[UInt8]]
        {
            #expect(size(PictureHeader.jpeg(300, 200, after: Data(segments))) == nil)
        }
        #expect(size(Data("GIF89a".utf8) + Data([44, 1, 200, 0, 0, 0, 0, 0x3B])) == nil)
        let vast = try #require(size(PictureHeader.png(.max, .max)))
        #expect(!vast.hasAtMost(PictureSize.pointCountMax) && !vast.hasAtMost(.max))
    }

    @Test("Any bytes behind a known beginning are read without harm")
    func random() {
        let seed = UInt64.random(in: 0...UInt64.max)
        var numbers = SplitMix64(seed: seed)
        for _ in 0..<2_000 {
            var contents = Self.headers[numbers.below(Self.headers.count)]
            for _ in 0...numbers.below(6) {
                contents[numbers.below(contents.count)] = UInt8(numbers.below(256))
            }
            let found = size(contents.prefix(1 + numbers.below(contents.count)))
            #expect(found.map { $0.width > 0 && $0.height > 0 } ?? true, "seed \(seed)")
        }
    }
}
