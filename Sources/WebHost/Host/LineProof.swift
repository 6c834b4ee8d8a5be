internal import Cryptography
internal import Foundation
internal import HTTPService

/// Shows a tab that it is this app it has found, and nobody who has taken the app's port since it ended.
///
/// Pure.
///
/// 1. Who has seen everything that a tab sends cannot work out the key: no part of it is sent, and the cookie says nothing of it.
/// 2. A proof holds for one connection, which its challenge names, and at one address: who passes it on has another.
struct LineProof: Sendable {
    /// What the page and this app know: 64 hexadecimal digits, which stand for the key's bytes.
    let key: String
    private let bytes: Data

    init(key: Data) {
        bytes = key
        self.key = Hexadecimal.text(Array(key))
    }

    /// Whether a text can be a challenge: 32 hexadecimal digits.
    static func isChallenge(_ text: String) -> Bool { Hexadecimal.isDigits(text, count: 32) }

    /// The first message on a line whose tab asked for one.
    ///
    /// - Parameter authority: The `Host` that the tab asked at.
    func message(challenge: String, authority: String) throws(CryptographyError) -> String {
        let code = try MessageAuthentication.code(of: Data("\(challenge) \(authority)".utf8), key: bytes)
        return #"{"type":"proof","proof":"\#(Hexadecimal.text(Array(code)))"}"#
    }
}
