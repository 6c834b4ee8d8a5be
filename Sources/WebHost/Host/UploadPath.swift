/// The relative path of an uploaded file, checked.
///
/// Pure.
enum UploadPath {
    /// A path component is at most so long on Linux, in bytes.
    private static let componentByteCountMax = 255
    /// Leaves room below PATH_MAX (4096) for the folder that it goes into.
    private static let byteCountMax = 2048

    /// Whether the path names something below a folder and cannot lead out of it.
    static func isAcceptable(_ path: String) -> Bool {
        guard path.utf8.count <= byteCountMax, !path.utf8.contains(0) else { return false }
        let components = path.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
        return components.allSatisfy { component in
            !component.isEmpty && component.count <= componentByteCountMax
                && !component.elementsEqual(".".utf8) && !component.elementsEqual("..".utf8)
        }
    }

    /// Whether a text can name a batch: 1 to 64 letters, digits, `-` and `_`.
    static func isBatch(_ text: String) -> Bool {
        (1...64).contains(text.utf8.count)
            && text.utf8.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "z"),
                    UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "-"), UInt8(ascii: "_"):
                    true
                default: false
                }
            }
    }
}
