package import Foundation

/// How what a hub and its clients say to each other is written: as JSON.
package enum HubMessage {
    /// A message's bytes. The slashes of base64 stand as they are: a text with escapes in it takes several times as long to
    /// read.
    package static func encoded(_ message: some Encodable) throws -> Data {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .withoutEscapingSlashes
        return try encoder.encode(message)
    }
}
