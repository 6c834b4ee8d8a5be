package import Foundation

/// How what a hub and its clients say to each other is written: as JSON.
package enum HubMessage {
    /// A message's bytes. The slashes of base64 stand as they are: a text with escapes in it takes several times as long to
    /// read.
    ///
    /// - Parameter isSteady: Whether what says the same has the same bytes, which takes a little longer.
    package static func encoded(_ message: some Encodable, isSteady: Bool = false) throws -> Data {
        if !isSteady, let plain = message as? any PlainMessage {
            var writer = PlainWriter()
            plain.write(to: &writer)
            return Data(writer.bytes)
        }
        let encoder = JSONEncoder()
        encoder.outputFormatting =
            isSteady ? [.withoutEscapingSlashes, .sortedKeys] : .withoutEscapingSlashes
        return try encoder.encode(message)
    }
}
