import Cryptography
import Foundation
import Testing

@Suite("MessageAuthentication")
struct MessageAuthenticationTests {
    private func hexadecimal(_ data: Data) -> String { data.map { String(format: "%02x", $0) }.joined() }

    @Test("Codes are those of RFC 4231")
    func vectors() throws {
        let first = try MessageAuthentication.code(
            of: Data("Hi There".utf8),
            key: Data(repeating: 0x0b, count: 20)
        )
        #expect(
            hexadecimal(first) == "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7"
        )
        let second = try MessageAuthentication.code(
            of: Data("what do ya want for nothing?".utf8),
            key: Data("Jefe".utf8)
        )
        #expect(
            hexadecimal(second) == "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"
        )
    }

    @Test("Only the code of the message under the key is one")
    func compares() throws {
        let key = try MessageAuthentication.newKey()
        let message = Data("waves".utf8)
        let code = try MessageAuthentication.code(of: message, key: key)
        #expect(try MessageAuthentication.isCode(code, of: message, key: key))
        #expect(try !MessageAuthentication.isCode(code, of: message + [0], key: key))
        #expect(try !MessageAuthentication.isCode(code.dropLast(), of: message, key: key))
        #expect(try !MessageAuthentication.isCode(Data(), of: message, key: key))
        #expect(
            try !MessageAuthentication.isCode(code, of: message, key: MessageAuthentication.newKey())
        )
    }

    @Test("An empty message has a code, and keys differ")
    func edges() throws {
        let key = try MessageAuthentication.newKey()
        #expect(key.count == MessageAuthentication.keyByteCount)
        #expect(try MessageAuthentication.newKey() != key)
        #expect(
            try MessageAuthentication.code(of: Data(), key: key).count
                == MessageAuthentication.codeByteCount
        )
    }
}
