import SeededNumbers
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
        #expect(name.packed.withUnsafeBytes { ContentName(packed: $0) } == name)
        #expect(name == ContentName(text) && name.hashValue == ContentName(text).hashValue)
        #expect((name.bytes == nil) == !["ab", "00ff7e", "0123456789abcdef"].contains(text))
    }

    @Test("Digits of bytes are the text that they are, in half the room")
    func digits() {
        let name = ContentName(digitsOf: [0, 255, 126])
        #expect(name == ContentName("00ff7e") && name.value == "00ff7e" && name.packed.count == 4)
        #expect(name.bytes == [0, 255, 126])
        #expect(ContentName(digitsOf: []) == ContentName(""))
        #expect(ContentName("01") < ContentName("02") && ContentName("a") < ContentName("b"))
    }

    @Test(
        "What nothing was packed to is no name",
        arguments: [[], [1], [2, 1], [0, 0xFF], [0xFF]] as [[UInt8]]
    )
    func malformed(packed: [UInt8]) {
        #expect(packed.withUnsafeBytes { ContentName(packed: $0) } == nil)
    }

    @Test("Two texts are never one name: digits that were packed as a text are not packed so")
    func oneForm() throws {
        let packed = [0] + Array("ab".utf8)
        let asText = try #require(packed.withUnsafeBytes { ContentName(packed: $0) })
        #expect(asText == ContentName("ab") && asText.packed == [1, 0xAB])
    }

    @Test("Whatever bytes digits stand for, they are had again, and of one order with their texts'")
    func randomDigits() {
        var random = seededNumbers(for: "content names")
        var former = ContentName("")
        for _ in 0..<500 {
            let byteCount = random.below(8) == 0 ? 600 : 1 + random.below(70)
            // Mostly zeros, or hardly any.
            let share = random.below(10)
            let bytes = (0..<byteCount).map { _ in random.below(10) < share ? 0 : UInt8(random.below(256)) }
            let name = ContentName(digitsOf: bytes)
            #expect(name.bytes == bytes && name.packed == [1] + bytes)
            #expect(name == ContentName(name.value) && name.stored.count <= 1 + bytes.count)
            name.packed.withUnsafeBytes { packed in
                #expect(ContentName(packed: packed) == name)
                #expect(name.stored.withUnsafeBytes { ContentName.isStored($0, of: packed) })
                let isFormer = former.stored.withUnsafeBytes { ContentName.isStored($0, of: packed) }
                #expect(isFormer == (former == name))
                let less = UnsafeRawBufferPointer(rebasing: packed.dropLast())
                #expect(!name.stored.withUnsafeBytes { ContentName.isStored($0, of: less) })
            }
            // One that differs late, or is the other's beginning, and one of which a row of zeros is longer.
            let cut = random.below(byteCount)
            var changed = bytes
            changed[cut] = UInt8(random.below(3))
            let others = [
                former.bytes ?? [], changed, Array(bytes[..<cut]), Array(bytes[..<cut]) + [0] + bytes[cut...],
            ]
            for other in others.map(ContentName.init(digitsOf:)) {
                #expect((other < name) == other.packed.lexicographicallyPrecedes(name.packed))
                #expect((name < other) == name.packed.lexicographicallyPrecedes(other.packed))
            }
            former = name
        }
        #expect(ContentName(digitsOf: [UInt8](repeating: 0, count: 32)).stored.count == 3)
    }
}
