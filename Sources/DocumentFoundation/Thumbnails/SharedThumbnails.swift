internal import Cryptography
package import FileSystem
package import Foundation

/// Pictures of files that the user's programs have made and share, as freedesktop.org's Thumbnail Managing Standard has it.
package struct SharedThumbnails: Sendable {
    /// Where they are.
    let folder: FilePath

    /// The user's.
    package static let users = SharedThumbnails(
        folder: BaseDirectories(environment: ProcessInfo.processInfo.environment).cache.appending(
            "thumbnails"
        )
    )

    package init(folder: FilePath) { self.folder = folder }

    /// The picture of a file that is still as it was when that was made; nil for none.
    ///
    /// - Parameters:
    ///   - path: The file, without a link on the way.
    ///   - modifiedSeconds: When it was changed last, in seconds since 1970.
    ///   - byteCountMax: A larger picture is none.
    package func thumbnail(of path: FilePath, modifiedSeconds: Int64, byteCountMax: Int) -> Data? {
        guard let name = Self.fileName(for: path) else { return nil }
        for size in ["large", "normal"] {
            let place = folder.appending(size).appending(name)
            // What cannot be read is no picture.
            guard let stamp = try? FileStamp.ifPresent(at: place), stamp.kind == .regular,
                stamp.byteCount <= byteCountMax,
                let bytes = try? FileReading.contents(of: place, mapped: false, expecting: stamp),
                Self.modifiedSeconds(inPicture: [UInt8](bytes)) == modifiedSeconds
            else { continue }
            return bytes
        }
        return nil
    }

    /// What the picture of a file is called; nil without MD5, of which the names are made.
    static func fileName(for path: FilePath) -> String? {
        guard let digest = try? MD5Digest.hash(of: Array(address(of: path).utf8)) else { return nil }
        return digest.map(digits).joined() + ".png"
    }

    /// The file's URI as GLib writes it, which all who share these make the names of.
    static func address(of path: FilePath) -> String {
        let plain = Set("-_.!~*'()/:@&=+$,".utf8)
        return path.string.utf8.reduce(into: "file://") { text, byte in
            let isLetter = (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
            let isDigit = (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
            if isLetter || isDigit || plain.contains(byte) {
                text.unicodeScalars.append(UnicodeScalar(byte))
            } else {
                text += "%" + digits(byte).uppercased()
            }
        }
    }

    private static func digits(_ byte: UInt8) -> String {
        (byte < 16 ? "0" : "") + String(byte, radix: 16)
    }

    private static let signature: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]

    /// What a PNG's text says of the file that it shows; nil for no PNG, and one that says nothing.
    static func modifiedSeconds(inPicture bytes: [UInt8]) -> Int64? {
        guard bytes.starts(with: signature) else { return nil }
        var at = signature.count
        while bytes.count - at >= 12 {
            let length = bytes[at..<(at + 4)].reduce(0) { $0 << 8 | Int($1) }
            let kind = bytes[(at + 4)..<(at + 8)]
            guard length <= bytes.count - at - 12, !kind.elementsEqual("IDAT".utf8) else { return nil }
            let data = bytes[(at + 8)..<(at + 8 + length)]
            if kind.elementsEqual("tEXt".utf8), let end = data.firstIndex(of: 0),
                data[..<end].elementsEqual("Thumb::MTime".utf8)
            {
                // Some write fractions of a second.
                return Int64(
                    String(decoding: data[(end + 1)...].prefix { $0 != UInt8(ascii: ".") }, as: UTF8.self)
                )
            }
            at += 12 + length
        }
        return nil
    }
}
