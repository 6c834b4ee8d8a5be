internal import Foundation

/// JSON between what a script sends and what an app's code looks at: numbers that can be cast to `Int` and to
/// `Double` alike, text, arrays, dictionaries, and `NSNull` for null.
enum JSONValues {
    /// Parses an object; nil for anything else.
    static func object(_ text: String) -> [String: Any]? {
        // Not JSON is answered by the caller as what it is: no message of ours.
        (try? JSONSerialization.jsonObject(with: Data(text.utf8))) as? [String: Any]
    }

    /// An object as text. The values must be JSON values.
    static func text(_ object: [String: Any]) throws -> String {
        var data = Data()
        try append(object, to: &data)
        return String(decoding: data, as: UTF8.self)
    }

    /// `JSONSerialization` writes a text character by character. The encoder does not, which counts where a text
    /// is a picture of some megabytes.
    private static func append(_ value: Any, to data: inout Data) throws {
        switch value {
        case let object as [String: Any]:
            data.append(UInt8(ascii: "{"))
            for (number, member) in object.enumerated() {
                if number > 0 { data.append(UInt8(ascii: ",")) }
                try append(member.key, to: &data)
                data.append(UInt8(ascii: ":"))
                try append(member.value, to: &data)
            }
            data.append(UInt8(ascii: "}"))
        case let array as [Any]:
            data.append(UInt8(ascii: "["))
            for (number, element) in array.enumerated() {
                if number > 0 { data.append(UInt8(ascii: ",")) }
                try append(element, to: &data)
            }
            data.append(UInt8(ascii: "]"))
        case let text as String:
            let encoder = JSONEncoder()
            encoder.outputFormatting = .withoutEscapingSlashes
            data.append(try encoder.encode(text))
        default:
            data.append(try JSONSerialization.data(withJSONObject: value, options: .fragmentsAllowed))
        }
    }
}
