internal import Foundation

/// How many points a picture has, as its header says, without drawing it.
///
/// PNG: https://www.w3.org/TR/png-3/#11IHDR, JPEG: ITU-T T.81 B.2, GIF: https://www.w3.org/Graphics/GIF/spec-gif89a.txt,
/// WebP: RFC 9649.
struct PictureSize: Hashable, Sendable {
    /// Small files can hold vast pictures. A page needs four bytes of memory for each point.
    static let pointCountMax = 40_000_000

    var width: Int
    var height: Int

    /// Reads the header; nil where it does not say, is cut off, or says that there is nothing to see.
    ///
    /// - Parameter contents: Come from anybody and are not to be trusted.
    init?(of contents: Data, _ type: PictureType) {
        let header = Header(bytes: Array(contents))
        let found =
            switch type {
            case .png: header.png
            case .jpeg: header.jpeg
            case .gif: header.gif
            case .webP: header.webP
            }
        guard let found, found.width > 0, found.height > 0 else { return nil }
        self = found
    }

    private init(_ width: Int, _ height: Int) { (self.width, self.height) = (width, height) }

    /// Whether it has no more points than that.
    func hasAtMost(_ pointCount: Int) -> Bool { width <= pointCount / height }

    /// The bytes of a picture; what is beyond their end is nil.
    private struct Header {
        let bytes: [UInt8]

        private func byte(_ index: Int) -> Int? { bytes.indices.contains(index) ? Int(bytes[index]) : nil }

        private func bigEndian(_ index: Int, byteCount: Int) -> Int? {
            number((0..<byteCount).map { index + $0 })
        }

        private func littleEndian(_ index: Int, byteCount: Int) -> Int? {
            number((0..<byteCount).reversed().map { index + $0 })
        }

        /// The number that bytes are together, the most significant first.
        private func number(_ indices: [Int]) -> Int? {
            var value = 0
            for index in indices {
                guard let byte = byte(index) else { return nil }
                value = value << 8 | byte
            }
            return value
        }

        private func has(_ text: String, at index: Int) -> Bool {
            bytes.dropFirst(index).starts(with: text.utf8)
        }

        var png: PictureSize? {
            guard has("IHDR", at: 12), let width = bigEndian(16, byteCount: 4),
                let height = bigEndian(20, byteCount: 4)
            else { return nil }
            return PictureSize(width, height)
        }

        /// What the frame's own segment says. Those before it may be of any length, such as a profile or a preview.
        var jpeg: PictureSize? {
            var index = 2
            while byte(index) == 0xFF, let marker = byte(index + 1) {
                switch marker {
                case 0xFF: index += 1  // fills up
                case 0x01, 0xD0...0xD7: index += 2  // without a length
                case 0xC4, 0xC8, 0xCC, 0xE0...0xEF, 0xFE, 0xDB, 0xDD:
                    guard let length = bigEndian(index + 2, byteCount: 2), length >= 2 else { return nil }
                    index += 2 + length
                case 0xC0...0xCF:
                    guard let height = bigEndian(index + 5, byteCount: 2),
                        let width = bigEndian(index + 7, byteCount: 2)
                    else { return nil }
                    return PictureSize(width, height)
                default: return nil
                }
            }
            return nil
        }

        /// The screen, and the first image where it goes beyond that: browsers make room for both.
        var gif: PictureSize? {
            guard let width = littleEndian(6, byteCount: 2), let height = littleEndian(8, byteCount: 2),
                let flags = byte(10)
            else { return nil }
            var index = 13 + (flags & 0x80 == 0 ? 0 : 3 << (flags & 7 + 1))
            while byte(index) == 0x21 {
                // An extension: its label, then blocks up to an empty one.
                index += 2
                while let length = byte(index), length > 0 { index += 1 + length }
                index += 1
            }
            guard byte(index) == 0x2C, let left = littleEndian(index + 1, byteCount: 2),
                let top = littleEndian(index + 3, byteCount: 2),
                let imageWidth = littleEndian(index + 5, byteCount: 2),
                let imageHeight = littleEndian(index + 7, byteCount: 2)
            else { return nil }
            return PictureSize(max(width, left + imageWidth), max(height, top + imageHeight))
        }

        var webP: PictureSize? {
            if has("VP8X", at: 12) {
                guard let width = littleEndian(24, byteCount: 3), let height = littleEndian(27, byteCount: 3)
                else { return nil }
                return PictureSize(width + 1, height + 1)
            }
            if has("VP8L", at: 12) {
                guard byte(20) == 0x2F, let sizes = littleEndian(21, byteCount: 4) else { return nil }
                return PictureSize(sizes & 0x3FFF + 1, sizes >> 14 & 0x3FFF + 1)
            }
            guard has("VP8 ", at: 12), bigEndian(23, byteCount: 3) == 0x9D012A,
                let width = littleEndian(26, byteCount: 2), let height = littleEndian(28, byteCount: 2)
            else { return nil }
            // The upper bits say how it is scaled.
            return PictureSize(width & 0x3FFF, height & 0x3FFF)
        }
    }
}
