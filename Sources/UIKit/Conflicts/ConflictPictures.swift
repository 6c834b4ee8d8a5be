internal import Foundation

/// Pictures among the versions that a person is shown, as addresses which hold the bytes themselves.
struct ConflictPictures {
    /// Larger ones are not shown: nobody is to wait for them.
    static let byteCountMax = 4 << 20
    /// What may still be sent, for all versions together.
    private var room = 16 << 20

    /// What bytes show; nil for what is no picture that browsers know, is too large, or one too many.
    mutating func address(of contents: Data) -> String? {
        guard contents.count <= min(Self.byteCountMax, room), let type = Self.type(of: contents) else {
            return nil
        }
        room -= contents.count
        return "data:\(type);base64,\(contents.base64EncodedString())"
    }

    /// The MIME type that the first bytes tell, whatever the file is called.
    private static func type(of contents: Data) -> String? {
        let head = Array(contents.prefix(12))
        if head.starts(with: [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]) { return "image/png" }
        if head.starts(with: [0xFF, 0xD8, 0xFF]) { return "image/jpeg" }
        if head.starts(with: Array("GIF8".utf8)) { return "image/gif" }
        let isWebP = head.starts(with: Array("RIFF".utf8)) && head.dropFirst(8).elementsEqual("WEBP".utf8)
        return isWebP ? "image/webp" : nil
    }
}
