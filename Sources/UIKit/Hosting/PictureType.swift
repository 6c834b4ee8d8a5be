internal import Foundation

/// The kinds of pictures that every browser shows and that hold nothing which runs.
enum PictureType: String, Sendable {
    case png = "image/png"
    case jpeg = "image/jpeg"
    case gif = "image/gif"
    case webP = "image/webp"

    /// What the first bytes tell, whatever the file is called; nil for anything else.
    init?(of contents: Data) {
        let head = Array(contents.prefix(12))
        if head.starts(with: [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]) {
            self = .png
        } else if head.starts(with: [0xFF, 0xD8, 0xFF]) {
            self = .jpeg
        } else if head.starts(with: Array("GIF8".utf8)) {
            self = .gif
        } else if head.starts(with: Array("RIFF".utf8)), head.dropFirst(8).elementsEqual("WEBP".utf8) {
            self = .webP
        } else {
            return nil
        }
    }
}
