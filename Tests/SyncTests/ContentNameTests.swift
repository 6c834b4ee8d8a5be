import Testing

@testable import Sync

@Suite("Sync: names of contents")
struct ContentNameTests {
    @Test(
        "A name is the text that it was made of, whatever room it takes",
        arguments: [
            "", "a", "ab", "abc", "00ff7e", "AB", "0g", "é", "content", "0123456789abcdef", "ab\u{0}",
        ]
    )
    func texts(text: String) throws {
        let name = ContentName(text)
        #expect(name.value == text)
        #expect(ContentName(packed: name.packed) == name)
        #expect(name == ContentName(text) && name.hashValue == ContentName(text).hashValue)
        #expect((name.bytes == nil) == !["ab", "00ff7e", "0123456789abcdef"].contains(text))
    }

    @Test("Digits of bytes are the text that they are, in half the room")
    func digits() {
        let name = ContentName(digitsOf: [0, 255, 126])
        #expect(name == ContentName("00ff7e") && name.value == "00ff7e" && name.packed.count == 4)
        #expect(name.bytes.map(Array.init) == [0, 255, 126])
        #expect(ContentName(digitsOf: []) == ContentName(""))
        #expect(ContentName("01") < ContentName("02") && ContentName("a") < ContentName("b"))
    }

    @Test(
        "What nothing was packed to is no name",
        arguments: [[], [1], [2, 1], [0, 0xFF], [0xFF]] as [[UInt8]]
    )
    func malformed(packed: [UInt8]) {
        #expect(ContentName(packed: packed) == nil)
    }

    @Test("Two texts are never one name: digits that were packed as a text are not packed so")
    func oneForm() throws {
        let asText = try #require(ContentName(packed: [0] + Array("ab".utf8)))
        #expect(asText == ContentName("ab") && asText.packed == [1, 0xAB])
    }
}
