internal import Cryptography
internal import Foundation

/// What stands around a bookmark's fields: whose they are, which version, and the code that proves it.
///
/// Pure.
enum BookmarkSeal {
    /// Why data is no bookmark that we made.
    enum Failure: Error, Hashable, Sendable {
        case notABookmark
        case laterVersion
        /// The code is not that of the bytes: altered, or made with another key.
        case altered
    }

    static let magic = Data("sheafbmk".utf8)
    static let version: UInt16 = 1
    /// Magic, version, two bytes that are 0, the byte count of the fields.
    static let headByteCount = 16
    /// More than any record takes, resource values included.
    static let byteCountMax = 1 << 20

    static func isBookmark(_ data: Data) -> Bool {
        data.starts(with: magic)
    }

    static func seal(_ fields: Data, key: Data) throws(CryptographyError) -> Data {
        let head =
            magic + BookmarkFormat.bigEndian(version) + Data([0, 0])
            + BookmarkFormat.bigEndian(UInt32(fields.count))
        let body = head + fields
        return body + (try MessageAuthentication.code(of: body, key: key))
    }

    /// The fields of a bookmark that bears the right code; nothing of one that does not is looked at.
    static func open(_ data: Data, key: Data) throws -> Data {
        let data = Data(data)
        guard isBookmark(data), data.count <= byteCountMax else { throw Failure.notABookmark }
        let least = headByteCount + MessageAuthentication.codeByteCount
        guard data.count >= least else { throw Failure.altered }
        guard data[8..<10] == BookmarkFormat.bigEndian(version) else { throw Failure.laterVersion }
        let body = data.dropLast(MessageAuthentication.codeByteCount)
        let code = data.suffix(MessageAuthentication.codeByteCount)
        guard body[12..<16] == BookmarkFormat.bigEndian(UInt32(body.count - headByteCount)),
            try MessageAuthentication.isCode(code, of: body, key: key)
        else { throw Failure.altered }
        return Data(body.dropFirst(headByteCount))
    }
}
