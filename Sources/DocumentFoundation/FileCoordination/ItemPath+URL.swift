package import Coordination
package import Foundation

extension ItemPath {
    /// The item that a file URL names; nil for any other URL.
    package init?(fileURL url: URL) {
        if let path = Self.plainPath(inText: url.absoluteString) {
            self.init(path)
        } else {
            guard url.isFileURL else { return nil }
            let path = url.path
            self.init(path.utf8.first == UInt8(ascii: "/") ? path : url.absoluteURL.path)
        }
    }

    /// The item as a URL.
    ///
    /// Whether it is a directory is looked up.
    var fileURL: URL { URL(fileURLWithPath: string) }

    /// Whether something is there, or where a symbolic link there leads.
    ///
    /// `FileManager` finds the same in three times as long.
    var isThere: Bool {
        var status = stat()
        return string.withCString { stat($0, &status) } == 0
    }

    /// The path in a URL's text, when it is as most are: `file:///`, ASCII, at most a few `%` escapes.
    ///
    /// `URL.path` finds the same in ten times as long, which is most of what an access costs.
    static func plainPath(inText text: String) -> String? {
        let prefix: StaticString = "file:///"
        let found = text.utf8.withContiguousStorageIfAvailable { bytes -> String? in
            guard let start = bytes.baseAddress, bytes.count >= prefix.utf8CodeUnitCount,
                memcmp(start, prefix.utf8Start, prefix.utf8CodeUnitCount) == 0
            else { return nil }
            // The third slash is the path's own.
            return plainPath(UnsafeBufferPointer(rebasing: bytes[(prefix.utf8CodeUnitCount - 1)...]))
        }
        return found ?? nil
    }

    private static func plainPath(_ bytes: UnsafeBufferPointer<UInt8>) -> String? {
        var isWhole = true
        let path = String(unsafeUninitializedCapacity: bytes.count) { target in
            var (read, written) = (0, 0)
            while read < bytes.count {
                guard let (byte, width) = character(at: read, in: bytes) else {
                    isWhole = false
                    return 0
                }
                target[written] = byte
                (read, written) = (read + width, written + 1)
            }
            // A folder's URL ends in a slash, its path does not.
            let endsInSlash = written > 1 && target[written - 1] == UInt8(ascii: "/")
            return endsInSlash ? written - 1 : written
        }
        return isWhole ? path : nil
    }

    /// The byte that stands at a place, and how many bytes of the text it takes; nil when there is more to it.
    private static func character(
        at place: Int,
        in bytes: UnsafeBufferPointer<UInt8>
    ) -> (byte: UInt8, width: Int)? {
        switch bytes[place] {
        case UInt8(ascii: "?"), UInt8(ascii: "#"), 0x80...: return nil
        case UInt8(ascii: "%"):
            guard place + 2 < bytes.count, let high = digit(bytes[place + 1]),
                let low = digit(bytes[place + 2])
            else { return nil }
            let byte = high << 4 | low
            return byte == 0 || byte == UInt8(ascii: "/") || byte >= 0x80 ? nil : (byte, 3)
        case let byte: return (byte, 1)
        }
    }

    private static func digit(_ byte: UInt8) -> UInt8? {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0")
        case UInt8(ascii: "A")...UInt8(ascii: "F"): byte - UInt8(ascii: "A") + 10
        case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - UInt8(ascii: "a") + 10
        default: nil
        }
    }
}
