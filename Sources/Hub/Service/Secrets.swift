internal import Cryptography
internal import Foundation
internal import HTTPService
internal import HubProtocol

/// What a store is asked for to find out whose a token is.
package enum HubTokens {
    package static func hash(_ token: String) throws -> [UInt8] { try Secrets.hash(token) }
}

/// Tokens, invitations and names that nobody can guess.
enum Secrets {
    /// Crockford's base 32: no two letters and digits look alike, and devices read and check them so.
    private static let alphabet = Array("0123456789ABCDEFGHJKMNPQRSTVWXYZ")

    /// A device's token: 256 bits.
    static func token() throws -> String {
        Hexadecimal.text(try SystemCalls.randomBytes(count: 32))
    }

    static func deviceName() throws -> DeviceName {
        DeviceName(unchecked: try SystemCalls.randomBytes(count: DeviceName.byteCount))
    }

    /// An invitation: 100 bits, in four groups.
    static func invitation() throws -> String {
        let letters = try letters(20)
        return stride(from: 0, to: 20, by: 5).map { String(letters[$0..<$0 + 5]) }.joined(separator: "-")
    }

    /// A pairing: 40 bits, which are guessed at most a few times a second.
    static func pairing() throws -> String { String(try letters(8)) }

    private static func letters(_ count: Int) throws -> [Character] {
        try SystemCalls.randomBytes(count: count).map { alphabet[Int($0) % alphabet.count] }
    }

    /// What is kept of a secret.
    static func hash(_ secret: String) throws -> [UInt8] {
        try SHA256Digest.hash(of: [Array(secret.utf8)])
    }

    /// The hash of an invitation, however it was typed.
    static func invitationHash(_ text: String) throws -> [UInt8] {
        try hash(text.uppercased().filter { $0.isLetter || $0.isNumber })
    }
}
