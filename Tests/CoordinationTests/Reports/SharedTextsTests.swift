import Coordination
import Testing

@Suite("SharedTexts")
struct SharedTextsTests {
    @Test("A text is kept as long as somebody bears it, once")
    func counting() {
        var texts = SharedTexts()
        for _ in 0..<3 {
            #expect(texts.share("Correspondence/Letters.swift:12") == "Correspondence/Letters.swift:12")
        }
        #expect(texts.share("b") == "b" && texts.count == 2)
        texts.drop("b")
        texts.drop("c")
        #expect(texts.count == 1)
        for _ in 0..<2 { texts.drop("Correspondence/Letters.swift:12") }
        #expect(texts.count == 1)
        texts.drop("Correspondence/Letters.swift:12")
        #expect(texts.count == 0)
    }

    @Test("All who bear a text have it in the same room")
    func sharing() {
        var texts = SharedTexts()
        let length = 40
        func room(_ text: String) -> UInt? {
            var text = text
            return text.withUTF8 { UInt(bitPattern: $0.baseAddress) }
        }
        let first = texts.share(String(repeating: "x", count: length))
        let second = texts.share(String(repeating: "x", count: length))
        #expect(room(first) == room(second) && room(first) != nil)
        #expect(room(first) != room(String(repeating: "x", count: length)))
    }
}
