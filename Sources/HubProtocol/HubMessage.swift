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

    /// Reads a message, however it is written.
    ///
    /// - Throws: `DecodingError`.
    package static func decoded<Message: Decodable>(_ type: Message.Type, from data: Data) throws -> Message {
        if let plain = type as? any PlainMessage.Type, let message = plain.plain(in: data) as? Message {
            return message
        }
        return try JSONDecoder().decode(type, from: data)
    }
}

extension PlainMessage {
    fileprivate static func plain(in data: Data) -> Self? { PlainReader.read(data) }
}
