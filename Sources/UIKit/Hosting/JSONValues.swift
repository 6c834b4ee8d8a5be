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
        String(decoding: try JSONSerialization.data(withJSONObject: object), as: UTF8.self)
    }
}
