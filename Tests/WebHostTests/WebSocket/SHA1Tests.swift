import Testing

@testable import HTTPService
@testable import WebHost

@Suite("SHA1")
struct SHA1Tests {
    @Test(
        "Digests are those of FIPS 180 and of RFC 3174",
        arguments: [
            ("", 1, "da39a3ee5e6b4b0d3255bfef95601890afd80709"),
            ("abc", 1, "a9993e364706816aba3e25717850c26c9cd0d89d"),
            (
                "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq", 1,
                "84983e441c3bd26ebaae4aa1f95129e5e54670f1"
            ),
            (
                "0123456701234567012345670123456701234567012345670123456701234567", 10,
                "dea356a2cddd90c7a7ecedc5ebb563934f460452"
            ),
            ("a", 10_000, "a080cbda64850abb7b7f67ee875ba068074ff6fe"),
        ]
    )
    func vectors(text: String, count: Int, expected: String) {
        let message = Array(String(repeating: text, count: count).utf8)
        #expect(Hexadecimal.text(SHA1.digest(message)) == expected)
    }

    @Test("The handshake's answer is that of RFC 6455, section 1.3")
    func acceptance() {
        #expect(
            WebSocketHandshake.acceptance(of: "dGhlIHNhbXBsZSBub25jZQ==") == "s3pPLMBiTxaQ9kYGzzhZRbK+xOo="
        )
    }
}
